#!/bin/sh
# Picard 3.1.1: MarkDuplicates takes reads of different read groups for mates if their names are equal.
# Picard 3.2.0 and later do not.
#
# Files of several lanes are often merged after their reads were named 1, 2, 3, ... in each lane. One would
# expect MarkDuplicates to pair reads within a read group. Up to 3.1.1 it looks for the mate by the text "RG"
# and the name, and so by the name alone. If read 1 of lane A and read 1 of lane B are aligned to places near
# each other, the first ends of both become one pair, and the second ends another.
#
# Here, pairs 1 and 2 of lane A are duplicates, and pair 1 of lane B lies nearby. Picard 3.1.1 marks nothing.
# Picard 3.4.0 marks the two reads of one pair.
#
# GATK 4.3.0.0, 4.4.0.0 and 4.5.0.0 have Picard 2.27.5, 3.0.0 and 3.1.1.
#
# Needs Java and Maven. Ends with 1 if Picard behaves otherwise.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"

fetch() {
  mvn -q -B org.apache.maven.plugins:maven-dependency-plugin:3.8.1:copy \
    -Dartifact="$1" -DoutputDirectory="$folder/$2" -Dmdep.useBaseVersion=true >&2
}

for artifact in org.broadinstitute:barclay:5.0.0 net.sf.jopt-simple:jopt-simple:5.0.3 \
  org.apache.commons:commons-lang3:3.14.0 commons-logging:commons-logging:1.3.0 \
  com.intel.gkl:gkl:0.8.11 org.broadinstitute:gatk-native-bindings:1.0.0 \
  org.apache.logging.log4j:log4j-api:2.24.1 org.apache.logging.log4j:log4j-core:2.24.1 \
  org.xerial.snappy:snappy-java:1.1.10.5; do
  fetch "$artifact" jars
done
fetch com.github.broadinstitute:picard:3.1.1 3.1.1
fetch com.github.samtools:htsjdk:4.1.0 3.1.1
fetch com.github.broadinstitute:picard:3.4.0 3.4.0
fetch com.github.samtools:htsjdk:4.2.0 3.4.0

read_of() { # name flags position mate's-position length group
  printf '%s\t%s\tchr1\t%s\t60\t10M\t=\t%s\t%s\tACGTACGTAC\tIIIIIIIIII\tRG:Z:%s\n' "$@"
}
{
  printf '@HD\tVN:1.6\tSO:coordinate\n@SQ\tSN:chr1\tLN:2000\n'
  printf '@RG\tID:A\tSM:s\tLB:l\n@RG\tID:B\tSM:s\tLB:l\n'
  read_of 1 99 100 300 210 A
  read_of 2 99 100 300 210 A
  read_of 1 99 150 400 260 B
  read_of 1 147 300 100 -210 A
  read_of 2 147 300 100 -210 A
  read_of 1 147 400 150 -260 B
} > pairs.sam

marked() {
  java -cp "$1/*:jars/*" picard.cmdline.PicardCommandLine MarkDuplicates -I pairs.sam \
    -O "$1.sam" -M metrics.txt --USE_JDK_DEFLATER true --USE_JDK_INFLATER true \
    --READ_NAME_REGEX null 2>errors >&2 || { cat errors >&2; exit 1; }
  awk '!/^@/ && $2 >= 1024' "$1.sam" | wc -l
}
found="3.1.1 marks $(marked 3.1.1), 3.4.0 marks $(marked 3.4.0)"
echo "$found"
[ "$found" = "3.1.1 marks 0, 3.4.0 marks 2" ]
