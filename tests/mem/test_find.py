"""The matches that the library finds, against a comparison of every pair of positions."""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
import weakref
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gkl_shim import mem
from gkl_shim.errors import FormatError
from gkl_shim.mem._native_mem import Part
from tests.conftest import ROOT
from tests.mem import oracle
from tests.mem.sequences import pair, reference_as

FIELDS = list(oracle.Match._fields)


def as_tuples(found: np.ndarray) -> list[tuple]:
    """Return matches in the oracle's form."""
    return found[FIELDS].tolist()


@settings(max_examples=300, deadline=None)
@given(
    pair(),
    st.sampled_from([1, 2, 3, 5, 8, 12, 20]),
    st.sampled_from(["mem", "mumreference", "mum"]),
    st.sampled_from(["forward", "reverse", "both"]),
    st.booleans(),
    st.data(),
)
def test_same_matches_as_comparing_all_positions(
    sequences, min_length: int, kind, strands, only, data: st.DataObject
) -> None:
    references, queries = sequences
    index = mem.Index(
        reference_as(data.draw(st.booleans(), "borrowed"), references),
        # An index for shorter matches, pages of any size, kept or not, and any choice of seeds.
        min_length=data.draw(st.integers(max(min_length - 6, 1), min_length)),
        nucleotides_only=only,
        page_letters=data.draw(st.sampled_from([0, 1, 2, 7, 50])),
        memory=data.draw(st.sampled_from([0, 1])),
        query_letters=data.draw(st.sampled_from([0, 1, 10**12])),
        threads=data.draw(st.sampled_from([1, 2])),
    )
    want = oracle.find(references, queries, min_length, kind, strands, only)
    found = index.find(queries, min_length=min_length, kind=kind, strands=strands)
    assert as_tuples(found) == want


@settings(max_examples=200, deadline=None)
@given(
    pair(),
    st.sampled_from([1, 2, 5, 12]),
    st.sampled_from(["forward", "reverse", "both"]),
    st.sampled_from([1, 2, 7, 100, 10**6]),
    st.sampled_from([0, 7, 50]),
    st.booleans(),
    st.sampled_from([1, 2]),
)
def test_parts_of_a_query_have_its_matches(
    sequences, min_length: int, strands, most: int, page: int, resident: bool, threads: int
) -> None:
    references, queries = sequences
    index = mem.Index(
        references,
        min_length=min_length,
        page_letters=page,
        memory=0 if resident else 1,
        threads=threads,
    )
    for query in queries:
        given = mem.native_sequences(query, "query")
        parts = index.in_parts(given, min_length, "mem", strands, most)
        found = np.concatenate([part.array() for part in parts])
        want = oracle.find(references, [query], min_length, "mem", strands)
        # What is searched in one piece has the order of the whole.
        assert as_tuples(found) == want


def dense(letters: int, seed: int) -> str:
    """Letters that match everywhere."""
    return "".join(np.random.default_rng(seed).choice(list("AC"), letters))


