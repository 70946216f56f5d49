#!/bin/sh
# Picard 3.4.0 with htsjdk 4.2.0: on the other strand, the ambiguity code R stays R, though it should be Y.
#
# The SAM format allows IUPAC's codes in a read's bases, and consensus reads have them: R is A or G, and on the other
# strand Y, T or C. SAM gives a read of the reverse strand as the forward strand shows it, so SamToFastq turns it
# around. One would expect Y for R, as samtools fastq writes. But htsjdk changes A, C, G and T alone, and only
# reverses the order of the codes. So the FASTQ has other bases than the sequencer's. RevertSam does the same, and so
# does ExtractSequences with an interval of the minus strand, as references such as hg38 have codes too. The exit code
# is 0.
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
python/bin/pip install --quiet pysam==0.24.1 >&2
printf '@HD\tVN:1.6\tSO:queryname\n@SQ\tSN:c\tLN:1000\n@RG\tID:g\tSM:s\n' > in.sam
printf 'read\t16\tc\t101\t60\t12M\t*\t0\t0\tAACRYKMBDHVN\tIIIIIIIIIIII\tRG:Z:g\n' >> in.sam
printf '>c\nAACRYKMBDHVN\n' > ref.fa
printf 'c\t12\t3\t12\t13\n' > ref.fa.fai
printf '@HD\tVN:1.6\n@SQ\tSN:c\tLN:12\n' | tee ref.dict > minus.interval_list
printf 'c\t1\t12\t-\tx\n' >> minus.interval_list
picard SamToFastq -I in.sam -FASTQ out.fq
picard RevertSam -I in.sam -O out.sam
picard ExtractSequences -R ref.fa --INTERVAL_LIST minus.interval_list -O out.fa
{
  echo "SamToFastq $(sed -n 2p out.fq)"
  echo "RevertSam $(grep -v '^@' out.sam | cut -f 10)"
  echo "ExtractSequences $(sed -n 2p out.fa)"
  echo "samtools fastq $(python/bin/python -c 'import pysam; print(pysam.fastq("in.sam"))' | sed -n 2p)"
  echo "samtools faidx $(python/bin/python -c 'import pysam; print(pysam.faidx("-i", "ref.fa", "c"))' | sed -n 2p)"
} > found
cat found
[ "$(cat found)" = "SamToFastq NVHDBMKYRGTT
RevertSam NVHDBMKYRGTT
ExtractSequences NVHDBMKYRGTT
samtools fastq NBDHVKMRYGTT
samtools faidx NBDHVKMRYGTT" ]
