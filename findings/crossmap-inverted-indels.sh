#!/bin/sh
# CrossMap 0.7.4: where the new assembly is inverted, lifted insertions and block substitutions are other variants.
#
# In VCF, an insertion or a deletion begins with the base before it. On the other strand, this is the base on its other
# side, so a lift-over must move the variant by one base and take another base from the new assembly. CrossMap changes
# the letters to the other strand, but keeps the position of the first base and puts the new assembly's base at this
# position in front. So the inserted bases stand at the wrong side, and a substitution of three bases becomes an
# insertion, both with exit code 0 and without a mark. A deletion is left out. SNVs are right.
#
# Here, the new assembly is the old one from the other strand. A variant is right if it gives the same sequence.
#
# Needs Python with venv. Ends with 1 if CrossMap behaves otherwise.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv python
python/bin/pip install --quiet CrossMap==0.7.4 pysam==0.24.1 >&2
cat > lift.py <<'PYTHON'
import pathlib
import subprocess

OLD = "GATTACAGGC" * 3 + "TCCAGTCATGAAC" + "CTTGGATCCA" * 3
COMPLEMENT = str.maketrans("ACGT", "TGCA")


def other_strand(letters):
    return letters.translate(COMPLEMENT)[::-1]


def change(sequence, position, ref, alt):
    start = int(position) - 1
    assert sequence.startswith(ref, start), "REF is not the reference"
    return sequence[:start] + alt + sequence[start + len(ref) :]


NEW = other_strand(OLD)
length = len(OLD)
VARIANTS = {
    "SNV": (36, "T", "A"), "insertion": (36, "T", "TGGA"), "deletion": (36, "TCA", "T"), "block": (36, "TCA", "GAC")
}
pathlib.Path("new.fa").write_text(f">d\n{NEW}\n")
pathlib.Path("chain").write_text(f"chain 9 c {length} + 0 {length} d {length} - 0 {length} 1\n{length}\n\n")
with open("old.vcf", "w") as file:
    file.write(f"##fileformat=VCFv4.2\n##contig=<ID=c,length={length}>\n")
    file.write("\t".join("#CHROM POS ID REF ALT QUAL FILTER INFO".split()) + "\n")
    for name, (position, ref, alt) in VARIANTS.items():
        file.write(f"c\t{position}\t{name}\t{ref}\t{alt}\t50\tPASS\t.\n")
command = ["python/bin/CrossMap", "vcf", "chain", "old.vcf", "new.fa", "new.vcf"]
subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
lifted = [line.split("\t") for line in open("new.vcf") if not line.startswith("#")]
for _, position, name, ref, alt, *_ in lifted:
    right = change(NEW, position, ref, alt) == other_strand(change(OLD, *VARIANTS[name]))
    print(f"{name}: {position} {ref} {alt}, {'right' if right else 'wrong'}")
for line in open("new.vcf.unmap"):
    if not line.startswith("#"):
        print("left out:", line.split("\t")[2], line.split()[-1])
PYTHON
python/bin/python lift.py > found
cat found
[ "$(cat found)" = "SNV: 38 A T, right
insertion: 38 A ATCC, wrong
block: 38 A AGT, wrong
left out: deletion Fail(REF==ALT)" ]