@pytest.mark.parametrize("pages", [1, 3])
def test_parts_hold_about_as_many_matches_as_wanted(pages: int) -> None:
    reference, query = dense(3000, 1), "N" * 150_000 + dense(3000, 2) + "N" * 150_000
    index = mem.Index(reference, min_length=5, page_letters=3001 // pages + 1)
    given = mem.native_sequences(query, "query")
    parts = [part.array() for part in index.in_parts(given, 5, "mem", "both", 2_000)]
    assert (np.concatenate(parts) == index.find(query, strands="both")).all()
    sizes = [len(part) for part in parts]
    assert sum(sizes) > 100_000
    # A position has about 50 matches, and matches are counted 128 candidates at a time.
    assert max(sizes) <= 2_200
    assert len(sizes) < 4 * sum(sizes) / 2_000


@pytest.mark.parametrize("most", [1, 300, 10**6])
@pytest.mark.parametrize(("first", "last"), [(0, 1000), (137, 1000), (999, 1001), (2900, 3000)])
def test_a_part_has_all_matches_up_to_its_end(first: int, last: int, most: int) -> None:
    index, query = mem.Index(dense(300, 1), min_length=5), dense(3000, 2)
    given = mem.native_sequences(query, "query")
    part = index._open().find(given, 5, "mem", "forward", Part(first, last, most))
    assert first < part.end <= last
    want = index.find(query)
    want = want[(first <= want["query_start"]) & (want["query_start"] < part.end)]
    assert len(want) > 0
    assert part.array().tolist() == want.tolist()


def test_memory_does_not_hold_all_matches_of_a_query(tmp_path: Path) -> None:
    code = """
import re, sys
from pathlib import Path
from gkl_shim import mem
from tests.mem.test_find import dense
most = int(sys.argv[1])
index = mem.Index(dense(4000, 1), min_length=4)
query = mem.native_sequences(dense(60_000, 2), "query")
print(sum(len(part) for part in index.in_parts(query, 4, "mem", "forward", most)))
print(int(re.search(r"VmHWM:\\s+(\\d+)", Path("/proc/self/status").read_text())[1]) // 1024)
"""
    counts, peaks = set(), {}
    for most in (1 << 16, 1 << 30):
        command = [sys.executable, "-c", code, str(most)]
        environment = os.environ | {"PYTHONPATH": os.pathsep.join([*sys.path, str(ROOT)])}
        done = subprocess.run(
            command, cwd=tmp_path, env=environment, capture_output=True, check=True
        )
        count, peaks[most] = map(int, done.stdout.split())
        counts.add(count)
    # All of them take 170 MiB.
    assert len(counts) == 1
    assert counts.pop() > 7_000_000
    assert peaks[1 << 16] < peaks[1 << 30] - 150


def related(seed: int, letters: int, queries: int) -> tuple[str, list[str]]:
    """A random reference, and queries of changed parts of it."""
    random = np.random.default_rng(seed)
    reference = random.choice(list("ACGT"), letters)
    parts = []
    for _ in range(queries):
        start, end = np.sort(random.integers(0, letters + 1, 2))
        part = reference[start:end].copy()
        changed = random.random(len(part)) < 0.05
        part[changed] = random.choice(list("ACGTN"), changed.sum())
        parts.append("".join(part))
    return "".join(reference), parts


@pytest.mark.parametrize("min_length", [8, 11, 14, 25, 60])
def test_every_choice_of_seeds_finds_the_same(min_length: int) -> None:
    reference, queries = related(min_length, 700, 3)
    want = oracle.find([reference], queries, min_length, strands="both")
    seen = set()
    for query_letters in [1, 10**3, 10**5, 10**7, 10**10, 10**14]:
        index = mem.Index(reference, min_length=min_length, query_letters=query_letters)
        seen.add((index.information.seed_letters, index.information.reference_step))
        assert as_tuples(index.find(queries, strands="both")) == want
    assert len(seen) > 1


@pytest.mark.parametrize(("kind", "threads"), [("mem", 2), ("mumreference", 1), ("mum", 2)])
def test_parts_and_pages_of_long_sequences_agree(kind: mem.Kind, threads: int) -> None:
    # The query is searched in parts of 2^17 letters, and has repeats across their borders.
    reference, _ = related(3, 300_000, 0)
    query = reference[:200_000] + reference[50_000:120_000] + reference[5_000:250_000]
    whole = mem.find(reference, query, kind=kind, strands="both", threads=threads)
    assert len(whole) > (1 if kind == "mum" else 2)
    for start, end, length in whole[["query_start", "reference_start", "length"]].tolist():
        letters = query[start : start + length]
        assert letters == reference[end : end + length]
    for memory in (0, 1):
        pages = mem.Index(reference, page_letters=40_000, memory=memory, threads=threads)
        assert pages.information.pages == 8
        assert pages.information.resident == (memory == 0)
        assert (pages.find(query, kind=kind, strands="both") == whole).all()


def test_uniqueness_holds_across_pages() -> None:
    part = related(9, 50, 0)[0]
    reference = part + related(10, 400, 0)[0] + part
    index = mem.Index(reference, page_letters=100)
    assert index.information.pages == 6
    assert len(index.find(part)) == 2
    assert len(index.find(part, kind="mumreference")) == 0
    assert len(index.find(reference[30:90], kind="mumreference")) == 1


def test_many_repeated_matches_do_not_hide_unique_ones() -> None:
    """A slice of a query drops repeated matches each time it has 2^20."""
    reference, query = dense(3000, 3), dense(30_000, 4)
    index = mem.Index(reference, min_length=5)
    every = index.find(query)
    assert len(every) > 1 << 20
    assert min(Counter(reference[k : k + 7] for k in range(2994)).values()) > 1
    want = []
    for match in every[every["length"] > 7].tolist():
        letters = query[match[2] : match[2] + match[5]]
        if reference.find(letters, reference.find(letters) + 1) < 0:
            want.append(match)
    assert len(want) > 1000
    assert index.find(query, kind="mumreference").tolist() == want


def test_many_matches_are_copied_and_written_in_order() -> None:
    """Tasks copy 16,384 matches of each strand, and format 8,192 lines."""
    random = np.random.default_rng(8)
    reference = "".join(random.choice(list("AT"), 800))
    queries = ["", *("".join(random.choice(list("AT"), 20)) for _ in range(30)), ""]
    index = mem.Index(reference, min_length=3, threads=2)
    want = oracle.find([reference], queries, 3, strands="both")
    assert len(want) > 2 * 16_384 * 1.5
    assert as_tuples(index.find(queries, strands="both")) == want
    lines = {(k, reverse): [] for k in range(len(queries)) for reverse in (False, True)}
    for match in want:
        positions = match.reference_start + 1, match.query_start + 1, match.length
        lines[match.query, match.reverse].append("".join(f"{each:8}  " for each in positions)[:-2])
    text = [
        "\n".join([f"> q{k}{' Reverse' * reverse}", *body, ""])
        for (k, reverse), body in lines.items()
    ]
    assert b"".join(lines_of(index, queries, "both")).decode() == "".join(text)


def lines_of(
    index: mem.Index, queries: list[str], strands: mem.Strands = "forward", **options: bool
) -> list[bytes]:
    """Return mummer's lines, in pieces, for queries named q0, q1 and so on."""
    names = mem.native_sequences([f"q{k}" for k in range(len(queries))], "names")
    given = mem.native_sequences(queries, "queries")
    matches = index.matches(given, index.information.min_length, "mem", strands)
    pieces = matches.lines(mem.native_sequences(["r"], "names"), names, **options)
    return [bytes(piece) for piece in pieces]


def matches_of_runs(reference: int, query: int, least: int) -> list[tuple[int, int, int]]:
    """Return the matches of two runs of one letter: where they start, and their length.

    Each of them begins at the first letter of one of the runs.
    """
    starts = [(r, 0) for r in range(reference)] + [(0, q) for q in range(1, query)]
    found = [(r, q, min(reference - r, query - q)) for r, q in starts]
    return [match for match in found if match[2] >= least]


def test_more_lines_than_are_written_together() -> None:
    """A piece has 2^19 lines at most, and tasks format 2^12 of them."""
    queries = ["A" * 30] * 1000
    pieces = lines_of(mem.Index("A" * 600), queries)
    found = matches_of_runs(600, 30, 20)
    body = "".join(f"{r + 1:8}  {q + 1:8}  {n:8}\n" for r, q, n in found)
    want = "".join(f"> q{k}\n{body}" for k in range(len(queries)))
    assert want.count("\n") > 1 << 19
    assert b"".join(pieces).decode() == want
    assert len(pieces) > 1


@pytest.mark.parametrize("length", [9000, 20_000])
def test_long_substrings_are_written_in_pieces(length: int) -> None:
    """Pieces end at 32 MiB. The second case has 78 MB of text in its first 4,096 lines."""
    least = length - 2200
    index = mem.Index("A" * length, min_length=least)
    pieces = lines_of(index, ["A" * length], substrings=True)
    found = matches_of_runs(length, length, least)
    body = "".join(f"{r + 1:8}  {q + 1:8}  {n:8}\n{'a' * n}\n" for r, q, n in found)
    assert b"".join(pieces).decode() == "> q0\n" + body
    assert max(map(len, pieces)) <= 1 << 25


def test_positions_of_nine_digits_are_written() -> None:
    """Numbers of up to eight digits are written in another way."""
    query, starts = "GATTACAGATTACAGGCATC", (99_999_900, 99_999_999, 100_000_100)
    reference = np.full(starts[-1] + 20, ord("N"), np.uint8)
    for start in starts:
        reference[start - 1 : start + 19] = np.frombuffer(query.encode(), np.uint8)
    given = reference, np.array([0, len(reference)])
    # Few queries, so few seeds: the index is not what is tested.
    index = mem.Index(given, nucleotides_only=True, query_letters=1)
    want = "".join(f"{start:8}  {1:8}  {20:8}\n" for start in starts)
    assert b"".join(lines_of(index, [query])).decode() == "> q0\n" + want


def test_repeated_searches_take_no_more_memory(tmp_path: Path) -> None:
    """Large blocks of memory are used again, whatever their sizes."""
    code = """
import resource
import numpy as np
from gkl_shim import mem
letters = np.random.default_rng(1).choice(np.frombuffer(b"ACGT", np.uint8), 6_000_000)
peaks = []
for k in range(16):
    part = letters[: 4_500_000 + 100_000 * ((7 * k) % 16)]
    mem.find([part], [part], threads=2, strands="both")
    peaks.append(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
print(peaks[-1] / peaks[3])
"""
    command = [sys.executable, "-c", code]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, check=True)
    # Blocks of 1 GiB are kept, but these are of few sizes.
    assert float(done.stdout) < 2


