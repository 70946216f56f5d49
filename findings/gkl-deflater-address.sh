#!/bin/sh
# GKL 0.8.11: what IntelDeflater makes of a block at levels 1 and 2 depends on where its memory is.
#
# One would expect the same bytes of the same block, whichever deflater compresses it. GKL hands levels 1 and 2 to ISA-L.
# At the start of a block, its assembly code hashes a part of the address of the deflater's native stream, in place of the
# block's third to sixth byte, and notes the third byte's position under that hash. If the first, second or third four
# bytes of the block have the same hash, the block becomes other bytes, which inflate to the same. Systems choose
# addresses at random. So two runs of GATK, which writes BAM files at level 2, may differ in a few compressed blocks: in
# a mean run, one block in 20,000 of a whole genome's real reads. Then the checksums of the BAM files differ, though the
# records are the same. Level 5 is not affected.
#
# Needs a JDK and Maven on x86-64. Ends with 1 if GKL behaves otherwise.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
cat > Addresses.java <<'JAVA'
import com.intel.gkl.compression.IntelDeflaterFactory;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.zip.Deflater;
import java.util.zip.Inflater;

public class Addresses {
    public static void main(String[] arguments) throws Exception {
        // The table of hashes is small for a short block.
        byte[] block = "GATTACA, then some other text, GATTACA, TTACA, ACATTAG, GATTACA".getBytes("ISO-8859-1");
        IntelDeflaterFactory factory = new IntelDeflaterFactory();
        for (int level : new int[] {1, 2, 5}) {
            List<Deflater> kept = new ArrayList<>();
            Set<String> results = new HashSet<>();
            boolean inflates = true;
            for (int k = 0; k < 300; k++) {
                Deflater deflater = factory.makeDeflater(level, true);
                kept.add(deflater);
                byte[] first = deflated(deflater, block);
                results.add(Arrays.toString(first));
                // The same deflater always makes the same.
                results.add(Arrays.toString(deflated(deflater, block)));
                Inflater inflater = new Inflater(true);
                inflater.setInput(first);
                byte[] text = new byte[block.length];
                inflates &= inflater.inflate(text) == text.length && Arrays.equals(text, block);
                inflater.end();
            }
            System.out.print(level + ":" + (results.size() == 1 ? "one" : "several") + (inflates ? " " : "damaged "));
        }
    }

    private static byte[] deflated(Deflater deflater, byte[] block) {
        deflater.reset();
        deflater.setInput(block, 0, block.length);
        deflater.finish();
        byte[] result = new byte[1000];
        return Arrays.copyOf(result, deflater.deflate(result, 0, result.length));
    }
}
JAVA
for artifact in com.intel.gkl:gkl:0.8.11 com.github.samtools:htsjdk:3.0.1 \
  org.broadinstitute:gatk-native-bindings:1.0.0 \
  org.apache.logging.log4j:log4j-api:2.24.1 org.apache.logging.log4j:log4j-core:2.24.1 \
  org.broadinstitute:barclay:5.0.0 commons-io:commons-io:2.15.1 commons-logging:commons-logging:1.3.0; do
  mvn -q -B org.apache.maven.plugins:maven-dependency-plugin:3.8.1:copy \
    -Dartifact="$artifact" -DoutputDirectory="$folder/jars" -Dmdep.useBaseVersion=true >&2
done
javac -cp "jars/*" -d . Addresses.java
java -cp "jars/*:." Addresses > results 2> log || { cat log >&2; exit 1; }
echo "0.8.11: $(tail -n 1 results)"
[ "$(tail -n 1 results)" = "1:several 2:several 5:one " ]
