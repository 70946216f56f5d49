"""The results are those of GATK's own Java aligner, called in the same JVM."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Sequence
from pathlib import Path

import pytest

from gkl_shim import _native, paths
from gkl_shim.gatk import fetch
from gkl_shim.smithwaterman import HAPLOTYPE_TO_REFERENCE
from tests.conftest import require_tool
from tests.java.conftest import gkl_classpath, skip_unless_served
from tests.smithwaterman.pairs import OVERHANGS, Pair, pairs
from tests.smithwaterman.test_align import BUILDS, aligned

HERE = Path(__file__).parent
PAIRS = 10_000 if os.environ.get("CI") == "true" else 100_000


def java(program: str, classpath: str, *arguments: object, options: Sequence[str] = ()) -> str:
    command = [fetch.java(), "-Xmx2g", *options, "-cp", classpath, HERE / f"{program}.java"]
    environment = {k: v for k, v in os.environ.items() if not k.startswith("GKL_SHIM_")}
    done = subprocess.run(
        [*map(str, command), *map(str, arguments)],
        capture_output=True,
        text=True,
        env=environment,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-3000:]
    return done.stdout + done.stderr


def agent() -> str:
    return f"-javaagent:{paths.agent_jar()}"


@pytest.fixture(scope="module")
def sample() -> list[Pair]:
    long_pair = pairs(1, seed=21)[0]._replace(
        reference=bytes(b"ACGT"[k * k % 97 % 4] for k in range(6400)),
        alternative=bytes(b"ACGT"[k * k % 97 % 4] for k in range(40, 6300)),
        parameters=HAPLOTYPE_TO_REFERENCE,
        overhang="indel",
    )
    return [*pairs(PAIRS, seed=20), long_pair]


@pytest.fixture(scope="module")
def answers(sample: list[Pair], tmp_path_factory) -> list[list[str]]:
    """For each pair the answers of GATK's Java aligner and of two threads with our class."""
    require_tool("java")
    require_tool("mvn")
    folder = tmp_path_factory.mktemp("aligned")
    (folder / "pairs").write_bytes(b"".join(pair.line() for pair in sample))
    log = java(
        "AlignPairs",
        fetch.gatk_classpath(),
        folder / "pairs",
        folder / "answers",
        2,
        options=[agent()],
    )
    assert "Smith-Waterman: " in log
    assert f"Smith-Waterman: {2 * len(sample)} alignments, " in log
    lines = (folder / "answers").read_text().splitlines()
    assert len(lines) == len(sample)
    return [line.split("\t") for line in lines]


def test_the_replaced_class(sample: list[Pair], answers: list[list[str]]) -> None:
    for pair, (*expected, offset, cigar, other_offset, other_cigar) in zip(
        sample, answers, strict=True
    ):
        assert [offset, cigar] == expected, pair
        assert [other_offset, other_cigar] == expected, pair


@pytest.mark.parametrize("build", BUILDS)
def test_python(sample: list[Pair], answers: list[list[str]], build: str) -> None:
    found = aligned(sample, build, threads=2)
    for pair, (offset, cigar), line in zip(sample, found, answers, strict=True):
        assert [str(offset), cigar] == line[:2], pair


def test_the_sample_has_all_kinds(sample: list[Pair], answers: list[list[str]]) -> None:
    assert {pair.overhang for pair in sample} == set(OVERHANGS)
    cigars = "".join(line[1] for line in answers)
    assert set("MIDS") <= set(cigars)
    assert max(len(pair.reference) for pair in sample[:-1]) > 1000
    assert _native.builds()


def lines(text: str) -> dict[str, str]:
    return dict(line.split("\t") for line in text.splitlines() if line.count("\t") == 1)


@pytest.mark.parametrize("version", ["0.8.11", "0.9.0"])
def test_unusual_arguments(version: str) -> None:
    """What Intel's class answers, ours answers; where Intel's throws, ours throws the same, or
    aligns what is beyond Intel's limits."""
    skip_unless_served("stock")
    classpath = gkl_classpath(version)
    stock, ours = (lines(java("EdgeCases", classpath, options=o)) for o in ([], [agent()]))
    assert ours.pop("match 65537") == ours["match 65536"]
    assert ours.pop("32768 letters") == ours["32767 letters"]
    for beyond in ("match 65537", "32768 letters"):
        assert stock.pop(beyond) == "java.lang.IllegalArgumentException"
    assert ours == stock
    assert len(ours) > 30
    assert ours["262145 letters"] == "java.lang.IllegalArgumentException"
