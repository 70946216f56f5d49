#!/bin/sh
# GATK 4.6.2.0: with a space in the path of the folder for temporary files, no file of variants can be read.
#
# One would expect `--tmp-dir "my files"` to work, as a space in the path of the input or of the output does. But
# IndexFeatureFile ends with "Unable to automatically instantiate codec ...AnnotatedIntervalCodec", exit code 3,
# and so does each tool that reads a VCF or BED file. Nothing names the folder. Other characters that a URL
# escapes, such as an accented letter, do the same, and -Djava.io.tmpdir has the same effect.
#
# Needs a JDK and Maven. Ends with 1 if GATK behaves otherwise.
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
{
  echo '##fileformat=VCFv4.2'
  echo '##contig=<ID=c,length=2000>'
  printf '#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\nc\t111\t.\tA\tC\t.\t.\t.\n'
} > sites.vcf
mkdir plain 'with space'
index() {
  java -cp "$(cat jars):." Tool IndexFeatureFile -I sites.vcf --tmp-dir "$1" > log 2>&1
}
index plain
rm sites.vcf.idx
if index 'with space'; then
  exit 1
fi
grep 'Unable to automatically instantiate codec' log
[ ! -e sites.vcf.idx ]
