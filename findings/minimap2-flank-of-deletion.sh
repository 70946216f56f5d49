#!/bin/sh
# minimap2 2.31 (mappy 2.31): the 500 bases before a deletion are not aligned, though 100 or 1,000 bases would be.
#
# A read lacks 1,000 bases of the reference. With map-ont, if 1,000 bases stand before the gap, there is one alignment
# with a deletion in it. If there are 100, there are two alignments. One would expect one or the other for 300 and 500,
# as these bases alone map with a quality of 60. But there is one alignment, and these bases are clipped. minimap2 puts
# both ends into one chain, then cuts off an end that is short for its gap, and does not map it again. So a caller that
# looks for split reads does not see the deletion, where a shorter end would show it. That a deletion needs long ends
# to be inside an alignment is known. The filter can be switched off with --no-end-flt.
#
# Needs Python with venv, a C compiler and zlib's headers. Ends with 1 if minimap2 behaves otherwise.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv python
python/bin/pip install --quiet mappy==2.31 >&2
cat > flanks.py <<'PYTHON'
import random

import mappy

random.seed(5)
reference = "".join(random.choices("ACGT", k=60_000))
START, DELETED, REST = 5_000, 1_000, 6_000
aligner = mappy.Aligner(seq=reference, preset="map-ont")


def placed(read):
    return [f"{hit.q_st}-{hit.q_en} at {hit.r_st}-{hit.r_en}, quality {hit.mapq}" for hit in aligner.map(read)]


for flank in 100, 300, 500, 1_000:
    end = START + flank
    before, after = reference[START:end], reference[end + DELETED : end + DELETED + REST]
    print(flank, "alone:", *placed(before))
    print(flank, "in the read:", "; ".join(placed(before + after)))
PYTHON
python/bin/python flanks.py > found
cat found
[ "$(cat found)" = "100 alone: 0-100 at 5000-5100, quality 60
100 in the read: 98-6100 at 6098-12100, quality 60; 0-100 at 5000-5100, quality 60
300 alone: 0-300 at 5000-5300, quality 60
300 in the read: 300-6300 at 6300-12300, quality 60
500 alone: 0-500 at 5000-5500, quality 60
500 in the read: 500-6500 at 6500-12500, quality 60
1000 alone: 0-1000 at 5000-6000, quality 60
1000 in the read: 0-7000 at 5000-13000, quality 60" ]
