"""Batches in a device's memory, without a device: their kernels run on the host, and the planner.

test_cuda_arrays.py has the real thing.
"""

from __future__ import annotations

import ctypes
import itertools
import random

import numpy as np
import pytest

from gkl_shim import _native
from gkl_shim._batch import HaplotypeBatch, concatenated, haplotype_batch, offsets_of
from tests.gpu.conftest import random_region
from tests.gpu.test_long_reads import LENGTHS, long_region


def address(array):
    return ctypes.c_void_p(array.ctypes.data)


def common_prefixes(arrays_on_host, haplotypes, regions, as_gkl=False):
    """Return each half's prefixes, shape (2, haplotypes, 2), and the refused region."""
    count = len(haplotypes)
    # Misaligned, and with nothing but the letters in sight of a tool that looks for overruns.
    letters = np.empty(len(haplotypes.bases) + 3, np.uint8)[3:]
    letters[:] = haplotypes.bases
    prefixes = np.full((2, count, 2), -7, np.int32)
    leaders = np.full((2, count), -7, np.int32)
    partings = np.full((2, count, 24), 0xA5, np.uint8)
    for threads in (32, 256):
        launch(
            arrays_on_host.launch_pairhmm_common_prefixes, (len(regions) - 1, 2), threads,
            address(letters), address(haplotypes.offsets), address(regions),
            ctypes.c_int(as_gkl), address(prefixes), address(leaders), address(partings),
        )  # fmt: skip
    return prefixes


def launch(function, grid, threads, *parameters):
    pointers = [ctypes.cast(ctypes.pointer(each), ctypes.c_void_p) for each in parameters]
    function(*grid, threads, (ctypes.c_void_p * len(pointers))(*pointers))


def refused_regions(prefixes, regions):
    """Return those with a letter that is none, as the engine is told of them."""
    return [
        region
        for region, (first, last) in enumerate(itertools.pairwise(regions))
        if last > first and (prefixes[:, first, 1] == -1).any()
    ]


