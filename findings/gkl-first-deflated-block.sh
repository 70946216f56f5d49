#!/bin/sh
# GKL 0.8.8: a deflater of level 1 or 2 compresses its first block better than all later ones.
#
# htsjdk compresses each block of a BAM file with the same deflater, which it resets in between. One would expect
# the same bytes for the same block, and of each block what a new deflater makes of it. IntelDeflater of GKL 0.8.8
# (GATK 4.3 and 4.4) makes a fifth more of the second block on, at levels 1 and 2, whatever the first block was. So
# two programs that share the blocks of a file among several deflaters write other bytes than one with one deflater,
# and GATK 4.3 writes larger BAM files than GATK 4.6. At level 5, and with GKL 0.8.11, there is no difference.
#
# Needs a JDK and Maven on x86-64. Ends with 1 if GKL behaves otherwise.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
cat > Blocks.java <<'JAVA'
import com.intel.gkl.compression.IntelDeflaterFactory;
import java.util.Random;
import java.util.zip.Deflater;

public class Blocks {
    public static void main(String[] arguments) {
        Random choice = new Random(1);
        byte[] block = new byte[60000];
        for (int k = 0; k < block.length; k++) {
            block[k] = (byte) (k % 200 < 100 ? "ACGT".charAt(choice.nextInt(4)) : 'F' + choice.nextInt(8) / 6);
        }
        IntelDeflaterFactory factory = new IntelDeflaterFactory();
        for (int level : new int[] {1, 2, 5}) {
            Deflater deflater = factory.makeDeflater(level, true);
            int first = size(deflater, block);
            int second = size(deflater, block);
            int third = size(deflater, block);
            int other = size(factory.makeDeflater(level, true), block);
            System.out.print(level + ":" + (first == other) + (second == third)
                    + (second == first ? "same " : second > first + first / 20 ? "larger " : "other "));
        }
    }

    private static int size(Deflater deflater, byte[] block) {
        deflater.reset();
        deflater.setInput(block, 0, block.length);
        deflater.finish();
        return deflater.deflate(new byte[70000], 0, 70000);
    }
}
JAVA
for version in 0.8.8 0.8.11; do
  for artifact in "com.intel.gkl:gkl:$version" com.github.samtools:htsjdk:3.0.1 \
    org.broadinstitute:gatk-native-bindings:1.0.0 \
    org.apache.logging.log4j:log4j-api:2.24.1 org.apache.logging.log4j:log4j-core:2.24.1 \
    org.broadinstitute:barclay:5.0.0 commons-io:commons-io:2.15.1 commons-logging:commons-logging:1.3.0; do
    mvn -q -B org.apache.maven.plugins:maven-dependency-plugin:3.8.1:copy \
      -Dartifact="$artifact" -DoutputDirectory="$folder/jars-$version" -Dmdep.useBaseVersion=true >&2
  done
  javac -cp "jars-$version/*" -d "$version" Blocks.java
  java -cp "jars-$version/*:$version" Blocks > "sizes-$version" 2> log || { cat log >&2; exit 1; }
  echo "$version: $(tail -n 1 "sizes-$version")"
done
[ "$(tail -n 1 sizes-0.8.8)" = "1:truetruelarger 2:truetruelarger 5:truetruesame " ]
[ "$(tail -n 1 sizes-0.8.11)" = "1:truetruesame 2:truetruesame 5:truetruesame " ]
