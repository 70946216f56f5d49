#!/bin/sh
# GATK 4.6.2.0: GetPileupSummaries counts the reads of all samples of a BAM under the name of one of them.
#
# The table is the input of CalculateContamination, which asks how many reads of another person are in a sample.
# One would expect an error for a BAM with two samples, or the reads of one of them. But the counts at a site
# are those of all reads, and the first line of the table has the name of the first sample alone. If this BAM is
# a tumor with its normal in one file, the table shows no sign of it.
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
  com.opencsv:opencsv:3.4 org.threeten:threetenbp:1.6.8 io.opencensus:opencensus-api:0.31.1 \
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
header = "@HD\tVN:1.6\tSO:coordinate\n@SQ\tSN:c\tLN:2000\n"
groups = "@RG\tID:1\tSM:first\tPL:ILLUMINA\n@RG\tID:2\tSM:second\tPL:ILLUMINA\n"
with open("reads.sam", "w") as file:
    file.write(header + groups)
    for k in range(30):
        # Reads of the first sample have the reference at 111, those of the second one have the other base.
        group, bases = (1, "A" * 20) if k < 20 else (2, "A" * 10 + "C" + "A" * 9)
        file.write(f"r{k} 0 c 101 60 20M * 0 0 {bases} {'I' * 20} RG:Z:{group}\n".replace(" ", "\t"))
with open("sites.vcf", "w") as file:
    file.write("##fileformat=VCFv4.2\n##contig=<ID=c,length=2000>\n")
    file.write('##INFO=<ID=AF,Number=A,Type=Float,Description="frequency">\n')
    file.write("#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\nc\t111\t.\tA\tC\t.\t.\tAF=0.1\n")
PYTHON
java -cp "$(cat jars)" picard.cmdline.PicardCommandLine SortSam -I reads.sam -O reads.bam -SO coordinate \
  --CREATE_INDEX true > log 2>&1 || { cat log >&2; exit 1; }
gatk IndexFeatureFile -I sites.vcf
gatk walkers.contamination.GetPileupSummaries -I reads.bam -V sites.vcf -L sites.vcf -O table
cat table
[ "$(head -n 1 table)" = "#<METADATA>SAMPLE=first" ]
[ "$(tail -n 1 table | cut -f 1-5)" = "$(printf 'c\t111\t20\t10\t0')" ]
