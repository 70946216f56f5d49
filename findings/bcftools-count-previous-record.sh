#!/bin/sh
# bcftools 1.21 and 1.24 (pysam 0.23.3, 0.24.1): at a site without DP, COUNT(FMT/DP) is the count of an earlier site.
#
# In a filter expression, COUNT(FMT/DP) is the number of samples that have a DP. One would expect 0 where the FORMAT
# column has no DP, and a file that begins with such a site has 0 there. But later sites without DP get the count of the
# last site with a DP. So they pass or fail by what stands before them, and differently if a filter has removed that
# site. A comparison within the count, COUNT(FMT/DP>0), gives 0 as expected. The exit code is 0.
#
# Needs Python with venv. Ends with 1 if bcftools behaves otherwise.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
cat > count.py <<'PYTHON'
import pysam
import pysam.bcftools

HEADER = (
    "##fileformat=VCFv4.2",
    "##contig=<ID=c,length=1000>",
    '##FORMAT=<ID=GT,Number=1,Type=String,Description="genotype">',
    '##FORMAT=<ID=DP,Number=1,Type=Integer,Description="depth">',
    "#CHROM POS ID REF ALT QUAL FILTER INFO FORMAT s1 s2 s3".replace(" ", "\t"),
)
SITES = {
    "10, no DP": "GT 0/1 0/1 ./.",
    "20, DP of two": "GT:DP 0/1:9 0/1:8 ./.:.",
    "30, no DP": "GT 0/1 0/1 ./.",
    "40, DP of one": "GT:DP 0/1:9 0/1:. ./.:.",
    "50, no DP": "GT 0/1 0/1 ./.",
}
with open("sites.vcf", "w") as file:
    file.writelines(f"{line}\n" for line in HEADER)
    for site, samples in SITES.items():
        file.write(f"c {site[:2]} . A C 50 PASS . {samples}\n".replace(" ", "\t"))
for expression in "COUNT(FMT/DP)", "COUNT(FMT/DP>0)":
    for count in 0, 1, 2:
        found = pysam.bcftools.view("-H", "-i", f"{expression}={count}", "sites.vcf").splitlines()
        print(f"{expression}={count}:", *(line.split()[1] for line in found))
PYTHON
for version in 0.23.3 0.24.1; do
  python3 -m venv $version
  $version/bin/pip install --quiet pysam==$version >&2
  $version/bin/python count.py > found
  cat found
  [ "$(cat found)" = "COUNT(FMT/DP)=0: 10
COUNT(FMT/DP)=1: 40 50
COUNT(FMT/DP)=2: 20 30
COUNT(FMT/DP>0)=0: 10 30 50
COUNT(FMT/DP>0)=1: 40
COUNT(FMT/DP>0)=2: 20" ]
done
