"""Sequences and regions beyond the limits of gkl_shim.h are refused with a message, before they
are read.

The arrays of most tests hold no letters, so code that read them would crash.
"""

from __future__ import annotations

import weakref
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from gkl_shim.common import _native
from gkl_shim.pairhmm import Batch, HaplotypeBatch, PairHMM, Read, ReadBatch, _native_pairhmm
from tests.cli.shim_command import one_error, run
from tests.common.arguments import Handles, changed, refusal
from tests.pairhmm.common_cases import CALLS

# A batch's arrays must live as long as the pointer to it.
_ARRAYS: weakref.WeakKeyDictionary[Any, Any] = weakref.WeakKeyDictionary()

READ, HAPLOTYPE, REGION = 1 << 20, 1 << 26, 1 << 28


def _batch(reads: list[int], haplotypes: list[int]):
    """Return a region of sequences of these lengths, whose arrays hold no letters."""
    none = np.empty(0, np.uint8)
    arrays = (
        np.array([0, len(reads)]),
        np.array([0, len(haplotypes)]),
        np.cumsum([0, *reads]),
        (none,) * 5,
        np.cumsum([0, *haplotypes]),
        none,
    )
    pointer = _native_pairhmm.batch_pointer(*arrays)
    _ARRAYS[pointer] = arrays
    return pointer


BEYOND = [
    ([5, READ + 1], [4], "read 1 has 1048577 letters; at most 1048576 are allowed"),
    ([5], [4, HAPLOTYPE + 1], "haplotype 1 has 67108865 letters; at most 67108864 are allowed"),
    (
        [5],
        [HAPLOTYPE] * 4 + [1],
        "region 0: its haplotypes have 268435457 letters together; at most 268435456 are allowed",
    ),
    # Heads of more than 2^31 columns.
    (
        [1],
        [HAPLOTYPE] * 65,
        "region 0: its haplotypes have 4362076160 letters together; at most 268435456 are allowed",
    ),
]


@pytest.mark.parametrize(("reads", "haplotypes", "message"), BEYOND)
def test_every_engine_refuses_batches_above_the_limits(reads, haplotypes, message):
    ffi, lib = _native.library()
    batch = _batch(reads, haplotypes)
    out = ffi.new("double[]", len(reads) * len(haplotypes))
    handle = _native.opened("pairhmm", ffi.NULL)
    calls = [
        lib.gkl_shim_pairhmm_compute(handle, batch, out, len(out)),
        lib.gkl_shim_pairhmm_check(batch),
        lib.gkl_shim_pairhmm_cuda_compute(ffi.NULL, batch, ffi.NULL, 1, out, ffi.NULL),
    ]
    for status in calls:
        assert status == lib.GKL_SHIM_EINVAL
        with pytest.raises(ValueError, match=f"^{message}$"):
            _native.check(status)


def test_batches_at_the_limits_are_accepted():
    _, lib = _native.library()
    _native.check(lib.gkl_shim_pairhmm_check(_batch([READ] * 3, [HAPLOTYPE] * 4)))


def test_the_python_error_names_the_read_of_a_large_region():
    """It is computed in parts, of which this read is not the second."""
    reads = [Read(b"A" * 40_000, 30)] * 20 + [Read(b"A" * (READ + 1), 30)]
    with pytest.raises(ValueError, match=r"^read 20 has 1048577 letters; at most 1048576 are"):
        PairHMM(backend="cpu").likelihoods(reads, [b"ACGT" * 200])


def test_the_error_for_a_file_names_the_line(tmp_path):
    path = Path("long.in")
    good = "1 1\nACG ??? ??? ??? ???\nACGT\n"
    long = " ".join(["A" * (READ + 1), *["?" * (READ + 1)] * 4])
    (tmp_path / path).write_text(f"{good}1 1\n{long}\nACGT\n")
    message = f"{path}:5: the read has 1048577 bases; at most 1048576 are allowed"
    assert one_error(run(tmp_path, "pairhmm", path)) == message


#: Two regions of one read and one haplotype each.
OFFSETS = {
    "region_reads": [0, 1, 2],
    "region_haplotypes": [0, 1, 2],
    "read_offsets": [0, 5, 9],
    "haplotype_offsets": [0, 4, 7],
}


#: Regions of a batch that several threads look through.
MANY = 40000


