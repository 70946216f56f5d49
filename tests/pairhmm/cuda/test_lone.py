"""Regions of one haplotype have kernels and chunks of their own, and the CPU engine's bits."""

from __future__ import annotations

import random
import warnings
from itertools import chain

import numpy as np
import pytest

from gkl_shim.pairhmm import Batch, HaplotypeBatch, PairHMM, Read, ReadBatch, _native_pairhmm
from gkl_shim.pairhmm import _cuda as cuda
from gkl_shim.pairhmm._convert import haplotype_batch, read_batch
from gkl_shim.pairhmm._copies import concatenated
from tests.pairhmm.cuda.conftest import assert_same_bits, launched, random_region

KINDS = ("usual", "n", "wild", "open")


def opened(slow_double=False, **options):
    """Open an engine for a small device: it takes the way of large calls from 1,024 bases on."""
    device = {"multiprocessors": 1} | ({"slow_double": 1} if slow_double else {})
    return cuda.Engine(threads=1, device=device, **options)


def unlike_region(rnd, lengths, columns, qualities=(40, 45, 45, 10)):
    """Make reads that have nothing to do with the region's only haplotype."""
    reads = [Read("".join(rnd.choices("ACGT", k=length)), *qualities) for length in lengths]
    haplotype = "".join(rnd.choices("ACGT", k=columns))
    return Batch(read_batch(reads, (45, 45, 10)), haplotype_batch([haplotype]))


def enough(batch):
    """Return a batch with 32 more pairs in a region before it, 1,024 bases."""
    return concatenated([lone_region(random.Random(6), [32] * 32, 40), batch])


# Reads of 8 bases that fit the haplotype of repeated(), or leave single precision.
LIKE, UNLIKE = ("ACGTACGT", 30), ("CCCCCCCC", 127, 127, 127, 127)


def repeated(kinds, times):
    """Make a region of one haplotype whose reads are those of `kinds`, again and again."""
    some = read_batch([Read(*kind) for kind in kinds], (45, 45, 10))
    tracks = [np.tile(track, times) for track in some.tracks]
    reads = ReadBatch.from_arrays(np.arange(len(kinds) * times + 1) * 8, *tracks)
    return Batch(reads, haplotype_batch(["ACGTACGTAGGG"]))


def on_cpu(batch, precision="single"):
    """Return what the CPU engine computes, and its statistics."""
    with PairHMM(backend="cpu", precision=precision) as cpu:
        return cpu.compute(batch), cpu.statistics


def compared(batch, precision="single", **options):
    """Compare all pairs. Return the statistics of the GPU engine and of the CPU engine."""
    expected, counts = on_cpu(batch, precision)
    engine = opened(precision=precision, **options)
    assert_same_bits(engine.compute(batch), expected)
    done = engine.statistics()
    engine.close()
    assert done["pairs"] == batch.pairs
    assert done["cells"] == batch.cells
    assert done["rescued_pairs"] == counts.rescued_pairs
    return done, counts


def check(host, batch):
    """Compare all pairs, and return how many of them the GPU's kernels have done."""
    done, _ = compared(enough(batch))
    return done["cuda_pairs"] - 32


def lone_region(rnd, lengths, columns):
    """Make reads of these lengths that come from the region's only haplotype, or go beyond it."""
    haplotype = "".join(rnd.choices("ACGT", k=columns))
    reads = []
    for length in lengths:
        place = rnd.randrange(max(1, columns - length + 1))
        bases = haplotype[place : place + length].ljust(length, "A")
        reads.append(Read(bases, rnd.choices(range(6, 42), k=length)))
    return Batch(read_batch(reads, (45, 45, 10)), haplotype_batch([haplotype]))


@pytest.mark.parametrize("kind", KINDS)
def test_regions_of_every_kind(host, kind):
    rnd = random.Random(7)
    shapes = [(1, 1, 1), (2, 1, 3), (40, 1, 30), (9, 1, 130), (3, 1, 400)]
    batch = concatenated([random_region(rnd, *shape, kind) for shape in shapes])
    assert check(host, batch) > 0
    assert any("lone" in name for name in launched(host))
    assert not any("single" in name for name in launched(host))


