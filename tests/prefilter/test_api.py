"""The Python API accepts every form of sequences, and refuses wrong arguments."""

from __future__ import annotations

import numpy as np
import pytest

import gkl_shim
from gkl_shim.common import _native
from gkl_shim.errors import PairError
from gkl_shim.prefilter import (
    ABOVE,
    MAX_EDITS,
    MAX_LENGTH,
    UNDEFINED,
    Prefilter,
    Sequences,
    Summary,
    edits,
    summarize,
)
from gkl_shim.prefilter._sequences import sequences

READS = [b"ACGTACGT", b"ACGTACGA", b"TTTTTTTT", b"ACGNACGT"]
SEGMENTS = [b"ACGTACGT", b"ACGTTACG", b"ACGTACGT", b"ACGAACGT"]
RESULTS = [0, 2, ABOVE, UNDEFINED]


def ragged(items: list[bytes]) -> Sequences:
    return Sequences.from_arrays(b"".join(items), np.cumsum([0, *map(len, items)]))


def matrix(items: list[bytes]) -> np.ndarray:
    return np.frombuffer(b"".join(items), np.uint8).reshape(len(items), -1)


WAYS_IN = {
    "bytes": list,
    "str": lambda items: [item.decode() for item in items],
    "lower case": lambda items: [item.lower() for item in items],
    "arrays": lambda items: [np.frombuffer(item, np.uint8) for item in items],
    "matrix": matrix,
    "strided matrix": lambda items: np.repeat(matrix(items), 2, axis=0)[::2],
    "fixed-width bytes": lambda items: np.array(items, "S8"),
    "wide bytes": lambda items: np.array(items, "S12"),
    "fixed-width str": lambda items: np.array([item.decode() for item in items]),
    "ragged": ragged,
    "ragged, encoded": lambda items: ragged(items).encoded(),
    "matrix, encoded": lambda items: Sequences.from_matrix(matrix(items)).encoded(),
    "generator": lambda items: (item for item in items),
}


@pytest.mark.parametrize("reads", WAYS_IN)
def test_every_form_of_sequences_gives_the_same_edits(reads):
    for segments in WAYS_IN:
        got = edits(WAYS_IN[reads](READS), WAYS_IN[segments](SEGMENTS), 2)
        assert got.dtype == np.int16
        assert got.tolist() == RESULTS, segments


def test_bit_planes_encode_bases():
    """A has no bit set, C has low, T has high, and G has both. The first base is bit 0."""
    low, high = np.array([0b1010], np.uint32), np.array([0b1100], np.uint32)  # ACTG
    encoded = Sequences.from_planes(low, high, np.array([0, 1]), np.array([4, 3]))
    assert edits(encoded, ["ACTG", "CTG"], 0).tolist() == [0, 0]
    unknown = np.array([0b1000], np.uint32)
    encoded = Sequences.from_planes(low, high, np.array([0, 0]), np.array([4, 3]), unknown)
    assert edits(encoded, ["ACTG", "ACT"], 0).tolist() == [UNDEFINED, 0]
    made = Sequences.from_arrays(b"ACTG", np.array([0, 4])).encoded().raw
    assert (made.low.tolist(), made.high.tolist(), made.undefined) == ([0b1010], [0b1100], None)


def test_slices_may_overlap():
    reads = Sequences.from_slices(b"AACCGGTT", np.array([0, 2, 4, 0]), 4)
    assert len(reads) == 4
    assert edits(reads, ["AACC", "CCGG", "GGTT", "AACG"], 3).tolist() == [0, 0, 0, 1]


def test_no_pairs_give_no_edits():
    assert edits([], [], 3).tolist() == []
    assert summarize(edits([], [], 3)) == Summary(0, 0, 0, 0)
    assert np.isnan(Summary(0, 0, 0, 0).acceptance_rate)


def test_a_threshold_above_the_length_passes_all():
    assert edits(["A", "ACGT"], ["T", "TGCA"], 255).tolist() == [1, 4]


def test_a_summary_counts_the_verdicts():
    got = summarize(np.array([0, 3, ABOVE, UNDEFINED, ABOVE], np.int16))
    assert got == Summary(pairs=5, accepted=2, rejected=2, undefined=1)
    assert got.acceptance_rate == 0.4
    assert got + got == Summary(10, 4, 4, 2)


