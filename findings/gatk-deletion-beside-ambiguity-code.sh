#!/bin/sh
# GATK 4.6.2.0: an ambiguity code of the reference beside a deletion makes HaplotypeCaller call another deletion.
#
# Reads, half of which lack ten bases, give a deletion of ten bases with a quality of 533. hg38 has codes such as R and
# M; GATK takes them for N. If the second letter before the deletion is R, one would expect the same deletion, perhaps
# with N in it. HaplotypeCaller calls a deletion of one base nine bases further on, with the same quality and depth,
# and nothing in its log tells of it. If the code is inside the deletion, there is no call at all.
#
# Needs a JDK, Maven and Python. Ends with 1 if GATK behaves otherwise.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
for artifact in org.broadinstitute:gatk:4.6.2.0 com.github.samtools:htsjdk:4.2.0 \
  org.broadinstitute:barclay:5.0.0 com.github.broadinstitute:picard:3.4.0 com.intel.gkl:gkl:0.8.11 \
  org.broadinstitute:gatk-native-bindings:1.0.0 net.sf.jopt-simple:jopt-simple:5.0.3 \
  org.apache.logging.log4j:log4j-api:2.24.1 org.apache.logging.log4j:log4j-core:2.24.1 \
  org.apache.commons:commons-lang3:3.14.0 commons-io:commons-io:2.14.0 org.apache.commons:commons-math3:3.5 \
  com.google.guava:guava:32.1.3-jre it.unimi.dsi:fastutil:7.0.13 org.apache.commons:commons-compress:1.26.0 \
  org.apache.commons:commons-jexl:2.1.1 commons-logging:commons-logging:1.3.0 \
  com.google.cloud:google-cloud-nio:0.127.8 org.broadinstitute:http-nio:1.1.1 org.aeonbits.owner:owner:1.0.9 \
  org.apache.hadoop:hadoop-client-api:3.3.4 com.google.cloud:google-cloud-storage:2.30.1 \
  com.google.cloud:google-cloud-core-http:2.28.0 com.google.cloud:google-cloud-core:2.28.0 \
  com.esotericsoftware:minlog:1.3.1 com.google.auth:google-auth-library-credentials:1.20.0 \
  com.google.auth:google-auth-library-oauth2-http:1.20.0 com.google.api:gax:2.38.0 \
  com.google.http-client:google-http-client:1.43.3 com.google.http-client:google-http-client-gson:1.43.3 \
  org.threeten:threetenbp:1.6.8 io.opencensus:opencensus-api:0.31.1 \
  io.opencensus:opencensus-contrib-http-util:0.31.1 com.google.api:api-common:2.21.0 \
  com.google.http-client:google-http-client-appengine:1.43.3 com.fasterxml.jackson.core:jackson-core:2.16.0 \
  com.fasterxml.jackson.core:jackson-databind:2.16.0 com.fasterxml.jackson.core:jackson-annotations:2.16.0 \
  io.grpc:grpc-api:1.59.1 io.grpc:grpc-context:1.59.1 org.xerial.snappy:snappy-java:1.1.10.5 \
  org.slf4j:slf4j-api:1.7.25 org.apache.commons:commons-collections4:4.4 org.jgrapht:jgrapht-core:1.1.0 \
  gov.nist.math.jama:gov.nist.math.jama:1.1.1 org.ojalgo:ojalgo:44.0.0 \
  org.ojalgo:ojalgo-commons-math3:1.0.0; do
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
cat > Tool.java <<'JAVA'
import java.util.Arrays;
import org.broadinstitute.hellbender.cmdline.CommandLineProgram;

class Tool {
    public static void main(String[] words) throws Exception {
        Class<?> tool = Class.forName("org.broadinstitute.hellbender.tools." + words[0]);
        ((CommandLineProgram) tool.getConstructor().newInstance())
                .instanceMain(Arrays.copyOfRange(words, 1, words.length));
    }
}
JAVA
javac -cp "$(cat jars)" Tool.java 2>&1 | grep -A3 error: >&2 || true
gatk() {
  java -cp "$(cat jars):." Tool "$@" > log 2>&1 || { cat log >&2; return 1; }
}
python3 - <<'PYTHON'
import random

choice = random.Random(5)
reference = [choice.choice("ACGT") for _ in range(2000)]
sample = reference[:1005] + reference[1015:]
for name, place in ("plain", None), ("before", 1003), ("inside", 1010):
    letters = reference[:]
    if place is not None:
        letters[place] = "R"
    with open(name + ".fa", "w") as file:
        file.write(">c\n" + "".join(letters) + "\n")
    with open(name + ".fa.fai", "w") as file:
        file.write("c\t2000\t3\t2000\t2001\n")
    with open(name + ".dict", "w") as file:
        file.write("@HD\tVN:1.6\n@SQ\tSN:c\tLN:2000\n")
starts = sorted(choice.randint(860, 990) for _ in range(60))
with open("reads.sam", "w") as file:
    print("@HD\tVN:1.6\tSO:coordinate\n@SQ\tSN:c\tLN:2000\n@RG\tID:g\tSM:s\tPL:ILLUMINA", file=file)
    for k, start in enumerate(starts):
        bases = "".join((sample if k % 2 else reference)[start : start + 150])
        fields = f"r{k}", k // 2 % 2 * 16, "c", start + 1, 60, "150M", "*", 0, 0, bases, "F" * 150, "RG:Z:g"
        print(*fields, sep="\t", file=file)
PYTHON
cat > Indexed.java <<'JAVA'
import htsjdk.samtools.SAMFileWriter;
import htsjdk.samtools.SAMFileWriterFactory;
import htsjdk.samtools.SamReader;
import htsjdk.samtools.SamReaderFactory;
import java.io.File;

class Indexed {
    public static void main(String[] words) throws Exception {
        try (SamReader reads = SamReaderFactory.makeDefault().open(new File("reads.sam"));
                SAMFileWriter bam = new SAMFileWriterFactory().setCreateIndex(true)
                        .makeBAMWriter(reads.getFileHeader(), true, new File("reads.bam"))) {
            reads.forEach(bam::addAlignment);
        }
    }
}
JAVA
javac -cp "$(cat jars)" Indexed.java
java -cp "$(cat jars):." Indexed
for reference in plain before inside; do
  gatk walkers.haplotypecaller.HaplotypeCaller -R $reference.fa -I reads.bam -O $reference.vcf
  grep -v '^#' $reference.vcf | cut -f2,4,5,6 | tr '\t' ' ' | sed "s/^/$reference /" || true
done | tee found
cat > expected <<'CALLS'
plain 1005 AGGTCTGATAC A 532.60
before 1014 AC A 532.60
CALLS
cmp found expected
