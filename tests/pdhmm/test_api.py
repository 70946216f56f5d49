"""What gkl_shim.pdhmm takes and refuses, and what the C interface refuses."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from gkl_shim import pdhmm
from gkl_shim.common import _native
from gkl_shim.pdhmm import PDHMM, Batch, Flag, Haplotype, HaplotypeBatch, ReadBatch
from tests.common.arguments import Handles, changed, refusal
from tests.pdhmm import oracle
from tests.pdhmm.common_cases import flagged_regions

READ = (b"ACGTAC", 30)
FLAGS = [0, 0, Flag.SNP | Flag.A, 0, Flag.DELETION_START, Flag.DELETION_END, 0, 0]
BASES = b"TACGTGAC"


def want() -> float:
    quals = [[30] * 6, [45] * 6, [45] * 6, [10] * 6]
    return oracle.likelihood(b"ACGTAC", *quals, BASES, [int(flag) for flag in FLAGS])


@pytest.mark.parametrize(
    "haplotype",
    [
        Haplotype(BASES, FLAGS),
        Haplotype(BASES.decode().lower(), bytes(FLAGS)),
        (BASES, FLAGS),
        (np.frombuffer(BASES, np.uint8), np.array(FLAGS)),
        (bytearray(BASES), bytearray(FLAGS)),
    ],
)
def test_forms_of_a_haplotype(haplotype: Any) -> None:
    found = pdhmm.likelihoods([READ], [haplotype])
    assert found.shape == (1, 1)
    assert found[0, 0] == pytest.approx(want(), abs=1e-9)


def test_letters_alone_have_no_flags() -> None:
    bare, without = pdhmm.likelihoods([READ], [BASES, Haplotype(BASES)])[0]
    (zeros,) = pdhmm.likelihoods([READ], [(BASES, bytes(8))])[0]
    assert bare == without == zeros


def test_flags_are_gatk_s_bits() -> None:
    assert [int(flag) for flag in Flag] == [1, 2, 4, 8, 16, 32, 64, 128]


@pytest.mark.parametrize(
    ("haplotypes", "message"),
    [
        (b"ACGT", "haplotypes: expected a sequence of haplotypes, got one bytes"),
        (Haplotype(b"A"), "haplotypes: expected a sequence of haplotypes, got one Haplotype"),
        ([b"A", None], r"haplotypes\[1\]: expected bytes, str or a uint8 array, got None"),
        ([b""], r"haplotypes\[0\]: is empty"),
        ([b"AX"], r"haplotypes\[0\]: letter 'X' at base 1 is none of ACGTN"),
        ([(b"AC", [0])], r"haplotypes\[0\].flags: 1 values for 2 letters"),
        ([b"A", (b"A", [256])], r"haplotypes\[1\].flags: 256 at letter 0 is not within 0..255"),
        ([(b"A", [-1])], r"haplotypes\[0\].flags: -1 at letter 0 is not within 0..255"),
        ([(b"A", [0.5])], r"haplotypes\[0\].flags: expected whole numbers in one dimension"),
        ([(b"A", "0")], r"haplotypes\[0\].flags: expected whole numbers, got str"),
        ([(b"A", b"\x00", 1)], r"haplotypes\[0\]: a tuple of 3; expected \(bases, flags\)"),
        ([(b"A", 7)], r"haplotypes\[0\].flags: expected whole numbers, got int"),
        ([b"A", (b"ACA", [0, 8, 0])], r"haplotypes\[1\].flags: 8 at letter 1: .*need SNP"),
        ([(b"ACA", [0, 0, 1])], r"haplotypes\[0\].flags: 1 at letter 2: .* SNP needs one of them"),
    ],
)
def test_refused_haplotypes(haplotypes: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        pdhmm.likelihoods([READ], haplotypes)


def test_refused_reads() -> None:
    with pytest.raises(ValueError, match=r"reads\[0\].quals: quality 128"):
        pdhmm.likelihoods([(b"A", [128])], [b"A"])


def test_arrays() -> None:
    reads = ReadBatch.from_arrays(np.array([0, 6]), b"ACGTAC", bytes([30] * 6))
    haplotypes = HaplotypeBatch.from_arrays(np.array([0, 8]), BASES, bytes(FLAGS))
    batch = Batch(reads, haplotypes)
    assert (len(batch), batch.pairs, batch.cells) == (1, 1, 48)
    assert PDHMM().compute(batch)[0] == pytest.approx(want(), abs=1e-9)
    (values,) = batch.split(PDHMM().compute(batch))
    assert values.shape == (1, 1)
    with pytest.raises(ValueError, match="flags: 7 values for 8 letters"):
        HaplotypeBatch.from_arrays(np.array([0, 8]), BASES, bytes(7))
    with pytest.raises(ValueError, match=r"expected a pdhmm\.HaplotypeBatch"):
        Batch(reads, haplotypes.determined)  # type: ignore[arg-type]


def test_parts_of_a_batch_keep_their_flags() -> None:
    reads = ReadBatch.from_arrays(np.array([0, 6, 12]), b"ACGTAC" * 2, bytes([30] * 12))
    haplotypes = HaplotypeBatch.from_arrays(
        np.array([0, 4, 12]), b"ACGT" + BASES, bytes(4) + bytes(FLAGS)
    )
    batch = Batch(reads, haplotypes, np.array([0, 1, 2]), np.array([0, 1, 2]))
    whole = PDHMM().compute(batch)
    assert PDHMM().compute(batch[1:2])[0] == whole[1] == pytest.approx(want(), abs=1e-9)
    assert len(batch[2:]) == 0


def test_errors_of_a_batch_give_indices_in_the_batch() -> None:
    long = 32_769
    reads = ReadBatch.from_arrays(
        np.array([0, 6, 6 + long]), b"A" * (6 + long), bytes([30] * (6 + long))
    )
    haplotypes = HaplotypeBatch.from_arrays(np.array([0, 4, 12]), b"ACGT" + BASES, bytes(12))
    batch = Batch(reads, haplotypes, np.array([0, 1, 2]), np.array([0, 1, 2]))
    with pytest.raises(ValueError, match=r"^read 1 has 32769 letters; at most 32768 are allowed"):
        PDHMM().compute(batch)
    assert len(PDHMM().compute(batch[:1])) == 1


def test_wrong_flags_in_arrays() -> None:
    flags = bytes([0, 0, 0, 0, 0, 16, 0, 0])
    with pytest.raises(ValueError, match=r"^flags: 16 at letter 2 of haplotype 1: the flags of"):
        HaplotypeBatch.from_arrays(np.array([0, 3, 8]), BASES, flags)


def test_nothing_to_do() -> None:
    assert pdhmm.likelihoods([], [b"A"]).shape == (0, 1)
    assert pdhmm.likelihoods([READ], []).shape == (1, 0)


def test_a_closed_engine_refuses_calls() -> None:
    engine = PDHMM(build="portable")
    assert engine.build == "portable"
    engine.close()
    with pytest.raises(ValueError, match="this PDHMM is closed"):
        engine.likelihoods([READ], [b"A"])
    assert engine.statistics.pairs == 0


# ---- the C interface ------------------------------------------------------------------------


def told(as_gkl: bool = True, size: int = 1, **fields: list[int] | bytes) -> str:
    """Compute a valid batch, but for these fields, in C. Return the error's message, or ''."""
    h = Handles()
    conventions = h.lib.GKL_SHIM_AS_GKL if as_gkl else h.lib.GKL_SHIM_STRICT
    options = h.new("gkl_shim_pdhmm_options *", {"conventions": conventions})
    handle = h.opened("pdhmm", "pdhmm_open", options)
    given = {
        name: h.letters(field) if isinstance(field, bytes) else h.int64(*field)
        for name, field in fields.items()
    }
    values = h.new("double[1]", [7.0])
    batch = changed(flagged_regions(h), **given)
    message = refusal(h, "pdhmm_compute", handle, batch, values, size)
    assert (values[0] == 7.0) == bool(message)
    h.close()
    return message