@pytest.mark.parametrize(
    ("arguments", "options", "message"),
    [
        ((["A"], ["A", "C"], 1), {}, "1 reads, but 2 segments: they go in pairs"),
        ((["A"], None, 1), {}, "segments: expected a sequence of them, got None"),
        (("ACGT", ["A"], 1), {}, "reads: expected a sequence of them, got one str"),
        ((7, ["A"], 1), {}, "reads: expected a sequence of them, got int"),
        (({"A": "A"}, ["A"], 1), {}, "reads: expected a sequence of them, got a dict; give its "),
        ((["A", 7], ["A", "C"], 1), {}, "reads: sequence 1: expected bytes, str or a uint8 array"),
        ((["A", ""], ["A", "C"], 1), {}, "reads: sequence 1 has 0 bases, not 1 to 10000"),
        ((["A"], ["A" * 10_001], 1), {}, "segments: sequence 0 has 10001 bases, not 1 to 10000"),
        ((np.zeros((2, 0), np.uint8), ["A", "A"], 1), {}, "reads: sequences of 0 bases"),
        ((np.zeros(3, np.uint8), ["A"], 1), {}, "reads: expected a two-dimensional uint8 array"),
        ((["A"], ["A"], 256), {}, "max_edits is 256, more than 255"),
        ((["A"], ["A"], 1.5), {}, "max_edits is 1.5, not a whole number"),
        ((["A"], ["A"], 1), {"method": "guess"}, "method is 'guess', not one of exact, gatekeeper"),
        ((["A"], ["A"], 1), {"mode": "local"}, "mode is 'local', not one of global, infix, prefix"),
        ((["A"], ["A"], 1), {"encode": "gpu"}, "encode is 'gpu', not one of auto, host, device"),
        ((["A"], ["A"], 1), {"method": "gatekeeper", "mode": "infix"}, "mode: gatekeeper supports"),
        ((["A", "AC"], ["A", "A"], 1), {"method": "gatekeeper"},
         "pair 1: gatekeeper needs equal lengths; the read has 2 bases, the segment 1"),
    ],
)  # fmt: skip
def test_wrong_arguments_are_refused(arguments, options, message):
    with pytest.raises(ValueError, match="^" + message.replace("(", r"\(")):
        edits(*arguments, **options)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Sequences.from_arrays(b"ACGT", np.array([], int)), "offsets: empty; give one"),
        (lambda: Sequences.from_arrays(b"ACGT", np.array([0, 5])), "sequence 0 reaches outside"),
        (lambda: Sequences.from_arrays(b"ACGT", np.array([0, 3, 2])), "sequence 1 has -1 bases"),
        (lambda: Sequences.from_arrays(b"ACGT", np.array([0.0, 4.0])), "offsets: expected whole"),
        (lambda: Sequences.from_arrays("ACGT", np.array([0, 4])), "letters: expected a uint8"),
        (lambda: Sequences.from_slices(b"ACGT", np.array([-1]), 2), "sequence 0 reaches outside"),
        (lambda: Sequences.from_slices(b"ACGT", np.array([0]), np.array([1, 1])), "1 starts, but"),
        (lambda: Sequences.from_planes(np.zeros(1, np.uint32), np.zeros(2, np.uint32),
                                       np.array([0]), 4), "high: 2 words, but low has 1"),
        (lambda: Sequences.from_planes(np.zeros(1, np.int64), np.zeros(1, np.uint32),
                                       np.array([0]), 4), "low: expected a one-dimensional uint32"),
    ],
)  # fmt: skip
def test_wrong_arrays_are_refused(make, message):
    with pytest.raises(ValueError, match=message):
        make()


def test_constants_agree_with_the_header():
    _, lib = _native.library()
    constants = {"ABOVE": ABOVE, "UNDEFINED": UNDEFINED}
    constants |= {"MAX_EDITS": MAX_EDITS, "MAX_LENGTH": MAX_LENGTH}
    for name, value in constants.items():
        assert getattr(lib, f"GKL_SHIM_PREFILTER_{name}") == value


def test_an_output_array_is_filled_or_refused():
    """The array is filled and returned; results of no other array are written into it."""
    with Prefilter(2) as prefilter:
        out = np.full(len(READS), 99, np.int16)
        assert prefilter.edits(READS, SEGMENTS, out=out) is out
        assert out.tolist() == RESULTS
        short, wide = np.empty(len(READS) - 1, np.int16), np.empty(len(READS), np.int32)
        scattered = np.empty(2 * len(READS), np.int16)[::2]
        fixed = out.copy()
        fixed.flags.writeable = False
        for wrong in (short, wide, scattered, out.reshape(1, -1), fixed, out.tolist(), 7):
            with pytest.raises(
                ValueError, match=r"^out: expected a writable C-contiguous int16 array of"
            ):
                prefilter.edits(READS, SEGMENTS, out=wrong)


