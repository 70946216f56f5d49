#!/bin/sh
# GATK 4.6.2.0: SelectVariants turns the percent codes of VCF 4.3 into what they stand for, and so adds annotations.
#
# VCF 4.3 writes a semicolon within a value as %3B, an equals sign as %3D, and a comma as %2C. One would expect GATK to
# keep the codes, or to refuse the version. GATK reads 4.3 and decodes the values, but writes 4.2, and writes them as
# they are. So one annotation becomes two, with a name that the header does not have, and a list of two becomes
# one of three. The exit code is 0.
#
# Needs a JDK, Maven and Python. Ends with 1 if GATK behaves otherwise.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
for artifact in org.broadinstitute:gatk:4.6.2.0 com.github.samtools:htsjdk:4.2.0 \
  org.broadinstitute:barclay:5.0.0 com.intel.gkl:gkl:0.8.11 org.broadinstitute:gatk-native-bindings:1.0.0 \
  net.sf.jopt-simple:jopt-simple:5.0.3 org.apache.logging.log4j:log4j-api:2.24.1 \
  org.apache.logging.log4j:log4j-core:2.24.1 org.apache.commons:commons-lang3:3.14.0 \
  commons-io:commons-io:2.14.0 org.apache.commons:commons-math3:3.5 com.google.guava:guava:32.1.3-jre \
  org.apache.commons:commons-compress:1.26.0 org.apache.commons:commons-jexl:2.1.1 \
  commons-logging:commons-logging:1.3.0 com.google.cloud:google-cloud-nio:0.127.8 \
  org.broadinstitute:http-nio:1.1.1 org.aeonbits.owner:owner:1.0.9 org.apache.hadoop:hadoop-client-api:3.3.4 \
  com.google.cloud:google-cloud-storage:2.30.1 com.google.cloud:google-cloud-core-http:2.28.0 \
  com.google.cloud:google-cloud-core:2.28.0 com.esotericsoftware:minlog:1.3.1 \
  com.google.auth:google-auth-library-credentials:1.20.0 com.google.auth:google-auth-library-oauth2-http:1.20.0 \
  com.google.api:gax:2.38.0 com.google.http-client:google-http-client:1.43.3 \
  com.google.http-client:google-http-client-gson:1.43.3 org.threeten:threetenbp:1.6.8 \
  io.opencensus:opencensus-api:0.31.1 io.opencensus:opencensus-contrib-http-util:0.31.1 \
  com.google.api:api-common:2.21.0 com.google.http-client:google-http-client-appengine:1.43.3 \
  io.grpc:grpc-api:1.59.1 org.slf4j:slf4j-api:1.7.25; do
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
with open("in.vcf", "w") as file:
    file.write("##fileformat=VCFv4.3\n##contig=<ID=c,length=2000>\n")
    for name in "NOTE", "LIST":
        file.write(f'##INFO=<ID={name},Number=.,Type=String,Description="d">\n')
    file.write("#CHROM POS ID REF ALT QUAL FILTER INFO\n".replace(" ", "\t"))
    file.write("c\t101\t.\tA\tC\t50\t.\tLIST=p.A1B%2CC2D,q;NOTE=benign%3BAC%3D9\n")
PYTHON
gatk walkers.variantutils.SelectVariants -V in.vcf -O out.vcf
found="$(sed -n 's/^##fileformat=//p' out.vcf) $(grep -v '^#' out.vcf | cut -f 8)"
echo "$found"
[ "$found" = "VCFv4.2 LIST=p.A1B,C2D,q;NOTE=benign;AC=9" ]
