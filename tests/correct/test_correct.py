"""Correction from Python: every read as the plain corrector in oracle.py has it."""

from __future__ import annotations

import random
import warnings
import weakref
from itertools import product
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gkl_shim.correct import CORRECTED, SHORT, SOLID, UNSOLVED, Spectrum, _native_correct
from gkl_shim.correct._kmer_length import chosen_k
from gkl_shim.correct._processors import Processors
from gkl_shim.errors import FormatError
from tests.correct import oracle

METHODS = ("search", "voting")
#: Another base than each.
OTHER = {"A": "C", "C": "G", "G": "T", "T": "A"}


def with_errors(genome: str, positions) -> str:
    return "".join(OTHER[base] if p in positions else base for p, base in enumerate(genome))


def random_reads(seed: int, genome: int = 300, depth: int = 20, length: int = 50, rate=0.02):
    """Reads of a genome with a repeat, in which some bases are wrong, N or of low quality."""
    rnd = random.Random(seed)
    first = "".join(rnd.choices("ACGT", k=genome))
    place = rnd.randrange(genome // 2)
    repeat = list(first[place : place + 60])
    repeat[30] = rnd.choice("ACGT")
    letters = first + "".join(repeat) + "".join(rnd.choices("ACGT", k=50))
    reads, qualities = [], []
    for _ in range(len(letters) * depth // length):
        size = rnd.choice([length, length, rnd.randint(0, length)])
        start = rnd.randrange(len(letters) - size + 1)
        read = list(letters[start : start + size])
        if rnd.random() < 0.5:
            read = list("".join(read).translate(str.maketrans("ACGT", "TGCA"))[::-1])
        for p in range(size):
            if rnd.random() < rate:
                read[p] = rnd.choice("ACGTNacgt")
        reads.append("".join(read))
        qualities.append([rnd.choice([2, 20, 37]) for _ in range(size)])
    return reads, qualities


def check(
    reads,
    qualities,
    k,
    threshold,
    method,
    limit=None,
    threads=1,
    spectrum_of=None,
    in_window=None,
    whole=False,
):
    """Compare with the oracle. Return the states."""
    spectrum = Spectrum.from_reads(spectrum_of or reads, k=k, threshold=threshold, threads=threads)
    counts = oracle.count(spectrum_of or reads, k)
    solid = {kmer for kmer, count in counts.items() if count >= spectrum.threshold}
    if threshold is None:
        solid = oracle.Kmers.of(counts, spectrum.threshold)
    assert spectrum.kmers == len(solid)
    histogram = np.bincount(list(counts.values()), minlength=300)[1:]
    assert (spectrum.histogram[:200] == histogram[:200]).all()
    joined = bytes(q for read in qualities for q in read)
    found = spectrum.correct(
        reads,
        joined,
        method=method,
        max_changes=limit,
        threads=threads,
        max_window_changes=in_window,
        all_or_nothing=whole,
    )
    for index, (read, quality) in enumerate(zip(reads, qualities, strict=True)):
        want, state = oracle.correct(read, quality, solid, k, method, limit, in_window or 4, whole)
        assert (found.read(index).decode(), found.states[index]) == (want, state), (index, read)
        part = oracle.part_to_keep(want, state, solid, k)
        assert (found.begins[index], found.ends[index]) == part, (index, read)
    return found.states


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("k", [11, 13, 16, 21, 27, 31])
def test_as_the_oracle(method, k) -> None:
    for seed in range(2):
        states = check(*random_reads(seed), k, 3, method)
        assert {SOLID, CORRECTED, SHORT} <= set(states.tolist())


def strains(seed: int):
    """Reads of a deep genome, then of one that few reads cover and that differs in some bases.

    Also their qualities, and the reads without errors.
    """
    rnd = random.Random(seed)
    deep = "".join(rnd.choices("ACGT", k=2000))
    other = "".join(rnd.choice("ACGT") if rnd.random() < 0.04 else base for base in deep)
    right = []
    for genome, count in ((deep, 3200), (other, 200)):
        starts = [rnd.randrange(1951) for _ in range(count)]
        right += [genome[start : start + 50] for start in starts]
    reads = [
        "".join(rnd.choice("ACGTN") if rnd.random() < 0.01 else base for base in read)
        for read in right
    ]
    qualities = [[rnd.choice([2, *[37] * 9]) for _ in range(50)] for _ in reads]
    return reads, qualities, right


@pytest.mark.parametrize("k", [15, 16])
def test_a_strain_that_few_reads_cover(k) -> None:
    """Its bases of high quality stay. With a given threshold, most become the deep genome's."""
    reads, qualities, right = strains(k)
    some = slice(3100, 3300)
    for method in METHODS:
        check(reads[some], qualities[some], k, None, method, threads=2, spectrum_of=reads)
    valley = Spectrum.from_reads(reads, k=k).threshold
    assert valley > 5
    wrong = []
    for threshold in (None, valley):
        spectrum = Spectrum.from_reads(reads, k=k, threshold=threshold)
        found = spectrum.correct(reads, bytes(33 + q for quality in qualities for q in quality))
        changes = zip(found.changed_reads, found.changed_positions, found.changed_from, strict=True)
        wrong.append(sum(right[read][at] == chr(before) for read, at, before in changes))
    assert wrong[0] < wrong[1] * 2 / 3


@pytest.mark.parametrize("method", METHODS)
def test_many_errors(method) -> None:
    """Several errors within k bases, and reads that cannot be solved."""
    clean, _ = random_reads(1, rate=0, depth=40)
    dirty, qualities = random_reads(1, rate=0.1)
    states = check(dirty, qualities, 13, 3, method, spectrum_of=clean)
    assert {CORRECTED, UNSOLVED} <= set(states.tolist())


@pytest.mark.parametrize("k", [11, 13])
def test_near_copies_of_a_repeat(k) -> None:
    """A wrong base may be in k-mers of another copy. After a change, they are looked up again."""
    for seed in range(4):
        rnd = random.Random(seed)
        unit = rnd.choices("ACGT", k=40)
        genome = ""
        for _ in range(8):
            copy = list(unit)
            for p in rnd.sample(range(40), 3):
                copy[p] = rnd.choice("ACGT")
            genome += "".join(copy + rnd.choices("ACGT", k=5))
        reads = [list(genome[start : start + 50]) for start in rnd.choices(range(310), k=40)]
        for read in reads:
            for p in range(50):
                if rnd.random() < 0.06:
                    read[p] = rnd.choice("ACGTN")
        qualities = [rnd.choices([2, 20, 37], k=50) for _ in reads]
        check(
            ["".join(read) for read in reads],
            qualities,
            k,
            2,
            "search",
            20,
            spectrum_of=[genome] * 2,
            in_window=100,
        )


@pytest.mark.parametrize("limit", [1, 5])
@pytest.mark.parametrize("method", METHODS)
def test_the_limit_on_changes(method, limit) -> None:
    clean, _ = random_reads(2, rate=0, depth=40)
    dirty, qualities = random_reads(2, rate=0.06)
    check(dirty, qualities, 13, 3, method, limit, spectrum_of=clean)


@pytest.mark.parametrize("in_window", [1, 2, 100])
@pytest.mark.parametrize("method", METHODS)
def test_the_limit_on_changes_in_a_window(method, in_window) -> None:
    clean, _ = random_reads(8, rate=0, depth=40)
    dirty, qualities = random_reads(8, rate=0.08)
    states = check(
        dirty, qualities, 11, 3, method, spectrum_of=clean, in_window=in_window, limit=50
    )
    assert {CORRECTED, UNSOLVED} <= set(states.tolist())


def test_a_window_has_twenty_bases() -> None:
    """Two good bases may change within 20, a third must be 20 bases from the first."""
    genome = "".join(random.Random(12).choices("ACGT", k=120))
    spectrum = Spectrum.from_reads([genome] * 4, k=11)

    def corrected(positions, quality, rest, limit=None) -> bool:
        qualities = bytes(quality if p in positions else rest for p in range(len(genome)))
        found = spectrum.correct(
            [with_errors(genome, positions)],
            qualities,
            max_changes=50,
            max_window_changes=limit,
        )
        return found.read(0).decode() == genome

    near, far = (40, 50, 59), (40, 50, 60)
    # Above the mean, as the others are; below, but not low; low.
    assert (corrected(near, 30, 29), corrected(far, 30, 29)) == (False, True)
    assert (corrected(near, 28, 29), corrected(near, 10, 29)) == (True, True)
    # Without differences, every base counts as one.
    five = (40, 45, 50, 54, 59)
    assert (corrected(five, 30, 30), corrected(five[:4], 30, 30)) == (False, True)
    assert corrected((40, 45, 50, 54, 60), 30, 30) and corrected(five, 30, 30, 5)
    assert corrected(five, 10, 29)


@pytest.mark.parametrize("method", ["search", "voting"])
def test_the_first_vote_keeps_to_the_limit_of_a_window(method) -> None:
    """No k-mer of the read is solid. A base of high quality counts as two changes."""
    genome = "".join(random.Random(12).choices("ACGT", k=21))
    spectrum = Spectrum.from_reads([genome] * 4, k=11)
    read = with_errors(genome, [10])
    qualities = bytes([29] * 10 + [30] + [29] * 10)
    for limit, want in ((1, read), (2, genome)):
        found = spectrum.correct([read], qualities, max_window_changes=limit)
        assert found.read(0).decode() == want


def test_more_changes_are_made_at_once_where_qualities_are_low() -> None:
    """No change is confirmed before the last: the next error is closer than k/2 k-mers."""
    genome = "".join(random.Random(13).choices("ACGT", k=240))
    spectrum = Spectrum.from_reads([genome] * 4, k=31)

    def corrected(errors, quality) -> bool:
        wrong = range(60, 60 + 10 * errors, 10)
        qualities = bytes(quality if p in wrong else 30 for p in range(len(genome)))
        found = spectrum.correct([with_errors(genome, wrong)], qualities)
        return found.read(0).decode() == genome

    for quality, most in ((31, 2), (30, 8), (10, 16)):
        assert corrected(most, quality) and not corrected(most + 1, quality)


@pytest.mark.parametrize("method", METHODS)
def test_all_or_nothing(method) -> None:
    clean, _ = random_reads(3, rate=0, depth=40)
    dirty, qualities = random_reads(3, rate=0.08)
    states = check(dirty, qualities, 13, 3, method, spectrum_of=clean, whole=True)
    assert {CORRECTED, UNSOLVED} <= set(states.tolist())
    spectrum = Spectrum.from_reads(clean, k=13, threshold=3)
    some = spectrum.correct(dirty, method=method)
    none = spectrum.correct(dirty, method=method, all_or_nothing=True)
    unsolved = np.flatnonzero(some.states == UNSOLVED)
    assert any(some.read(k).decode() != dirty[k] for k in unsolved)
    assert all(none.read(k).decode() == dirty[k] for k in unsolved)
    # The part to keep is solid in the read as it is.
    solid = {kmer for kmer, count in oracle.count(clean, 13).items() if count >= 3}
    for k in unsolved:
        kept = none.read(k)[none.begins[k] : none.ends[k]].decode().upper()
        kmers = oracle.count([kept], 13)
        assert set(kmers) <= solid or (none.begins[k], none.ends[k]) == (0, len(dirty[k]))


@settings(max_examples=150, deadline=None)
@given(
    st.lists(st.text("ACGTN", max_size=40), min_size=1, max_size=12),
    st.integers(11, 14),
    st.sampled_from(METHODS),
    st.data(),
)
def test_any_reads(reads, k, method, data) -> None:
    copies = data.draw(st.lists(st.sampled_from(reads), max_size=12))
    every = reads + copies
    qualities = [[30 if p % 3 else 10 for p in range(len(read))] for read in every]
    in_window = data.draw(st.sampled_from([None, 1, 2, 3]))
    check(every, qualities, k, 2, method, in_window=in_window, whole=data.draw(st.booleans()))


@pytest.mark.parametrize("method", METHODS)
def test_threads_change_nothing(method) -> None:
    reads, qualities = random_reads(5, depth=600)
    joined = bytes(q for read in qualities for q in read)
    results = []
    for threads in (1, 2, 5):
        spectrum = Spectrum.from_reads(reads, k=15, threshold=3, threads=threads)
        found = spectrum.correct(reads, joined, method=method, threads=threads)
        results.append((spectrum.histogram.tobytes(), found.letters.tobytes()))
    assert len(set(results)) == 1


def test_the_memory_limit_needs_more_passes_and_changes_nothing() -> None:
    # Each partition has about 760 k-mers, so tables become full while hashes are left to count.
    codes = np.random.default_rng(6).integers(0, 4, 400_000)
    letters = np.tile(np.frombuffer(b"ACGT", np.uint8)[codes], 2)
    offsets = np.arange(0, len(letters) + 1, 1000)
    results, passes = [], []
    for memory in (0, 3_000_000, 600_000):
        counter = _native_correct.Counter(21, 2, memory)
        passes.append(0)
        complete = False
        while not complete:
            counter.count((letters, offsets))
            complete = counter.end_pass()
            passes[-1] += 1
        spectrum = Spectrum._from_counter(counter, 2, Processors())
        results.append(
            (spectrum.histogram.tobytes(), spectrum._open().information().slots.tobytes())
        )
    assert len(set(results)) == 1
    assert passes[0] == 1 < passes[1] < passes[2]


def test_kmers_that_occur_very_often() -> None:
    """The histogram and the spectrum end at 255."""
    kmer = "ACGTTGCAAGC"
    for times in (255, 256, 2047, 2048, 5000):
        spectrum = Spectrum.from_reads([kmer] * times, k=11, threshold=2)
        assert (spectrum.kmers, spectrum.histogram[-1], spectrum.histogram.sum()) == (1, 1, 1)
        assert spectrum.correct([kmer]).states.tolist() == [SOLID]


@pytest.mark.parametrize(
    ("k", "times", "counted"),
    [(11, 66_000, 65_535), (28, 66_000, 65_535), (29, 33_000, 32_767), (31, 3000, 2047)],
)
def test_the_largest_count(k, times, counted) -> None:
    """A table counts to 65535, or less far for a large k. The threshold is 1/64 of the count."""
    kmer = "".join(random.Random(4).choices("ACGT", k=k))
    for number in (counted - 64, times):
        spectrum = Spectrum.from_reads([kmer] * number, k=k)
        assert (spectrum.kmers, spectrum.threshold) == (1, min(number, counted) // 64)


def test_a_read_that_is_longer_than_a_round() -> None:
    """It is counted in pieces, but each k-mer once. A round has 2^24 k-mers."""
    part = np.frombuffer(b"ACGT", np.uint8)[np.random.default_rng(3).integers(0, 4, 100_000)]
    letters = np.tile(part, 168)
    assert len(letters) > 1 << 24
    histogram = Spectrum.from_reads([letters], k=21).histogram
    assert (histogram * np.arange(1, 256)).sum() == len(letters) - 20


def test_changes_are_returned_as_arrays() -> None:
    read = "ACGTTGCAAGCTTAGC"
    spectrum = Spectrum.from_reads([read] * 5, k=11)
    wrong = ["ACGTTGCATGCTTAGC", read, "acGTNGCaAGCTTAGC"]
    found = spectrum.correct(wrong)
    assert [found.read(k).decode() for k in range(3)] == [read, read, "acGTTGCaAGCTTAGC"]
    assert found.states.tolist() == [CORRECTED, SOLID, CORRECTED]
    assert found.changed_reads.tolist() == [0, 2]
    assert found.changed_positions.tolist() == [8, 4]
    assert bytes(found.changed_from) == b"TN" and bytes(found.changed_to) == b"AT"


def test_the_result_keeps_its_offsets() -> None:
    """The caller may use the array of offsets again."""
    read = b"ACGTTGCAAGCTTAGC"
    offsets = np.array([0, 16, 32])
    given = np.frombuffer(read * 2, np.uint8), offsets
    found = Spectrum.from_reads([read] * 5, k=11).correct(given)
    offsets[:] = 0
    assert found.read(1) == read


def test_the_first_of_equally_long_solid_parts_is_extended() -> None:
    """There are two errors, and only the one beside this part may be corrected."""
    genome = "".join(random.Random(15).choices("ACGT", k=81))
    read = with_errors(genome, (31, 63))
    found = Spectrum.from_reads([genome] * 3, k=11).correct([read], max_changes=1)
    assert found.changed_positions.tolist() == [31]


def test_bases_of_low_quality_are_changed() -> None:
    """The read is two changes from either of two genomes; the second change differs."""
    rnd = random.Random(14)
    start, rest = ("".join(rnd.choices("ACGT", k=size)) for size in (60, 40))
    genomes = [
        start + base + rest[:at] + OTHER[rest[at]] + rest[at + 1 :]
        for base, at in (("A", 1), ("C", 3))
    ]
    spectrum = Spectrum.from_reads(genomes * 3, k=11, threshold=3)
    for index, at in enumerate((1, 3)):
        qualities = [63] * 101
        qualities[61 + at] = 50
        found = spectrum.correct([start + "G" + rest], bytes(qualities))
        assert found.read(0).decode() == genomes[index]


def test_changes_that_all_best_ways_begin_with_are_made() -> None:
    """The read is two changes from either of two genomes; the second change differs."""
    rnd = random.Random(15)
    start, rest = ("".join(rnd.choices("ACGT", k=size)) for size in (60, 40))
    bases = sorted(set("ACGT") - {rest[3]})[:2]
    genomes = [f"{start}A{rest[:3]}{base}{rest[4:]}" for base in bases]
    spectrum = Spectrum.from_reads(genomes * 3, k=11, threshold=3)
    found = spectrum.correct([f"{start}G{rest}"], bytes([63]) * 101)
    assert (found.read(0).decode(), found.states[0]) == (f"{start}A{rest}", UNSOLVED)


@pytest.mark.parametrize("mirrored", [False, True])
@pytest.mark.parametrize("apart", [1, 5, 8, 9, 10])
def test_a_wrong_base_that_another_copy_has(apart, mirrored) -> None:
    """Its k-mers are solid up to the base from which on the copies differ. Then the read ends."""
    one = "".join(random.Random(16).choices("ACGT", k=61))
    read = with_errors(one, [50])
    copy = read[: 50 + apart] + "".join(OTHER[base] for base in one[50 + apart :])
    way = slice(None, None, -1 if mirrored else 1)
    spectrum = Spectrum.from_reads([one[way], copy[way]] * 3, k=11)

    def corrected(quality) -> bool:
        qualities = bytes([30] * 50 + [quality] + [30] * 10)
        return spectrum.correct([read[way]], qualities[way]).read(0).decode()[way] == one

    assert corrected(10)
    assert corrected(30) == (apart <= 8)
    assert not corrected(31)


@pytest.mark.parametrize("mirrored", [False, True])
def test_a_wrong_base_that_another_copy_has_after_another_error(mirrored) -> None:
    """The first change is not confirmed: the copies differ again after four k-mers."""
    one = "".join(random.Random(19).choices("ACGT", k=64))
    read = with_errors(one, (50, 53))
    copy = one[:53] + read[53] + "".join(OTHER[base] for base in one[54:])
    way = slice(None, None, -1 if mirrored else 1)
    spectrum = Spectrum.from_reads([one[way], copy[way]] * 3, k=11)
    qualities = bytes(10 if p in (50, 53) else 30 for p in range(64))
    assert spectrum.correct([read[way]], qualities[way]).read(0).decode()[way] == one


@pytest.mark.parametrize("mirrored", [False, True])
def test_a_base_of_low_quality_is_blamed_before_one_that_was_read_well(mirrored) -> None:
    """With either change the read is one of the two copies."""
    one = "".join(random.Random(17).choices("ACGT", k=100))
    read = with_errors(one, [50])
    copy = with_errors(read, [54])
    way = slice(None, None, -1 if mirrored else 1)
    spectrum = Spectrum.from_reads([one[way], copy[way]] * 3, k=11)
    for quality, expected in ((30, copy), (10, one)):
        qualities = bytes([30] * 50 + [quality] + [30] * 49)
        found = spectrum.correct([read[way]], qualities[way])
        assert found.read(0).decode()[way] == expected


def test_many_bases_of_low_quality_are_changed_at_once() -> None:
    genome = "".join(random.Random(18).choices("ACGT", k=100))
    wrong = (86, 88, 91, 93, 95, 98)
    read = with_errors(genome, wrong)
    spectrum = Spectrum.from_reads([genome] * 3, k=11)
    for quality, expected in ((2, genome), (38, read)):
        qualities = bytes(quality if p in wrong else 38 for p in range(100))
        assert spectrum.correct([read], qualities).read(0).decode() == expected


@pytest.mark.parametrize("levels", [4, 7])
def test_the_search_ends_if_there_are_too_many_ways(levels) -> None:
    """Every fourth base may become each other base. After the last one, a single way is left."""
    rnd = random.Random(20)
    start, fill, tail = ("".join(rnd.choices("ACGT", k=size)) for size in (40, 3, 10))
    ways = ["".join(base + fill for base in way) for way in product("ACG", repeat=levels)]
    one = start + ways[len(ways) // 2] + tail
    reads = [one, *(start + way for way in ways)]
    spectrum = Spectrum.from_reads(reads * 2, k=31, threshold=2)
    read = start + ("T" + fill) * levels + tail
    qualities = [30] * len(read)
    qualities[40 : 40 + 4 * levels : 4] = [10] * levels
    found = spectrum.correct([read], bytes(qualities))
    assert found.read(0).decode() == (one if levels == 4 else read)


def test_trimmed_parts_are_solid() -> None:
    genome = "".join(random.Random(9).choices("ACGT", k=400))
    spectrum = Spectrum.from_reads([genome] * 4, k=15)
    other = "".join(random.Random(10).choices("ACGT", k=30))
    found = spectrum.correct([genome[:60] + other, other, genome[:60]])
    assert found.states.tolist() == [UNSOLVED, UNSOLVED, SOLID]
    assert 58 <= found.ends[0] <= 62 and found.begins[0] == 0
    assert (found.begins[1], found.ends[1]) == (0, 30)


def test_a_saved_spectrum_gives_the_same(tmp_path: Path) -> None:
    reads, _ = random_reads(7)
    spectrum = Spectrum.from_reads(reads, k=17)
    spectrum.save(tmp_path / "s.npz")
    loaded = Spectrum.load(tmp_path / "s.npz")
    for name in ("k", "threshold", "kmers", "false_positive_rate"):
        assert getattr(loaded, name) == getattr(spectrum, name)
    assert (loaded.histogram == spectrum.histogram).all()
    assert (loaded.correct(reads).letters == spectrum.correct(reads).letters).all()


@pytest.mark.parametrize(
    "damage", ["cut", "other", "empty", "places", "slots", "format", "histogram"]
)
def test_a_damaged_spectrum_is_refused(tmp_path: Path, damage) -> None:
    path = tmp_path / "s.npz"
    spectrum = Spectrum.from_reads(["ACGTTGCAAGCTTAGC"] * 5, k=11)
    spectrum.save(path)
    with np.load(path) as file:
        arrays = {name: array.copy() for name, array in file.items()}
    changed = {
        "slots": np.append(arrays["slots"], np.uint32(7)),
        "format": np.frombuffer(bytes(arrays["facts"]).replace(b'format": 2', b'format": 1'), "u1"),
        "histogram": arrays["histogram"][:-1],
    }
    if damage in changed:
        np.savez(path, **{**arrays, damage.replace("format", "facts"): changed[damage]})
    else:
        data = path.read_bytes()
        # The table of contents seems to begin later, and so all parts before the file's beginning.
        contents = int.from_bytes(data[-6:-2], "little") + 999
        moved = data[:-6] + contents.to_bytes(4, "little") + data[-2:]
        files = {"cut": data[: len(data) // 2], "other": b"ACGT\n", "empty": b"", "places": moved}
        path.write_bytes(files[damage])
    with pytest.raises(FormatError, match=r"s\.npz: it is not a complete spectrum"):
        Spectrum.load(path)


@pytest.mark.parametrize(
    ("counts", "valley"),
    [
        ({1: 3000, 2: 190, 3: 7, 4: 3, 5: 5, 6: 12, 20: 300}, 4),
        ({1: 300, 20: 300}, 2),
        ({1: 5000, 2: 10, 3: 2}, 2),
        ({5: 12}, 2),
        ({}, 2),
        # The peak at 4 is of errors, because most k-mers of the reads occur 640 times.
        ({1: 2000, 2: 300, 3: 900, 4: 1500, 5: 900, 6: 100, 640: 400}, 10),
        ({1: 2000, 4: 1500, 9: 9, 10: 20, 11: 5, 640: 400}, 12),
        ({1: 2000, 40: 900, 9000: 30}, 140),
        # Most k-mers of the reads are those of the chromosome; a few are those of a plasmid.
        ({1: 300, 2: 40, 20: 500, 2000: 4}, 3),
        ({1: 300, 2: 40, 20: 500, 2000: 6}, 31),
    ],
)
def test_the_threshold_is_the_valley(counts, valley) -> None:
    """The k-mers of a random genome, each as often as wanted."""
    rnd = random.Random(1)
    reads = []
    for count, number in counts.items():
        for _ in range(number):
            reads += ["".join(rnd.choices("ACGT", k=27))] * count
    assert Spectrum.from_reads(reads, k=27).threshold == valley


def test_the_false_positive_rate_holds() -> None:
    rnd = np.random.default_rng(4)
    letters = np.frombuffer(b"ACGT", np.uint8)[rnd.integers(0, 4, 400_000)]
    spectrum = Spectrum.from_reads([letters.tobytes()] * 2, k=31)
    others = np.frombuffer(b"ACGT", np.uint8)[rnd.integers(0, 4, 31 * 300_000)]
    offsets = np.arange(0, len(others) + 1, 31)
    found = spectrum.correct((others, offsets))
    _, _, _, rate, size, slots = spectrum._open().information()
    edges = np.flatnonzero(np.diff(slots != 0, prepend=False, append=False))
    runs = np.diff(edges)[::2]
    assert rate == (runs * (runs + 1) // 2).sum() / size / 2**24
    assert 0 < rate < 1e-6
    # 0.06 reads are expected.
    assert (found.states == SOLID).sum() <= 2


def test_each_letter_is_checked() -> None:
    """Vectors hold 16 letters, and the rest of a read fewer."""
    counter = _native_correct.Counter(11, 2, 0)
    for byte in range(256):
        for place in (0, 15, 16, 40):
            letters = np.frombuffer(b"ACGTNacgtn" * 5, np.uint8)[:41].copy()
            letters[place] = byte
            reads = letters, np.array([0, 41])
            if byte in b"ACGTNacgtn":
                counter.count(reads)
                continue
            message = f"read 0: letter {place} is byte {byte}, not one of ACGTN"
            with pytest.raises(ValueError, match=f"^{message}$"):
                counter.count(reads)


def test_the_first_wrong_offset_is_named() -> None:
    """Several threads look for it."""
    counter = _native_correct.Counter(11, 4, 0)
    letters, offsets = np.empty(0, np.uint8), np.zeros(500_001, np.int64)
    offsets[[130_001, 400_001]] = 1
    for _ in range(20):
        with pytest.raises(ValueError, match=r"^reads: offset 130002 is less than the one before$"):
            counter.count((letters, offsets))


@pytest.mark.parametrize(("length", "k"), [(0, 11), (25, 13), (36, 19), (54, 27), (250, 27)])
def test_k_follows_the_reads(length, k) -> None:
    assert chosen_k(length) == k


@pytest.mark.parametrize(
    ("length", "size", "k"),
    [
        (36, 5_000_000, 19),  # the reads' k suffices
        (25, 5_000_000, 17),
        (36, 3_100_000_000, 21),
        (100, 3_100_000_000, 27),
        (20, 10**18, 31),
    ],
)
def test_k_follows_the_genome(length, size, k) -> None:
    """There are at least 1,000 k-mers for each base of the genome."""
    assert chosen_k(length, size) == k
    spectrum = Spectrum.from_reads(["ACGTA" * (length // 5)] * 3, genome_size=size)
    assert spectrum.k == chosen_k(length // 5 * 5, size)


@pytest.mark.parametrize("long", [0, 1, 10, 40, 400])
def test_k_is_of_most_bases(long) -> None:
    """Not of most reads."""
    lengths = [22] * 400 + [98] * long
    k = int(sum(length**2 for length in lengths) / sum(lengths)) // 2 | 1
    spectrum = Spectrum.from_reads([("ACGTA" * 20)[:length] for length in lengths])
    assert spectrum.k == min(k, 27)


def test_a_spectrum_that_is_too_full_is_told() -> None:
    """Of the 4^11 / 2 possible k-mers, 150,000 bases have some 7%."""
    rnd = random.Random(3)
    letters = "".join(rnd.choices("ACGT", k=150_000))
    with pytest.warns(RuntimeWarning, match="7% of all 11-mers are solid, so .* a longer k"):
        Spectrum.from_reads([letters, letters], k=11)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        Spectrum.from_reads([letters, letters], k=13)
        Spectrum.from_reads([letters[:80_000]] * 2, k=11)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"k": 10}, "k is 10, not 11 to 31"),
        ({"k": 32}, "k is 32, not 11 to 31"),
        ({"k": 1.5}, "k is 1.5, not a whole number from 0"),
        ({"genome_size": -5}, "genome_size is -5, not a whole number from 0"),
        ({"threshold": 1}, "threshold is 1, not 2 to 2047"),
        ({"threshold": 2048}, "threshold is 2048, not 2 to 2047"),
        ({"reads": ["ACGTX"]}, "read 0: letter 4 is byte 88, not one of ACGTN"),
    ],
)
def test_wrong_arguments_of_counting(arguments, message) -> None:
    with pytest.raises(ValueError, match=message):
        Spectrum.from_reads(**{"reads": ["ACGT"], **arguments})


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"method": "x"}, "method is 'x', not one of search, voting"),
        ({"max_changes": 0}, "max_changes is 0, not a whole number from 1 on"),
        ({"max_window_changes": 0}, "max_window_changes is 0, not a whole number from 1 on"),
        ({"all_or_nothing": "yes"}, "all_or_nothing is 'yes', not True or False"),
        ({"qualities": b"III"}, "qualities: 3 of them, but 4 letters"),
        ({"qualities": ["III", "I"]}, "qualities: their lengths are not those of the reads"),
        ({"qualities": [73, 73, 73, 73]}, "qualities: sequence 0: expected bytes, str or a uint8"),
        ({"reads": ["AC-T"]}, "read 0: letter 2 is byte 45, not one of ACGTN"),
    ],
)
def test_wrong_arguments_of_correcting(arguments, message) -> None:
    spectrum = Spectrum.from_reads(["ACGT"], k=11)
    with pytest.raises(ValueError, match=message):
        spectrum.correct(**{"reads": ["ACGT"], **arguments})


def test_a_view_of_the_slots_outlives_the_spectrum() -> None:
    # A spectrum of this size is unmapped when it is freed, so a view of it would crash.
    letters = "".join(random.Random(1).choices("ACGT", k=400_000))
    spectrum = Spectrum.from_reads([letters] * 3, k=21, threshold=2)
    slots = spectrum._open().information().slots
    want = slots.copy()
    spectrum.close()
    assert (slots == want).all()


def test_a_closed_spectrum_refuses_calls_and_frees_its_memory(tmp_path) -> None:
    with Spectrum.from_reads(["ACGTTGCAAGCT"] * 5, k=11) as spectrum:
        native = weakref.ref(spectrum._open())
        assert spectrum.bytes > 0
    assert native() is None
    for call in (lambda: spectrum.correct(["ACGT"]), lambda: spectrum.save(tmp_path / "s")):
        with pytest.raises(ValueError, match="this Spectrum is closed"):
            call()
    assert list(tmp_path.iterdir()) == []
    assert (spectrum.k, spectrum.kmers, spectrum.bytes) == (11, 2, 0)
    spectrum.close()
