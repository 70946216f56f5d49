#!/bin/sh
# htsjdk 4.2.0 (Picard 3.4.0) and htslib (pysam 0.23.3): one CRAM file has two template lengths for one pair.
#
# A CRAM file need not hold TLEN: samtools leaves it out where the places of the two mates give it. One would expect
# each reader to compute what was left out in the same way. samtools computes it from the leftmost to the rightmost
# base, as the formats of SAM and CRAM say, htsjdk from one 5' end to the other. For two mates on the same strand, as
# beside an inversion, these differ by the length of a read. From a BAM file, both give the same TLEN.
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
mate() { # name flags position mate's-position template-length
  printf '%s\t%s\tc\t%s\t60\t20M\t=\t%s\t%s\tACGTTACGTTACGTTACGTT\tIIIIIIIIIIIIIIIIIIII\tRG:Z:g\n' "$@"
}
{
  printf '@HD\tVN:1.6\tSO:coordinate\n@SQ\tSN:c\tLN:1000\n@RG\tID:g\tSM:s\n'
  mate opposite 99 101 201 120
  mate opposite 147 201 101 -120
  mate same 65 301 401 120
  mate same 129 401 301 -120
} > in.sam
samtools() {
  python/bin/python -c 'import sys, pysam.samtools as s; s.view(*sys.argv[1:], catch_stdout=False)' "$@"
}
lengths() {
  grep -v '^@' "$1" | cut -f 1,9 | tr '\t\n' ': '
}
for format in bam cram; do
  samtools -T ref.fa --output-fmt $format,version=3.0 -o out.$format in.sam
  samtools -T ref.fa out.$format > samtools.sam
  picard SamFormatConverter -I out.$format -O picard.sam -R ref.fa
  echo "$format, samtools: $(lengths samtools.sam)"
  echo "$format, picard: $(lengths picard.sam)"
done > found
cat found
[ "$(cat found)" = "bam, samtools: opposite:120 opposite:-120 same:120 same:-120 
bam, picard: opposite:120 opposite:-120 same:120 same:-120 
cram, samtools: opposite:120 opposite:-120 same:120 same:-120 
cram, picard: opposite:120 opposite:-120 same:101 same:-101 " ]
