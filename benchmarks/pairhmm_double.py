"""PairHMM on a GPU where pairs leave single precision: what computes them, and at what cost.

    python -m benchmarks.pairhmm_double [INPUT.in]... --json FILE.json

Needs a CUDA device and CuPy. INPUT.in is recorded from GATK with GKL_SHIM_RECORD. The tables:

- `counts`: what the statistics of the CPU engine and of the device count, and whether both give the
  same bits;
- `streams`: `stream()` over an input, and over the same input with another read of the region in
  place of each read that has a rescued pair. `rescued_percent` is measured: replacing reads lowers
  it, not always to 0;
- `unrelated`: whole calls with random reads, whose pairs nearly all leave single precision.

`double_ratio` is how many times slower the engine takes the device to be in double precision: the
device's own ratio, or 64, as consumer cards have. With 64, CPU threads compute the rescued pairs.
The device's arithmetic is as fast in both cases.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import partial

import click
import numpy as np
from numpy.typing import NDArray

from benchmarks.common import regions, report
from benchmarks.common.report import Progress, Row, Table, median_seconds
from gkl_shim.cuda import devices
from gkl_shim.cuda import pairhmm as cuda
from gkl_shim.pairhmm import Batch, PairHMM, Precision, ReadBatch

SLOW = 64
# With 0 the engine asks the device.
RATIOS = {"the device's": 0, str(SLOW): SLOW}
COUNTED = ("pairs", "computed_cells", "rescued_pairs", "rescaled_pairs")
PRECISIONS: tuple[Precision, ...] = ("single", "double")
GENERATED_REGIONS = 100
STREAMED_CELLS = 4e10
UNRELATED_CELLS = 2e10
# Reads x haplotypes of a region, and their lengths.
UNRELATED_SHAPES = (((40, 8), 100, 200), ((94, 134), 140, 190), ((40, 8), 250, 350))
# The CPU computes this part of a call.
CPU_SHARE = 8


@contextmanager
def _taken_to_be(ratio: int) -> Iterator[None]:
    """Make engines that are opened in this block assume a ratio. 0 changes nothing."""
    asked = devices.double_ratio
    if ratio:
        devices.double_ratio = lambda number: ratio
    try:
        yield
    finally:
        devices.double_ratio = asked


def with_reads(batch: Batch, bases: NDArray[np.uint8], quals: NDArray[np.uint8]) -> Batch:
    """Return a batch with other bases and qualities of its reads."""
    reads = batch.reads
    gaps = reads.insertion_quals, reads.deletion_quals, reads.continuation_quals
    changed = ReadBatch.from_arrays(reads.offsets, bases, quals, *gaps)
    return Batch(changed, batch.haplotypes, batch.region_reads, batch.region_haplotypes)


def with_unrelated_reads(batch: Batch) -> Batch:
    """Return a batch whose reads are random letters of high quality."""
    random = np.random.default_rng(1)
    count = len(batch.reads.bases)
    letters = np.frombuffer(b"ACGT", np.uint8)[random.integers(0, 4, count)]
    return with_reads(batch, letters, np.full(count, 40, np.uint8))


def with_rescued_reads_replaced(batch: Batch) -> Batch:
    """Return a batch with another read of the region in place of each one that has a rescued pair.

    The other read is cut or repeated to the length. A pair was rescued if single and double
    precision give it the same bits.
    """
    single, double = (PairHMM(backend="cpu", precision=p).compute(batch) for p in PRECISIONS)
    bases, quals = batch.reads.bases.copy(), batch.reads.quals.copy()
    ends, first_pair = batch.reads.offsets, 0
    for region in range(len(batch)):
        first, last = batch.region_reads[region : region + 2]
        columns = int(batch.region_haplotypes[region + 1] - batch.region_haplotypes[region])
        pairs = slice(first_pair, first_pair + int(last - first) * columns)
        first_pair = pairs.stop
        rescued = (single[pairs] == double[pairs]).reshape(-1, columns).any(axis=1)
        others = np.flatnonzero(~rescued) + first
        for k, read in enumerate(np.flatnonzero(rescued) + first if len(others) else ()):
            other = slice(*ends[others[k % len(others)] :][:2])
            place = slice(*ends[read : read + 2])
            for track in (bases, quals):
                track[place] = np.resize(track[other], place.stop - place.start)
    return with_reads(batch, bases, quals)


def counts(sets: dict[str, Batch], step: Progress) -> Table:
    """Compare what both engines count, and their bits."""
    table = Table("What the statistics count", name="counts")
    generated = regions.generated(GENERATED_REGIONS)
    made = {
        "generated": generated,
        "generated, unrelated reads": with_unrelated_reads(generated),
    }
    for name, batch in {**sets, **made}.items():
        step(f"counts of {name}")
        cpu = PairHMM(backend="cpu")
        expected = cpu.compute(batch)
        found = {field: getattr(cpu.statistics, field) for field in COUNTED}
        table.rows.append({"input": name, "engine": "CPU", **found})
        for label, ratio in RATIOS.items():
            engine = cuda.Engine([0], double_ratio=ratio)
            values = engine.compute(batch)
            statistics = engine.statistics()
            engine.close()
            row: Row = {
                "input": name,
                "engine": "GPU",
                "double_ratio": label,
                **{field: statistics[field] for field in COUNTED},
                "cuda_pairs": statistics["cuda_pairs"],
                "same_bits": bool(np.array_equal(values.view("u8"), expected.view("u8"))),
            }
            table.rows.append(row)
    return table


def _consume(pairhmm: PairHMM, batches: Sequence[Batch]) -> None:
    for _ in pairhmm.stream(batches):
        pass


def streams(sets: dict[str, Batch], step: Progress) -> Table:
    """Time streams with more and with fewer rescued pairs."""
    table = Table("stream(), all cells counted", name="streams")
    if not sets:
        table.absent = "give an INPUT.in"
    for name, batch in sets.items():
        copies = regions.copies(batch, STREAMED_CELLS)
        for reads, each in (
            ("as recorded", batch),
            ("those with rescued pairs replaced", with_rescued_reads_replaced(batch)),
        ):
            for label, ratio in RATIOS.items():
                step(f"stream of {name}, reads {reads}, ratio {label}")
                with _taken_to_be(ratio):
                    pairhmm = PairHMM(backend="cuda", devices=[0])
                took = median_seconds(partial(_consume, pairhmm, [each] * copies), 7)
                found = pairhmm.statistics
                pairhmm.close()
                row: Row = {
                    "input": name,
                    "reads": reads,
                    "rescued_percent": 100 * found.rescued_pairs / found.pairs,
                    "double_ratio": label,
                    "pairs_on_gpu_percent": 100 * found.cuda_pairs / found.pairs,
                    "batches": copies,
                    "milliseconds": took * 1e3,
                    "tcups": each.cells * copies / took / 1e12,
                }
                table.rows.append(row)
    return table


def unrelated(sets: dict[str, Batch], step: Progress) -> Table:
    """Time calls whose reads fit no haplotype."""
    table = Table("Whole calls with unrelated reads, all cells counted", name="unrelated")
    for shape, read, haplotype in UNRELATED_SHAPES:
        count = round(UNRELATED_CELLS / (shape[0] * shape[1] * read * haplotype))
        batch = with_unrelated_reads(regions.uniform(count, shape, read, haplotype))
        region = f"{shape[0]} x {shape[1]} of {read} x {haplotype} bases"
        for label, ratio in RATIOS.items():
            step(f"{region}, GPU, ratio {label}")
            engine = cuda.Engine([0], double_ratio=ratio)
            took = median_seconds(partial(engine.compute, batch), 3)
            statistics = engine.statistics()
            engine.close()
            row: Row = {
                "region": region,
                "engine": "GPU",
                "double_ratio": label,
                "rescued_percent": 100 * statistics["rescued_pairs"] / statistics["pairs"],
                "pairs_on_gpu_percent": 100 * statistics["cuda_pairs"] / statistics["pairs"],
                "gcups": batch.cells / took / 1e9,
            }
            table.rows.append(row)
        part = batch[: max(1, len(batch) // CPU_SHARE)]
        for precision in PRECISIONS:
            step(f"{region}, CPU, {precision}")
            cpu = PairHMM(backend="cpu", precision=precision)
            took = median_seconds(partial(cpu.compute, part), 3)
            row = {
                "region": region,
                "engine": f"CPU, {precision}",
                "gcups": part.cells / took / 1e9,
            }
            table.rows.append(row)
    return table


TABLES = {table.__name__: table for table in (counts, streams, unrelated)}


@click.command()
@click.argument("paths", metavar="[INPUT.in]...", nargs=-1)
@report.table_option(TABLES)
@report.json_option
def command(paths: tuple[str, ...], names: tuple[str, ...], json_file: str | None) -> None:
    """Measure PairHMM on the first GPU where pairs leave single precision."""
    sets = regions.read_all(paths)
    report.measure_tables([partial(TABLES[name], sets) for name in names], json_file)


if __name__ == "__main__":
    report.run(command)
