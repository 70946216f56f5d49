"""Measure read correction on GPUs, from arrays to arrays.

    python -m benchmarks.gpu.correct_cuda --json FILE.json

The reads are generated, and the true bases are known: a genome of the size of E. coli 536, or one
given in FASTA, at 30x with 100 bases a read and errors as frequent as Illumina's (HS25: 0.14%, more
of them towards the end).

The table has the seconds to make a spectrum and to correct, on the CPU and on each number of GPUs:
the round with the median total, after a first that allocates memory. The results are compared with
the CPU engine's. `gain` says how much is corrected. `correct_peers.py` times whole commands.
"""

from __future__ import annotations

import dataclasses
import time
from functools import cached_property, partial
from pathlib import Path

import click
import numpy as np
from numpy.typing import NDArray

from benchmarks.common import report
from benchmarks.common.report import Progress, Table
from benchmarks.common.simulated_reads import drawn, other_bases, read_genome
from gkl_shim.correct import Spectrum, _native_correct
from gkl_shim.correct._cuda import Engine
from gkl_shim.correct._kmer_length import chosen_k
from gkl_shim.correct._native_correct import Counter, Options
from gkl_shim.correct._processors import Processors
from gkl_shim.cuda.devices import device_count

_LETTERS = np.frombuffer(b"ACGT", np.uint8)
_GENOME = 4_938_920
#: Letters, states, begins and ends of corrected reads.
_Out = tuple[NDArray[np.uint8], NDArray[np.uint8], NDArray[np.int32], NDArray[np.int32]]
_ROUNDS = 7


@dataclasses.dataclass(frozen=True)
class Generated:
    """Reads of one length, a row each."""

    name: str
    letters: NDArray[np.uint8]
    qualities: NDArray[np.uint8]
    truth: NDArray[np.uint8]
    genome_size: int

    @cached_property
    def arrays(self) -> tuple[NDArray[np.uint8], NDArray[np.int64]]:
        """All letters, and offsets."""
        count, length = self.letters.shape
        return self.letters.reshape(-1), np.arange(count + 1, dtype=np.int64) * length

    def gain(self, corrected: NDArray[np.uint8]) -> float:
        """Return (errors that became right - right bases that became wrong) / errors."""
        now = corrected.reshape(self.letters.shape) != self.truth
        before = self.letters != self.truth
        return float((before & ~now).sum() - (~before & now).sum()) / int(before.sum())


def genome_of(path: str | None) -> NDArray[np.uint8]:
    """Read a genome in FASTA, or generate one of E. coli's size."""
    if path is None:
        return _LETTERS[np.random.default_rng(3).integers(0, 4, _GENOME)]
    return read_genome(Path(path))


def generated(
    name: str, genome: NDArray[np.uint8], count: int, length: int, rate: float
) -> Generated:
    """Draw reads of both strands. The error rate rises along the read, and errors often have low
    qualities."""
    rng = np.random.default_rng(1)
    truth, _, _ = drawn(genome, count, length, rng)
    rates = rate * np.linspace(0.3, 1.7, length, dtype=np.float32)
    wrong = rng.random(truth.shape, dtype=np.float32) < rates
    letters = truth.copy()
    letters[wrong] = other_bases(truth[wrong], rng)
    qualities = np.full(truth.shape, 37, np.uint8)
    low = rng.random(truth.shape, dtype=np.float32) < 0.05
    qualities[low] = 20
    qualities[wrong] = rng.choice([2, 12, 20, 37], int(wrong.sum()))
    return Generated(name, letters, qualities, truth, len(genome))


@click.command()
@report.json_option
@click.option("--genome", help="A genome in FASTA. By default a random one of E. coli's size.")
@click.option("--smaller", type=int, default=1, help="Divide the numbers of reads by this.")
def command(json_file: str | None, genome: str | None, smaller: int) -> None:
    """Measure read correction on GPUs."""
    letters = genome_of(genome)
    count = len(letters) * 30 // 100 // smaller
    large = generated("30x, 100 bases", letters, count, 100, 0.00144)
    report.measure_tables({"arrays": partial(_arrays, large)}, json_file)


def _once(
    data: Generated, engine: Engine | None, out: _Out
) -> tuple[dict[str, float], _native_correct.Spectrum]:
    """Make a spectrum and correct. Return the time of each step."""
    ends = [time.perf_counter()]
    counter = Counter(chosen_k(data.letters.shape[1]), 0, 0, engine)
    counter.count(data.arrays)
    ends.append(time.perf_counter())
    counter.end_pass()
    ends.append(time.perf_counter())
    native = Spectrum._from_counter(counter, None, Processors())._open()
    ends.append(time.perf_counter())
    native.correct(data.arrays, data.qualities.reshape(-1), Options(), *out, engine)
    ends.append(time.perf_counter())
    steps = ("count", "histogram", "spectrum", "correct")
    times = {step: ends[k + 1] - ends[k] for k, step in enumerate(steps)}
    return {**times, "total": ends[-1] - ends[0]}, native


def _arrays(data: Generated, step: Progress) -> Table:
    table = Table("From arrays to arrays, seconds")
    count = len(data.letters)
    out = (
        np.zeros(data.letters.size, np.uint8),
        np.zeros(count, np.uint8),
        np.zeros(count, np.int32),
        np.zeros(count, np.int32),
    )
    want: tuple[NDArray[np.uint8], NDArray[np.uint32]] | None = None
    for devices in range(device_count() + 1):
        name = "CPU" if devices == 0 else f"{devices} GPUs" if devices > 1 else "GPU"
        step(f"{data.name}: {name}")
        engine = Engine(range(devices)) if devices else None
        rounds = []
        for _ in range(_ROUNDS):
            times, native = _once(data, engine, out)
            rounds.append(times)
        middle = sorted(rounds[1:], key=lambda times: times["total"])[len(rounds) // 2 - 1]
        slots = native.information().slots
        if want is None:
            want = (out[0].copy(), slots.copy())
        same = (out[0] == want[0]).all() and (slots == want[1]).all()
        table.rows.append(
            {
                "engine": name,
                "reads": count,
                **middle,
                "gain": data.gain(out[0]),
                "same as CPU": "yes" if same else "NO",
            }
        )
        if engine is not None:
            engine.close()
    return table


if __name__ == "__main__":
    report.run(command)
