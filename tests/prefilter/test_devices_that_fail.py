"""The prefilter on devices that fail, with several callers, interrupted, and closed.

The stand-in driver runs the kernels on the host, and checks all use of memory. What all algorithms
share is tested in tests/gpu/test_runtime.py.
"""

from __future__ import annotations

import gc
import time
import warnings
import weakref
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from gkl_shim.prefilter import Prefilter, Sequences, edits
from gkl_shim.prefilter import _cuda as engine
from gkl_shim.prefilter._engine import Candidates
from gkl_shim.prefilter._sequences import contig_sequences
from tests.fakes.driver import FALLIBLE
from tests.prefilter.simulate import undefined_and_mixed
from tests.prefilter.test_api import CONTIGS, reads_of_contigs

MAX_EDITS = 5


@pytest.fixture(scope="module")
def pairs():
    reads, segments = undefined_and_mixed(2000, "exact")
    return reads, segments, edits(reads, segments, MAX_EDITS, backend="cpu")


@pytest.fixture(scope="module")
def candidates():
    """Arguments of resident() and of its edits(), and the results."""
    reads, places, reverse, _ = reads_of_contigs()
    arguments = (places[:, 0], places[:, 2], places[:, 1], reverse)
    with Prefilter(MAX_EDITS, mode="infix", backend="cpu") as prefilter:
        return (reads, CONTIGS), arguments, prefilter.resident(reads, CONTIGS).edits(*arguments)


def said(warning) -> str:
    return str(warning.message)


@pytest.mark.parametrize("after", [0, 1, 7])
@pytest.mark.parametrize("name", FALLIBLE)
def test_every_function_that_fails(fake, pairs, candidates, name, after):
    """One warning, the same results, and nothing is left behind."""
    driver = fake(slow=True)
    with (
        warnings.catch_warnings(record=True) as told,
        Prefilter(MAX_EDITS, backend="cuda") as one,
        Prefilter(MAX_EDITS, mode="infix", backend="cuda") as other,
    ):
        warnings.simplefilter("always")
        sides, arguments, want = candidates
        driver.fail(name, after)
        resident = other.resident(*sides)
        for _ in range(2):
            np.testing.assert_array_equal(one.edits(*pairs[:2]), pairs[2])
            assert driver.in_flight == 0
            np.testing.assert_array_equal(resident.edits(*arguments), want)
            assert driver.in_flight == 0
        # Few streams and events are made.
        assert name in driver.failed or after == 7
        # Two engines have the same device, and each gives it up.
        assert len(told) <= 2
        assert bool(told) == (name in driver.failed)
        for warning in told:
            assert said(warning).startswith("gkl-shim: GPU 0 (fake 0) is no longer used: ")
            assert "is no longer used: cu" in said(warning)
    # Where a context cannot be made current, nothing can be freed.
    if name != "cuCtxPushCurrent_v2":
        assert driver.live == []


@pytest.mark.parametrize("after", range(8))
def test_memory_that_is_lacking_for_resident_sequences(fake, candidates, after):
    """Copies to memory that is freed then are not in flight any more."""
    driver = fake(slow=True, fail={"cuMemAlloc_v2": after})
    (reads, contigs), arguments, want = candidates
    encoded = Sequences.from_arrays(
        np.frombuffer(b"".join(reads), np.uint8), np.cumsum([0, *map(len, reads)])
    ).encoded()
    driver.pin(encoded.raw.low)
    driver.pin(encoded.raw.high)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with Prefilter(MAX_EDITS, mode="infix", backend="cuda") as prefilter:
            # Public functions copy what they keep; the copy would not be pinned.
            resident = prefilter._devices.engine.resident(encoded, contig_sequences(contigs))
            which, where, on = (array[~arguments[3]] for array in arguments[:3])
            out = np.empty(len(which), np.int16)
            forward = Candidates(which.astype(np.int32), where, on.astype(np.int32), None)
            resident.compute(forward, out)
            np.testing.assert_array_equal(out, want[~arguments[3]])
    assert driver.live == []


def test_a_new_block_is_set(fake, pairs):
    """All of it, because later chunks lay out their padding elsewhere."""
    driver = fake()
    with Prefilter(MAX_EDITS, backend="cuda", encode="host") as prefilter:
        for prefilter._devices.engine.chunk_pairs in (50, 100):
            np.testing.assert_array_equal(prefilter.edits(*pairs[:2]), pairs[2])
    smallest_block = 1 << 16
    assert max(driver.fills) == smallest_block


def test_closed_before_the_resident_sequences(fake, candidates):
    """Closing frees the device's memory, and use afterwards is an error."""
    driver = fake(2)
    sides, arguments, want = candidates
    prefilter = Prefilter(MAX_EDITS, mode="infix", backend="cuda")
    resident, unused = prefilter.resident(*sides), prefilter.resident(*sides)
    np.testing.assert_array_equal(resident.edits(*arguments), want)
    native, on_devices = prefilter._devices.engine, next(iter(resident._on.values()))
    prefilter.close()
    assert driver.live == []
    for each in (resident, unused):
        with pytest.raises(ValueError, match="this Prefilter is closed"):
            each.edits(*arguments)
    out = np.empty(1, np.int16)
    one = np.zeros(1, np.int32)
    with pytest.raises(ValueError, match="the engine is closed"):
        on_devices.compute(Candidates(one, one, one, None), out)
    some = Sequences.from_matrix(np.full((1, 9), ord("A"), np.uint8))
    with pytest.raises(ValueError, match="the engine is closed"):
        native.compute(some, some, out)
    with pytest.raises(ValueError, match="the engine is closed"):
        native.resident(some, some)
    native.close()
    del resident, unused, on_devices
    gc.collect()


def test_arrays_of_resident_sequences_last_as_long_as_a_call(fake, candidates, monkeypatch):
    """Another thread may meanwhile ask for the other strand, which replaces them."""
    fake(2)
    (reads, contigs), arguments, want = candidates
    forward = ~arguments[3]
    run = engine.Engine.run
    with Prefilter(MAX_EDITS, mode="infix", backend="cuda") as prefilter:
        resident = prefilter.resident(reads, contigs)

        def both_strands_first(self, *given):
            monkeypatch.setattr(engine.Engine, "run", run)
            on_devices = next(iter(resident._on.values()))
            (forward_only,) = on_devices._opened.values()
            kept = weakref.ref(forward_only[1].raw.low)
            del forward_only
            np.testing.assert_array_equal(resident.edits(*arguments), want)
            gc.collect()
            assert kept() is not None
            run(self, *given)

        monkeypatch.setattr(engine.Engine, "run", both_strands_first)
        got = resident.edits(*(array[forward] for array in arguments[:3]))
        np.testing.assert_array_equal(got, want[forward])


def test_two_threads_share_resident_sequences(fake, candidates, monkeypatch):
    """They are put on a device once."""
    fake()
    sides, arguments, want = candidates
    made = []
    resident_of = engine.Engine.resident

    def slowly(*given):
        made.append(given)
        time.sleep(0.2)
        return resident_of(*given)

    monkeypatch.setattr(engine.Engine, "resident", slowly)
    with (
        Prefilter(MAX_EDITS, mode="infix", backend="cuda") as prefilter,
        ThreadPoolExecutor(4) as pool,
    ):
        resident = prefilter.resident(*sides)
        for got in pool.map(lambda _: resident.edits(*arguments), range(4)):
            np.testing.assert_array_equal(got, want)
    assert len(made) == 1
