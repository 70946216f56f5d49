#!/bin/sh
# Picard 3.4.0 with htsjdk 4.2.0: a blank in a BED feature's name moves the feature to the plus strand.
#
# A BED file may have tabs between its columns and blanks within a name, such as "exon 2". One would expect the tab to
# separate where a line has tabs. But htsjdk splits at blanks as well, so "exon" is the name, 2 is the score, and the
# score stands where the strand is looked up. BedToIntervalList writes "+" then, without a warning and with exit code 0.
# bedtools finds the right strand in the same line. Tools that look at the strand of an interval go wrong then: here,
# ExtractSequences gives the bases of the other strand.
#
# Needs a JDK, Maven and Debian's apt-get, for bedtools. Ends with 1 if Picard behaves otherwise.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
chmod 755 "$folder"
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
apt-get download -qq bedtools=2.30.0+dfsg-3 >&2
dpkg -x bedtools_2.30.0+dfsg-3_*.deb .
printf '>c\nAAAACCCCGG\n' > ref.fa
printf 'c\t10\t3\t10\t11\n' > ref.fa.fai
printf '@HD\tVN:1.6\n@SQ\tSN:c\tLN:10\n' > ref.dict
printf 'c\t0\t5\texon_2\t0\t-\nc\t0\t5\texon 2\t0\t-\n' > exons.bed
picard BedToIntervalList -I exons.bed -SD ref.dict -O exons.interval_list
picard ExtractSequences -R ref.fa --INTERVAL_LIST exons.interval_list -O picard.fa
usr/bin/bedtools getfasta -fi ref.fa -bed exons.bed -s > bedtools.fa
{
  grep -v '^@' exons.interval_list | tr '\t' ' '
  grep -v '>' picard.fa | sed 's/^/Picard /'
  grep -v '>' bedtools.fa | sed 's/^/bedtools /'
} > found
cat found
[ "$(cat found)" = "c 1 5 + exon
c 1 5 - exon_2
Picard AAAAC
Picard GTTTT
bedtools GTTTT
bedtools GTTTT" ]
