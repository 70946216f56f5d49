"""The results are those of GATK's own Java aligner, called in the same JVM."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Sequence
from pathlib import Path

import pytest

from gkl_shim import paths
from gkl_shim.gatk import fetch
from gkl_shim.smithwaterman import HAPLOTYPE_TO_REFERENCE
from tests.conftest import require_tool
from tests.java.conftest import compile_java, gkl_classpath, skip_unless_served
from tests.smithwaterman.pairs import OVERHANGS, Pair, pairs
from tests.smithwaterman.test_align import BUILDS, aligned


def agent() -> str:
    return f"-javaagent:{paths.agent_jar()}"


@pytest.fixture(scope="module")
def classes(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The programs of this folder."""
    require_tool("java")
    require_tool("mvn")
    folder = tmp_path_factory.mktemp("classes")
    compile_java(fetch.gatk_classpath(), folder, sorted(Path(__file__).parent.glob("*.java")))
    return folder


def java(
    program: str,
    classpath: str,
    *arguments: object,
    options: Sequence[str] = (),
    **settings: str,
) -> str:
    """Run a program, and return what it printed."""
    command = [require_tool("java"), "-Xmx2g", "-XX:TieredStopAtLevel=1", *options]
    command += ["-cp", classpath, program, *map(str, arguments)]
    environment = {k: v for k, v in os.environ.items() if not k.startswith("GKL_SHIM_")}
    environment |= settings
    done = subprocess.run(command, capture_output=True, text=True, env=environment, check=False)
    assert done.returncode == 0, done.stderr[-3000:]
    return done.stdout + done.stderr


@pytest.fixture(scope="module")
def sample() -> list[Pair]:
    long_pair = pairs(1, seed=21)[0]._replace(
        reference=bytes(b"ACGT"[k * k % 97 % 4] for k in range(6400)),
        alternative=bytes(b"ACGT"[k * k % 97 % 4] for k in range(40, 6300)),
        parameters=HAPLOTYPE_TO_REFERENCE,
        overhang="indel",
    )
    return [*pairs(10_000, seed=20), long_pair]


@pytest.fixture(scope="module")
def answers(sample: list[Pair], classes: Path, tmp_path_factory) -> list[list[str]]:
    """For each pair the answers of GATK's Java aligner and of two threads with our class."""
    folder = tmp_path_factory.mktemp("aligned")
    (folder / "pairs").write_bytes(b"".join(pair.line() for pair in sample))
    classpath = f"{classes}:{fetch.gatk_classpath()}"
    log = java("AlignPairs", classpath, folder / "pairs", folder / "answers", 2, options=[agent()])
    assert f"Smith-Waterman: {2 * len(sample)} alignments, " in log
    lines = (folder / "answers").read_text().splitlines()
    assert len(lines) == len(sample)
    return [line.split("\t") for line in lines]


def test_the_replaced_class(sample: list[Pair], answers: list[list[str]]) -> None:
    assert {pair.overhang for pair in sample} == set(OVERHANGS)
    assert set("MIDS") <= set("".join(line[1] for line in answers))
    assert max(len(pair.reference) for pair in sample[:-1]) > 1000
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


def lines(text: str) -> dict[str, str]:
    return dict(line.split("\t") for line in text.splitlines() if line.count("\t") == 1)


# Not GKL 0.9.0, which no release of GATK has. With AVX-512 it crashes at 32,767 letters.
@pytest.mark.parametrize("version", ["0.8.11", "0.9.1"])
def test_unusual_arguments(classes: Path, version: str) -> None:
    """What Intel's class answers, ours answers; where Intel's throws, ours throws the same, or
    aligns what is beyond Intel's limits."""
    skip_unless_served("stock")
    classpath = f"{classes}:{gkl_classpath(version)}"
    stock, ours = (lines(java("EdgeCases", classpath, options=o)) for o in ([], [agent()]))
    assert ours.pop("match 65537") == ours["match 65536"]
    assert ours.pop("32768 letters") == ours["32767 letters"]
    for beyond in ("match 65537", "32768 letters"):
        assert stock.pop(beyond) == "java.lang.IllegalArgumentException"
    assert ours == stock
    assert len(ours) > 30
    assert ours["262145 letters"] == "java.lang.IllegalArgumentException"


@pytest.fixture
def few(tmp_path: Path) -> Path:
    path = tmp_path / "few.tsv"
    made = [p for p in pairs(1200, seed=22, longest=200) if p.overhang != "ignore"]
    path.write_bytes(b"".join(pair.line() for pair in made))
    return path


def compared(few: Path, classpath: str, *options: str, threads: int = 2, **settings: str) -> str:
    """Check that every answer is that of GATK's Java aligner, and return the log."""
    found = few.with_name("answers")
    classpath = f"{classpath}:{fetch.gatk_classpath()}"
    log = java("AlignPairs", classpath, few, found, threads, options=options, **settings)
    lines = found.read_text().splitlines()
    assert len(lines) == len(few.read_text().splitlines())
    for line in lines:
        fields = line.split("\t")
        assert fields[2:] == fields[:2] * threads
    return log


def test_many_threads_and_checked_jni(few: Path, classes: Path) -> None:
    log = compared(few, str(classes), agent(), "-Xcheck:jni", threads=16)
    assert "WARNING in native method" not in log
    assert "FATAL ERROR" not in log
    assert "verified" not in log


def test_turned_off_in_front_of_intels_class(few: Path, classes: Path) -> None:
    skip_unless_served("stock")
    # The pairs that GKL aligns as Java does.
    given = few.read_bytes().splitlines(keepends=True)
    few.write_bytes(b"".join(line for line in given if b"\t200,-150,-260,-11\t" in line))
    log = compared(few, str(classes), agent(), GKL_SHIM_SMITHWATERMAN="off")
    assert "Smith-Waterman: Intel GKL is used: GKL_SHIM_SMITHWATERMAN=off" in log
    assert "replaced" not in log
    assert "alignments" not in log


def test_a_build_a_recording_and_verification(few: Path, classes: Path) -> None:
    recorded = few.with_name("recorded.tsv")
    settings = {"BUILD": "portable", "RECORD_SMITHWATERMAN": str(recorded), "VERIFY": "3"}
    environment = {f"GKL_SHIM_{name}": value for name, value in settings.items()}
    log = compared(few, str(classes), agent(), **environment)
    assert "Smith-Waterman: portable build (asked for by GKL_SHIM_BUILD); Intel GKL" in log
    given = few.read_bytes().splitlines()
    assert f"Smith-Waterman: {2 * len(given)} pairs recorded to {recorded}" in log
    assert sorted(recorded.read_bytes().splitlines()) == sorted(2 * given)
    assert "Smith-Waterman: one alignment in 3 is verified with Java's arithmetic" in log
    verified = 2 * len(given) // 3
    assert f"Smith-Waterman: {verified} alignments verified with Java's arithmetic, 0 diff" in log