@pytest.mark.parametrize(
    ("name", "numbers", "message"),
    [
        ("read_offsets", [0, 0], "read_offsets: sequence 0 has length 0"),
        ("haplotype_offsets", [0, 0], "haplotype_offsets: sequence 0 has length 0"),
        ("read_offsets", [0, 32_769], "read 0 has 32769 letters; at most 32768 are allowed"),
        (
            "haplotype_offsets",
            [0, 262_145],
            "haplotype 0 has 262145 letters; at most 262144 are allowed",
        ),
    ],
)
def test_refused_offsets(name: str, numbers: list[int], message: str) -> None:
    assert told(**{name: numbers}) == message


def test_too_many_letters_in_a_region() -> None:
    offsets = [262_144 * k for k in range(66)]
    assert told(size=65, haplotype_offsets=offsets, region_haplotypes=[0, 65]) == (
        "region 0: its haplotypes have 17039360 letters together; at most 16777216 are allowed"
    )


@pytest.mark.parametrize("as_gkl", [False, True])
@pytest.mark.parametrize("name", ["insertion_quals", "deletion_quals", "continuation_quals"])
def test_gap_qualities_of_eight_bits(as_gkl: bool, name: str) -> None:
    """GATK and GKL refuse them."""
    assert told(as_gkl, **{name: b"\x28\x28\x80\x28"}) == (
        f"{name}: sequence 0 has the byte 0x80 at position 2; gap qualities are less than 128"
    )