def test_a_closed_filter_refuses_calls():
    with Prefilter(3) as prefilter:
        assert prefilter.build in gkl_shim.common._native.builds()
    prefilter.close()
    with pytest.raises(ValueError, match="this Prefilter is closed"):
        prefilter.edits(["A"], ["A"])


# ---- candidates

RNG = np.random.default_rng(6)
CONTIGS = [RNG.choice(np.frombuffer(b"ACGT", np.uint8), n).tobytes() for n in (3000, 7, 500)]
COMPLEMENT = bytes.maketrans(b"ACGT", b"TGCA")


def reads_of_contigs() -> tuple[list[bytes], np.ndarray, np.ndarray, np.ndarray]:
    """Return reads from both strands, and right and wrong candidates: read, contig, position."""
    reads, rows = [], []
    for read in range(300):
        contig = int(RNG.choice([0, 0, 0, 1, 2]))
        letters = CONTIGS[contig]
        start = int(RNG.integers(len(letters)))
        bases = letters[start : start + int(RNG.integers(1, 120))]
        if read % 2:
            bases = bases[::-1].translate(COMPLEMENT)
        if read % 50 == 3:
            bases = bases[:-1] + b"n"
        reads.append(bases)
        for shift in (0, 1, -2, 9):
            where = min(max(start + shift, 0), len(letters) - 1)
            rows += [(read, contig, where, strand) for strand in (0, 1)]
        rows.append((read, 0, int(RNG.integers(3000)), 0))
    rows = np.array(rows)
    return reads, rows[:, :3], rows[:, 3].astype(bool), rows


@pytest.mark.parametrize("mode", ["global", "infix", "prefix"])
def test_candidates_have_the_edits_of_their_pairs(mode):
    """The test cuts out each segment as the documentation describes it."""
    reads, places, reverse, _ = reads_of_contigs()
    max_edits = 4
    before = max_edits if mode == "infix" else 0
    after = 0 if mode == "global" else max_edits
    pairs = []
    for (read, contig, where), backward in zip(places, reverse, strict=True):
        bases = reads[read].upper()
        end = where + len(bases) + after
        segment = CONTIGS[contig][max(0, where - before) : end]
        pairs.append((bases[::-1].translate(COMPLEMENT) if backward else bases, segment))
    want = edits(*zip(*pairs, strict=True), max_edits, mode=mode)
    assert min(np.unique(want, return_counts=True)[1]) > 5
    resident = Prefilter(max_edits, mode=mode).resident(reads, CONTIGS)
    got = resident.edits(places[:, 0], places[:, 2], places[:, 1], reverse)
    np.testing.assert_array_equal(got, want)
    # Computed in parts, and a second time.
    half = len(want) // 2
    got = resident.edits(places[half:, 0], places[half:, 2], places[half:, 1], reverse[half:])
    np.testing.assert_array_equal(got, want[half:])
    forward = ~reverse & (places[:, 1] == 0)
    alone = Prefilter(max_edits, mode=mode).resident(reads, CONTIGS[:1])
    got = alone.edits(places[forward, 0].astype(np.uint16), places[forward, 2])
    np.testing.assert_array_equal(got, want[forward])


@pytest.mark.parametrize(
    ("candidates", "message"),
    [
        (([0, 2], [0, 0], [0, 0]), "pair 1: read 2: there are 2 reads, counted from 0"),
        (([0, -1], [0, 0], [0, 0]), "pair 1: read -1: there are 2 reads, counted from 0"),
        (([0, 1], [0, 0], [0, 3]), "pair 1: contig 3: there are 3 contigs, counted from 0"),
        (([0, 1], [0, 7], [0, 1]), "pair 1: position 7 is not in its contig"),
        (([0, 1], [-1, 0], [0, 1]), "pair 0: position -1 is not in its contig"),
        (([0, 1], [0, 2**63 - 1], [0, 1]), "pair 1: position 9223372036854775807 is not in its"),
        (([0, 2**40], [0, 0], [0, 0]), "pair 1: reads: 1099511627776 is out of range"),
    ],
)
def test_a_candidate_that_does_not_exist_is_refused(candidates, message):
    resident = Prefilter(2).resident(["ACGT", "ACG"], CONTIGS)
    with pytest.raises(PairError, match=message):
        resident.edits(*map(np.array, candidates))


