"""The kernels that GATK calls, as :mod:`gkl_shim.bench.kernels` measures them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, BinaryIO, TypeAlias

import numpy as np

from gkl_shim.bench import kernels, lone, pairs, regions
from gkl_shim.bench.tables import Table
from gkl_shim.common._ragged import ragged
from gkl_shim.errors import FormatError
from gkl_shim.formats import pairhmm_in, pdhmm_in, smithwaterman_text
from gkl_shim.gatk import replay, replay_smithwaterman
from gkl_shim.pairhmm import Batch, PairHMM
from gkl_shim.pairhmm._copies import concatenated
from gkl_shim.pdhmm import PDHMM
from gkl_shim.pdhmm import Batch as UndeterminedBatch
from gkl_shim.smithwaterman import (
    DANGLING_END,
    HAPLOTYPE_TO_REFERENCE,
    READ_TO_HAPLOTYPE,
    Overhang,
    Parameters,
    SmithWaterman,
)

_PAIRHMM_REGIONS, _PDHMM_REGIONS, _SMITHWATERMAN_CELLS = 100, 20, 1 << 24
# The instruction set with which GKL's PDHMM computes beside one of our builds.
_LEVELS = {"avx512": "AVX512", "avx2": "AVX2", "portable": "SCALAR"}
# Like GATK's: the lengths of references and alternatives, the scores and the strategy.
_SHAPES: dict[str, tuple[int, int, Parameters, Overhang]] = {
    "haplotypes, 500 x 500": (500, 500, HAPLOTYPE_TO_REFERENCE, "softclip"),
    "reads, 300 x 150": (300, 150, READ_TO_HAPLOTYPE, "softclip"),
    "dangling ends, 80 x 80": (80, 80, DANGLING_END, "leading_indel"),
}

_UndeterminedBatches: TypeAlias = list[UndeterminedBatch]
_Chunks: TypeAlias = list[smithwaterman_text.Pairs]


class _PairHmm(kernels.Kernel[Batch]):
    """PairHMM, on batches of regions."""

    TITLE, CALL = "PairHMM", "region"
    PRECISIONS = ("single", "double")

    def generated(self) -> dict[str, Batch]:
        return {"generated": regions.regions(_PAIRHMM_REGIONS)}

    def read(self, path: str) -> Batch:
        with pairhmm_in.Reader(path) as reader:
            return concatenated(list(reader))

    def devices(self) -> Sequence[str]:
        with PairHMM(backend="cuda") as engine:
            return engine.devices

    def engine(self, build: str, threads: int, precision: Any) -> PairHMM:
        if build == "cuda":
            return PairHMM(backend="cuda", precision=precision, threads=threads)
        return PairHMM(build=build, precision=precision, threads=threads)

    def compute(self, engine: PairHMM, data: Batch) -> object:
        return engine.compute(data)

    def cells(self, data: Batch) -> int:
        return data.cells

    def write(self, file: BinaryIO, data: Batch) -> None:
        pairhmm_in.write(file, data)

    def beside_gkl(
        self, path: Path, classpath: str, speed: kernels.Speed, seconds: float
    ) -> kernels.BesideGkl | None:
        if kernels.is_last_resort(speed.build):
            return None
        double = speed.precision == "double"
        calls = replay.Calls(seconds, speed.threads, double_precision=double)
        return replay.beside_gkl(path, classpath, speed.build, calls)

    def on_devices(self, step: Callable[[str], None]) -> dict[str, Table]:
        return {"one_haplotype": lone.measure(step)}

    def notes(self, speeds: Sequence[Any]) -> list[str]:
        flush = {speed.flush_to_zero for speed in speeds}
        state = "on in some runs and off in others" if len(flush) > 1 else "off"
        return [
            f"GKL ran with flush-to-zero {'on' if flush == {True} else state} and, with several "
            "threads, with the OMP_WAIT_POLICY that suits it best. gkl-shim flushes subnormals to "
            "zero during a call and restores the caller's setting."
        ]


class _PdHmm(kernels.Kernel[_UndeterminedBatches]):
    """PDHMM, on lists of batches."""

    TITLE, CALL = "PDHMM", "region"
    GKL_VERSION = "0.9.1"  # the one that GATK 4.7.0.0 ships with

    def generated(self) -> dict[str, _UndeterminedBatches]:
        return {"generated": [regions.undetermined_regions(_PDHMM_REGIONS)]}

    def read(self, path: str) -> _UndeterminedBatches:
        with pdhmm_in.Reader(path) as reader:
            return list(reader)

    def engine(self, build: str, threads: int, precision: str | None) -> PDHMM:
        return PDHMM(build=build, threads=threads)

    def compute(self, engine: PDHMM, data: _UndeterminedBatches) -> object:
        return [engine.compute(batch) for batch in data]

    def cells(self, data: _UndeterminedBatches) -> int:
        return sum(batch.cells for batch in data)

    def write(self, file: BinaryIO, data: _UndeterminedBatches) -> None:
        for batch in data:
            pdhmm_in.write(file, batch)

    def beside_gkl(
        self, path: Path, classpath: str, speed: kernels.Speed, seconds: float
    ) -> kernels.BesideGkl | None:
        if speed.build not in _LEVELS:
            return None
        calls = replay.Calls(seconds, speed.threads, pdhmm=True, level=_LEVELS[speed.build])
        return replay.beside_gkl(path, classpath, speed.build, calls)


class _SmithWaterman(kernels.Kernel[_Chunks]):
    """Smith-Waterman, on chunks of pairs."""

    TITLE, CALL = "Smith-Waterman", "pair"

    def generated(self) -> dict[str, _Chunks]:
        sets = {}
        for name, (n, m, parameters, overhang) in _SHAPES.items():
            generated = pairs.alignable(_SMITHWATERMAN_CELLS // (n * m), n, m)
            sequences = [ragged(each, "generated") for each in generated]
            sets[name] = [smithwaterman_text.Pairs(parameters, overhang, *sequences)]
        return sets

    def read(self, path: str) -> _Chunks:
        with smithwaterman_text.Reader(path, HAPLOTYPE_TO_REFERENCE, "softclip") as reader:
            chunks = list(reader)
        if not chunks:
            raise FormatError(path, None, "the file holds no pair")
        return chunks

    def engine(self, build: str, threads: int, precision: str | None) -> SmithWaterman:
        return SmithWaterman(threads=threads, build=build)

    def compute(self, engine: SmithWaterman, data: _Chunks) -> object:
        return [
            engine.align(chunk.references, chunk.alternatives, chunk.parameters, chunk.overhang)
            for chunk in data
        ]

    def cells(self, data: _Chunks) -> int:
        return sum(
            int((np.diff(chunk.references[1]) * np.diff(chunk.alternatives[1])).sum())
            for chunk in data
        )

    def write(self, file: BinaryIO, data: _Chunks) -> None:
        for chunk in data:
            smithwaterman_text.write(file, chunk)

    def beside_gkl(
        self, path: Path, classpath: str, speed: kernels.Speed, seconds: float
    ) -> kernels.BesideGkl | None:
        if speed.threads != 1 or kernels.is_last_resort(speed.build):
            return None
        return replay_smithwaterman.beside_gkl(path, classpath, speed.build, seconds=seconds)

    def notes(self, speeds: Sequence[Any]) -> list[str]:
        different = sum(speed.different for speed in speeds)
        if not different:
            return []
        return [
            f"{different} alignments differ from GKL's. GATK's Java aligner decides; GKL differs "
            "from it for the strategy ignore."
        ]


KERNELS: dict[str, kernels.Kernel[Any]] = {
    "pairhmm": _PairHmm(),
    "pdhmm": _PdHmm(),
    "smithwaterman": _SmithWaterman(),
}
