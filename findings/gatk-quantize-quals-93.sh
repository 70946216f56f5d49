#!/bin/sh
# GATK 4.6.2.0: ApplyBQSR with --quantize-quals 16 turns qualities such as 17 into 93.
#
# The option reduces the qualities to a number of levels. One would expect each quality to become a level near it. The
# levels come from a table of BaseRecalibrator, which counts one empirical quality for each quality that the sequencer
# reported. Many instruments report three to eight, fewer than the levels, and then a range of qualities without a
# count gets the level 93. But recalibrated qualities depend on the cycle and the context too, and fall into such
# ranges. Here, all bases are reported as 30, and the second half of each read has three errors in a hundred bases.
# Without the option, its bases get 16 to 18, and the others 19. With it, nearly all of them get 93.
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
import random

random.seed(1)
ref = "".join(random.choices("ACGT", k=5000))
with open("ref.fa", "w") as file:
    file.write(f">c\n{ref}\n")
with open("ref.fa.fai", "w") as file:
    file.write("c\t5000\t3\t5000\t5001\n")
header = "@HD\tVN:1.6\tSO:coordinate\n@SQ\tSN:c\tLN:5000\n"
with open("ref.dict", "w") as file:
    file.write(header)
with open("reads.sam", "w") as file:
    file.write(header + "@RG\tID:g\tSM:s\tPL:ILLUMINA\n")
    for k, start in enumerate(sorted(random.choices(range(4900), k=2000))):
        bases = ""
        for place, base in enumerate(ref[start : start + 100]):
            is_wrong = random.random() < (0.001 if place < 50 else 0.03)
            bases += "CGTA"["ACGT".index(base)] if is_wrong else base
        file.write(f"r{k} 0 c {start + 1} 60 100M * 0 0 {bases} {'?' * 100} RG:Z:g\n".replace(" ", "\t"))
with open("known.bed", "w") as file:
    file.write("c\t1000\t1001\n")
PYTHON
gatk IndexFeatureFile -I known.bed
gatk walkers.bqsr.BaseRecalibrator -R ref.fa -I reads.sam --known-sites known.bed -O table
for levels in 0 16; do
  gatk walkers.bqsr.ApplyBQSR -I reads.sam -bqsr table -O out.sam --quantize-quals $levels
  python3 - $levels <<'PYTHON'
import sys
from collections import Counter

with open("out.sam") as file:
    texts = [line.split("\t")[10] for line in file if not line.startswith("@")]
for name, part in ("first", slice(50)), ("second", slice(50, None)):
    counts = Counter(ord(letter) - 33 for text in texts for letter in text[part])
    share = counts[93] / counts.total()
    print(f"{sys.argv[1]} levels, {name} half: {min(counts)} to {max(counts)},", f"{share:.0%} have 93")
PYTHON
done > found
cat found
[ "$(cat found)" = "0 levels, first half: 19 to 19, 0% have 93
0 levels, second half: 16 to 18, 0% have 93
16 levels, first half: 93 to 93, 100% have 93
16 levels, second half: 18 to 93, 98% have 93" ]
