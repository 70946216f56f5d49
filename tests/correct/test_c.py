"""The C ABI: what it refuses, and the library for aarch64 under emulation."""

from __future__ import annotations

from pathlib import Path

import pytest

from gkl_shim.common import _native
from tests.correct import oracle
from tests.correct.test_correct import random_reads
from tests.native_driver import run


@pytest.mark.parametrize("machine", ["native", "aarch64"])
@pytest.mark.parametrize(("method", "name"), list(enumerate(["search", "voting"])))
def test_the_oracle_everywhere(request, tmp_path: Path, machine, method, name) -> None:
    program = request.getfixturevalue(machine)
    reads, _ = random_reads(21)
    reads = [read for read in reads if read]
    path = tmp_path / "reads.txt"
    path.write_text("".join(f"{read}\n" for read in reads))
    counts = oracle.count(reads, 15)
    solid = {kmer for kmer, count in counts.items() if count >= 3}
    want = [oracle.correct(read, [30] * len(read), solid, 15, name) for read in reads]
    for threads, memory in ((1, 0), (3, 5_000_000)):
        options = [path, 15, 3, method, threads, memory]
        lines = [line.split("\t") for line in run(program, *options).splitlines()]
        assert [(line[3], int(line[0])) for line in lines] == want


def test_what_is_refused() -> None:
    ffi, lib = _native.library()
    counter, spectrum = (
        ffi.new("gkl_shim_correct_counter **"),
        ffi.new("gkl_shim_correct_spectrum **"),
    )

    def refused(status: int) -> str:
        assert status == lib.GKL_SHIM_EINVAL
        return _native.last_error()

    opened = lib.gkl_shim_correct_counter_open
    assert refused(opened(10, 1, 0, 2, ffi.NULL, counter)) == "k is 10, not 11 to 31"
    for wrong in (1, 2048):
        message = f"threshold is {wrong}, not 2 to 2047"
        assert refused(opened(15, 1, 0, wrong, ffi.NULL, counter)) == message
    assert counter[0] == ffi.NULL
    assert opened(15, 1, 0, 3, ffi.NULL, counter) == lib.GKL_SHIM_OK
    counts, valley = ffi.new("int64_t[255]"), ffi.new("int32_t *")
    histogram = lib.gkl_shim_correct_histogram
    assert refused(histogram(counter[0], counts, valley)) == "the counter is not complete"
    make = lib.gkl_shim_correct_spectrum_make
    assert refused(make(counter[0], 0, spectrum)) == "the counter is not complete"
    assert lib.gkl_shim_correct_end_pass(counter[0], valley) == lib.GKL_SHIM_OK
    assert refused(lib.gkl_shim_correct_end_pass(counter[0], valley)) == "the counter is complete"
    assert refused(make(counter[0], 1, spectrum)) == "threshold is 1, not 2 to 2047"
    message = "threshold is 2, but the counter keeps k-mers from 3 on"
    assert refused(make(counter[0], 2, spectrum)) == message
    assert make(counter[0], 3, spectrum) == lib.GKL_SHIM_OK
    other = ffi.new("gkl_shim_correct_spectrum **")
    message = "the counter has made a spectrum before"
    assert refused(make(counter[0], 3, other)) == message
    assert histogram(counter[0], counts, valley) == lib.GKL_SHIM_OK
    given = ffi.new("gkl_shim_correct_options *", (1, 2, 0))
    batch = ffi.new("gkl_shim_correct_batch *")
    status = lib.gkl_shim_correct_reads(given, spectrum[0], batch, *[ffi.NULL] * 4)
    assert refused(status) == "method is 2, not 0 or 1"
    info = ffi.new("gkl_shim_correct_spectrum_info *")
    assert lib.gkl_shim_correct_spectrum_information(spectrum[0], info) == lib.GKL_SHIM_OK
    info.slot_count = info.size
    assert "cannot have" in refused(lib.gkl_shim_correct_spectrum_load(info, other))
    info.slot_count = 2**60
    assert "cannot have" in refused(lib.gkl_shim_correct_spectrum_load(info, other))
    info.k = 40
    assert refused(lib.gkl_shim_correct_spectrum_load(info, other)) == "k is 40, not 11 to 31"
    lib.gkl_shim_correct_spectrum_close(spectrum[0])
    lib.gkl_shim_correct_counter_close(counter[0])
