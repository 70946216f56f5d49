"""Known results of PairHMM, PDHMM and Smith-Waterman, and how far an engine is from them."""

from __future__ import annotations

import numpy as np

from gkl_shim.pairhmm import PairHMM, Precision, Read
from gkl_shim.pdhmm import PDHMM, Flag, Haplotype
from gkl_shim.smithwaterman import HAPLOTYPE_TO_REFERENCE, Overhang, SmithWaterman

TOLERANCE: dict[Precision, float] = {"single": 1e-5, "double": 1e-8}
"""The largest error of a log10 likelihood."""

# Reads, haplotypes and their log10 likelihoods, computed from the model with 40 digits. The last
# two pairs underflow: one in single precision, the other also in double.
PAIRHMM: tuple[tuple[Read, tuple[str, ...], tuple[float, ...]], ...] = (
    (
        Read("ACGTTGCAACGGTACTGA", 30),
        ("ACGTTGCAACGGTACTGATC", "ACGTTGCAACTGTACTGATC", "ACGTTGCACGGTACTGATC"),
        (-1.35506034911441, -4.83174601538446, -5.57687696266721),
    ),
    (
        Read(
            "GATTACANGATTACA",
            [35, 34, 33, 12, 31, 30, 29, 2, 27, 26, 25, 24, 23, 22, 21],
            [45, 45, 40, 40, 35, 35, 30, 30, 25, 25, 20, 20, 15, 15, 10],
            [45, 40, 35, 30, 25, 20, 15, 10, 45, 40, 35, 30, 25, 20, 15],
            [10, 11, 12, 13, 14, 15, 10, 11, 12, 13, 14, 15, 10, 11, 12],
        ),
        ("CCGATTACAGGATTACATT", "CCGATTACAGATTACATT"),
        (-1.92566369427422, -4.06129398375506),
    ),
    (Read("ACGT" * 150, 3), ("TGCA" * 40,), (-529.269507158226,)),
    (Read("ACGT" * 150, 40, 60, 60, 40), ("TTTT" * 40,), (-2085.15061566801,)),
)

# Haplotypes of PDHMM with the flags of some letters. Their log10 likelihoods for two reads were
# computed from the model in extended precision.
PDHMM_READS = (Read("ACGTTGCANACGTAC", 30, 45, 40, 10), Read("TTGCAGACG", 20, 30, 35, 10))
PDHMM_HAPLOTYPES: tuple[tuple[str, dict[int, Flag]], ...] = (
    ("GGACGTTGCAGACGTACCAT", {}),
    ("GGACGTTGCTAGACGTACCAT", {9: Flag.DELETION_START | Flag.DELETION_END}),
    (
        "GGACGTTCAGTGACGTACCAT",
        {7: Flag.SNP | Flag.G, 9: Flag.DELETION_START, 11: Flag.DELETION_END},
    ),
)
PDHMM_LIKELIHOODS = (
    (-1.3540510635947833, -1.3752012464800842, -6.91867208757461),
    (-1.3897542816962678, -1.410815166309876, -6.8488798881236645),
)

# A reference, a sequence, and its offset and CIGAR for each overhang strategy by GATK's method.
ALIGNMENTS: tuple[str, str, dict[Overhang, tuple[int, str]]] = (
    "GATTACAGATTACAGGCATCGATCAGGCTTAACGATCGGCATTTACGACGACTACGAGCATCACGGATACC",
    "TTGATTACAGATTCAGGCATCGATCAGGAACTTAACGATCGGCTTTACGACGACTACGTGCATCACGGAT",
    {
        "softclip": (0, "2S11M1D15M2I13M1D27M"),
        "indel": (0, "2I11M1D15M2I13M1D27M3D"),
        "leading_indel": (0, "2I11M1D15M2I13M1D27M"),
        "ignore": (-2, "13M1D15M2I13M1D27M"),
    },
)


def pairhmm_error(pairhmm: PairHMM) -> float:
    """Return the largest error over the known log10 likelihoods."""
    return max(
        abs(float(got) - want)
        for read, haplotypes, known in PAIRHMM
        for got, want in zip(pairhmm.likelihoods([read], haplotypes)[0], known, strict=True)
    )


def pdhmm_error(pdhmm: PDHMM) -> float:
    """Return the largest error over the known log10 likelihoods of PDHMM."""
    haplotypes = [
        Haplotype(bases, [flags.get(at, 0) for at in range(len(bases))])
        for bases, flags in PDHMM_HAPLOTYPES
    ]
    found = pdhmm.likelihoods(PDHMM_READS, haplotypes)
    return float(abs(found - np.array(PDHMM_LIKELIHOODS)).max())


def aligns(aligner: SmithWaterman) -> bool:
    """Return whether an aligner finds the known alignments."""
    reference, sequence, known = ALIGNMENTS
    for overhang, expected in known.items():
        found = aligner.align([reference], [sequence], HAPLOTYPE_TO_REFERENCE, overhang)
        if (int(found.offsets[0]), found.cigars[0]) != expected:
            return False
    return True
