"""The C ABI: a program without Python, the library for aarch64, and what the ABI refuses."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from gkl_shim import mem
from gkl_shim.common import _native
from tests.cli.shim_command import run
from tests.conftest import ROOT
from tests.mem.sequences import fasta
from tests.mem.test_find import related

REFERENCE, QUERIES = related(41, 3000, 20)


@pytest.mark.parametrize("machine", ["native", "aarch64"])
def test_a_c_program_prints_the_commands_lines(request, tmp_path: Path, machine: str) -> None:
    program = request.getfixturevalue(machine)
    (tmp_path / "ref.fa").write_bytes(fasta([REFERENCE, "NNNNACGT" * 9]))
    (tmp_path / "q.fa").write_bytes(fasta([*QUERIES, "NNNNACGT" * 5], "q"))
    for number, kind in enumerate(["-maxmatch", "-mumreference", "-mum"]):
        options = [kind, "-b", "-l", "12", "-L", "-c", "-s"]
        want = run(tmp_path, "mem", *options, "ref.fa", "q.fa").stdout
        assert want.count(b"\n") > 100
        for page, memory in ((0, 0), (500, 0), (500, 1)):
            arguments = ["ref.fa", "q.fa", 12, number, page, memory, 2]
            done = subprocess.run(
                [*program, *map(str, arguments)], cwd=tmp_path, capture_output=True, check=True
            )
            assert done.stdout == want


def test_a_c_program_searches_on_gpus(request, tmp_path: Path) -> None:
    """Python opens them in the program. CuPy and the driver are stand-ins."""
    stand_in = (
        "import sys\nsys.path.append({!r})\nfrom tests.fakes import cupy\ncupy.install(2, {})\n"
    )
    (tmp_path / "ref.fa").write_bytes(fasta([REFERENCE]))
    (tmp_path / "q.fa").write_bytes(fasta(QUERIES, "q"))
    command = [*request.getfixturevalue("native"), "ref.fa", "q.fa", "12", "0", "0", "0", "2"]

    def searched(options: str, *gpus: str) -> tuple[int, bytes, str]:
        (tmp_path / "cupy.py").write_text(stand_in.format(str(ROOT), options))
        environment = {"PYTHONPATH": str(tmp_path), "GKL_SHIM_PYTHON": sys.executable}
        done = subprocess.run(
            [*command, *gpus], cwd=tmp_path, capture_output=True, env={**os.environ, **environment}
        )
        return done.returncode, done.stdout, done.stderr.decode()

    want = searched("")
    assert searched("kernels='mem'", "1,0") == want
    assert want[1].count(b"\n") > 20
    for options, gpus, message in (
        ("kernels='mem', fail={'cuLaunchKernel': 5}", "", "no GPU is left"),
        ("kernels='mem'", "7", "devices: there is no CUDA device 7; there are 2"),
    ):
        code, found, told = searched(options, gpus)
        assert (code, found) == (1, b"")
        assert message in told


def test_too_many_letters_are_refused() -> None:
    """tests/common/test_wrong_arguments.py has other wrong offsets."""
    ffi, lib = _native.library()
    index = ffi.new("gkl_shim_mem **")
    options = ffi.new("gkl_shim_mem_options *", {"min_length": 5})
    array = ffi.new("int64_t[]", [0, 2**61])
    letters = ffi.new("uint8_t[]", b"ACGT")
    sequences = ffi.new("gkl_shim_mem_sequences *", (1, array, letters))
    assert lib.gkl_shim_mem_open(options, sequences, index) == lib.GKL_SHIM_EINVAL
    assert _native.last_error() == "reference: 2305843009213693952 letters are too many"


_NO_PART = "a part is of a search for all matches of one query and one strand"


@pytest.mark.parametrize(
    ("search", "lengths", "message"),
    [
        ((5, 0, 3, 0, 4, 9), [4], _NO_PART),
        ((5, 1, 1, 0, 4, 9), [4], _NO_PART),
        ((5, 0, 1, 0, 4, 9), [4, 4], _NO_PART),
        ((5, 0, 1, 0, 5, 9), [4], "the part of 9 matches from 0 to 5 is not one of 4 letters"),
        ((5, 0, 1, 3, 2, 9), [4], "the part of 9 matches from 3 to 2 is not one of 4 letters"),
        ((5, 0, 1, -1, 2, 9), [4], "the part of 9 matches from -1 to 2 is not one of 4 letters"),
        ((5, 0, 1, 0, 4, 0), [4], "the part of 0 matches from 0 to 4 is not one of 4 letters"),
    ],
)  # fmt: skip
def test_wrong_parts_are_refused(search: tuple, lengths: list[int], message: str) -> None:
    ffi, lib = _native.library()
    index = mem.Index("ACGTACGT", min_length=5)
    queries = mem.native_sequences(["A" * length for length in lengths], "queries")
    wanted = ffi.new("gkl_shim_mem_search *", search)
    made = ffi.new("gkl_shim_mem_matches **")
    found = lib.gkl_shim_mem_find(index._open().handle, queries.pointer, wanted, made)
    assert found == lib.GKL_SHIM_EINVAL
    assert _native.last_error() == message


def test_letters_without_a_description_belong_to_no_sequence() -> None:
    ffi, lib = _native.library()
    fasta = ffi.new("gkl_shim_mem_fasta **")
    assert lib.gkl_shim_mem_parse(b"ACGT\nAC\n", 8, 1, fasta) == lib.GKL_SHIM_OK
    sequences, names = (ffi.new("gkl_shim_mem_sequences *") for _ in range(2))
    lib.gkl_shim_mem_fasta_sequences(fasta[0], sequences, names)
    for found in (sequences, names):
        assert (found.count, found.offsets[0]) == (0, 0)
    lib.gkl_shim_mem_fasta_close(fasta[0])
