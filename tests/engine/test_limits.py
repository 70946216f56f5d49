"""Sequences and regions beyond the limits of gkl_shim.h are refused with a message, before they
are read.

The arrays of most tests hold no letters, so code that read them would crash.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from gkl_shim import _native, _native_pairhmm
from gkl_shim.pairhmm import PairHMM, Read
from tests.cli.shim_command import one_error, run

READ, HAPLOTYPE, REGION = 1 << 20, 1 << 26, 1 << 28


def _batch(reads: list[int], haplotypes: list[int]):
    """Return a region of sequences of these lengths, whose arrays hold no letters."""
    none = np.empty(0, np.uint8)
    return _native_pairhmm.batch_pointer(
        np.array([0, len(reads)]),
        np.array([0, len(haplotypes)]),
        np.cumsum([0, *reads]),
        (none,) * 5,
        np.cumsum([0, *haplotypes]),
        none,
    )


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
        lib.gkl_shim_pairhmm_complete(handle, batch, out, len(out)),
        lib.gkl_shim_pairhmm_check(batch),
        lib.gkl_shim_cuda_engine_compute(ffi.NULL, batch, 1, out, ffi.NULL),
    ]
    for status in calls:
        assert status == lib.GKL_SHIM_EINVAL
        with pytest.raises(ValueError, match=f"^{message}$"):
            _native.check(status)


def test_batches_at_the_limits_are_accepted():
    _native_pairhmm.check_shape(_batch([READ] * 3, [HAPLOTYPE] * 4))


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