def test_a_run_of_n_does_not_hide_or_match_nucleotides() -> None:
    reference = "N" * 3000 + "GATTACAGATTACAGGCATC" + "N" * 3000
    query = "G" * 40 + "GATTACAGATTACAGGCATC" + "N" * 20
    found = mem.find(reference, query, min_length=20)
    assert as_tuples(found) == oracle.find([reference], [query], 20)
    only = mem.find(reference, query, min_length=20, nucleotides_only=True)
    assert as_tuples(only) == [(0, False, 40, 0, 3000, 20)]


@pytest.mark.parametrize("start", [0, 300_000, 599_900])
def test_other_letters_anywhere_in_a_long_reference_match(start: int) -> None:
    """Threads count the letters other than acgt in pieces of 2^18."""
    random = np.random.default_rng(12)
    part = "".join(random.choice(list("DEFHIKLM"), 100))
    letters = "".join(random.choice(list("ACGT"), 600_000 - 100))
    reference = letters[:start] + part + letters[start:]
    found = mem.find(reference, part, threads=2)
    assert as_tuples(found) == [(0, False, 0, 0, start, 100)]


def test_input_forms_are_equal() -> None:
    want = mem.find(["ACGTTGCA", "GGACGT"], ["TACGTA"], min_length=3)
    letters = np.frombuffer(b"acgttgcaggacgt", np.uint8)
    offsets = np.array([0, 8, 14])
    for reference in ([b"ACGTTGCA", b"GGACGT"], (letters, offsets), [letters[:8], "ggacgt"]):
        for queries in ("TACGTA", [b"tacgta"], np.frombuffer(b"TACGTA", np.uint8)):
            assert (mem.find(reference, queries, min_length=3) == want).all()
    assert len(mem.find([], ["ACGT"], min_length=1)) == 0
    assert len(mem.find(["ACGT"], [], min_length=1)) == 0
    assert len(mem.find(["", ""], ["", "ACGT"], min_length=1)) == 0


