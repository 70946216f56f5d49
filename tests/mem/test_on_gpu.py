"""Maximal exact matches on a device: the CPU engine's matches."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from benchmarks.common.genomes import PAPER, Shape, generated, mutated
from gkl_shim import mem
from gkl_shim.cuda.devices import device_count
from gkl_shim.mem import _cuda as cuda
from tests.mem.sequences import pair
from tests.mem.test_mummer import genome

pytestmark = pytest.mark.usefixtures("gpu")


@pytest.fixture(scope="module")
def engine():
    made = cuda.Engine()
    yield made
    made.close()


@settings(max_examples=200, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(
    pair(200),
    st.sampled_from([1, 2, 3, 5, 12, 20]),
    st.sampled_from(["mem", "mumreference", "mum"]),
    st.booleans(),
)
def test_repetitive_sequences(engine, sequences, length: int, kind: mem.Kind, only: bool) -> None:
    references, queries = sequences
    index = mem.Index(references, min_length=length, nucleotides_only=only, backend="cpu")
    want = index.find(queries, kind=kind, strands="both")
    given = mem.native_sequences(queries, "queries")
    found = index._open().find(given, length, kind, "both", engine=engine).array()
    assert np.array_equal(found, want)


@pytest.mark.parametrize("shape", PAPER, ids=lambda shape: f"{shape.name}-{shape.min_length}")
@pytest.mark.parametrize("pages", [1, 3])
@pytest.mark.parametrize("kind", ["mem", "mum"])
def test_workloads_of_the_paper(shape, pages: int, kind: mem.Kind) -> None:
    workload = generated(shape.smaller(5))
    options = {"min_length": shape.min_length, "kind": kind, "strands": "both"}
    arrays = (workload.queries, workload.offsets)
    reference = [workload.reference]
    want = mem.find(reference, arrays, backend="cpu", **options)
    index = mem.Index(reference, min_length=shape.min_length, backend="cpu")
    letters = -(-len(workload.reference) // pages)
    engine = cuda.Engine(page_letters=letters + 1)
    given = mem.native_sequences(arrays, "queries")
    matches = index._open().find(given, shape.min_length, kind, "both", engine=engine)
    found = matches.array()
    assert matches.pages == pages
    engine.close()
    assert len(found) == len(want)
    assert np.array_equal(found, want)


@pytest.mark.parametrize("only", [False, True])
@pytest.mark.parametrize("chunk_letters", [100, 5000, 60_000])
def test_queries_that_are_longer_than_a_chunk(chunk_letters: int, only: bool) -> None:
    """They are divided. Those around them are not, and may be empty."""
    random = np.random.default_rng(chunk_letters)
    reference = random.choice(np.frombuffer(b"acgtACGT", np.uint8), 150_000)
    for start in random.integers(0, len(reference) - 40, 200):
        reference[start : start + 40] = random.choice(np.frombuffer(b"NNRyk", np.uint8), 40)
    copy = mutated(reference, 3, 0.02, 9)
    queries = [copy[:50], copy[:0], copy, copy[-70:], reference[:99_000], copy[:0]]
    index = mem.Index([reference], min_length=14, nucleotides_only=only, backend="cpu")
    want = index.find(queries, strands="both")
    engine = cuda.Engine(chunk_letters=chunk_letters)
    given = mem.native_sequences(queries, "queries")
    found = index._open().find(given, 14, "mem", "both", engine=engine).array()
    engine.close()
    assert len(found) == len(want) > 900
    assert np.array_equal(found, want)


def test_every_number_of_devices() -> None:
    workload = generated(PAPER[0])
    arrays = (workload.queries, workload.offsets)
    want = mem.find([workload.reference], arrays, strands="both", backend="cpu")
    for count in range(1, device_count() + 1):
        devices = list(range(count))
        found = mem.find(
            [workload.reference], arrays, strands="both", backend="cuda", devices=devices
        )
        assert np.array_equal(found, want)


def test_a_large_reference_is_divided_among_the_devices() -> None:
    workload = generated(Shape("large", 1 << 26, 20_000, 150, 20, both_strands=True))
    index = mem.Index([workload.reference], backend="cpu")
    want = index.find((workload.queries, workload.offsets), strands="both")
    engine = cuda.Engine()
    matches = index._open().find(workload.sequences, 20, "mem", "both", engine=engine)
    found = matches.array()
    assert matches.pages == device_count()
    engine.close()
    assert len(found) == len(want) > 100_000
    assert np.array_equal(found, want)


@pytest.mark.parametrize("kind", ["mem", "mumreference", "mum"])
def test_ecoli_against_a_mutated_copy(engine, kind: mem.Kind) -> None:
    letters = genome("NC_008253_ecoli536.fa.gz")
    copy = mutated(letters, 1, 0.02, 20)
    index = mem.Index([letters], backend="cpu")
    want = index.find([copy], kind=kind, strands="both")
    given = mem.native_sequences([copy], "queries")
    found = index._open().find(given, 20, kind, "both", engine=engine).array()
    assert len(found) == len(want) > 50_000
    assert np.array_equal(found, want)


def test_a_run_of_a_against_itself(engine) -> None:
    """Nothing is dropped where one bucket holds the whole reference."""
    reference = np.full(20_000, ord("A"), np.uint8)
    index = mem.Index([reference], min_length=20, backend="cpu")
    want = index.find([reference])
    given = mem.native_sequences([reference], "queries")
    assert np.array_equal(
        index._open().find(given, 20, "mem", "forward", engine=engine).array(), want
    )


@pytest.mark.parametrize("query_letters", [0, 10**13])
@pytest.mark.parametrize("run", ["A", "N"])
def test_a_long_run_of_one_letter(engine, run: str, query_letters: int) -> None:
    """All its seeds are in one bucket. The parts of the others have a section each, or several."""
    sides = np.random.default_rng(7).choice(np.frombuffer(b"ACGT", np.uint8), (2, 5_000_000))
    reference = np.concatenate([sides[0], np.full(3_000_000, ord(run), np.uint8), sides[1]])
    queries = [reference[start : start + 20] for start in range(0, 5_000_000, 53)]
    queries += [np.full(25, ord(run), np.uint8), sides[0][-15:], reference[4_999_900:5_000_010]]
    index = mem.Index([reference], min_length=20, backend="cpu", query_letters=query_letters)
    want = index.find(queries)
    given = mem.native_sequences(queries, "queries")
    found = index._open().find(given, 20, "mem", "forward", engine=engine).array()
    assert len(found) == len(want) > 3_000_000
    assert np.array_equal(found, want)
