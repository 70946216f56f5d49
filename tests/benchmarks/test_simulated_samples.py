"""Simulated samples are what they say they are, and the same every time."""

from __future__ import annotations

import subprocess
from pathlib import Path

from benchmarks.common.simulated_samples import mutated_copies, random_sequence, simulate
from tests.conftest import require_tool


def test_mutated_copies() -> None:
    sequence = random_sequence(100_000, seed=1)
    one, other = mutated_copies(sequence, 1e-3, seed=2)
    assert (one, other) == mutated_copies(sequence, 1e-3, seed=2)
    assert len({sequence, one, other}) == 3
    assert mutated_copies(sequence, 0, seed=2) == (sequence, sequence)
    assert mutated_copies("NNNN", 1, seed=2) == ("NNNN", "NNNN")


def test_simulate(tmp_path: Path) -> None:
    for tool in ("art_illumina", "bwa", "samtools"):
        require_tool(tool)
    sequence = random_sequence(3000, seed=3)
    texts = []
    for attempt in ("one", "other"):
        folder = tmp_path / attempt
        sample = simulate(folder, "made", sequence, 40, threads=1 + len(texts))
        view = ["samtools", "view", str(sample.reads)]
        texts.append(subprocess.run(view, capture_output=True, text=True, check=True).stdout)
        assert sorted(path.name for path in folder.iterdir()) == [
            "made.bam",
            "made.bam.bai",
            "made.dict",
            "made.fa",
            "made.fa.fai",
        ]
    assert texts[0] == texts[1]
    lines = [line.split("\t") for line in texts[0].splitlines()]
    depth = sum(len(fields[9]) for fields in lines) / len(sequence)
    assert 30 < depth < 45
    assert all(fields[2] == "made" for fields in lines)
