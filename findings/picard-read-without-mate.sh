#!/bin/sh
# Picard 3.4.0: a read whose mate is not in the file is never a duplicate, and makes better reads duplicates.
#
# A BAM of a region often lacks the mates of reads at its borders. MarkDuplicates takes this read for one end
# of a pair, and waits for the other end. One would expect it to compare the read by its qualities with the
# single reads at the same place, as it does with a read that has no mate. But a place with one end of a pair
# has all its single reads marked, whatever their qualities: a read of quality 2 stays, two of quality 40 and 37
# get the flag 1024. The metrics say 1 for PERCENT_DUPLICATION, and 0 for the pairs that were examined: the
# half pair is gone in an integer division.
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
  printf 'half\t99\tc\t101\t60\t10M\t=\t301\t210\tACGTACGTAC\t##########\tRG:Z:g\n'
  printf 'single40\t0\tc\t101\t60\t10M\t*\t0\t0\tACGTACGTAC\tIIIIIIIIII\tRG:Z:g\n'
  printf 'single37\t0\tc\t101\t60\t10M\t*\t0\t0\tACGTACGTAC\tFFFFFFFFFF\tRG:Z:g\n'
} > in.sam
picard MarkDuplicates -I in.sam -O out.sam -M metrics
found=$(grep -v '^@' out.sam | cut -f 1,2 | tr '\t\n' ': ')
metrics=$(sed -n '/^LIBRARY/{n;p;}' metrics | cut -f 2,3,6,9 | tr '\t' ' ')
echo "flags: $found"
echo "single reads, pairs, marked single reads, duplication: $metrics"
[ "$found" = "half:99 single40:1024 single37:1024 " ]
[ "$metrics" = "2 0 2 1" ]
