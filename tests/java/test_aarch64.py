"""All kernels in a JVM for aarch64, under emulation: GKL has none of them there."""

from __future__ import annotations

import platform
import subprocess
from pathlib import Path

import numpy as np
import pytest

from tests.java import regions
from tests.java.conftest import compile_java, gkl_classpath
from tests.java.kernel_scenarios import NAMES
from tests.java.test_kernels import ALTERNATIVE, KERNELS, REFERENCE
from tests.java.test_pdhmm import recorded
from tests.smithwaterman import oracle

GKL = "0.9.1"
SCORES = (10, -15, -30, -5)


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The class path of the program and of GKL's classes."""
    folder = tmp_path_factory.mktemp("program")
    compile_java(gkl_classpath(GKL), folder / "kernels", [Path(__file__).with_name("Kernels.java")])
    return f"{folder / 'kernels'}:{gkl_classpath(GKL)}"


@pytest.fixture(scope="module")
def asked(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What the program computes: regions of PairHMM and PDHMM, and a pair of sequences."""
    region = regions.typical(5)
    reads = [track for read in region.reads for track in read.tracks()]
    tracks = [*reads, *region.haplotypes]
    lines = [f"pairhmm {len(region.reads)} {len(region.haplotypes)}"]
    lines[-1] += "".join(f" {track.hex()}" for track in tracks)
    for pd_reads, pd_haplotypes in recorded()[0]:
        lines.append(f"pdhmm {len(pd_reads)} {len(pd_haplotypes)}")
        tracks = [track for sequence in (*pd_reads, *pd_haplotypes) for track in sequence]
        lines[-1] += "".join(f" {bytes(track).hex()}" for track in tracks)
    scores = " ".join(map(str, SCORES))
    lines.append(f"smithwaterman {REFERENCE.hex()} {ALTERNATIVE.hex()} {scores}")
    path = tmp_path_factory.mktemp("asked") / "asked"
    path.write_text("\n".join(lines) + "\n")
    return path


def run(java: list[str], jar: Path, classpath: str, asked: Path) -> tuple[str, str]:
    """Return what the program prints, and the log."""
    command = [*java, f"-javaagent:{jar}", "-cp", classpath, "Kernels", *NAMES["gkl"], asked]
    done = subprocess.run(list(map(str, command)), capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[-3000:]
    return done.stdout, done.stderr


def test_all_kernels_are_native(
    aarch64_java: list[str],
    aarch64_jar: Path,
    program: str,
    asked: Path,
) -> None:
    printed, log = run(aarch64_java, aarch64_jar, program, asked)
    *likelihoods, alignment = printed.splitlines()
    expected = [*regions.likelihoods(regions.typical(5)), *recorded()[1]]
    np.testing.assert_allclose(list(map(float, likelihoods)), expected, rtol=0, atol=1e-5)
    offset, cigar = oracle.align(REFERENCE, ALTERNATIVE, SCORES, "softclip")
    assert alignment == f"{offset}\t{cigar}"
    for kernel in KERNELS.values():
        assert f"{kernel}: neon build" in log
        assert "Intel GKL replaced (agent)" in log
    assert "warning" not in log
    if platform.machine() == "x86_64":
        # All builds give the same bits.
        assert run(["java"], aarch64_jar, program, asked)[0] == printed
