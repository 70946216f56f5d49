#!/bin/sh
# Picard 3.4.0: MergeBamAlignment calls mates a proper pair however far apart they are.
#
# An aligner sets the flag 2 (proper pair) where the distance of the mates fits the library, and bwa and minimap2 do not
# set it for mates that are megabases apart. ALIGNER_PROPER_PAIR_FLAGS keeps the aligner's flag. Without it, the flag is
# computed, and one would expect this to look at the distance, which MergeBamAlignment has in TLEN. But it sets the flag
# for all mates on one chromosome that point at each other. So the pairs across a large deletion, which show it to
# a caller of structural variants, become proper ones, and filters such as "samtools view -f 2" keep them. The
# description of the option says that the program computes the flag, not how.
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
length=3000000
{ echo '>c'; yes ACGTTGACCT | head -n $((length / 10)); } > ref.fa
printf 'c\t%s\t3\t10\t11\n' "$length" > ref.fa.fai
printf '@HD\tVN:1.6\n@SQ\tSN:c\tLN:%s\n' "$length" > ref.dict
read=ACGTTGACCT qualities=IIIIIIIIII
printf '@HD\tVN:1.6\tSO:queryname\n@RG\tID:g\tSM:s\n' > unmapped.sam
{ cat ref.dict; printf '@PG\tID:aligner\n'; } > aligned.sam
# The name of a pair, the place of its second read, and the flags that the aligner gave: 2 only for the near pair.
while read -r name place first second; do
  printf "$name\t%s\t*\t0\t0\t*\t*\t0\t0\t$read\t$qualities\tRG:Z:g\n" 77 141 >> unmapped.sam
  size=$((place + 9))
  printf "$name\t$first\tc\t1\t60\t10M\t=\t$place\t$size\t$read\t$qualities\n" >> aligned.sam
  printf "$name\t$second\tc\t$place\t60\t10M\t=\t1\t-$size\t$read\t$qualities\n" >> aligned.sam
done <<'PAIRS'
far 2900001 97 145
near 301 99 147
outwards 301 81 161
PAIRS
for aligner in false true; do
  picard MergeBamAlignment -UNMAPPED unmapped.sam -ALIGNED aligned.sam -O merged.sam -R ref.fa \
    --ALIGNER_PROPER_PAIR_FLAGS $aligner
  grep -v '^@' merged.sam | sort | while read -r name flag _ _ _ _ _ _ size _; do
    echo "$aligner: $name $size $((flag & 2))"
  done
done > found
cat found
[ "$(cat found)" = "false: far -2900010 2
false: far 2900010 2
false: near -310 2
false: near 310 2
false: outwards -292 0
false: outwards 292 0
true: far -2900010 0
true: far 2900010 0
true: near -310 2
true: near 310 2
true: outwards -292 0
true: outwards 292 0" ]
