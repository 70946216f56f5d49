#!/bin/sh
# GATK 4.6.2.0: LeftAlignAndTrimVariants drops the genotypes of all samples of a site if one sample is 1/2.
#
# With --split-multi-allelics, a site with two alternate alleles becomes two records. A genotype of 1/2 fits neither, so
# one would expect this genotype to change. But then the genotypes of all other samples become ./. as well, their GQ
# goes, and the INFO column has no AC, AF and AN. So in a cohort, one sample with 1/2 costs the calls of all. At a site
# without such a sample, all samples keep their calls. The exit code is 0, and the log says nothing.
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
with open("ref.fa", "w") as file:
    file.write(">c\n" + "ACGTT" * 400 + "\n")
with open("ref.fa.fai", "w") as file:
    file.write("c\t2000\t3\t2000\t2001\n")
with open("ref.dict", "w") as file:
    file.write("@HD\tVN:1.6\n@SQ\tSN:c\tLN:2000\n")
with open("in.vcf", "w") as file:
    file.write("##fileformat=VCFv4.2\n##contig=<ID=c,length=2000>\n")
    file.write('##INFO=<ID=MQ,Number=1,Type=Float,Description="d">\n')
    file.write('##FORMAT=<ID=GT,Number=1,Type=String,Description="d">\n')
    file.write('##FORMAT=<ID=GQ,Number=1,Type=Integer,Description="d">\n')
    file.write("#CHROM POS ID REF ALT QUAL FILTER INFO FORMAT a b d\n".replace(" ", "\t"))
    for pos, call in (101, "0/2"), (201, "1/2"):
        file.write(f"c\t{pos}\t.\tA\tC,G\t50\t.\tMQ=60.00\tGT:GQ\t0/1:99\t0/0:99\t{call}:99\n")
PYTHON
gatk walkers.variantutils.LeftAlignAndTrimVariants -R ref.fa -V in.vcf -O out.vcf --split-multi-allelics
grep -v '^#' out.vcf | cut -f 2,5,8- | tr '\t' ' ' > found
cat found
[ "$(cat found)" = "101 C AC=1;AF=0.167;AN=6 GT:GQ 0/1:99 0/0:99 0/0:99
101 G AC=1;AF=0.167;AN=6 GT:GQ 0/0:99 0/0:99 0/1:99
201 C . GT ./. ./. ./.
201 G . GT ./. ./. ./." ]
! grep -q ' WARN ' log
