"""Reads with known errors, beside Lighter."""

from __future__ import annotations

import subprocess
from pathlib import Path

import numpy as np
import pytest

from benchmarks.common.simulated_reads import letters_of, mutated, simulate_uniform
from gkl_shim.correct import Spectrum
from tests.cli.shim_command import run
from tests.conftest import require_tool

GENOME = 150_000


def genome(seed: int) -> np.ndarray:
    rng = np.random.default_rng(seed)
    letters = np.frombuffer(b"ACGT", np.uint8)[rng.integers(0, 4, GENOME)]
    # Three copies of a repeat, which differ in few bases.
    for copy in range(1, 4):
        letters[copy * 30_000 : copy * 30_000 + 2000] = mutated(letters[:2000], 0.01, copy)
    return letters


def gain(reads, corrected) -> float:
    wrong, now = reads.letters != reads.truth, corrected != reads.truth
    return float(((wrong & ~now).sum() - (~wrong & now).sum()) / wrong.sum())


@pytest.mark.parametrize(("depth", "length", "least"), [(30, 100, 0.99), (12, 150, 0.96)])
def test_no_worse_than_lighter(tmp_path: Path, depth, length, least) -> None:
    lighter = require_tool("lighter")
    reads = simulate_uniform(tmp_path, genome(1), depth, length, 0.01, 2)
    done = run(tmp_path, "correct", "reads.fq", "-o", "ours.fq")
    assert done.returncode == 0, done.stderr
    command = [lighter, "-r", "reads.fq", "-K", "19", str(GENOME), "-t", "2", "-od", "lighter"]
    subprocess.run(command, cwd=tmp_path, check=True, capture_output=True)
    ours = gain(reads, letters_of(tmp_path / "ours.fq", length))
    theirs = gain(reads, letters_of(tmp_path / "lighter" / "reads.cor.fq", length))
    assert ours > least and ours >= theirs, (ours, theirs)


@pytest.mark.parametrize(("depth", "rate"), [(600, 0.003), (4000, 0.01)])
def test_very_deep_reads(tmp_path: Path, depth, rate) -> None:
    """An error occurs in several reads; at 4000x, k-mers with one occur 10 times."""
    reads = simulate_uniform(tmp_path, genome(5)[:4000], depth, 100, rate, 6)
    both = (reads.letters.reshape(-1), np.arange(0, reads.letters.size + 1, 100))
    corrected = Spectrum.from_reads(both).correct(both).letters.reshape(-1, 100)
    assert gain(reads, corrected) > 0.999


def test_heterozygous_variants_stay(tmp_path: Path) -> None:
    """Only where an allele is in too few reads to be solid may it be taken for an error."""
    first = genome(3)
    second = mutated(first, 1e-3, 4)
    for rate in (0.0, 0.005):
        parts = []
        for index, haplotype in enumerate((first, second)):
            folder = tmp_path / f"{rate}-{index}"
            folder.mkdir()
            parts.append(simulate_uniform(folder, haplotype, 15, 100, rate, 5 + index))
        letters = np.concatenate([part.letters for part in parts])
        truth = np.concatenate([part.truth for part in parts])
        offsets = np.arange(0, letters.size + 1, 100)
        both = (letters.reshape(-1), offsets)
        corrected = Spectrum.from_reads(both).correct(both).letters.reshape(-1, 100)
        variants = first != second
        at = np.concatenate([variants[part.genome_positions()] for part in parts])
        assert at.sum() > 3000
        overwritten = (at & (letters == truth) & (corrected != truth)).sum()
        assert overwritten <= at.sum() * 0.01, (overwritten, at.sum())