def test_gatekeeper_refuses_a_clipped_candidate():
    resident = Prefilter(2, method="gatekeeper").resident(["ACGT"], CONTIGS)
    with pytest.raises(PairError, match="pair 1: the segment would reach beyond its contig"):
        resident.edits(np.array([0, 0]), np.array([3, 4]), np.array([1, 1]))


def test_wrong_candidate_arrays_are_refused():
    resident = Prefilter(2).resident(["ACGT"], CONTIGS)
    with pytest.raises(ValueError, match="contigs: required, because there are 3 contigs"):
        resident.edits(np.array([0]), np.array([0]))
    with pytest.raises(ValueError, match="positions: 2 values for 1 candidates"):
        resident.edits(np.array([0]), np.array([0, 1]), np.array([0]))
    with pytest.raises(ValueError, match="reads: expected whole numbers in one dimension"):
        resident.edits(np.array([0.5]), np.array([0]), np.array([0]))
    with pytest.raises(ValueError, match=r"reverse: expected one dimension, got shape \(1, 1\)"):
        resident.edits(*[np.array([0])] * 3, np.array([[True]]))
    with pytest.raises(ValueError, match="contigs: one or more, each of 1 to"):
        Prefilter(2).resident(["ACGT"], [b""])
    with pytest.raises(ValueError, match="contigs: expected a sequence of them, got float"):
        Prefilter(2).resident(["ACGT"], 2.5)
    with pytest.raises(ValueError, match="contigs: expected a sequence of them, got a dict; give "):
        Prefilter(2).resident(["ACGT"], {"chr1": b"ACGT"})
    encoded = Sequences.from_arrays(b"ACGT", np.array([0, 4])).encoded()
    with pytest.raises(ValueError, match="cannot reverse-complement encoded reads"):
        Prefilter(2).resident(encoded, CONTIGS).edits(*[np.array([0])] * 3, np.array([True]))


def test_every_byte_but_zero_is_the_reverse_strand():
    """NumPy has arrays of bool with other bytes than 0 and 1."""
    resident = Prefilter(0).resident(["AACC"], ["GGTT"])
    strands = np.array([0, 1, 2, 255], np.uint8).view(np.bool_)
    zeros = np.zeros(4, np.int32)
    assert resident.edits(zeros, zeros, reverse=strands).tolist() == [ABOVE, 0, 0, 0]


def test_bytes_need_not_be_contiguous():
    letters = memoryview(b"TTGGCCAA")[::-1]
    reads = Sequences.from_arrays(letters, np.array([0, 4, 8]))
    assert edits(reads, ["AACC", "GGTA"], 1).tolist() == [0, 1]


@pytest.mark.parametrize("planes", [False, True])
def test_resident_arrays_may_be_refilled(planes):
    """Both before the first candidates, and before the first on the reverse strand."""
    letters = np.frombuffer(b"".join(CONTIGS), np.uint8).copy()
    contigs = Sequences.from_arrays(letters, np.array([0, 3000, 3007, 3507]))
    matrix = np.stack([letters[at : at + 50] for at in range(0, 2000, 100)])
    count = len(matrix)
    reads = matrix
    if planes:
        reads, contigs = (Sequences.from_planes(
            each.raw.low, each.raw.high, each.starts, each.lengths
        ) for each in (Sequences.from_matrix(matrix).encoded(), contigs.encoded()))  # fmt: skip
    resident = Prefilter(5).resident(reads, contigs)
    matrix[:], letters[:] = ord("A"), ord("C")
    if planes:
        for each in (reads, contigs):
            each.raw.low[:], each.raw.starts[:] = 0, 0
    places = np.arange(count), np.arange(0, 2000, 100), np.zeros(count, int)
    assert (resident.edits(*places) == 0).all()
    if not planes:
        assert (resident.edits(*places, np.arange(count) % 2 == 1)[::2] == 0).all()
        assert (resident.edits(*places, np.ones(count, bool)) == -1).all()


def test_elements_that_fill_their_width_are_not_copied():
    full = np.array([b"ACGT", b"TTTT"])
    assert np.shares_memory(Sequences.from_matrix(full).raw.letters, full)
    reads = sequences(full, "reads")
    assert reads.raw.lengths is None
    assert np.shares_memory(reads.raw.letters, full)
    shorter = sequences(np.array([b"ACGT", b"TT"]), "reads")
    assert list(shorter.lengths) == [4, 2]