def test_bytes_that_are_no_letters_match_nothing() -> None:
    every = np.arange(256, dtype=np.uint8)
    found = mem.find([every], [every], min_length=100)
    # Upper case equals lower case, so that the match begins at any byte.
    assert found["length"].max() == 252
    ends = every[-4:]
    assert len(mem.find([ends], [ends], min_length=1, strands="both")) == 0


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"min_length": 0}, "min_length is 0, not a whole number from 1 on"),
        ({"min_length": 2.5}, "min_length is 2.5, not a whole number from 1 on"),
        ({"nucleotides_only": "x"}, "nucleotides_only is 'x', not True or False"),
        ({"kind": "all"}, "kind is 'all', not one of mem, mumreference, mum"),
        ({"strands": "+"}, "strands is '\\+', not one of forward, reverse, both"),
        ({"reference": None}, "reference: expected a sequence of them, got None"),
        ({"reference": {"A": "A"}}, "reference: expected a sequence of them, got a dict; give "),
        ({"queries": [1]}, "queries: sequence 0: expected bytes, str or a uint8 array, got int"),
    ],
)
def test_wrong_arguments_are_named(arguments: dict, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        mem.find(**({"reference": "ACGT", "queries": "ACGT"} | arguments))


def test_an_index_finds_only_matches_of_its_length() -> None:
    index = mem.Index("ACGTACGT" * 9, min_length=12)
    with pytest.raises(ValueError, match="min_length is 11, not a whole number from 12 on"):
        index.find("ACGT", min_length=11)


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"page_letters": 99},
        {"page_letters": 99, "memory": 1},
        {"nucleotides_only": True},
    ],
)
def test_a_saved_index_finds_the_same(tmp_path: Path, options: dict) -> None:
    reference, queries = related(5, 900, 4)
    index = mem.Index([reference, "NNACGTN", ""], min_length=10, **options)
    index.save(tmp_path / "index")
    loaded = mem.Index.load(tmp_path / "index")
    assert loaded.information == index.information
    for kind in ("mem", "mumreference", "mum"):
        want = index.find(queries, kind=kind, strands="both")
        assert len(want)
        assert (loaded.find(queries, kind=kind, strands="both") == want).all()
    assert [path.name for path in tmp_path.iterdir()] == ["index"]


