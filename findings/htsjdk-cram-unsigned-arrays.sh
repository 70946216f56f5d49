#!/bin/sh
# htsjdk 4.2.0 (Picard 3.4.0): in CRAM, an array of unsigned numbers becomes one of signed numbers.
#
# The tag ML has the probabilities of modified bases as B:C, numbers from 0 to 255. One would expect CRAM to keep the
# type of an array, as BAM does, and samtools keeps it. But htsjdk writes all arrays as signed ones into CRAM, and takes
# the arrays of samtools' CRAM files for signed ones. So numbers from 128 on become negative: 250, a sure call, is -6.
# A pipeline that writes CRAM with GATK or Picard, or reads it, loses these calls without a message.
#
# Needs a JDK, Maven and Python with venv. Ends with 1 if Picard behaves otherwise.
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
  group=${artifact%%:*} rest=${artifact#*:}
  echo "<dependency><groupId>$group</groupId><artifactId>${rest%:*}</artifactId><version>${rest#*:}</version>"
  echo '<exclusions><exclusion><groupId>*</groupId><artifactId>*</artifactId></exclusion></exclusions>'
  echo '</dependency>'
done > dependencies
cat > pom.xml <<XML
<project><modelVersion>4.0.0</modelVersion><groupId>finding</groupId><artifactId>finding</artifactId>
<version>1</version><dependencies>$(cat dependencies)</dependencies></project>
XML
mvn -q -B org.apache.maven.plugins:maven-dependency-plugin:3.8.1:build-classpath -Dmdep.outputFile=jars >&2
picard() {
  java -cp "$(cat jars)" picard.cmdline.PicardCommandLine "$@" > log 2>&1 || { cat log >&2; return 1; }
}
python3 -m venv python
python/bin/pip install --quiet pysam==0.23.3 >&2
printf '>c\n%s\n' "$(printf 'ACGTT%.0s' $(seq 200))" > ref.fa
printf 'c\t1000\t3\t1000\t1001\n' > ref.fa.fai
printf '@HD\tVN:1.6\n@SQ\tSN:c\tLN:1000\n' > ref.dict
{
  printf '@HD\tVN:1.6\tSO:coordinate\n@SQ\tSN:c\tLN:1000\n@RG\tID:g\tSM:s\n'
  printf 'r\t0\tc\t102\t60\t10M\t*\t0\t0\tCGTTACGTTA\tIIIIIIIIII\tMM:Z:C+m,0,0;\tML:B:C,250,4\tRG:Z:g\n'
} > in.sam
samtools() {
  python/bin/python -c 'import sys, pysam.samtools as s; s.view(*sys.argv[1:], catch_stdout=False)' "$@"
}
for format in bam cram; do
  picard SamFormatConverter -I in.sam -O picard.$format -R ref.fa
  samtools -T ref.fa --output-fmt $format,version=3.0 -o samtools.$format in.sam
  for writer in picard samtools; do
    picard SamFormatConverter -I $writer.$format -O out.sam -R ref.fa
    echo "$format of $writer, read by picard: $(grep -o 'ML:[^	]*' out.sam)"
    echo "$format of $writer, read by samtools: $(samtools -T ref.fa $writer.$format | grep -o 'ML:[^	]*')"
  done
done > found
cat found
[ "$(cat found)" = "bam of picard, read by picard: ML:B:C,250,4
bam of picard, read by samtools: ML:B:C,250,4
bam of samtools, read by picard: ML:B:C,250,4
bam of samtools, read by samtools: ML:B:C,250,4
cram of picard, read by picard: ML:B:c,-6,4
cram of picard, read by samtools: ML:B:c,-6,4
cram of samtools, read by picard: ML:B:c,-6,4
cram of samtools, read by samtools: ML:B:C,250,4" ]