def test_every_read_length_has_lanes(host):
    rnd = random.Random(8)
    lengths = [*range(1, 42), *range(250, 280), 319, 320, 321, 511, 512, 513, 640, 641, 1023, 1024]
    batch = concatenated([lone_region(rnd, lengths, 40), lone_region(rnd, lengths[::-1], 300)])
    check(host, batch)
    assert {f"pairhmm_lone_{rows}" for rows in cuda.lone_widths()} <= launched(host)


@pytest.mark.parametrize("columns", [1, 63, 64, 1023, 1024])
def test_lengths_of_haplotypes(host, columns):
    rnd = random.Random(columns)
    batch = concatenated([lone_region(rnd, (5, 20, 33), n) for n in (columns, 7, 1)])
    assert check(host, batch) > 0
    assert any("lone" in name for name in launched(host))


def test_gap_qualities(host):
    """All constant, one track constant, insertion and deletion the same, nothing the same."""
    rnd = random.Random(9)
    batch = lone_region(rnd, (30, 50, 12), 60)
    tracks = [track.copy() for track in batch.reads.tracks]
    for change in ((), (3,), (2, 3), (4,), (2, 3, 4)):
        changed = list(tracks)
        for track in change:
            changed[track] = np.random.default_rng(len(change)).integers(
                10, 40, len(tracks[0]), np.uint8
            )
        reads = ReadBatch.from_arrays(batch.reads.offsets, *changed)
        check(host, Batch(reads, batch.haplotypes))


def test_longer_haplotypes_and_more_of_them_go_the_other_way(host):
    rnd = random.Random(10)
    lone = lone_region(rnd, (30, 20), 50)
    for other in (lone_region(rnd, (30, 20), 1025), random_region(rnd, 3, 2, 30, "usual")):
        batch = concatenated([lone, other])
        assert check(host, batch) == batch.pairs
        assert not any("lone" in name for name in launched(host))


def test_small_calls_go_the_other_way(host):
    rnd = random.Random(18)
    compared(lone_region(rnd, (30, 20), 50))
    assert not any("lone" in name for name in launched(host))


def test_regions_without_reads(host):
    rnd = random.Random(11)
    batch = concatenated([lone_region(rnd, (20, 30), 40), lone_region(rnd, (25,), 30)])
    reads = np.array([0, 0, 2, 2, 2, 3, 3])
    letters = np.frombuffer(b"ACGT" * 30, np.uint8)
    haplotypes = HaplotypeBatch.from_arrays(np.arange(7) * 20, letters)
    check(host, Batch(batch.reads, haplotypes, reads, np.arange(7)))


def test_long_reads_and_pairs_beyond_single_precision(host):
    rnd = random.Random(12)
    long = lone_region(rnd, (20, 1025, 30, 1040), 1000)
    reads = [Read("".join(rnd.choices("ACGT", k=200)), 60) for _ in range(5)]
    poor = Batch(read_batch(reads, (45, 45, 10)), haplotype_batch(["ACGT" * 40]))
    assert check(host, concatenated([long, poor])) == 9
    assert {name.split("_")[1] for name in launched(host)} == {"lone", "double"}


@pytest.mark.parametrize("precision", ["single", "double"])
@pytest.mark.parametrize("slow_double", [False, True])
def test_pairs_beyond_single_precision(host, precision, slow_double):
    """A kernel in double precision computes them right after the others; not where it is slow."""
    rnd = random.Random(19)
    lengths = [*range(1, 36), *rnd.choices(range(100, 513), k=60)]
    batch = enough(
        concatenated(
            [unlike_region(rnd, lengths, 300), lone_region(rnd, lengths, 300)]
            + [unlike_region(rnd, [length], 40 + length) for length in lengths]
            # Some of these leave double precision, too.
            + [unlike_region(rnd, lengths, 200, (60, 60, 60, 40))]
        )
    )
    done, counts = compared(batch, precision, slow_double=slow_double)
    assert done["rescaled_pairs"] == counts.rescaled_pairs > 0
    left = counts.rescaled_pairs
    if precision == "single":
        assert 50 < counts.rescued_pairs < batch.pairs - 50
        if slow_double:
            left = counts.rescued_pairs
    assert done["cuda_pairs"] == batch.pairs - left
    names = launched(host)
    in_double = precision == "double" or not slow_double
    assert ("pairhmm_lone_double" in names) == in_double
    assert not any(name.startswith(("pairhmm_double", "pairhmm_single")) for name in names)