def test_a_damaged_index_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "index"
    mem.Index(related(5, 300, 0)[0] + "NN", min_length=10, page_letters=99).save(file)
    whole = file.read_bytes()
    random = np.random.default_rng(1)
    damaged = [b"", whole[:7], whole[:-1], whole + b"x", b"x" + whole]
    for at in [*range(0, 160), *random.integers(0, len(whole), 300)]:
        changed = bytearray(whole)
        changed[at] ^= 1 << random.integers(0, 8)
        damaged.append(bytes(changed))
    for content in damaged:
        file.write_bytes(content)
        with pytest.raises(FormatError, match="index: the bytes are not an index"):
            mem.Index.load(file)


def with_checksum(pieces: list[bytes]) -> bytes:
    """Return a saved index of these pieces, with the checksum of all words from the third on."""

    def mixed(value: int) -> int:
        return (value ^ value >> 32) * 0x9E3779B97F4A7C15 % 2**64

    total = 0
    for number, piece in enumerate(pieces):
        at = 16 if number == 0 else 0
        whole = at + (len(piece) - at) // 8 * 8
        for word in np.frombuffer(piece[at:whole], "<u8").tolist():
            total = mixed(total ^ word)
        for byte in piece[whole:]:
            total = mixed(total ^ byte)
        total = mixed(total ^ len(piece))
    data = b"".join(pieces)
    return data[:8] + total.to_bytes(8, "little") + data[16:]


@pytest.mark.parametrize(
    ("piece", "place", "value"),
    [
        (0, 7, 29),  # letters of a seed
        (0, 8, 0),  # bits of the table
        (0, 8, -1),
        (0, 9, 32),  # bits of the table of letters other than acgt
        (0, 10, 99),  # step in the reference
        (0, 12, 0),  # letters of a page
        (2, 1, 0),  # where the first sequence ends
        (4, 1, 1 << 20),  # where a bucket ends
        (5, 0, 1 << 20),  # the position of a seed
    ],
)
def test_an_index_that_does_not_fit_together_is_refused(
    tmp_path: Path, piece: int, place: int, value: int
) -> None:
    """Its checksum is right."""
    index = mem.Index(["ACGTTGCATTACG" * 5, "GATTACA"], min_length=10)
    pieces = [bytes(each) for each in index._open().pieces()]
    file = tmp_path / "index"
    file.write_bytes(with_checksum(pieces))
    assert mem.Index.load(file).information == index.information
    numbers = np.frombuffer(pieces[piece], "<i8" if piece < 4 else "<u4").copy()
    numbers[place] = value
    pieces[piece] = numbers.tobytes()
    if (piece, place) == (0, 8):  # a table of one bucket, which holds all seeds
        pieces[4] = np.array([0, len(pieces[5]) // 4], "<u4").tobytes()
    file.write_bytes(with_checksum(pieces))
    with pytest.raises(FormatError, match="the bytes are not an index"):
        mem.Index.load(file)


def test_a_closed_index_refuses_calls_and_frees_its_memory(tmp_path) -> None:
    with mem.Index("ACGTACGT", min_length=5) as index:
        native = weakref.ref(index._open())
        assert len(index.find("ACGTA")) == 1
    assert native() is None
    for call in (lambda: index.find("ACGTA"), lambda: index.save(tmp_path / "i"),
                 lambda: index.is_of("A"), lambda: index.information):  # fmt: skip
        with pytest.raises(ValueError, match="this Index is closed"):
            call()
    assert list(tmp_path.iterdir()) == []
    index.close()


def test_a_search_finishes_while_another_thread_closes_the_index(monkeypatch) -> None:
    index = mem.Index("ACGTACGT", min_length=5)

    @contextlib.contextmanager
    def closing(*_: object) -> Iterator[None]:
        index.close()
        yield

    monkeypatch.setattr(index._devices, "for_call", closing)
    assert len(index.find("ACGTA")) == 1
    with pytest.raises(ValueError, match="this Index is closed"):
        index.find("ACGTA")
