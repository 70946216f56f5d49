#!/bin/sh
# GATK 4.6.2.0: the exact rank-sum test keeps the permutations that it enumerates, but never finds them
# again, so each test of two short series enumerates all of them.
#
# org.broadinstitute.hellbender.utils.MannWhitneyU has a map from the labels of the two series, such as
# 0 0 0 1 1, to the set of their permutations. One would expect a second test of two series of the same
# lengths to use the set of the first. But the array that serves as the key is permuted in place while the
# set is made, and is 1 1 1 0 0, reversed, when it is put into the map. A later look-up asks for the sorted
# labels, finds nothing, and makes the set again: 48,620 lists for two series of nine values. The sets stay in
# memory as well, one for each pair of lengths.
#
# HaplotypeCaller makes three such tests at each site where both alleles have one to nine reads: about a
# twelfth of its CPU time on real reads at 30x.
#
# Needs a JDK and Maven. Ends with 1 if GATK behaves otherwise.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
for artifact in org.broadinstitute:gatk:4.6.2.0 com.github.samtools:htsjdk:4.2.0 \
  org.apache.commons:commons-math3:3.5 org.apache.logging.log4j:log4j-api:2.24.1 \
  org.apache.logging.log4j:log4j-core:2.24.1 org.apache.commons:commons-lang3:3.14.0 \
  com.google.guava:guava:32.1.3-jre org.broadinstitute:barclay:5.0.0; do
  mvn -q -B org.apache.maven.plugins:maven-dependency-plugin:3.8.1:copy \
    -Dartifact="$artifact" -DoutputDirectory="$folder/jars" -Dmdep.useBaseVersion=true >&2
done
cat > Twice.java <<'JAVA'
import java.lang.reflect.Field;
import java.util.Map;
import org.broadinstitute.hellbender.utils.MannWhitneyU;

class Twice {
    public static void main(String[] arguments) throws Exception {
        Field field = MannWhitneyU.class.getDeclaredField("PERMUTATIONS");
        field.setAccessible(true);
        Map<?, ?> kept = (Map<?, ?>) field.get(null);
        Object first = enumerated(kept, new double[] {1, 2, 3}, new double[] {4, 5});
        Object second = enumerated(kept, new double[] {1, 2, 3}, new double[] {4, 5});
        System.out.println("entries " + kept.size() + ", made again " + (first != second));
    }

    private static Object enumerated(Map<?, ?> kept, double[] series1, double[] series2) {
        new MannWhitneyU().test(series1, series2, MannWhitneyU.TestType.FIRST_DOMINATES);
        return kept.values().iterator().next();
    }
}
JAVA
javac -cp 'jars/*' Twice.java
found=$(java -cp 'jars/*:.' Twice 2>errors) || { cat errors >&2; exit 1; }
echo "$found"
[ "$found" = "entries 1, made again true" ]
