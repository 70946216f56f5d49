#!/bin/sh
# GATK 4.6.2.0: in a filter expression, 7 / 2 is 3 and 7.0 / 2 is 3.5, though the header says Float.
#
# GATK's guide to filter expressions divides two annotations, QUAL / DP, and there the result is a fraction. One would
# expect the same of AC / AN, or at least of annotations that the header declares as Float. But GATK hands the text of
# an annotation to its expression language, JEXL, which takes a number without a point or an exponent for an integer,
# and cuts the quotient of two integers to an integer. So "AC / AN > 0.2" is false wherever AC is below AN, and a Float
# annotation passes or fails by the way in which its value is written. There is no warning.
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
    file.write("##fileformat=VCFv4.2\n##contig=<ID=c,length=2000>\n")
    for name, kind in ("AC", "Integer"), ("AN", "Integer"), ("XF", "Float"):
        file.write(f'##INFO=<ID={name},Number=1,Type={kind},Description="d">\n')
    file.write("#CHROM POS ID REF ALT QUAL FILTER INFO\n".replace(" ", "\t"))
    for pos, info in (101, "AC=2;AN=4;XF=7"), (201, "AC=2;AN=4;XF=7.0"), (301, "AC=4;AN=4;XF=1"):
        file.write(f"c\t{pos}\t.\tA\tC\t50\t.\t{info}\n")
PYTHON
gatk walkers.filters.VariantFiltration -V in.vcf -O out.vcf \
  --filter-expression 'AC / AN > 0.2' --filter-name frequency \
  --filter-expression 'AC * 1.0 / AN > 0.2' --filter-name product \
  --filter-expression 'XF / 2 > 3.2' --filter-name half
found=$(grep -v '^#' out.vcf | cut -f 7,8 | tr '\t\n' '  ')
echo "filters and annotations: $found"
[ "$found" = "product AC=2;AN=4;XF=7 half;product AC=2;AN=4;XF=7.0 frequency;product AC=4;AN=4;XF=1 " ]
! grep -q ' WARN ' log