def _check(regions: int = 2, **wrong: list[int] | None) -> str | None:
    """Return what the C function says of a batch of these offsets: None if it accepts them."""
    ffi, library = _native.library()
    arrays = {
        name: ffi.NULL if values is None else ffi.new("int64_t[]", values)
        for name, values in (OFFSETS | wrong).items()
    }
    batch = ffi.new("gkl_shim_pairhmm_batch *", {"regions": regions, **arrays})
    status = library.gkl_shim_pairhmm_check(batch)
    if status == library.GKL_SHIM_OK:
        return None
    assert status == library.GKL_SHIM_EINVAL
    return ffi.string(library.gkl_shim_last_error()).decode()


@pytest.mark.parametrize("at", [1, 16384, 16385, MANY - 1, MANY])
@pytest.mark.parametrize("name", OFFSETS)
def test_wrong_offsets_among_many_regions(name, at):
    """Several threads look through such a batch, 16,384 regions at a time."""
    offsets = {each: [*range(0, 3 * MANY + 1, 3)] for each in OFFSETS}
    offsets |= {each: [*range(MANY + 1)] for each in ("region_reads", "region_haplotypes")}
    assert _check(MANY, **offsets) is None
    values = offsets[name]
    before = values[at - 1]
    for value, lesser in (
        (before - 1, at),
        (-(2**63), at),
        (2**62 + 5, at + 1),
        (2**63 - 1, at + 1),
    ):
        if lesser > MANY:  # the number of sequences
            continue
        values[at] = value
        assert _check(MANY, **offsets) == f"{name}: offset {lesser} is less than the one before"
    values[at] = before
    empty = None if name.startswith("region") else f"{name}: sequence {at - 1} has length 0"
    if at < MANY:
        assert _check(MANY, **offsets) == empty


def test_the_shape_of_many_regions():
    """Regions of one read and one haplotype, others of several, and some without reads."""
    random = np.random.default_rng(5)
    reads, haplotypes = (random.integers(low, 3, MANY) for low in (0, 1))
    offsets = [np.concatenate([[0], np.cumsum(counts)]) for counts in (reads, haplotypes)]
    batch = Batch(
        ReadBatch.from_arrays(
            np.arange(reads.sum() + 1) * 2, b"AC" * int(reads.sum()), b"((" * int(reads.sum())
        ),
        HaplotypeBatch.from_arrays(np.arange(haplotypes.sum() + 1), b"G" * int(haplotypes.sum())),
        *offsets,
    )
    with PairHMM(backend="cpu") as pairhmm:
        pairhmm.compute(batch)
        assert pairhmm.statistics.pairs == (reads * haplotypes).sum()
        assert pairhmm.statistics.cells == 2 * (reads * haplotypes).sum()


@pytest.mark.parametrize("name", ["read_offsets", "haplotype_offsets"])
def test_empty_sequences_of_a_c_caller(name):
    assert _check(**{name: [0, 0, 3]}) == f"{name}: sequence 0 has length 0"
    assert _check(**{name: [0, 3, 3]}) == f"{name}: sequence 1 has length 0"


def test_empty_regions_of_a_c_caller():
    assert _check(-1) == "regions is -1, less than 0"
    assert _check(0, **dict.fromkeys(OFFSETS)) is None
    # A region may lack reads or haplotypes.
    assert _check(region_reads=[0, 0, 2], region_haplotypes=[0, 2, 2]) is None


def test_more_cells_than_an_integer_holds():
    """2^35 letters of reads, 2^28 of haplotypes: one too many for 63 bits."""
    ffi, library = _native.library()
    reads, haplotypes = [READ] * (1 << 15), [HAPLOTYPE] * 4
    assert library.gkl_shim_pairhmm_check(_batch(reads[1:], haplotypes)) == library.GKL_SHIM_OK
    assert library.gkl_shim_pairhmm_check(_batch(reads, haplotypes)) == library.GKL_SHIM_EINVAL
    message = b"region 0: more cells than can be counted"
    assert ffi.string(library.gkl_shim_last_error()) == message


def test_arrays_of_a_c_caller():
    """There must be room for all results, and no other bytes among the letters.

    tests/common/test_wrong_arguments.py has arrays that are absent.
    """
    h = Handles()
    handle, batch, _, size = CALLS["gkl_shim_pairhmm_compute"](h)
    out = h.new("double[1]", [1.0])

    def compute(size=size, **wrong: Any) -> str:
        return refusal(h, "pairhmm_compute", handle, changed(batch, **wrong), out, size)

    assert compute(0) == "size is 0, the batch has 1 pairs"
    message = "sequence 0 has the byte 0x58 at position 2; letters are ACGTN"
    for name in ("read_bases", "haplotype_bases"):
        assert compute(**{name: h.letters(b"ACXTAC")}) == f"{name}: {message}"
    assert out[0] == 1.0
    assert compute() == ""
    assert out[0] < 0
    h.close()
