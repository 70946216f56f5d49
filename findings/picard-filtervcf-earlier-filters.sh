#!/bin/sh
# Picard 3.4.0: FilterVcf turns sites that earlier filters rejected into PASS.
#
# One would expect FilterVcf to add the filters that fail to the FILTER column, as GATK's VariantFiltration does. But it
# puts the filters of this run in place of those that it finds, and PASS where none of them fails. So a site that a
# caller or another tool rejected becomes PASS, and a second run with another limit undoes the first: a site with a QD
# of 1 is LowQD after --MIN_QD 2, and PASS after --MAX_FS 60. The FT of the genotypes goes the same way. The header
# still describes the filters that are gone.
#
# Needs a JDK and Maven. Ends with 1 if Picard behaves otherwise.
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
  mvn -q -B org.apache.maven.plugins:maven-dependency-plugin:3.8.1:copy \
    -Dartifact="$artifact" -DoutputDirectory="$folder/jars" -Dmdep.useBaseVersion=true >&2
done
picard() {
  java -cp 'jars/*' picard.cmdline.PicardCommandLine "$@" > log 2>&1 || { cat log >&2; return 1; }
}
{
  printf '##fileformat=VCFv4.2\n##contig=<ID=c,length=1000>\n##FILTER=<ID=weak,Description="of the caller">\n'
  for field in 'INFO=<ID=QD,Number=1,Type=Float' 'INFO=<ID=FS,Number=1,Type=Float' \
    'FORMAT=<ID=GT,Number=1,Type=String' 'FORMAT=<ID=FT,Number=1,Type=String' \
    'FORMAT=<ID=DP,Number=1,Type=Integer' 'FORMAT=<ID=GQ,Number=1,Type=Integer'; do
    printf '##%s,Description="field">\n' "$field"
  done
  printf '#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\tFORMAT\ts\n'
  printf 'c\t10\t.\tA\tC\t50\tweak\tQD=9.0;FS=1.0\tGT:FT:DP:GQ\t0/1:poor:9:50\n'
  printf 'c\t20\t.\tA\tC\t50\tPASS\tQD=1.0;FS=1.0\tGT:DP:GQ\t0/1:9:50\n'
} > calls.vcf
picard FilterVcf -I calls.vcf -O first.vcf --MIN_QD 2
picard FilterVcf -I first.vcf -O second.vcf --MAX_FS 60
for file in calls first second; do
  grep '^c' $file.vcf | cut -f 2,7,9,10 | sed "s/^/$file: /" | tr '\t' ' '
done > found
cat found
grep -q 'FILTER=<ID=weak' second.vcf
[ "$(cat found)" = "calls: 10 weak GT:FT:DP:GQ 0/1:poor:9:50
calls: 20 PASS GT:DP:GQ 0/1:9:50
first: 10 PASS GT:DP:GQ 0/1:9:50
first: 20 LowQD GT:DP:GQ 0/1:9:50
second: 10 PASS GT:DP:GQ 0/1:9:50
second: 20 PASS GT:DP:GQ 0/1:9:50" ]
