"""PairHMM beside Intel's GKL on the traffic of real GATK runs: every figure in one JSON.

    python benchmarks/pairhmm_gatk.py REFERENCE.fa[.gz] --json benchmarks/results/NAME.json

Simulates samples from the first sequence of REFERENCE (ART, bwa and samtools must be there), runs
HaplotypeCaller on them, records the regions it asks for and replays these in turns through GKL's
library and ours in one JVM. Ratios are ours over GKL's, medians over turns.
"""

from __future__ import annotations

import argparse
import ctypes
import dataclasses
import json
import statistics
import subprocess
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np

from gkl_shim import machine, traffic
from gkl_shim._batch import concatenated
from gkl_shim.formats import pairhmm_in
from gkl_shim.gatk import data, fetch, replay, run, simulate
from gkl_shim.pairhmm import Batch, HaplotypeBatch, PairHMM, ReadBatch

SECONDS = 3.0
# Eight independent chains of multiply-adds that never leave registers: how far two threads of this
# machine go at all.
FMA_LOOP = """
#include <immintrin.h>
float loop(long n) {
    __m256 x[10];
    for (int k = 0; k < 10; k++) x[k] = _mm256_set1_ps(k);
    const __m256 a = _mm256_set1_ps(0.5f), b = _mm256_set1_ps(0.25f);
    for (long i = 0; i < n; i++)
        for (int k = 0; k < 10; k++) x[k] = _mm256_fmadd_ps(x[k], a, b);
    __m256 sum = x[0];
    for (int k = 1; k < 10; k++) sum = _mm256_add_ps(sum, x[k]);
    return sum[0] + sum[7];
}
"""


def samples(folder: Path, sequence: str) -> dict[str, data.Sample]:
    """Simulated 30x, an amplicon's depth, and long reads of poor quality."""
    return {
        "wgs-30x": simulate.simulate(folder / "wgs", "wgs", sequence[100_000:600_000], 30),
        "amplicon-1500x": simulate.simulate(
            folder / "amplicon", "amplicon", sequence[500_000:504_000], 1500, snp_rate=1 / 400
        ),
        "poor-250bp": simulate.simulate(
            folder / "poor",
            "poor",
            sequence[400_000:450_000],
            60,
            read_length=250,
            profile="MSv3",
            quality_shift=-10,
        ),
    }


def haplotype_caller(
    sample: data.Sample,
    output: Path,
    options: list[str],
    classpath: str,
    swap: run.Swap,
    environment: dict[str, str] | None = None,
) -> run.Run:
    """Run HaplotypeCaller on a sample."""
    arguments = ["HaplotypeCaller", "-R", str(sample.reference), "-I", str(sample.reads)]
    arguments += ["-O", str(output), *options]
    done = run.gatk(arguments, classpath, swap, environment=environment)
    if done.returncode != 0:
        raise SystemExit(done.complaint)
    return done


def record(sample: data.Sample, options: list[str], classpath: str, target: Path) -> Path:
    """The regions that HaplotypeCaller asks for."""
    environment = {"GKL_SHIM_RECORD": str(target)}
    vcf = target.with_suffix(".vcf")
    haplotype_caller(sample, vcf, options, classpath, run.agent_swap(), environment)
    return target


def hopeless(target: Path) -> Path:
    """Reads of 250 bases that fit no haplotype well: nearly all pairs leave single precision."""
    random = np.random.default_rng(3)
    batch = traffic.regions(30, seed=5, shape=(60, 6))
    letters = np.frombuffer(b"ACGT", np.uint8)
    count, length = len(batch.reads), 250
    reads = ReadBatch.from_arrays(
        np.arange(count + 1) * length,
        random.choice(letters, count * length),
        random.integers(20, 36, count * length).astype(np.uint8),
    )
    haplotypes = HaplotypeBatch.from_arrays(batch.haplotypes.offsets, batch.haplotypes.bases)
    made = Batch(reads, haplotypes, batch.region_reads, batch.region_haplotypes)
    with target.open("wb") as file:
        pairhmm_in.write(file, made)
    return target


def beside_gkl(regions: Path, threads: int, double: bool, build: str) -> dict[str, Any]:
    """Ours and GKL's in turns; with several threads GKL gets its better OMP_WAIT_POLICY."""
    found = []
    for policy in ("passive", "active") if threads > 1 else ("passive",):
        result = replay.replay(
            regions,
            replay.stock_and_shim(fetch.gkl_classpath()),
            threads=threads,
            double_precision=double,
            seconds=SECONDS,
            environment={"GKL_SHIM_BUILD": build, "OMP_WAIT_POLICY": policy},
        )
        stock, shim = result.engines["stock"], result.engines["shim"]
        found.append(
            {
                "input": regions.stem,
                "regions": result.regions,
                "cells": result.cells,
                "threads": threads,
                "precision": "double" if double else "single",
                "build": build,
                "gkl_gcups": stock.gcups,
                "gcups": shim.gcups,
                "ratio": shim.gcups / stock.gcups,
                "omp_wait_policy": policy,
                "gkl_flush_to_zero": stock.flush_to_zero,
                "largest_difference": shim.largest_difference,
            }
        )
    return max(found, key=lambda row: row["gkl_gcups"])