def test_long_pairs_beyond_single_precision(host):
    """Some are too long for the kernel in double precision, so none is computed by it."""
    rnd = random.Random(24)
    batch = unlike_region(rnd, (600, 200, 700, 512), 600, (3, 45, 45, 10))
    assert check(host, batch) == batch.pairs
    assert {name.split("_")[1] for name in launched(host)} == {"lone", "double"}
    assert "pairhmm_lone_double" not in launched(host)


@pytest.mark.parametrize("few", [True, False])
def test_few_and_many_pairs_beyond_single_precision(host, few):
    """The host watches the results of a small chunk; of a large one, it asks the driver."""
    times = 700
    batch = repeated([UNLIKE if k < (1 if few else 50) else LIKE for k in range(100)], times)
    done, counts = compared(batch)
    assert counts.rescued_pairs >= times
    assert few or done["cuda_pairs"] == batch.pairs
    assert ("pairhmm_lone_double" in launched(host)) != few


@pytest.mark.parametrize("pairs", [300, 70000])
def test_double_precision_first_where_nothing_fits_single_precision(host, pairs):
    """A slot then begins with it, and computes in single precision, too, if something may fit.

    The host watches 300 results; for 70,000, it asks the driver.
    """
    nothing = repeated([UNLIKE], pairs)
    some = concatenated([nothing, repeated([LIKE], 200)])
    engine = opened()
    for batch, kernels in (
        (nothing, ("single", "double")),
        (nothing, ("double",)),
        (some, ("double", "single")),
        (some, ("single", "double")),
    ):
        expected, counts = on_cpu(batch)
        before, launches = engine.statistics(), len(host.launched)
        assert_same_bits(engine.compute(batch), expected)
        done = {key: value - before[key] for key, value in engine.statistics().items()}
        assert done["rescued_pairs"] == counts.rescued_pairs
        assert done["cuda_pairs"] == batch.pairs - counts.rescaled_pairs
        names = ["double" if "double" in name else "single" for _, name in host.launched[launches:]]
        assert [*dict.fromkeys(names)] == [*kernels]
    engine.close()


def test_at_the_end_of_single_precision_in_either_order(host):
    """Likelihoods on both sides of 2^-205, which single precision computes if it can."""
    rnd = random.Random(26)
    columns = 300
    haplotype = "".join(rnd.choices("ACGT", k=columns))
    reads = []
    for _ in range(400):
        bases, quals = [*haplotype[60:240]], rnd.choices(range(25, 60), k=180)
        for place in rnd.sample(range(180), 14):
            bases[place] = "ACGT"["ACGT".index(bases[place]) - 1]
        reads.append(Read("".join(bases), quals))
    all_reads = Batch(read_batch(reads, (60, 60, 10)), haplotype_batch([haplotype]))
    expected, counts = on_cpu(all_reads)
    assert 50 < counts.rescued_pairs < all_reads.pairs - 50
    above = expected - (-205 * np.log10(2) - np.log10(columns))
    batches = [all_reads]
    for low, high in ((-0.3, 0), (0, 0.3), (-0.3, 0.3)):
        some = [read for read, x in zip(reads, above, strict=True) if low <= x < high]
        assert len(some) > 3
        batches.append(Batch(read_batch(some, (60, 60, 10)), all_reads.haplotypes))
    nothing = unlike_region(rnd, [250] * 100, 300)
    engine = opened()
    for each in (*chain(*((nothing, batch) for batch in batches)), nothing, nothing):
        launches = len(host.launched)
        assert_same_bits(engine.compute(each), on_cpu(each)[0])
    assert [name for _, name in host.launched[launches:]] == ["pairhmm_lone_double"]
    engine.close()


