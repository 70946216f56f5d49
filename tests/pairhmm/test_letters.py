"""The letters that each way into PairHMM accepts: one rule, compared with what the header says."""

from __future__ import annotations

import numpy as np
import pytest

from gkl_shim.common import _native
from gkl_shim.pairhmm import PairHMM, ReadBatch, _native_pairhmm
from gkl_shim.pairhmm._convert import haplotype_batch

BYTES = [bytes([value]) for value in range(256)]
ACCEPTED = [letter for letter in BYTES if letter in b"ACGTNacgtn"]


def accepts(function, letter: bytes) -> bool:
    try:
        function(letter)
    except ValueError:
        return False
    return True


def compute(letter: bytes) -> None:
    """Give a read and a haplotype of this letter to the native engine, unchecked by Python."""
    one, track = np.array([0, 1]), np.full(1, 30, np.uint8)
    bases = np.frombuffer(letter, np.uint8)
    batch = _native_pairhmm.batch_pointer(
        one, one, one, (bases, track, track, track, track), one, bases
    )
    _native_pairhmm.CpuEngine(1, "single", None).compute(batch, np.empty(1))


def parse(letter: bytes) -> None:
    quality = b"?"
    line = b" ".join((letter, *[quality] * 4))
    text = bytearray(b"1 1\n" + line + b"\n" + letter + b"\n")
    region = _native_pairhmm.parse_regions(text, len(text), 1000)
    if region.fault is not None:
        raise ValueError(region.fault)


def from_arrays(letter: bytes) -> None:
    ReadBatch.from_arrays(np.array([0, 1]), np.frombuffer(letter, np.uint8), b"\x1e")


@pytest.mark.parametrize(
    "function",
    [
        compute,
        parse,
        from_arrays,
        lambda letter: haplotype_batch([letter]),
        lambda letter: PairHMM(backend="cpu").likelihoods([(letter, 30)], [b"A"]),
    ],
    ids=["compute", "parse", "from_arrays", "haplotype_batch", "likelihoods"],
)
def test_the_accepted_letters(function) -> None:
    assert [letter for letter in BYTES if accepts(function, letter)] == ACCEPTED


def test_the_list_of_letters() -> None:
    ffi, lib = _native.library()
    assert sorted(ffi.string(lib.gkl_shim_pairhmm_letters())) == sorted(b"ACGTNacgtn")
