"""The CUDA engine without a device: its kernels run on the host, each lane of a warp a fiber.

test_on_gpu.py has the real thing.
"""

from __future__ import annotations

import itertools
import threading
import time
from collections import Counter
from functools import partial

import numpy as np
import pytest
from click.testing import CliRunner
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from benchmarks.common.genomes import mutated
from gkl_shim import mem
from gkl_shim.cli.mem import command
from gkl_shim.common import _native
from gkl_shim.cuda import devices
from gkl_shim.errors import BackendUnavailable
from gkl_shim.mem import _cuda as cuda
from gkl_shim.mem._native_mem import Matches, Part, Sequences
from tests.mem.oracle import reverse_complement
from tests.mem.sequences import fasta, pair, reference_as
from tests.mem.test_find import related
from tests.mem.test_mummer import genome


@pytest.fixture
def host(fake_gpus):
    return fake_gpus(kernels="mem")


def on_devices(index: mem.Index, queries, kind="mem", strands="both", length=None, **options):
    """Find matches with an engine of its own."""
    engine = cuda.Engine(**options)
    given = mem.native_sequences(queries, "queries")
    length = length or index.information.min_length
    matches: Matches = index._open().find(given, length, kind, strands, engine=engine)
    found = matches.array()
    pages = matches.pages
    engine.close()
    return found, pages


