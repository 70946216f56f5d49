#!/bin/sh
# Picard 3.4.0: FastqToSam turns a quality of 40 into 10 if no base of the file has a quality below 26.
#
# Today's FASTQ has quality q as the character 33 + q. Two encodings that nobody has written for years have 64 + q. If
# QUALITY_FORMAT is not given, FastqToSam finds the encoding by the characters. One would expect today's wherever it is
# possible. But FastqToSam takes an old one wherever that is possible: Solexa if the lowest quality is 26 to 30, and
# Illumina from 31 on, where a warning calls the choice ambiguous. For Solexa there is no warning. Reads without a low
# quality are usual after a filter, and among consensus and HiFi reads, whose 93 becomes 62. With one base of 25 in the
# file, all qualities stay.
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
# The characters : ; @ I ~ are the qualities 25, 26, 31, 40 and 93.
for qualities in 'I~I~:' 'I~I~;' 'I~I~@'; do
  printf '@read\nACGTA\n+\n%s\n' "$qualities" > reads.fq
  java -cp 'jars/*' picard.cmdline.PicardCommandLine FastqToSam -F1 reads.fq -O out.sam -SM s > log 2>&1 \
    || { cat log >&2; exit 1; }
  echo "$qualities becomes $(grep '^read' out.sam | cut -f 11), warnings: $(grep -c WARNING log || true)"
done > found
cat found
[ "$(cat found)" = "I~I~: becomes I~I~:, warnings: 0
I~I~; becomes +_+_!, warnings: 0
I~I~@ becomes *_*_!, warnings: 1" ]