def halves(haplotypes, as_gkl=False):
    """Return heads, and tails from the end backwards, as the engine sees their letters."""
    bases = haplotypes.bases.tobytes()
    text = (
        "".join(chr(b) if chr(b) in "CGTN" else "A" for b in bases)
        if as_gkl
        else bases.decode().upper()
    )
    whole = [text[a:b] for a, b in itertools.pairwise(haplotypes.offsets)]
    return (
        [each[: len(each) // 2] for each in whole],
        [each[len(each) // 2 :][::-1] for each in whole],
    )


def shared(one, other):
    return next(
        (k for k, (x, y) in enumerate(zip(one, other, strict=False)) if x != y),
        min(len(one), len(other)),
    )


def reference(sequences):
    """Return the prefixes of a region, by comparing all with all."""
    found = [(0, 0)]
    for h in range(1, len(sequences)):
        lengths = [shared(sequences[h], other) for other in sequences[:h]]
        like = int(np.argmax(lengths))
        if sequences[h] in sequences[:h]:
            like = sequences.index(sequences[h])
        found.append((like, max(lengths)))
    return found


def regions_of_haplotypes(seed):
    rnd = random.Random(seed)
    regions = []
    for count in (1, 2, 3, 5, 9, 33, 64, 65, 130, 300):
        for longest in (1, 2, 9, 16, 17, 40, 200):
            base = rnd.choices("ACGTNacgtn", k=longest)
            sequences = []
            for _ in range(count):
                each = list(base)
                for _ in range(rnd.choice([0, 0, 1, 3])):
                    each[rnd.randrange(longest)] = rnd.choice("ACGTN")
                cut = rnd.choice([longest, longest, rnd.randint(1, longest)])
                sequences.append("".join(each[:cut]))
            regions.append(sequences)
    return regions


@pytest.mark.parametrize("seed", range(3))
def test_prefixes(arrays_on_host, seed):
    regions = regions_of_haplotypes(seed)
    haplotypes = haplotype_batch([each for sequences in regions for each in sequences])
    bounds = offsets_of([0, *map(len, regions), 0])
    for as_gkl in (False, True):
        prefixes = common_prefixes(arrays_on_host, haplotypes, bounds, as_gkl)
        assert refused_regions(prefixes, bounds) == []
        for half, sequences in enumerate(halves(haplotypes, as_gkl)):
            for first, last in itertools.pairwise(bounds):
                want = reference(sequences[first:last]) if last > first else []
                assert prefixes[half, first:last].tolist() == [list(each) for each in want]


@pytest.mark.parametrize("at", [0, 1, 7, 8, 20, 21, 40])
@pytest.mark.parametrize("letter", [0, ord("X"), ord("@"), ord("!"), 0xC1, 0xFF])
def test_a_letter_that_is_none(arrays_on_host, at, letter):
    bases = np.frombuffer(b"ACGTN" * 9, np.uint8).copy()
    bases[at] = letter
    haplotypes = HaplotypeBatch.trusted(offsets_of([4, 17, 20, 4]), bases)
    bounds = np.array([0, 1, 3, 4])
    want = 0 if at < 4 else 1 if at < 41 else 2
    prefixes = common_prefixes(arrays_on_host, haplotypes, bounds)
    assert refused_regions(prefixes, bounds) == [want]
    prefixes = common_prefixes(arrays_on_host, haplotypes, bounds, as_gkl=True)
    assert refused_regions(prefixes, bounds) == []


def first_wrong(arrays_on_host, tracks, faults):
    """Return where each track, the first one of letters, has its first fault."""
    size = ctypes.c_int64(len(tracks[0]))
    places = np.full(5, 2**64 - 1, np.uint64)
    pointers = (ctypes.c_void_p * 5)(*(track.ctypes.data for track in tracks))
    kernel = arrays_on_host.launch_pairhmm_first_wrong
    launch(kernel, (3, len(tracks)), 256, pointers, size, address(faults), address(places))
    assert (faults == 0xFF).all()  # as it was, for the next launch
    return places[: len(tracks)].tolist()


@pytest.mark.parametrize("size", [1, 7, 8, 9, 30, 8000])
@pytest.mark.parametrize("start", [0, 3])
@pytest.mark.parametrize("letters", [True, False])
def test_first_wrong(arrays_on_host, size, start, letters):
    known = np.frombuffer(b"ACGTNacgtn", np.uint8)
    rng = np.random.default_rng(size)
    faults = np.full(arrays_on_host.size_of_faults(), 0xFF, np.uint8)
    good = [rng.choice(known, size + start)[start:]]
    good += [rng.integers(0, 128, size + start).astype(np.uint8)[start:] for _ in range(4)]
    assert first_wrong(arrays_on_host, good, faults) == [size] * 5
    assert first_wrong(arrays_on_host, good[:1], faults) == [size]
    track = 0 if letters else 3
    wrong = np.setdiff1d(np.arange(256), known if letters else np.arange(128))
    for at in {0, 5, size // 2, size - 1} & set(range(size)):
        for byte in wrong if size == 30 else wrong[::31]:
            tracks = [*good]
            tracks[track] = good[track].base.copy()[start:]
            tracks[track][at] = tracks[track][-1] = byte
            found = first_wrong(arrays_on_host, tracks, faults)
            assert found == [at if k == track else size for k in range(5)]


def chunks_of(batch, prefixes, precision, cells, values):
    """Plan and write a batch, and yield each chunk and its block; `values` gets numbers."""
    ffi, lib = _native.library()
    code = {"single": lib.GKL_SHIM_SINGLE, "double": lib.GKL_SHIM_DOUBLE}[precision]
    options = ffi.new(
        "gkl_shim_cuda_options *", (code, lib.GKL_SHIM_STRICT, 2, 132, 0, cells, 1 << 40)
    )
    handle = ffi.new("gkl_shim_cuda_planner **")
    _native.check(lib.gkl_shim_cuda_open(options, handle))
    planner = ffi.gc(handle[0], lib.gkl_shim_cuda_close)
    pointer, chunk = _native.batch_pointer(*batch.arrays), ffi.new("gkl_shim_cuda_chunk *")
    shared_letters = (
        ffi.NULL if prefixes is None else ffi.cast("gkl_shim_cuda_prefix *", prefixes.ctypes.data)
    )
    out = ffi.cast("double *", values.ctypes.data)
    wanted = ffi.NULL if precision == "single" else out
    number = 0
    while lib.gkl_shim_cuda_take(planner, pointer, shared_letters, wanted, chunk) > 0:
        _native.check(lib.gkl_shim_cuda_plan(planner, chunk))
        memory = np.full(chunk.block_bytes + 64 + 256, 0xA5, np.uint8)
        block = memory[-memory.ctypes.data % 256 :][: chunk.block_bytes + 64]
        lib.gkl_shim_cuda_write(planner, ffi.cast("void *", block.ctypes.data))
        yield chunk, block
        assert (block[chunk.block_bytes :] == 0xA5).all()
        results = np.arange(number, number + chunk.results, dtype=np.float64)
        number += chunk.results
        lib.gkl_shim_cuda_finish(planner, ffi.cast("double *", results.ctypes.data), out)


@pytest.fixture(scope="module")
def batch():
    rnd = random.Random(11)
    shapes = [(1, 1, 1), (3, 2, 5), (40, 1, 30), (33, 7, 160), (70, 13, 300), (9, 70, 120)]
    return concatenated(
        [random_region(rnd, *shape, kind) for shape in shapes for kind in ("usual", "n")]
        + [long_region(3, LENGTHS, 5, 300)]
    )


def tiles_of(arrays_on_host, block, chunk):
    """Yield each read of a block that one warp computes: its region, its result and its tracks."""
    region, result = ctypes.c_int64(), ctypes.c_int64()
    tracks = np.empty(5 << 10, np.uint8)
    for tile in range(sum(list(chunk.tiles)[:-1])):
        for read in itertools.count():
            length = arrays_on_host.tile_read(
                address(block), tile, read, ctypes.byref(region), ctypes.byref(result),
                address(tracks),
            )  # fmt: skip
            if length < 0:
                break
            yield region.value, result.value, tracks[: 5 * length].tobytes()


def halves_of(arrays_on_host, block, region):
    """Return a region's haplotypes, as the columns of a block have them."""
    letters, found = ctypes.create_string_buffer(1 << 12), []
    for haplotype in itertools.count():
        pair = []
        for tail in (0, 1):
            length = arrays_on_host.haplotype_half(address(block), region, haplotype, tail, letters)
            pair.append(letters.raw[: max(length, 0)].decode())
        if length < 0:
            return found
        found.append(tuple(pair))


@pytest.mark.parametrize("precision", ["single", "double"])
@pytest.mark.parametrize("cells", [1 << 16, 1 << 40])
@pytest.mark.parametrize("lacking", [1.0, 0.02])
def test_blocks(arrays_on_host, batch, precision, cells, lacking):
    """The kernels find the same as where the host has the letters, whatever is wanted."""
    prefixes = common_prefixes(arrays_on_host, batch.haplotypes, batch.region_haplotypes)
    start = np.zeros(batch.pairs)
    start[np.random.default_rng(4).random(batch.pairs) < lacking] = np.nan
    found = []
    for given in (None, prefixes):
        values, seen = start.copy(), []
        for chunk, block in chunks_of(batch, given, precision, cells, values):
            if given is not None:
                grid = (-(-chunk.segments // 8), 1)
                launch(arrays_on_host.launch_pairhmm_fetch, grid, 256, address(block))
            reads = list(tiles_of(arrays_on_host, block, chunk))
            regions = sorted({region for region, _, _ in reads})
            haplotypes = [halves_of(arrays_on_host, block, region) for region in regions]
            seen.append((reads, haplotypes, chunk.computed_cells, list(chunk.tiles)))
        found.append((seen, values.tobytes()))
    assert found[0] == found[1]
    assert not np.isnan(np.frombuffer(found[1][1])[np.isnan(start)]).all()
    known = set(zip(*halves(batch.haplotypes), strict=True))
    there = {pair for chunk in found[1][0] for region in chunk[1] for pair in region}
    assert there <= known
    assert lacking < 1 or there == known
