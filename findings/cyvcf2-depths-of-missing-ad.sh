#!/bin/sh
# cyvcf2 0.35.0: a sample without AD has alternate reads at a site with two or four alternate alleles.
#
# gt_alt_depths is the number of a sample's alternate reads, and -1 where the sample has no AD. One would expect -1 at
# each site, as one gets at sites with one, three or five alternate alleles. With two or four, the number of alternate
# reads is the number of alternate alleles, gt_depths is the same, and gt_alt_freqs is 1.0: htslib's codes for a missing
# value and for the end of a list are added up as 32-bit integers, and an even number of them overflows to a positive
# sum. So a sample without a call, as after bcftools merge, looks like one with alternate reads only.
#
# Needs Python with venv. Ends with 1 if cyvcf2 behaves otherwise.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv python
python/bin/pip install --quiet cyvcf2==0.35.0 numpy==2.2.6 >&2
cat > depths.py <<'PYTHON'
import cyvcf2

ALTERNATES = ["C", "G", "T", "AC", "AG"]
with open("calls.vcf", "w") as file:
    file.write("##fileformat=VCFv4.2\n##contig=<ID=c,length=100>\n")
    file.write('##FORMAT=<ID=GT,Number=1,Type=String,Description="genotype">\n')
    file.write('##FORMAT=<ID=AD,Number=R,Type=Integer,Description="reads of each allele">\n')
    file.write("#CHROM POS ID REF ALT QUAL FILTER INFO FORMAT called missing\n".replace(" ", "\t"))
    for count in range(1, 6):
        depths = ",".join(["8", "7", *["0"] * (count - 1)])
        alternates = ",".join(ALTERNATES[:count])
        file.write(f"c {count} . A {alternates} 50 PASS . GT:AD 0/1:{depths} ./.:.\n".replace(" ", "\t"))
for site in cyvcf2.VCF("calls.vcf"):
    print(len(site.ALT), "called", site.gt_alt_depths[0], end=", ")
    print("missing", site.gt_alt_depths[1], site.gt_depths[1], site.gt_alt_freqs[1])
PYTHON
python/bin/python depths.py > found
cat found
[ "$(cat found)" = "1 called 7, missing -1 -1 -1.0
2 called 7, missing 2 2 1.0
3 called 7, missing -1 -1 -1.0
4 called 7, missing 4 4 1.0
5 called 7, missing -1 -1 -1.0" ]
