#!/bin/sh
# htsjdk 4.2.0 (Picard 3.4.0) and htslib (pysam 0.23.3): one BAM has three different index files.
#
# A BAI lists where the reads of each bin begin and end, so one would expect one BAM to have one BAI. But Picard
# writes another file while it writes the BAM (CREATE_INDEX) than it makes from the finished BAM
# (BuildBamIndex), and both are not the file of `samtools index`. All three find the same reads. So a checksum
# of an index says nothing about the BAM.
#
# Needs a JDK, Maven and Python with venv. Ends with 1 if Picard behaves otherwise.
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
python3 -m venv python
python/bin/pip install --quiet pysam==0.23.3 >&2
python3 - <<'PYTHON'
import random

random.seed(1)
with open("reads.sam", "w") as file:
    file.write("@HD\tVN:1.6\n@SQ\tSN:c\tLN:1000000\n@RG\tID:g\tSM:s\n")
    for k in range(20000):
        bases = "".join(random.choices("ACGT", k=50))
        line = f"r{k} 0 c {random.randrange(1, 900000)} 60 50M * 0 0 {bases} {'I' * 50} RG:Z:g\n"
        file.write(line.replace(" ", "\t"))
PYTHON
picard SortSam -I reads.sam -O reads.bam -SO coordinate --CREATE_INDEX true
mv reads.bai with_bam.bai
picard BuildBamIndex -I reads.bam -O from_bam.bai
python/bin/python - <<'PYTHON'
import pysam

pysam.index("reads.bam", "samtools.bai")
names = ("with_bam.bai", "from_bam.bai", "samtools.bai")
files = [open(name, "rb").read() for name in names]
print("different files:", len(set(files)))
reads = []
for name in names:
    with pysam.AlignmentFile("reads.bam", index_filename=name) as file:
        found = [file.fetch("c", start, start + 10) for start in range(0, 900000, 9000)]
        reads.append([read.query_name for part in found for read in part])
assert reads[0] and reads[0] == reads[1] == reads[2]
assert len(set(files)) == 3
PYTHON