@pytest.mark.parametrize("function", ["cuLaunchKernel", "cuMemHostAlloc", "cuMemcpyHtoDAsync_v2"])
@pytest.mark.parametrize("after", [0, 1, 2, 3])
@pytest.mark.parametrize("double_first", [False, True])
def test_a_device_is_lost_on_the_way(host, function, after, double_first):
    rnd = random.Random(23)
    nothing = unlike_region(rnd, rnd.choices(range(150, 300), k=40), 300)
    batch = enough(nothing)
    engine = opened()
    if double_first:
        engine.compute(nothing)
    host.fail(function, after)
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        values = engine.compute(batch)
    assert_same_bits(values, on_cpu(batch)[0])
    assert len(said) == bool(host.failed)
    # Pinned memory is kept from the first call.
    is_kept = double_first and function == "cuMemHostAlloc"
    assert host.failed or is_kept or after >= 2
    engine.close()


@pytest.mark.parametrize("columns", [1, 2, 33, 600, 1024])
def test_two_stripes_in_double_precision(host, columns):
    """A read of more than 512 rows takes two stripes, and all of its pairs are in one kernel."""
    rnd = random.Random(27)
    lengths = [512, 513, 514, 527, 528, 529, 700, 1008, 1009, 1023, 1024]
    regions = [lone_region(rnd, (*lengths, 30), columns), lone_region(rnd, lengths[::-1], 40)]
    regions += [unlike_region(rnd, lengths, columns), lone_region(rnd, (1024,) * 9, columns)]
    same = enough(concatenated(regions))
    random_gaps = np.random.default_rng(28).integers(20, 45, (3, len(same.reads.bases)), np.uint8)
    reads = ReadBatch.from_arrays(same.reads.offsets, *same.reads.tracks[:2], *random_gaps)
    varied = Batch(reads, same.haplotypes, same.region_reads, same.region_haplotypes)
    for batch in (same, varied):
        done, counts = compared(batch, "double")
        assert done["cuda_pairs"] == batch.pairs - counts.rescaled_pairs
    assert launched(host) == {"pairhmm_lone_double"}


def test_long_reads_in_double_precision(host):
    """They are not computed by the kernel for regions of one haplotype."""
    rnd = random.Random(20)
    batch = enough(lone_region(rnd, (20, 1025, 30, 1100), 1000))
    done, _ = compared(batch, "double")
    assert done["cuda_pairs"] == batch.pairs
    assert launched(host) == {"pairhmm_lone_double", "pairhmm_double_striped"}


def test_mostly_long_reads_go_the_other_way(host):
    rnd = random.Random(21)
    compared(lone_region(rnd, (20, 1700, 1900, 1600), 600))
    assert not any("lone" in name for name in launched(host))


def test_letters(host):
    rnd = random.Random(13)
    batch = concatenated([lone_region(rnd, (20,), 30) for _ in range(3)])
    bases = batch.haplotypes.bases.copy()
    bases[65] = ord("x")
    odd = Batch(
        batch.reads,
        HaplotypeBatch.trusted(batch.haplotypes.offsets, bases),
        batch.region_reads,
        batch.region_haplotypes,
    )
    engine = opened()
    with pytest.raises(ValueError, match="a letter of region 3"):
        engine.compute(enough(odd))
    engine.close()
    as_gkl = opened(as_gkl=True)
    values = as_gkl.compute(enough(odd))
    bases[65] = ord("A")
    assert_same_bits(values, as_gkl.compute(enough(odd)))
    assert all("lone" in name for name in launched(host))
    as_gkl.close()


