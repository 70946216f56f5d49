#!/bin/sh
# GATK 4.6.2.0: ApplyBQSR leaves reads out of its output, with exit code 0.
#
# ApplyBQSR changes qualities, so one would expect the output to have all reads of the input. But the filter for
# well-formed reads is on by default, as in most tools of GATK. A read without a read group, without qualities,
# without bases, or with a skipped part of the reference (N, as in spliced RNA) is not in the output.
# What tells of it is a line of the log with the number of reads.
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
  org.slf4j:slf4j-api:1.7.25; do
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
header = "@HD\tVN:1.6\tSO:coordinate\n@SQ\tSN:c\tLN:2000\n@RG\tID:g\tSM:s\tPL:ILLUMINA\n"
with open("reads.sam", "w") as file:
    file.write(header)
    for name, cigar, bases, qualities, tag in (
        ("usual", "20M", "ACGTT" * 4, "I" * 20, "RG:Z:g"),
        ("no_read_group", "20M", "ACGTT" * 4, "I" * 20, "X0:i:1"),
        ("no_qualities", "20M", "ACGTT" * 4, "*", "RG:Z:g"),
        ("no_bases", "20M", "*", "*", "RG:Z:g"),
        ("spliced", "10M50N10M", "ACGTT" * 4, "I" * 20, "RG:Z:g"),
        ("last", "20M", "ACGTT" * 4, "I" * 20, "RG:Z:g"),
    ):
        file.write("\t".join((name, "0", "c", "101", "60", cigar, "*", "0", "0", bases, qualities, tag)) + "\n")
with open("ref.fa", "w") as file:
    file.write(">c\n" + "ACGTT" * 400 + "\n")
with open("ref.fa.fai", "w") as file:
    file.write("c\t2000\t3\t2000\t2001\n")
with open("ref.dict", "w") as file:
    file.write("@HD\tVN:1.6\n@SQ\tSN:c\tLN:2000\n")
with open("known.bed", "w") as file:
    file.write("c\t1000\t1001\n")
PYTHON
gatk IndexFeatureFile -I known.bed
gatk walkers.bqsr.BaseRecalibrator -R ref.fa -I reads.sam --known-sites known.bed -O table
gatk walkers.bqsr.ApplyBQSR -I reads.sam -bqsr table -O out.sam
grep -o '[0-9]* read(s) filtered by: .*' log
found=$(grep -v '^@' out.sam | cut -f 1 | tr '\n' ' ')
echo "6 reads in, out: $found"
[ "$found" = "usual last " ]
