"""All three kernels, in GKL's classes and in those of fgkl, the library that follows GKL in GATK.

fgkl's jar is in no registry. Stand-ins with the names of its classes, and the methods that GATK
calls, take its place.
"""

from __future__ import annotations

import re
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from gkl_shim import paths
from tests.conftest import ROOT
from tests.java import regions
from tests.java.conftest import Jvm, Outcome, compile_java, gkl_classpath, skip_unless_served
from tests.java.test_pdhmm import recorded
from tests.smithwaterman import oracle

KERNELS = {"pairhmm": "PairHMM", "pdhmm": "PDHMM", "smithwaterman": "Smith-Waterman"}
GKL = "0.9.1"
REFERENCE, ALTERNATIVE = b"GGATTACAGATTACAGGCATCGATTTT", b"ATTACAGATTAGGCTTCGA"
SIZE = {"pairhmm": 6 * 4, "pdhmm": 21 * 3}


def fgkl_jar(folder: Path) -> Path:
    """Return a jar with stand-ins for fgkl's classes."""
    sources = sorted((ROOT / "tests/java/fgkl").glob("*.java"))
    compile_java(gkl_classpath(GKL), folder / "classes", sources)
    with zipfile.ZipFile(folder / "fgkl.jar", "w") as jar:
        for path in (folder / "classes").rglob("*.class"):
            jar.write(path, path.relative_to(folder / "classes"))
    return folder / "fgkl.jar"