@pytest.mark.parametrize("odd", [0, 0x30, 0x51, 0x74, 0x7E, 0xC1, 0xD4, 0xFF])
def test_bytes_beside_the_letters(host, odd):
    """Bytes that are no letters, lower case, and N, among the first 32 and at the end."""
    rnd = random.Random(29)
    batch = enough(lone_region(rnd, (50, 61, 37), 75))
    reads, haplotypes = batch.reads, batch.haplotypes
    texts = [track.copy() for track in (reads.bases, haplotypes.bases)]
    for text in texts:
        for place in (0, 31, 32, 40, -33, -1):
            text[place] = odd
        text[5::9] |= 0x20
        text[7::50] = ord("N")
    bases, letters = texts
    changed = Batch(
        ReadBatch.trusted(reads.offsets, bases, *reads.tracks[1:]),
        HaplotypeBatch.trusted(haplotypes.offsets, letters),
        batch.region_reads,
        batch.region_haplotypes,
    )
    for as_gkl in (False, True):
        engine = opened(as_gkl=as_gkl)
        if not as_gkl and chr(odd) not in "ACGTNacgtn":
            with pytest.raises(ValueError, match="a letter of region 0"):
                engine.compute(changed)
        else:
            expected = np.empty(batch.pairs)
            cpu = _native_pairhmm.CpuEngine(0, "single", None, as_gkl=as_gkl)
            cpu.compute(_native_pairhmm.batch_pointer(*changed.arrays), expected)
            assert_same_bits(engine.compute(changed), expected)
        engine.close()


@pytest.mark.parametrize("highest", [50, 51, 127])
def test_base_qualities_in_codes(host, highest):
    """A base and its quality are one byte up to 50."""
    rnd = random.Random(14)
    batch = lone_region(rnd, (40, 33, 17), 60)
    bases, quals = batch.reads.bases.copy(), batch.reads.quals.copy()
    bases[5:50:7] = ord("N")
    bases[60:80] |= 0x20
    quals[-1] = highest
    for gaps in ((45, 45, 10), batch.reads.tracks[2:]):
        reads = ReadBatch.from_arrays(batch.reads.offsets, bases, quals, *gaps)
        check(host, Batch(reads, batch.haplotypes))


def test_gap_qualities_that_are_numbers(host):
    """They are not read again, so nobody may change them."""
    rnd = random.Random(15)
    batch = lone_region(rnd, (30, 20), 40)
    reads = ReadBatch.from_arrays(batch.reads.offsets, batch.reads.bases, batch.reads.quals, 40)
    assert reads.one_gap
    with pytest.raises(ValueError, match="read-only"):
        reads.deletion_quals[3] = 7
    numbers = Batch(reads, batch.haplotypes)
    check(host, numbers)
    engine = opened()
    all_three = enough(batch), batch, numbers
    for values, each in zip(engine.compute_together([*all_three]), all_three, strict=True):
        assert_same_bits(values, on_cpu(each)[0])
    engine.close()


def test_chunks_end_inside_regions(host):
    """A call of several chunks: of a large region, and of many small ones."""
    rnd = random.Random(16)
    large = lone_region(rnd, [300] * 400, 1)
    small = concatenated([lone_region(rnd, [512], 2)] * 900)
    batch = concatenated([large, large, small])
    assert len(batch.reads.bases) > 2 << 18
    assert check(host, batch) > 0.9 * batch.pairs
    assert len([name for name in host.launched if "lone" in name[1]]) > 2


def test_on_a_device(gpu):
    """What the tests above compute on the host, and enough pairs for many warps."""
    rnd = random.Random(17)
    shapes = [(rnd.randint(1, 70), 1, rnd.choice([30, 130, 300])) for _ in range(60)]
    lengths = [rnd.randint(1, 1024) for _ in range(500)]
    batch = concatenated(
        [random_region(rnd, *shape, rnd.choice(KINDS)) for shape in shapes]
        + [lone_region(rnd, lengths, columns) for columns in (1, 64, 300, 1024)]
        + [lone_region(rnd, [length], length) for length in lengths]
        + [unlike_region(rnd, lengths, columns) for columns in (30, 200, 512, 1000)]
    )
    for precision in ("single", "double"):
        expected, counts = on_cpu(batch, precision)
        engine = cuda.Engine([0], precision)
        assert_same_bits(engine.compute(batch), expected)
        assert engine.statistics()["rescued_pairs"] == counts.rescued_pairs
        engine.close()
    # In either order of the precisions.
    nothing = concatenated([unlike_region(rnd, rnd.choices(range(200, 513), k=9000), 300)] * 2)
    engine = cuda.Engine([0])
    some = concatenated([nothing, lone_region(rnd, [300] * 50, 300)])
    for each in (nothing, some, nothing, nothing, batch, some):
        assert_same_bits(engine.compute(each), on_cpu(each)[0])
    engine.close()
