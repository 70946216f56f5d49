"""The C ABI from C: the header's example, and the library for aarch64 under emulation."""

from __future__ import annotations

import os
import re
import subprocess
import sys

import pytest

import gkl_shim
from gkl_shim.common import _native
from tests.common.arguments import Handles, refusal
from tests.conftest import library_for, require_tool
from tests.native_driver import DRIVER, run
from tests.pairhmm import oracle


def test_the_example_in_the_header_runs(compile_c, tmp_path):
    """It compiles unchanged, and prints the likelihoods of the model."""
    header = gkl_shim.paths.header().read_text()
    body = header.split("A complete program:")[1].split("*/")[0]
    source = tmp_path / "example.c"
    source.write_text("\n".join(re.sub(r"^ \* ?", "", line) for line in body.splitlines()))
    printed = run([compile_c(require_tool("cc"), source, gkl_shim.paths.library())])
    reads = [(b"ACGT", [30] * 4), (b"ACG", [30, 30, 20])]
    for line, (bases, quals) in zip(printed.splitlines(), reads, strict=True):
        n = len(bases)
        exact = [
            oracle.likelihood(bases, quals, [45] * n, [45] * n, [10] * n, haplotype)
            for haplotype in (b"ACGTAC", b"ACCTAC")
        ]
        assert [float(x) for x in line.split()] == pytest.approx(exact, abs=2e-6)


@pytest.mark.usefixtures("gpu")
@pytest.mark.parametrize("precision", ["single", "double"])
def test_the_gpu_gives_the_same_bits_from_c(native_driver, region_file, precision):
    """The library starts Python itself, and its engine gives the same bits."""
    expected = run(native_driver, region_file, "portable", precision, 1)
    done = subprocess.run(
        [*native_driver, region_file, "portable", precision, "1", "cuda"],
        check=True,
        capture_output=True,
        text=True,
        env={**os.environ, "GKL_SHIM_PYTHON": sys.executable},
    )
    assert done.stdout == expected
    assert done.stderr == ""


@pytest.mark.parametrize("precision", ["single", "double"])
@pytest.mark.parametrize("build", ["neon", "portable"])
def test_aarch64_has_the_same_bits(native_driver, aarch64_driver, region_file, build, precision):
    expected = run(native_driver, region_file, "portable", precision, 1)
    assert len(expected.splitlines()) > 1000
    assert run(aarch64_driver, region_file, build, precision, 2) == expected


@pytest.mark.parametrize("build", _native.builds())
def test_the_jars_library_has_the_same_bits(native_driver, compile_c, region_file, tmp_path, build):
    """The wheel's library and the jar's come from different compilers."""
    library = library_for(os.uname().machine, tmp_path)
    driver = [compile_c(require_tool("cc"), DRIVER, library)]
    for precision in ("single", "double"):
        assert run(driver, region_file, build, precision, 2) == run(
            native_driver, region_file, build, precision, 1
        )


@pytest.mark.parametrize(
    ("options", "complaint"),
    [
        ({"threads": -1}, "threads is -1, less than 0"),
        ({"precision": 2}, "precision is 2, not GKL_SHIM_SINGLE or GKL_SHIM_DOUBLE"),
        ({"conventions": 2}, "conventions is 2, not GKL_SHIM_STRICT or GKL_SHIM_AS_GKL"),
        ({"backend": 7}, "backend is 7, not GKL_SHIM_CPU, GKL_SHIM_CUDA or GKL_SHIM_AUTO"),
    ],
)
def test_options_out_of_range_are_refused(options, complaint):
    h = Handles()
    handle, given = h.new("gkl_shim_pairhmm **"), h.new("gkl_shim_pairhmm_options *", options)
    assert refusal(h, "pairhmm_open", given, handle) == complaint
    assert handle[0] == h.ffi.NULL