def scaling(regions: Path) -> dict[str, float]:
    """Two threads against one, a call a region of 200 pairs and up; and of FMA loops.

    By the engine's own clock: what Python does around a call is no work for threads. `paused`: with
    a millisecond between calls, as in GATK, when the other thread has to be woken every time.
    """
    with pairhmm_in.Reader(regions) as reader:
        batch = concatenated(list(reader))
    large = [batch[k : k + 1] for k in range(len(batch)) if batch.shapes[k].prod() >= 200]
    engines = {threads: PairHMM(threads=threads) for threads in (1, 2)}
    with tempfile.TemporaryDirectory() as folder:
        source, library = Path(folder, "loop.c"), Path(folder, "loop.so")
        source.write_text(FMA_LOOP)
        subprocess.run(
            ["cc", "-O2", "-mavx2", "-mfma", "-shared", "-fPIC", source, "-o", library], check=True
        )
        loop = ctypes.CDLL(str(library)).loop
    loop.argtypes, loop.restype = [ctypes.c_long], ctypes.c_float

    def timed(work: Any) -> float:
        start = time.perf_counter()
        work()
        return time.perf_counter() - start

    def loops(threads: int) -> None:
        from concurrent.futures import ThreadPoolExecutor

        with ThreadPoolExecutor(threads) as pool:
            list(pool.map(loop, [20_000_000 // threads] * threads))

    def regions_on(threads: int, pause: float = 0.0) -> float:
        engine = engines[threads]
        start = engine.statistics.seconds
        for _ in range(1 if pause else rounds):
            for region in large:
                if pause:
                    time.sleep(pause)
                engine.compute(region)
        return engine.statistics.seconds - start

    rounds = 1
    regions_on(1)
    rounds += int(0.1 / regions_on(1))
    engine, paused, fma = [], [], []
    for _ in range(15):
        engine.append(regions_on(1) / regions_on(2))
        paused.append(regions_on(1, 0.001) / regions_on(2, 0.001))
        fma.append(timed(lambda: loops(1)) / timed(lambda: loops(2)))
    return {
        "regions": len(large),
        "engine": statistics.median(engine),
        "paused": statistics.median(paused),
        "fma_loop": statistics.median(fma),
        "share": statistics.median(engine) / statistics.median(fma),
    }


def whole_runs(sample: data.Sample, threads: int, rounds: int, classpath: str) -> dict[str, Any]:
    """HaplotypeCaller stock and with the shim, in turns: PairHMM's time and the whole run's."""
    options = ["--native-pair-hmm-threads", str(threads)]
    times: dict[str, list[tuple[float, float]]] = {"stock": [], "shim": []}
    with tempfile.TemporaryDirectory() as folder:
        for _ in range(rounds):
            for name, swap in (("stock", run.STOCK), ("shim", run.agent_swap())):
                done = haplotype_caller(sample, Path(folder, "o.vcf"), options, classpath, swap)
                times[name].append((done.pairhmm_seconds or 0.0, done.seconds))
    stock_hmm, stock_run = np.median(times["stock"], axis=0).tolist()
    hmm, whole = np.median(times["shim"], axis=0).tolist()
    share = stock_hmm / stock_run
    predicted = 1 / (1 - share + share * hmm / stock_hmm)
    return {
        "sample": sample.name,
        "threads": threads,
        "rounds": rounds,
        "stock_pairhmm_seconds": stock_hmm,
        "pairhmm_seconds": hmm,
        "pairhmm_ratio": stock_hmm / hmm,
        "stock_run_seconds": stock_run,
        "run_seconds": whole,
        "run_ratio": stock_run / whole,
        "amdahl": predicted,
        "share_of_amdahl": stock_run / whole / predicted,
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("reference", type=Path)
    parser.add_argument("inputs", type=Path, nargs="*", help="more regions, .in files")
    parser.add_argument("--json", type=Path, required=True)
    parser.add_argument("--rounds", type=int, default=3, help="of whole runs")
    arguments = parser.parse_args()
    here = machine.describe()
    classpath = fetch.gatk_classpath()
    _, sequence = data.read_fasta(arguments.reference)
    report: dict[str, Any] = {"machine": dataclasses.asdict(here), "rows": []}
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        made = samples(folder, sequence.upper())
        inputs = [
            *arguments.inputs,
            record(made["wgs-30x"], [], classpath, folder / "wgs-30x.in"),
            record(made["wgs-30x"], ["--dragen-mode"], classpath, folder / "dragen-30x.in"),
            record(made["amplicon-1500x"], [], classpath, folder / "amplicon-1500x.in"),
            record(made["poor-250bp"], [], classpath, folder / "poor-250bp.in"),
            hopeless(folder / "hopeless-250bp.in"),
        ]
        ten_by_two = folder / "10-reads-2-haplotypes.in"
        with ten_by_two.open("wb") as file:
            pairhmm_in.write(file, traffic.regions(200, shape=(10, 2)))
        for regions in [*inputs, ten_by_two]:
            for threads in (1, 4) if here.usable_cpus > 4 else (1,):
                for double in (False, True):
                    for build in here.builds[: 1 if double or threads > 1 else 2]:
                        row = beside_gkl(regions, threads, double, build)
                        report["rows"].append(row)
                        print(
                            f"{row['input']:24} {row['precision']} {row['build']:7} "
                            f"{threads} threads: {row['gcups']:7.2f} / {row['gkl_gcups']:6.2f} "
                            f"GCUPS = {row['ratio']:.1f}",
                            flush=True,
                        )
        report["scaling"] = [
            {"input": regions.stem, **scaling(regions)} for regions in (inputs[0], *inputs[-5:-2])
        ]
        report["runs"] = [
            whole_runs(made["wgs-30x"], run.DEFAULT_THREADS, arguments.rounds, classpath),
            whole_runs(made["amplicon-1500x"], 1, arguments.rounds, classpath),
            whole_runs(made["amplicon-1500x"], run.DEFAULT_THREADS, arguments.rounds, classpath),
        ]
    arguments.json.write_text(json.dumps(report, indent=2) + "\n")
    print(json.dumps({"scaling": report["scaling"], "runs": report["runs"]}, indent=2))


if __name__ == "__main__":
    main()
