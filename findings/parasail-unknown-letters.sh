#!/bin/sh
# parasail 1.3.4: a letter that the scoring matrix does not name costs nothing, and beats a mismatch.
#
# matrix_create("ACGT", 2, -3) gives 2 for a match and -3 for a mismatch. One would expect N to be a mismatch as in
# other aligners with two scores, or an error. But the matrix has a fifth row, with 0 against all letters, and N, R or
# any typing error is taken for it. So a global alignment of eight N is better than one with half of its bases right,
# and a local alignment runs through forty N, where it ends at ten other bases. The CIGAR says X for each N, so its
# mismatches do not add up to the score. With N in the alphabet, N costs 3, but N against N is a match.
#
# Needs Python with venv. Ends with 1 if parasail behaves otherwise.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv python
python/bin/pip install --quiet parasail==1.3.4 numpy==2.2.6 >&2
cat > letters.py <<'PYTHON'
import parasail

matrix = parasail.matrix_create("ACGT", 2, -3)
for query in ["ACGTACGT", "ACGTTGCA", "NNNNNNNN", "RRRRRRRR"]:
    found = parasail.nw_trace(query, "ACGTACGT", 5, 1, matrix)
    print(query, "global", found.score, found.cigar.decode.decode())
left, right = "ACGATTGCAC", "GGCTAATCGA"
for middle in ["N" * 40, "C" * 10]:
    target = left + "A" * len(middle) + right
    found = parasail.sw_stats(left + middle + right, target, 9, 9, matrix)
    print(f"{len(middle)} x {middle[0]} local {found.score}, {found.length} columns")
matrix = parasail.matrix_create("ACGTN", 2, -3)
print("with N", *(parasail.nw(query, "ACGNNNNN", 5, 1, matrix).score for query in ("ACGTACGT", "ACGNNNNN")))
PYTHON
python/bin/python letters.py > found
cat found
[ "$(cat found)" = "ACGTACGT global 16 8=
ACGTTGCA global -4 4=4X
NNNNNNNN global 0 8X
RRRRRRRR global 0 8X
40 x N local 40, 60 columns
10 x C local 20, 10 columns
with N -9 16" ]
