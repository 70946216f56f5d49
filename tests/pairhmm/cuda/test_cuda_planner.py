"""The CUDA engine's planner, which needs no device."""

from __future__ import annotations

import ctypes
import functools
import importlib
import random
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest

from gkl_shim.common import _native
from gkl_shim.cuda import devices, kernels
from gkl_shim.errors import BackendUnavailable
from gkl_shim.pairhmm import Batch, HaplotypeBatch, PairHMM, ReadBatch, _native_pairhmm
from gkl_shim.pairhmm import _cuda as cuda
from tests.conftest import HEADER_FOLDERS, ROOT
from tests.fakes.driver import compiled
from tests.pairhmm.cuda.conftest import random_region


def pointer(batch):
    return _native_pairhmm.batch_pointer(*batch.arrays)


class Chunk(NamedTuple):
    """A chunk as it was planned; planner.cpp explains the numbers."""

    pairs: int
    results: int
    missing: int
    scratch_bytes: int
    tiles: list[int]
    striped_passes: int
    overrun: bool

    @property
    def stripes(self) -> int:
        return self.tiles[-1]


class _Chunk(ctypes.Structure):
    _fields_ = (
        *((name, ctypes.c_int64) for name in Chunk._fields[:4]),
        ("tiles", ctypes.c_int32 * (len(cuda.widths("single")) + 1)),
        ("striped_passes", ctypes.c_int32),
        ("overrun", ctypes.c_int32),
    )


@functools.cache
def plan_chunks():
    """Return the function of planner.cpp."""
    kernels_folder = ROOT / "kernels"
    common = [f"common/{name}.cpp" for name in ("api", "cpu", "interrupt", "thread_pool")]
    plans = ["hmm/plan.cpp", "hmm/pairhmm/cuts.cpp"]
    planner = sorted((kernels_folder / "hmm" / "cuda" / "planner").glob("*.cpp"))
    library = compiled(
        Path(__file__).with_name("planner.cpp"),
        *("-O1", "-Wextra", '-DGKL_SHIM_VERSION="0"', *(f"-I{path}" for path in HEADER_FOLDERS)),
        others=[*(kernels_folder / name for name in (*common, *plans)), *planner],
    )
    function = ctypes.CDLL(str(library)).plan_chunks
    pointer, long, integer = ctypes.c_void_p, ctypes.c_int64, ctypes.c_int32
    function.argtypes = (pointer, integer, integer, long, long, integer, pointer, pointer, long)
    function.restype = long
    return function


def planned(batch, precision, cells, scratch, rows=0, values=None):
    """Plan and write every chunk. Return the results, the chunks and the number of results.

    The results are 0, 1, 2 …, put where the pairs of the kernels' results are. If `values` are
    given, only the pairs that are NaN there are wanted, and `values` receives the results.
    """
    ffi, _ = _native.library()
    out = np.full(batch.pairs, np.nan) if values is None else values
    chunks = (_Chunk * 4096)()
    c_batch = pointer(batch)
    count = plan_chunks()(
        int(ffi.cast("intptr_t", c_batch)),
        *(_native_pairhmm.precision_code(precision), rows, cells, scratch, values is not None),
        *(out.ctypes.data, ctypes.addressof(chunks), len(chunks)),
    )
    assert 0 <= count <= len(chunks)
    found = [
        Chunk(**{name: getattr(each, name) for name in Chunk._fields})._replace(
            tiles=list(each.tiles)
        )
        for each in chunks[:count]
    ]
    assert not any(chunk.overrun for chunk in found)
    return out, found, sum(chunk.results for chunk in found)


@pytest.mark.parametrize("precision", ["single", "double"])
@pytest.mark.parametrize("cells", [1, 1 << 16, 1 << 40])
@pytest.mark.parametrize("scratch", [1, 1 << 40])
def test_every_pair_once(regions, precision, cells, scratch):
    # Double precision takes a read too long for one warp if its states fit the scratch.
    longest = 1024 if precision == "single" else 256 if scratch == 1 else 1 << 30
    given = None if precision == "single" else np.full(regions.pairs, np.nan)
    values, chunks, number = planned(regions, precision, cells, scratch, values=given)
    shapes = [
        np.diff(part.reads.offsets) for part in (regions[k : k + 1] for k in range(len(regions)))
    ]
    held = np.concatenate(
        [
            np.repeat(lengths <= longest, count)
            for lengths, count in zip(shapes, np.diff(regions.region_haplotypes), strict=True)
        ]
    )
    assert np.isnan(values[~held]).all()
    assert sorted(values[held]) == list(range(number))
    if cells == 1 << 40 == scratch:
        assert sum(chunk.pairs for chunk in chunks) == regions.pairs
    else:
        assert len(chunks) > 1


