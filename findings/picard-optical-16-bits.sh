#!/bin/sh
# Picard 3.4.0: MarkDuplicates keeps coordinates on the flow cell in 16 signed bits. 3.5.0 does not.
#
# Read names have x and y of a cluster, and these are above 32,767 on today's instruments. MarkDuplicates
# keeps them as short values, so that 65,636 is 100, and 40,000 is negative. This shows twice. A duplicate is
# called optical (DT:Z:SQ) if both differ by at most 100: clusters at x = 100 and x = 65,636 are, those at
# 32,760 and 32,775 are not. And of two pairs of the same quality the one with the smaller x stays: of 30,000
# and 40,000 the second one. So the flag 1024 of a read depends on this too. Picard 3.5.0 gives the other answer
# in all three cases (with the libraries of 3.4.0), so the flags of the same reads change with this update.
#
# Needs a JDK and Maven. Ends with 1 if Picard behaves otherwise.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
copy() {
  mvn -q -B org.apache.maven.plugins:maven-dependency-plugin:3.8.1:copy \
    -Dartifact="$1" -DoutputDirectory="$folder/$2" -Dmdep.useBaseVersion=true >&2
}
for artifact in com.github.samtools:htsjdk:4.2.0 org.broadinstitute:barclay:5.0.0 \
  org.broadinstitute:gatk-native-bindings:1.0.0 com.intel.gkl:gkl:0.8.11 net.sf.jopt-simple:jopt-simple:5.0.3 \
  org.apache.logging.log4j:log4j-api:2.24.1 org.apache.logging.log4j:log4j-core:2.24.1 \
  org.apache.commons:commons-lang3:3.14.0 commons-io:commons-io:2.15.1 \
  commons-logging:commons-logging:1.3.0 com.google.guava:guava:32.1.3-jre \
  org.xerial.snappy:snappy-java:1.1.10.5; do
  copy $artifact jars
done
copy com.github.broadinstitute:picard:3.4.0 3.4.0
copy com.github.broadinstitute:picard:3.5.0 3.5.0
bases=ACGTACGTACGTACGTACGT qualities=IIIIIIIIIIIIIIIIIIII
for version in 3.4.0 3.5.0; do
  for pair in "100 65636" "32760 32775" "30000 40000"; do
    {
      printf '@HD\tVN:1.6\tSO:coordinate\n@SQ\tSN:c\tLN:1000\n@RG\tID:g\tSM:s\tLB:l\n'
      for x in $pair; do
        printf "m:1:f:1:1:$x:10\t99\tc\t101\t60\t20M\t=\t201\t120\t$bases\t$qualities\tRG:Z:g\n"
      done
      for x in $pair; do
        printf "m:1:f:1:1:$x:10\t147\tc\t201\t60\t20M\t=\t101\t-120\t$bases\t$qualities\tRG:Z:g\n"
      done
    } > in.sam
    java -cp "$version/*:jars/*" picard.cmdline.PicardCommandLine MarkDuplicates -I in.sam -O out.sam \
      -M metrics --TAGGING_POLICY All > log 2>&1 || { cat log >&2; exit 1; }
    grep '1123' out.sam | sed "s/:10\t.*DT:Z:/ is marked, /; s/.*:/Picard $version, x of $pair: /"
  done
done > found
cat found
[ "$(cat found)" = "Picard 3.4.0, x of 100 65636: 65636 is marked, SQ
Picard 3.4.0, x of 32760 32775: 32760 is marked, LB
Picard 3.4.0, x of 30000 40000: 30000 is marked, LB
Picard 3.5.0, x of 100 65636: 65636 is marked, LB
Picard 3.5.0, x of 32760 32775: 32775 is marked, SQ
Picard 3.5.0, x of 30000 40000: 40000 is marked, LB" ]
