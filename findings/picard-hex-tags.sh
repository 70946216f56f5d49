#!/bin/sh
# Picard 3.4.0 with htsjdk 4.2.0: MarkDuplicates turns a tag of type H (hexadecimal bytes) into an array, B:c.
#
# The SAM format has H for bytes in hexadecimal digits. MarkDuplicates sets PG in each read, so one would expect
# all other tags to keep their type. But htsjdk decodes all tags of a read when one of them is set, and holds H
# as an array of signed bytes, which it writes: XH:H:1AE3 becomes XH:B:c,26,-29. A program that asks for type H
# does not find the tag any more.
#
# Needs a JDK and Maven. Ends with 1 if Picard behaves otherwise.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
for artifact in com.github.broadinstitute:picard:3.4.0 com.github.samtools:htsjdk:4.2.0 \
  org.broadinstitute:barclay:5.0.0 org.broadinstitute:gatk-native-bindings:1.0.0 com.intel.gkl:gkl:0.8.11 \
  net.sf.jopt-simple:jopt-simple:5.0.3 org.apache.logging.log4j:log4j-api:2.24.1 \
  org.apache.logging.log4j:log4j-core:2.24.1 org.apache.commons:commons-lang3:3.14.0 \
  commons-io:commons-io:2.15.1 commons-logging:commons-logging:1.3.0 com.google.guava:guava:32.1.3-jre \
  org.xerial.snappy:snappy-java:1.1.10.5; do
  mvn -q -B org.apache.maven.plugins:maven-dependency-plugin:3.8.1:copy \
    -Dartifact="$artifact" -DoutputDirectory="$folder/jars" -Dmdep.useBaseVersion=true >&2
done
picard() {
  java -cp 'jars/*' picard.cmdline.PicardCommandLine "$@" > log 2>&1 || { cat log >&2; return 1; }
}
{
  printf '@HD\tVN:1.6\tSO:coordinate\n@SQ\tSN:c\tLN:1000\n@RG\tID:g\tSM:s\tLB:l\n'
  printf 'r\t0\tc\t101\t60\t10M\t*\t0\t0\tACGTACGTAC\tIIIIIIIIII\tNM:i:0\tXH:H:1AE3\tRG:Z:g\n'
} > in.sam
picard MarkDuplicates -I in.sam -O out.sam -M metrics
found=$(grep -v '^@' out.sam | cut -f 12-)
echo "$found"
[ "$found" = "$(printf 'PG:Z:MarkDuplicates\tRG:Z:g\tXH:B:c,26,-29\tNM:i:0')" ]
