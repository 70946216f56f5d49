"""GKL_SHIM_VERIFY finds wrong results, which a preloaded library plants."""

from __future__ import annotations

import random
import re
import subprocess
from pathlib import Path
from typing import Any

import pytest

from gkl_shim import paths
from tests.conftest import HEADER_FOLDERS, require_tool
from tests.java.conftest import Jvm, Outcome
from tests.java.regions import Read, Region
from tests.java.test_kernels import KERNELS, fgkl, run

__all__ = ["fgkl", "run"]

NUMBER = r"-?\d+\.\d+"
#: What is said at once, and at the end.
FOUND = {
    # Single precision is rounded as GKL's, by up to 2e-6.
    "PairHMM": (
        rf"region 1: read 6 and haplotype 4 give {NUMBER}, but the portable build {NUMBER}",
        "1 region verified in double precision, 1 different, largest difference 4.9e-05",
    ),
    "PDHMM": (
        rf"region 1: read 21 and haplotype 3 give {NUMBER}, but the portable build {NUMBER}",
        "1 region verified in double precision, 1 different, largest difference 5e-05",
    ),
    "Smith-Waterman": (
        r"alignment 1: \S+ at \d+, but Java's arithmetic gives \S+ at \d+",
        "1 alignment verified with Java's arithmetic, 1 different",
    ),
}


@pytest.fixture(scope="module")
def planted(tmp_path_factory: pytest.TempPathFactory) -> Path:
    library = tmp_path_factory.mktemp("planted") / "planted.so"
    flags = ["-std=gnu11", "-Wall", "-Wextra", "-Werror", "-shared", "-fPIC"]
    flags += [f"-I{folder}" for folder in HEADER_FOLDERS]
    source = Path(__file__).with_name("planted.c")
    subprocess.run([require_tool("cc"), *flags, source, "-o", library, "-ldl", "-lm"], check=True)
    return library


def verified(run: Any, planted: Path, plant: str, **settings: str) -> Outcome:
    """Use all three kernels, with wrong results in each."""
    environment = {"LD_PRELOAD": str(planted), "PLANT": plant, "GKL_SHIM_VERIFY": "1"}
    environment["GKL_SHIM_LIBRARY"] = str(paths.library())
    outcome: Outcome = run("kernels", "gkl", environment={**environment, **settings})
    return outcome


def test_wrong_results_are_found(run: Any, planted: Path) -> None:
    """They are told even where nothing else is."""
    outcome = verified(run, planted, "5e-5", GKL_SHIM_LOG="quiet")
    for kernel, setting in zip(FOUND, KERNELS, strict=True):
        at_once, at_the_end = FOUND[kernel]
        said = [line for line in outcome.ours if "warning: " in line and f" {kernel}: " in line]
        assert len(said) == 2, outcome.log
        assert re.search(rf"warning: GKL_SHIM_VERIFY: {kernel}: {at_once}$", said[0]), said
        assert said[1].endswith(
            f"warning: {kernel}: {at_the_end}; GKL_SHIM_{setting.upper()}=off leaves it to GATK"
        )


def test_values_that_are_no_numbers_are_found(run: Any, planted: Path) -> None:
    outcome = verified(run, planted, "nan")
    for kernel in ("PairHMM", "PDHMM"):
        last = outcome.line(f"warning: {kernel}: ")
        assert "1 different, largest difference inf; " in last
        assert "give nan, but" in outcome.line(f"GKL_SHIM_VERIFY: {kernel}: region 1: ")


def test_a_single_bit_of_pdhmm_is_found(run: Any, planted: Path) -> None:
    """PDHMM's builds give the same bits. PairHMM's single precision differs from double."""
    outcome = verified(run, planted, "0")
    assert "1 different, largest difference" in outcome.line("warning: PDHMM: ")
    assert "verified in double precision, 0 different, " in outcome.line("] PairHMM: 1 region v")


def test_a_call_that_cannot_be_verified_is_reported(run: Any, planted: Path) -> None:
    outcome = verified(run, planted, "fail")
    for kernel, call in zip(FOUND, ("region", "region", "alignment"), strict=True):
        warning = outcome.line(f"warning: GKL_SHIM_VERIFY: {kernel}: ")
        assert f"{kernel}: {call} 1 could not be verified: " in warning
        assert re.search("size is 0|has room for 0 bytes", warning)
        last = outcome.line(f"] {kernel}: 0 {call}s verified ")
        assert last.endswith("; 1 could not be verified")


def test_rounding_errors_of_long_reads_are_no_faults(jvm: Jvm) -> None:
    """Single precision is promised within 6e-8 a base beyond 150 bases."""
    haplotype = bytes(random.Random(1).choices(b"ACGT", k=1010))
    tracks = [bytes([quality] * 1000) for quality in (9, 45, 45, 10)]
    region = Region([Read(haplotype[5:1005], *tracks)], [haplotype])
    outcome = jvm("compute", {"regions": [region]}, environment={"GKL_SHIM_VERIFY": "1"})
    match = re.search(r"0 different, largest difference (\S+)$", outcome.line("region verified"))
    assert match, outcome.log
    assert 1.4e-5 < float(match[1]) < 6e-5
