#!/bin/sh
# GATK 4.6.2.0 after bcftools 1.24 (pysam 0.24.1) merge: one missing value costs a sample all its AD or PL.
#
# Where two samples have different alternate alleles, bcftools merge makes a site with both, and writes "." for what
# a sample's file does not tell: 5,6,. for the reads of three alleles. The VCF format allows this. One would expect GATK
# to keep the numbers that are there. But a list with one "." counts as missing: "SelectVariants -sn" and
# VariantFiltration leave AD and PL out of the record, and VariantsToTable writes NA. The log says nothing, and the exit
# code is 0. SelectVariants without -sn copies the lists unchanged, so the options decide whether a file keeps them.
# Where both samples have the same allele, all stays.
#
# Needs a JDK, Maven and Python with venv. Ends with 1 if GATK behaves otherwise.
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
python3 -m venv python
python/bin/pip install --quiet pysam==0.24.1 >&2
cat > merge.py <<'PYTHON'
from pysam import bcftools

for sample, alternate in ("s", "C"), ("t", "G"):
    with open(f"{sample}.vcf", "w") as file:
        file.write("##fileformat=VCFv4.2\n##contig=<ID=c,length=2000>\n")
        for name, number, kind in ("GT", 1, "String"), ("AD", "R", "Integer"), ("PL", "G", "Integer"):
            file.write(f'##FORMAT=<ID={name},Number={number},Type={kind},Description="d">\n')
        file.write(f"#CHROM POS ID REF ALT QUAL FILTER INFO FORMAT {sample}\n".replace(" ", "\t"))
        for position, allele in (101, alternate), (201, "C"):
            file.write(f"c\t{position}\t.\tA\t{allele}\t50\tPASS\t.\tGT:AD:PL\t0/1:5,6:50,0,60\n")
    bcftools.view("-Oz", "-o", f"{sample}.vcf.gz", f"{sample}.vcf", catch_stdout=False)
    bcftools.index(f"{sample}.vcf.gz")
bcftools.merge("-o", "merged.vcf", "s.vcf.gz", "t.vcf.gz", catch_stdout=False)
PYTHON
python/bin/python merge.py
gatk walkers.variantutils.SelectVariants -V merged.vcf -O all.vcf
gatk walkers.variantutils.SelectVariants -V merged.vcf -O one.vcf -sn s
gatk walkers.filters.VariantFiltration -V merged.vcf -O filtered.vcf \
  --genotype-filter-expression 'GQ > 90' --genotype-filter-name high
gatk walkers.variantutils.VariantsToTable -V merged.vcf -O table.tsv -GF AD
{
  for file in merged all one filtered; do
    grep -v '^#' $file.vcf | awk -v file=$file '{print file, $2, $5, $9, $10}'
  done
  awk 'NR > 1 {print "table", $1}' table.tsv
} > found
cat found
[ "$(cat found)" = "merged 101 C,G GT:AD:PL 0/1:5,6,.:50,0,60,.,.,.
merged 201 C GT:AD:PL 0/1:5,6:50,0,60
all 101 C,G GT:AD:PL 0/1:5,6,.:50,0,60,.,.,.
all 201 C GT:AD:PL 0/1:5,6:50,0,60
one 101 C,G GT 0/1
one 201 C GT:AD:PL 0/1:5,6:50,0,60
filtered 101 C,G GT 0/1
filtered 201 C GT:AD:PL 0/1:5,6:50,0,60
table NA
table 5,6" ]
