#!/bin/sh
# GATK 4.6.2.0: LeftAlignIndels leaves NM and MD as they were, and drops a deletion that reaches the read's start.
#
# LeftAlignIndels moves an indel in a repeat as far to the left as the bases allow. One would expect MD, which has the
# place of each deletion, to change too, or to be removed. But MD stays, and contradicts the new CIGAR. And where the
# repeat goes on beyond the read's start, the deletion would come first in the CIGAR, so it is left out: the read begins
# five bases later, and no caller finds the deletion in it. Its NM still counts the five bases. The exit code is 0.
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
cat > reads.py <<'PYTHON'
import sys

import pysam

LEFT, REPEAT, RIGHT = "GATTACAGGCATCCA", "ACGTT", "GGCATAGCCTAGACC"
reference = LEFT + REPEAT * 5 + RIGHT
if sys.argv[1] == "write":
    with open("ref.fa", "w") as file:
        file.write(f">c\n{reference}\n")
    pysam.faidx("ref.fa")
    with open("ref.dict", "w") as file:
        file.write(f"@HD\tVN:1.6\n@SQ\tSN:c\tLN:{len(reference)}\n")
    header = {"HD": {"VN": "1.6", "SO": "coordinate"}, "SQ": [{"SN": "c", "LN": len(reference)}],
              "RG": [{"ID": "g", "SM": "s", "PL": "ILLUMINA"}]}
    with pysam.AlignmentFile("in.bam", "wb", header=header) as out:
        for name, start in ("inside", 5), ("start", 15):
            before, after = reference[start:35], reference[40:]
            read = pysam.AlignedSegment(out.header)
            read.query_name, read.reference_id, read.reference_start = name, 0, start
            read.mapping_quality, read.query_sequence = 60, before + after
            read.cigarstring = f"{len(before)}M5D{len(after)}M"
            read.query_qualities = pysam.qualitystring_to_array("I" * len(before + after))
            read.set_tag("RG", "g")
            read.set_tag("NM", 5)
            read.set_tag("MD", f"{len(before)}^{REPEAT}{len(after)}")
            out.write(read)
    pysam.index("in.bam")
for read in pysam.AlignmentFile(sys.argv[2]):
    print(sys.argv[2], read.query_name, read.pos + 1, read.cigarstring, read.get_tag("NM"), read.get_tag("MD"))
PYTHON
python/bin/python reads.py write in.bam > found
gatk LeftAlignIndels -I in.bam -R ref.fa -OVI false -O out.bam
python/bin/python reads.py read out.bam >> found
cat found
[ "$(cat found)" = "in.bam inside 6 30M5D15M 5 30^ACGTT15
in.bam start 16 20M5D15M 5 20^ACGTT15
out.bam inside 6 10M5D35M 5 30^ACGTT15
out.bam start 21 35M 5 20^ACGTT15" ]
