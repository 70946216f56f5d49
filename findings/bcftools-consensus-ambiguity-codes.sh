#!/bin/sh
# bcftools 1.24 (pysam 0.24.1): consensus without options writes ambiguity codes, and leaves variants out.
#
# The help and the manual say that consensus applies all alternate alleles by default, that genotypes count with
# --samples, and that --iupac-codes is for ambiguity codes. bcftools 1.16 does so. But since 1.17, the genotypes of all
# samples count without an option too: a site with 0/1 becomes a code such as M, and a site where all samples have 0/0
# or no call keeps the reference. So the same command gives another sequence, with letters that many programs do not
# take. Only "--samples -" applies all alternate alleles. The notes of 1.17 tell of the change for --iupac-codes alone.
#
# Needs Python with venv. Ends with 1 if bcftools behaves otherwise.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv python
python/bin/pip install --quiet pysam==0.24.1 >&2
cat > consensus.py <<'PYTHON'
import pysam
import pysam.bcftools

with open("reference.fa", "w") as file:
    file.write(">c\nAAAAAAAAAA\n")
with open("calls.vcf", "w") as file:
    file.write("##fileformat=VCFv4.2\n##contig=<ID=c,length=10>\n")
    file.write('##FORMAT=<ID=GT,Number=1,Type=String,Description="genotype">\n')
    file.write("#CHROM POS ID REF ALT QUAL FILTER INFO FORMAT s\n".replace(" ", "\t"))
    for position, genotype in (2, "0/1"), (4, "1/1"), (6, "0/0"), (8, "./."):
        file.write(f"c {position} . A C 50 PASS . GT {genotype}\n".replace(" ", "\t"))
pysam.tabix_index("calls.vcf", preset="vcf")
for options in [], ["--iupac-codes"], ["--samples", "-"]:
    fasta = pysam.bcftools.consensus(*options, "--fasta-ref", "reference.fa", "calls.vcf.gz")
    print(*options, fasta.split()[1])
PYTHON
python/bin/python consensus.py > found
cat found
[ "$(cat found)" = "AMACAAAAAA
--iupac-codes AMACAAAAAA
--samples - ACACACACAA" ]