@pytest.fixture(scope="module")
def fgkl(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return fgkl_jar(tmp_path_factory.mktemp("fgkl"))


@pytest.fixture
def run(jvm: Jvm, fgkl: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Run a scenario with both libraries on the class path."""
    classpath = f"{gkl_classpath(GKL)}:{fgkl}"
    monkeypatch.setattr("tests.java.conftest.gkl_classpath", lambda _: classpath)
    argument = {
        "pairhmm": regions.typical(5),
        "pdhmm": recorded()[0][0],
        "smithwaterman": (REFERENCE, ALTERNATIVE),
    }

    def call(scenario: str, library: str, **options: Any) -> Outcome:
        if library == "gkl":
            skip_unless_served("stock")
        return jvm(
            scenario,
            {**argument, "library": library},
            module="tests.java.kernel_scenarios",
            **options,
        )

    return call


def check(outcome: Outcome, library: str, ours: set[str]) -> None:
    """Check which kernels are ours, and their results."""
    expected: dict[str, Any] = {
        "pairhmm": regions.likelihoods(regions.typical(5)),
        "pdhmm": recorded()[1][: SIZE["pdhmm"]],
        "smithwaterman": oracle.align(REFERENCE, ALTERNATIVE, (10, -15, -30, -5), "softclip"),
    }
    stand_ins: dict[str, Any] = {
        "pairhmm": [-1.0] * SIZE["pairhmm"],
        "pdhmm": [-1.0] * SIZE["pdhmm"],
        "smithwaterman": (-1, "1M"),
    }
    for kernel in KERNELS:
        found, whose = outcome.result[kernel]
        assert whose == (kernel in ours), kernel
        if library == "fgkl" and kernel not in ours:
            assert found == stand_ins[kernel]
        elif kernel == "smithwaterman":
            assert found == expected[kernel]
        else:
            np.testing.assert_allclose(found, expected[kernel], rtol=0, atol=1e-5)


def title(library: str) -> str:
    return {"gkl": "Intel GKL", "fgkl": "fgkl"}[library]


@pytest.mark.parametrize("library", ["gkl", "fgkl"])
def test_every_kernel_is_replaced(run: Any, library: str) -> None:
    """The log has a line for each at the start, and at the end one with its figures."""
    outcome = run("kernels", library)
    check(outcome, library, set(KERNELS))
    calls = {"pairhmm": r"1 region, 24 pairs", "pdhmm": r"1 region, 63 pairs",
             "smithwaterman": "1 alignment"}  # fmt: skip
    haplotypes = [len(h) for h in regions.typical(5).haplotypes]
    reads = [len(read.bases) for read in regions.typical(5).reads]
    pd_reads, pd_haplotypes = recorded()[0][0]
    cells = {
        "pairhmm": sum(reads) * sum(haplotypes),
        "pdhmm": sum(len(r[0]) for r in pd_reads) * sum(len(h[0]) for h in pd_haplotypes),
        "smithwaterman": len(REFERENCE) * len(ALTERNATIVE),
    }
    for kernel, name in KERNELS.items():
        first, last = (line for line in outcome.ours if f"] {name}: " in line)
        assert first.endswith(f"{title(library)} replaced (agent)")
        figures = (
            rf"\] {name}: {calls[kernel]}, {cells[kernel]} cells in \d+\.\d+ s, "
            r"\d+\.\d\d GCUPS, \d+\.\d\d% of the run's \d+\.\d CPU seconds(;|$)"
        )
        assert re.search(figures, last), last


def test_two_recordings_need_two_files(run: Any, tmp_path: Path) -> None:
    file, link = tmp_path / "recording", tmp_path / "link"
    link.symlink_to(file.name)
    settings = {"GKL_SHIM_RECORD": str(file), "GKL_SHIM_RECORD_SMITHWATERMAN": str(link)}
    outcome = run("kernels", "fgkl", environment=settings)
    warning = outcome.line("another setting names this file")
    assert re.search(f"warning: GKL_SHIM_RECORD.*: cannot write {tmp_path}/.*: another", warning)
    written = [line for line in outcome.ours if re.search(f"1 .* recorded to {tmp_path}/", line)]
    assert len([line for line in written if "PDHMM" not in line]) == 1


def test_no_kernel_is_replaced_without_a_swap(run: Any) -> None:
    outcome = run("kernels", "fgkl", swap="stock")
    check(outcome, "fgkl", set())
    assert outcome.ours == []


def test_the_library_path_replaces_intels_pairhmm_alone(run: Any) -> None:
    skip_unless_served("library-path")
    outcome = run("kernels", "gkl", swap="library-path")
    # The classes are Intel's, and only their PairHMM has our native methods.
    check(outcome, "gkl", set())
    assert len(outcome.ours) == 2
    for line in outcome.ours:
        assert "] PairHMM: " in line
    assert outcome.ours[0].endswith("Intel GKL replaced (library path)")


@pytest.mark.parametrize(
    ("library", "kernel"), [("gkl", "pairhmm"), ("fgkl", "pdhmm"), ("gkl", "smithwaterman")]
)
def test_each_kernel_can_be_turned_off(run: Any, library: str, kernel: str) -> None:
    setting = f"GKL_SHIM_{kernel.upper()}"
    outcome = run("kernels", library, environment={setting: "off"})
    check(outcome, library, set(KERNELS) - {kernel})
    said = [line for line in outcome.ours if f"] {KERNELS[kernel]}: " in line]
    assert len(said) == 1
    assert said[0].endswith(f"{KERNELS[kernel]}: {title(library)} is used: {setting}=off")


def test_all_kernels_can_be_turned_off(run: Any) -> None:
    outcome = run("kernels", "fgkl", options=["-Dgkl.shim.backend=off"])
    check(outcome, "fgkl", set())
    assert [line.split("] ")[1] for line in outcome.ours] == [
        f"{kernel}: fgkl is used: gkl.shim.backend=off" for kernel in KERNELS.values()
    ]


def test_no_kernel_is_replaced_if_the_library_does_not_load(run: Any) -> None:
    outcome = run("kernels", "gkl", options=["-Dgkl.shim.library=/absent.so"])
    check(outcome, "gkl", set())
    said = "Intel GKL is used: gkl.shim.library names /absent.so, which does not load: "
    for kernel, line in zip(KERNELS.values(), outcome.ours, strict=True):
        assert f"] warning: {kernel}: {said}" in line


@pytest.mark.parametrize(
    ("library", "kernel"), [("gkl", "pairhmm"), ("fgkl", "pdhmm"), ("fgkl", "smithwaterman")]
)
def test_each_kernel_fails_alone(run: Any, tmp_path: Path, library: str, kernel: str) -> None:
    """One of the native methods has another name."""
    method = {"pairhmm": b"PairHmm_compute", "pdhmm": b"Pdhmm_compute",
              "smithwaterman": b"SmithWaterman_align"}[kernel]  # fmt: skip
    native = paths.library().read_bytes()
    broken = tmp_path / "broken.so"
    broken.write_bytes(native.replace(b"Native" + method, b"naTive" + method))
    assert broken.read_bytes() != native
    environment = {"GKL_SHIM_LIBRARY": str(broken)}
    outcome = run("kernels", library, environment=environment)
    check(outcome, library, set(KERNELS) - {kernel})
    (warning,) = [line for line in outcome.ours if "warning" in line]
    assert f"warning: {KERNELS[kernel]}: {title(library)} is used: GKL_SHIM_LIBRARY" in warning
    assert "is not a library of gkl-shim for Java" in warning