@settings(
    max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(
    pair(),
    st.sampled_from([1, 2, 3, 5, 12, 20]),
    st.sampled_from(["mem", "mumreference", "mum"]),
    st.sampled_from(["forward", "reverse", "both"]),
    st.booleans(),
    st.sampled_from([0, 1, 30]),
    st.sampled_from([0, 1, 7, 64]),
    st.sampled_from([1, 10**6]),
    st.booleans(),
)
def test_repetitive_sequences(
    host, sequences, length, kind, strands, only, page, chunk, letters, borrowed
):
    references, queries = sequences
    index = mem.Index(
        reference_as(borrowed, references),
        min_length=length,
        nucleotides_only=only,
        query_letters=letters,
        threads=1,
    )
    want = index.find(queries, kind=kind, strands=strands)
    found, _ = on_devices(index, queries, kind, strands, page_letters=page, chunk_letters=chunk)
    assert np.array_equal(found, want)


def test_streams_wait_for_the_index(fake_gpus) -> None:
    """They send their queries before. The stream that indexes is the last to wait here."""
    driver = fake_gpus(kernels="mem", slow=True)

    def late(_: int) -> None:
        if threading.current_thread() is threading.main_thread():
            time.sleep(0.01)

    driver.before("cuEventSynchronize", late)
    engine = cuda.Engine(streams=4, chunk_letters=300)
    for seed in range(3):
        reference, queries = related(seed, 1000, 8)
        index = mem.Index(reference, min_length=14, threads=4)
        given = mem.native_sequences(queries, "queries")
        found = index._open().find(given, 14, "mem", "both", engine=engine).array()
        assert np.array_equal(found, index.find(queries, strands="both"))
    engine.close()


def test_a_search_does_not_ask(host, bell) -> None:
    """It holds the engine's lock. A signal handler that searches, too, would wait forever."""
    reference, queries = related(31, 3000, 12)
    index = mem.Index(reference, min_length=14, threads=1)
    given, engine, found = mem.native_sequences(queries, "queries"), cuda.Engine(), []

    def search() -> int:
        found.append(index._open().find(given, 14, "mem", "both", engine=engine))
        return 0

    begin = bell.questions
    assert _native.interruptible(search) == 0
    assert bell.questions == begin
    assert np.array_equal(found.pop().array(), index.find(queries, strands="both"))
    engine.close()


@pytest.mark.parametrize("devices", [1, 2, 3])
@pytest.mark.parametrize("page_letters", [0, 700])
def test_devices_share_the_work(fake_gpus, devices: int, page_letters: int) -> None:
    driver = fake_gpus(devices, kernels="mem")
    reference, queries = related(31, 3000, 12)
    index = mem.Index(reference, min_length=14)
    found, pages = on_devices(index, queries, page_letters=page_letters, chunk_letters=1024)
    assert np.array_equal(found, index.find(queries, strands="both"))
    assert pages == (5 if page_letters else 1)
    assert len(found) > 10
    assert set(driver.launches) == set(range(devices))
    assert driver.live == []


def test_a_device_that_is_not_needed_takes_no_chunk(fake_gpus) -> None:
    """It has no index of this reference, but one of an earlier reference."""
    driver = fake_gpus(2, kernels="mem")
    engine = cuda.Engine(streams=1)
    for seed, letters in ((41, 3000), (42, 60)):
        reference, queries = related(seed, 3000, 4)
        query = queries[0][:letters]
        index = mem.Index(reference, min_length=12)
        want = index.find(query, strands="forward")
        driver.forget_calls()
        # Once device 0 has its index, it lets device 1 overtake it.
        pushes, overtaken = itertools.count(), threading.Event()

        def hold(device: int, pushes=pushes, overtaken=overtaken) -> None:
            if device == 0 and next(pushes) == 1:
                overtaken.clear()
                overtaken.wait(0.5)

        def overtake(device: int, overtaken=overtaken) -> None:
            if device == 1:
                overtaken.set()

        driver.before("cuCtxPushCurrent_v2", hold)
        driver.before("cuLaunchKernel", overtake)
        given = mem.native_sequences(query, "query")
        found = index._open().find(given, 12, "mem", "forward", engine=engine).array()
        assert np.array_equal(found, want)
        assert len(want) > 0
        assert set(driver.launches) == ({0, 1} if letters > 60 else {0})
    engine.close()


@pytest.mark.parametrize(("strand", "borrowed"), [("forward", True), ("reverse", False)])
def test_a_match_may_end_beyond_what_is_on_the_device(host, strand: str, borrowed: bool) -> None:
    # The parts that are sent end 8,192 letters after the page and the chunk.
    reference, _ = related(32, 40_000, 0)
    query = "ACGT" + reference[100:39_000] + "ACGT"
    if strand == "reverse":
        query = reverse_complement(query)
    index = mem.Index(reference_as(borrowed, [reference]), min_length=20)
    want = index.find(query, strands=strand)
    assert want["length"].max() > 38_000
    for page, chunk in ((5000, 1 << 16), (0, 4096), (5000, 4096)):
        found, _ = on_devices(index, query, strands=strand, page_letters=page, chunk_letters=chunk)
        assert np.array_equal(found, want)


def test_a_match_goes_on_beyond_the_device_through_any_letters(host) -> None:
    """The host extends it, through letters that it prepares a few thousand at a time."""
    random = np.random.default_rng(45)
    middle = "".join(random.choice(list("acgtACGTNnRYkm*"), 30_000))
    # N is another letter than any complement of it.
    reference = "c" * 20 + middle + "g" * 20 + reverse_complement(middle)
    index = mem.Index(reference, min_length=2000)
    for length in range(16_380, 16_390):
        queries = [middle[:length], "", middle[40:], middle[:100] + "x" + middle[101:]]
        want = index.find(queries, strands="both")
        assert {(row["query"], bool(row["reverse"])) for row in want} == {
            (number, reverse) for number in (0, 2, 3) for reverse in (False, True)
        }
        found, _ = on_devices(index, queries, chunk_letters=4000)
        assert np.array_equal(found, want)


@pytest.mark.parametrize("more", range(0, 70, 5))
def test_a_long_query_is_divided_between_any_letters(host, more: int) -> None:
    """Matches start and end at all places around the ends of chunks, on both strands."""
    borrowed, only = bool(more % 2), more % 4 > 1
    random = np.random.default_rng(more)
    letters = random.choice(list("acgtACGT"), 13_000 + more)
    for start in random.integers(0, len(letters), 20):
        letters[start : start + random.integers(1, 80)] = random.choice(list("NRYk"))
    changed = letters.copy()
    places = random.random(len(letters)) < 0.04
    changed[places] = random.choice(list("ACGTN"), places.sum())
    query = "".join(letters)
    reference = ["".join(changed), reverse_complement("".join(changed)), "A" * 40]
    queries = ["", query[:50], query, query[-50:], ""]
    index = mem.Index(reference_as(borrowed, reference), min_length=12, nucleotides_only=only)
    want = index.find(queries, strands="both")
    assert np.bincount(want["query"][want["reverse"] != 0])[2] > 200
    for page_letters, chunk_letters in ((0, 3000), (0, 13_000), (9000, 2500)):
        found, _ = on_devices(
            index, queries, page_letters=page_letters, chunk_letters=chunk_letters
        )
        assert np.array_equal(found, want)


@pytest.mark.parametrize(("only", "borrowed"), [(False, True), (True, False)])
def test_every_byte_is_the_letter_that_the_cpu_takes_it_for(
    host, only: bool, borrowed: bool
) -> None:
    """All 256 bytes in all places of a word, near the ends of queries of all short lengths."""
    parts = [bytes(range(256))[start : start + 12] for start in range(256)]
    complements = [reverse_complement(part.decode("latin-1")) for part in parts]
    reference = b"acgt".join(parts) + "".join(complements).encode("latin-1")
    queries = [b"AC" + part[:length] + b"gT" for part in parts for length in (0, 1, 5, 8, 11)]
    given = mem.native_sequences(queries, "queries")
    index = mem.Index(reference_as(borrowed, [reference]), min_length=2, nucleotides_only=only)
    want = index.find(given, strands="both")
    assert len(want) > 1000
    engine = cuda.Engine()
    found = index._open().find(given, 2, "mem", "both", engine=engine).array()
    engine.close()
    assert np.array_equal(found, want)


def test_matches_outlive_their_queries(host) -> None:
    """The caller may free its arrays, or use them for other queries."""
    reference, queries = related(48, 3000, 20)
    index = mem.Index(reference, min_length=12)
    names = mem.native_sequences(["q"] * len(queries), "names")
    engine = cuda.Engine(chunk_letters=500)
    results = []
    for find in (index._open().find, partial(index._open().find, engine=engine)):
        for change in (False, True):
            letters, offsets = mem.native_sequences(queries, "queries").arrays()
            matches = find(Sequences.from_arrays(letters, offsets), 12, "mem", "both")
            if change:
                letters[:] = offsets[:] = 0
            lines = matches.lines(mem.native_sequences(["r"], "names"), names, lengths=True)
            results.append((matches.array().tolist(), b"".join(map(bytes, lines))))
    engine.close()
    assert len(results[0][0]) > 100
    assert all(result == results[0] for result in results)


@pytest.mark.parametrize("count", [1, 3])
def test_queries_without_letters(host, count: int) -> None:
    """The C ABI allows a null pointer where there are no letters."""
    ffi, _ = _native.library()
    offsets = ffi.new("int64_t[]", count + 1)
    given = Sequences(ffi.new("gkl_shim_mem_sequences *", (count, offsets, ffi.NULL)), offsets)
    index = mem.Index("ACGTTGCAACGT", min_length=4)
    engine = cuda.Engine()
    assert len(index._open().find(given, 4, "mem", "both", engine=engine).array()) == 0
    engine.close()


def test_an_index_has_its_own_copy_of_arrays(host) -> None:
    reference, queries = related(6, 900, 4)
    letters = np.frombuffer(reference.encode(), np.uint8).copy()
    offsets = np.array([0, len(letters)])
    want = mem.find(reference, queries, min_length=10, backend="cpu")
    index = mem.Index((letters, offsets), min_length=10, backend="cuda")
    letters[:] = ord("A")
    offsets[1] = 3
    assert len(want)
    assert (index.find(queries) == want).all()


@pytest.mark.parametrize("strand", ["forward", "reverse"])
def test_positions_beyond_32_bits(host, strand: str) -> None:
    """The end of a query of more than 2^32 letters is searched. The rest takes no memory."""
    reference, _ = related(47, 3000, 0)
    size = 2**32 + 5000
    query = np.zeros(size, np.uint8)
    part = reference[200:2200] if strand == "forward" else reverse_complement(reference[200:2200])
    place = slice(-3000, -1000) if strand == "forward" else slice(1000, 3000)
    query[place] = np.frombuffer(part.encode(), np.uint8)
    given = Sequences.from_arrays(query, np.array([0, size], np.int64))
    index = mem.Index(reference, min_length=20)
    engine = cuda.Engine(chunk_letters=1500)
    for first, count in ((size - 4000, 1), (size - 3000, 1), (size - 2999, 0)):
        found = (
            index._open()
            .find(given, 20, "mem", strand, Part(first, size, 9), engine=engine)
            .array()
        )
        starts = [(row["query_start"], row["reference_start"], row["length"]) for row in found]
        assert starts == [(size - 3000, 200, 2000)] * count
    engine.close()


def test_both_strands_of_whole_queries_share_their_letters(host) -> None:
    """The letters of a part of a query are others in the reverse strand."""
    reference, _ = related(46, 30_000, 0)
    index = mem.Index(reference, min_length=12)
    sent = {}
    for name, queries in (
        ("whole", [reference[start : start + 900] for start in range(0, 29_000, 1000)]),
        ("part", [reference[:29_999]]),
    ):
        for strands in ("forward", "both"):
            host.forget_calls()
            found, _ = on_devices(index, queries, "mem", strands, chunk_letters=1000)
            assert np.array_equal(found, index.find(queries, strands=strands))
            sent[name, strands] = host.calls["cuMemcpyHtoDAsync_v2"]
    # The reference is sent once for each engine.
    assert sent["whole", "both"] == sent["whole", "forward"] == 1 + 29
    assert sent["part", "both"] - 1 == 2 * (sent["part", "forward"] - 1) == 60


def test_a_text_is_sent_in_pieces_that_take_turns(fake_gpus) -> None:
    """A piece of pinned memory holds 8 MiB, and a slow device has not read it at once."""
    fake_gpus(kernels="mem", slow=True)
    letters = np.random.default_rng(9).choice(np.frombuffer(b"acgt", np.uint8), 13_000_000)
    places = range(0, len(letters) - 6000, 900_000)
    queries = [letters[place : place + 6000].tobytes().decode() for place in places]
    index = mem.Index([letters.tobytes()], min_length=6000)
    found, pages = on_devices(index, queries, strands="forward")
    assert pages == 1
    assert found["reference_start"].tolist() == list(places)


@pytest.mark.parametrize("page_letters", [0, 5000])
def test_searches_of_one_index_have_lengths_of_their_own(host, page_letters: int) -> None:
    """A page that is on the device for short matches does not tell how long the longest are."""
    reference, _ = related(32, 40_000, 0)
    queries = [reference[100:39_000], reference[2000:14_000]]
    index = mem.Index(reference, min_length=20)
    engine = cuda.Engine(page_letters=page_letters)
    given = mem.native_sequences(queries, "queries")
    for length in (20, 9000, 20_000, 9000, 38_900, 38_901, 2**63 - 1):
        want = index.find(queries, min_length=length, strands="forward")
        found = index._open().find(given, length, "mem", "forward", engine=engine).array()
        assert np.array_equal(found, want)
        assert len(found) == (length < 38_901) + (length < 12_001) or length == 20
    engine.close()


@pytest.mark.parametrize("pages", [1, 2])
def test_the_host_orders_very_many_matches_at_one_position(host, pages: int) -> None:
    """The device orders up to 2,048."""
    reference = "A" * 5000
    index = mem.Index(reference, min_length=20)
    queries = ["A" * 22, "C" + "A" * 21 + "C"]
    want = index.find(queries)
    assert np.bincount(want["query"]).min() > 4000
    found, _ = on_devices(index, queries, strands="forward", page_letters=5001 // pages)
    assert np.array_equal(found, want)


@pytest.mark.parametrize("streams", [1, 2, 5])
@pytest.mark.parametrize("kind", ["mem", "mumreference", "mum"])
def test_pages_and_chunks_are_put_together(fake_gpus, streams: int, kind: mem.Kind) -> None:
    driver = fake_gpus(2, kernels="mem", slow=True)
    reference, queries = related(37, 2500, 9)
    index = mem.Index([reference[:1200], reference[1200:]], min_length=11)
    queries = ["", *queries[:4], "", reference, *queries[4:], ""]
    want = index.find(queries, kind=kind, strands="both")
    assert set(want["query"]) > {1, 6}
    options = {"page_letters": 900, "chunk_letters": 192, "streams": streams}
    found, pages = on_devices(index, queries, kind, **options)
    assert pages == 3
    assert np.array_equal(found, want)
    assert driver.live == []


def test_many_matches_are_written_in_parts(host, monkeypatch) -> None:
    """The matches of all tiles do not fit into the memory at the same time."""
    monkeypatch.setattr(devices, "_MEMORY_SHARE", 1e-8)
    reference, queries = "ACACACAC" * 60, ["CACACACACACA" * 60, "ACAC" * 150]
    index = mem.Index(reference, min_length=6)
    want = index.find(queries, strands="both")
    found, _ = on_devices(index, queries)
    assert len(want) > 1000
    assert np.array_equal(found, want)
    launches = Counter(name.rpartition("::")[2] for _, name in host.launched)
    assert launches["order_matches"] > 10
    # The memory of a part has room for all matches of the next one, or it has not.
    assert launches["place_matches"] > 0
    assert launches["fill_matches"] > 0


@pytest.mark.parametrize("page_letters", [0, 300])
@pytest.mark.parametrize("most", [1, 50, 10**9])
def test_parts_of_a_query_have_its_matches(host, page_letters: int, most: int) -> None:
    reference, queries = related(38, 800, 4)
    given = mem.native_sequences(max(queries, key=len) + reference, "query")
    index = mem.Index(reference, min_length=6)
    want = index.find(given, strands="both")
    index._devices.engine = cuda.Engine(page_letters=page_letters, chunk_letters=64, streams=1)
    index._devices.always = True
    parts = [part.array() for part in index.in_parts(given, 6, "mem", "both", most)]
    index._devices.engine.close()
    assert np.array_equal(np.concatenate(parts), want)
    # With several pages, a strand is one part.
    assert (len(parts) > 2) == (most < 10**9 and page_letters == 0)


def test_reads_of_the_human_megabase(host, monkeypatch: pytest.MonkeyPatch) -> None:
    """The devices find in a real reference, with repeats and runs of N, what the CPU finds."""
    letters = genome("human_g1k_v37_chr17_1Mb.fa.gz")
    random = np.random.default_rng(2)
    reads = []
    for length in random.choice([29, 36, 100, 250], 60):
        start = random.integers(0, len(letters) - length)
        reads.append(mutated(letters[start : start + length], start, 0.01, 1))
    index = mem.Index([letters], min_length=14, query_letters=2 * sum(map(len, reads)))
    want = index.find(reads, strands="both")
    assert len(want) > 5000
    for page_letters in (0, 400_000):
        found, pages = on_devices(index, reads, page_letters=page_letters)
        assert pages == (3 if page_letters else 1)
        assert np.array_equal(found, want)
    # The table of the CPU's index would take the half of this memory that a page may have.
    monkeypatch.setenv("GKL_SHIM_DEVICE_MEMORY", "2")
    assert index.information.bytes > 1 << 20
    found, pages = on_devices(index, reads)
    assert 2 <= pages <= 10
    assert np.array_equal(found, want)


@pytest.mark.parametrize(
    ("length", "query_letters", "run"),
    [
        (8, 10**6, ""),
        (8, 10**6, "G" * 10_000),
        (8, 10**6, "NNN"),
        (10, 10**13, "A" * 10_000),
        (10, 10**13, "G" * 10_000),
        (10, 10**13, "N" * 10_000),
    ],
)
def test_every_seed_of_the_reference_is_in_the_index(host, length, query_letters, run) -> None:
    """Each query has as many letters as a match, so one seed less in the index is a match less.

    The seeds are more than two pieces, and the table has several parts: of one section if its
    buckets are those of 8 letters, and of several otherwise. All seeds of a long run are in one
    bucket, and those of G in the last one without odd letters. A few N make a small last section.
    """
    random = np.random.default_rng(12)
    sides = ["".join(random.choice(list("ACGT"), size)) for size in (20_000, 15_000)]
    reference = run.join(sides)
    index = mem.Index(reference, min_length=length, query_letters=query_letters)
    information = index.information
    assert information.seed_letters == (8 if length == 8 else 9)
    assert information.reference_step == 1
    after = 20_000 + max(len(run) - length + 1, 0)
    starts = itertools.chain(range(20_000), range(after, len(reference) - length + 1))
    queries = [reference[start : start + length] for start in starts] + [run[: length + 3]]
    want = index.find(queries)
    assert np.bincount(want["query"])[: len(queries) - 1].min() == 1
    assert len(want) > len(queries) + len(run) * 9 // 10
    found, pages = on_devices(index, queries, strands="forward")
    assert pages == 1
    assert np.array_equal(found, want)


def test_few_seeds_in_a_large_table(host) -> None:
    """A part has many sections then."""
    reference, queries = related(33, 100_000, 3)
    index = mem.Index(reference, min_length=14, query_letters=10**13)
    assert index.information.bytes > 4 << 20
    found, _ = on_devices(index, queries)
    assert np.array_equal(found, index.find(queries, strands="both"))


def test_places_of_large_chunks_are_scanned_in_levels(host) -> None:
    """Two levels of sums: more than 1,024 * 1,024 positions."""
    reference, queries = related(33, 3000, 3)
    index = mem.Index(reference, min_length=20)
    query = "".join(np.random.default_rng(3).choice(list("ACGT"), 1_200_000))
    query += "".join(queries)
    want = index.find(query)
    assert (want["query_start"] > 1_200_000).sum() > 5
    found, _ = on_devices(index, query, strands="forward", chunk_letters=1 << 21, streams=1)
    assert np.array_equal(found, want)


@pytest.mark.parametrize("slow", [False, True])
def test_an_engine_is_used_again(fake_gpus, slow: bool) -> None:
    driver = fake_gpus(kernels="mem", slow=slow)
    reference, queries = related(34, 2000, 6)
    index = mem.Index(reference, min_length=12)
    engine = cuda.Engine()
    for kind, length in (("mem", 12), ("mum", 20), ("mumreference", 13)):
        for part in (queries, queries[:1], []):
            given = mem.native_sequences(part, "queries")
            found = index._open().find(given, length, kind, "both", engine=engine).array()
            want = index.find(part, min_length=length, kind=kind, strands="both")
            assert np.array_equal(found, want)
    # The page is indexed once.
    assert [name.rpartition("::")[2] for _, name in driver.launched].count("sort_parts") == 1
    engine.close()
    assert driver.live == []


@pytest.mark.parametrize(
    ("function", "after", "slow"),
    [
        ("cuMemAlloc_v2", 0, True),
        ("cuLaunchKernel", 3, False),
        ("cuLaunchKernel", 3, True),
        ("cuStreamSynchronize", 3, True),
    ],
)
def test_another_device_takes_over_from_one_that_fails(
    fake_gpus, function: str, after: int, slow: bool
) -> None:
    driver = fake_gpus(2, kernels="mem", slow=slow)
    reference, queries = related(35, 2000, 6)
    want = mem.find(reference, queries, min_length=12, strands="both", backend="cpu")
    # A device that is not lost still does what is in flight.
    driver.fail(function, after, 1, loses=not slow or function == "cuStreamSynchronize")
    # The CPU prepares a borrowed reference only now.
    index = mem.Index(reference_as(after > 0, reference), min_length=12, backend="cuda")
    with pytest.warns(RuntimeWarning, match=f"GPU 1 .* is no longer used: {function}"):
        assert np.array_equal(index.find(queries, strands="both"), want)
    assert driver.failed == {function}
    driver.forget_calls()
    assert np.array_equal(index.find(queries, strands="both"), want)
    assert set(driver.launches) == {0}


def test_the_cpu_takes_over_from_the_last_device(fake_gpus) -> None:
    driver = fake_gpus(2, kernels="mem")
    reference, queries = related(35, 2000, 6)
    index = mem.Index(reference, min_length=12, backend="cuda")
    driver.fail("cuEventRecord", 1, loses=False)
    with pytest.warns(RuntimeWarning) as told:
        found = index.find(queries, strands="both")
    assert np.array_equal(found, mem.find(reference, queries, min_length=12, strands="both"))
    messages = sorted(str(warning.message) for warning in told)
    assert [message.split(";")[-1] for message in messages] == [
        " other devices or the CPU compute its work",
        " other devices or the CPU compute its work",
        " the CPU searches",
    ]
    driver.forget_calls()
    index.find(queries, strands="both")
    assert not driver.launched


def test_an_engine_without_devices_says_so(host) -> None:
    reference, queries = related(39, 2000, 6)
    index = mem.Index(reference, min_length=12)
    engine = cuda.Engine(streams=1)
    given = mem.native_sequences(queries, "queries")
    host.fail("cuEventRecord", 1, loses=False)
    left = pytest.raises(BackendUnavailable, match="no GPU is left")
    with pytest.warns(RuntimeWarning, match="GPU 0 .* is no longer used: cuEventRecord"), left:
        index._open().find(given, 12, "mem", "both", engine=engine)
    with pytest.raises(BackendUnavailable, match="no GPU is left"):
        index._open().find(given, 12, "mem", "both", engine=engine)
    assert engine.devices == ()
    engine.close()
    assert host.live == []


@pytest.mark.parametrize("after", [0, 1, 5])
def test_a_device_that_fails_when_it_is_opened(fake_gpus, after: int) -> None:
    driver = fake_gpus(2, kernels="mem")
    driver.fail("cuStreamCreate", after, 1, loses=False)
    with pytest.raises(BackendUnavailable, match="GPU 1 has failed: cuStreamCreate"):
        cuda.Engine()
    assert driver.live == []


def test_the_command_searches_on_the_chosen_devices(fake_gpus, tmp_path) -> None:
    driver = fake_gpus(2, kernels="mem")
    reference, queries = related(36, 2000, 6)
    (tmp_path / "r.fa").write_bytes(fasta([reference]))
    (tmp_path / "q.fa").write_bytes(fasta(queries, "q"))
    files = [str(tmp_path / name) for name in ("r.fa", "q.fa")]
    want = CliRunner().invoke(command, ["-l", "12", "--backend", "cpu", *files]).stdout_bytes
    options = ["-l", "12", "--backend", "cuda", *files, "--devices"]
    done = CliRunner().invoke(command, [*options, "1"])
    assert (done.exit_code, done.stdout_bytes) == (0, want)
    assert set(driver.launches) == {1}
    done = CliRunner().invoke(command, [*options, "7"])
    assert done.exit_code == 2
    assert "devices: there is no CUDA device 7; there are 2" in done.output


def test_no_length_is_too_large(fake_gpus) -> None:
    """The letters of both texts are sent, whatever the length."""
    text, _ = related(36, 200_000, 0)
    memory = []
    for length in (2**40, 2**63 - 4096, 2**63 - 1):
        driver = fake_gpus(1, kernels="mem")
        index = mem.Index(text, min_length=length)
        found, _ = on_devices(index, text, chunk_letters=1 << 18, streams=1)
        assert len(index.find(text)) == len(found) == 0
        memory.append(driver.most_memory)
    assert memory[0] == memory[1] == memory[2]