def test_only_what_is_missing(regions):
    values = np.zeros(regions.pairs)
    lacking = np.random.default_rng(3).random(regions.pairs) < 0.02
    values[lacking] = np.nan
    planned(regions, "double", 1 << 40, 1 << 40, values=values)
    assert (values[~lacking] == 0).all()
    assert not np.isnan(values[lacking]).any()


@pytest.mark.parametrize("rows", cuda.widths("single"))
def test_a_width_asked_for_is_taken(regions, rows):
    _, chunks, _ = planned(regions, "single", 1 << 40, 1 << 40, rows)
    (tiles,) = [chunk.tiles for chunk in chunks]
    index = cuda.widths("single").index(rows)
    assert tiles[index] > 0
    assert sum(tiles[:index]) == 0


def test_no_region_has_more_states_than_events_can_name():
    """Even if the haplotypes are divided among several warps."""
    batch = random_region(random.Random(5), 3, 1000, 300, "usual")
    values, _, _ = planned(batch, "single", 1 << 32, 1 << 30)
    assert not np.isnan(values).any()


@pytest.mark.parametrize("given", [False, True])
def test_a_chunk_ends_before_a_region_of_very_many_letters(given):
    """test_cuda_limits has the whole engine, which leaves that region to the CPU."""
    letters = np.full((1 << 23) + 1, ord("A"), np.uint8)
    small, large = letters[:20], np.tile(letters, 2)
    haplotypes = HaplotypeBatch.from_arrays(
        np.cumsum([0, 20, len(letters), len(letters), 20]), np.concatenate([small, large, small])
    )
    reads = ReadBatch.from_arrays(np.arange(5) * 10, letters[:40], np.full(40, 30, np.uint8))
    batch = Batch(reads, haplotypes, np.array([0, 1, 3, 4]), np.array([0, 1, 3, 4]))
    values = np.full(batch.pairs, np.nan) if given else None
    values, chunks, number = planned(batch, "double", 1 << 40, 1 << 40, values=values)
    assert number == 1
    assert next(chunk.pairs for chunk in chunks) == 1
    assert np.isnan(values).tolist() == [False, True, True, True, True, True]


@pytest.mark.parametrize(("letters", "regions"), [(3 << 22, [1, 1, 1, 1]), (3 << 21, [2, 2])])
def test_chunks_have_so_many_letters_at_most(letters, regions):
    """2^24 letters of haplotypes."""
    haplotypes = HaplotypeBatch.from_arrays(
        letters * np.arange(5), np.full(4 * letters, ord("A"), np.uint8)
    )
    reads = ReadBatch.from_arrays(10 * np.arange(5), b"A" * 40, np.full(40, 30, np.uint8))
    batch = Batch(reads, haplotypes, np.arange(5), np.arange(5))
    values, chunks, _ = planned(batch, "single", 1 << 40, 1 << 40)
    assert [chunk.pairs for chunk in chunks] == regions
    assert values.tolist() == [0, 1, 2, 3]


def test_without_cupy(monkeypatch):
    found = importlib.import_module

    def missing(name):
        if name.startswith("cupy"):
            raise ImportError(f"No module named '{name}'")
        return found(name)

    monkeypatch.setattr(devices.importlib, "import_module", missing)
    with pytest.raises(BackendUnavailable, match=r"CUDA needs CuPy.*\[cuda12\]' or .*\[cuda13\]'"):
        PairHMM(backend="cuda")
    assert PairHMM(backend="auto").backend == "cpu"


def test_source_stands_alone():
    text = kernels.source("hmm/cuda/kernels/kernels.cu")
    assert '#include "' not in text.replace('#include "common/simd.h"', "")
    assert text.count("struct ChunkHeader {") == 1