@pytest.mark.parametrize(
    ("name", "track", "message"),
    [
        ("read_bases", b"AXGT", "0x58 at position 1; letters are ACGTN"),
        ("haplotype_bases", b"ACG AC", "0x20 at position 3; letters are ACGTN"),
        (
            "haplotype_flags",
            b"\0\x08" + bytes(4),
            "0x08 at position 1; the flags of other bases",
        ),
        (
            "haplotype_flags",
            b"\x01" + bytes(5),
            "0x01 at position 0; the flags of other bases",
        ),
    ],
)
def test_what_only_strict_conventions_refuse(name: str, track: bytes, message: str) -> None:
    assert message in told(as_gkl=False, **{name: track})
    assert told(as_gkl=True, **{name: track}) == ""


def test_fewer_values_than_pairs() -> None:
    assert told(size=0) == "size is 0, the batch has 1 pairs"


def test_an_empty_batch() -> None:
    ffi, lib = _native.library()
    handle = _native.opened("pdhmm", ffi.NULL)
    batch = ffi.new("gkl_shim_pdhmm_batch *")
    assert lib.gkl_shim_pdhmm_compute(handle, batch, ffi.NULL, 0) == lib.GKL_SHIM_OK


def test_generators_of_haplotypes_may_refill_their_arrays() -> None:
    """Each haplotype is copied before the next one is requested."""
    haplotypes = [(b"ACGTACGT", bytes(8)), (b"ACCTACGT", bytes([0, 17] + [0] * 6))]
    letters, flags = np.empty(8, np.uint8), np.empty(8, np.uint8)

    def refilled() -> Iterator[tuple[np.ndarray, np.ndarray]]:
        for bases, given in haplotypes:
            letters[:], flags[:] = np.frombuffer(bases, np.uint8), np.frombuffer(given, np.uint8)
            yield letters, flags

    reads = [(b"ACTTACGT", 30), (b"ACCTACGT", 30)]
    want = pdhmm.likelihoods(reads, haplotypes)
    np.testing.assert_array_equal(pdhmm.likelihoods(reads, refilled()), want)
