"""The C ABI from C: what it refuses, and the library for aarch64 under emulation."""

from __future__ import annotations

from pathlib import Path

import pytest

from gkl_shim.common import _native
from gkl_shim.prefilter import ABOVE, UNDEFINED, edits
from tests import native_driver
from tests.common.arguments import Handles, refusal
from tests.prefilter import simulate

CASES = [
    ("exact", "global", 0),
    ("exact", "global", 5),
    ("exact", "global", 40),
    ("exact", "global", 150),
    ("exact", "infix", 12),
    ("exact", "prefix", 7),
    ("gatekeeper", "global", 5),
]


@pytest.fixture(scope="module")
def pairs(tmp_path_factory) -> tuple[Path, list[bytes], list[bytes]]:
    reads, segments = simulate.pairs(600, seed=7)
    reads[::50] = [read[:-1] + b"N" for read in reads[::50]]
    path = tmp_path_factory.mktemp("pairs") / "pairs.tsv"
    write(path, reads, segments)
    return path, reads, segments


def write(path: Path, reads: list[bytes], segments: list[bytes]) -> None:
    lines = (b"%s\t%s\n" % pair for pair in zip(reads, segments, strict=True))
    path.write_bytes(b"".join(lines))


def run(program: list[str], *arguments: object) -> list[int]:
    return [int(line) for line in native_driver.run(program, *arguments).splitlines()]


@pytest.mark.parametrize(("machine", "builds"), [
    ("native", _native.builds()),
    ("aarch64", ("neon", "portable")),
])  # fmt: skip
@pytest.mark.parametrize(("method", "mode", "max_edits"), CASES)
def test_every_build_gives_the_same_edits_from_c(
    pairs, tmp_path, request, machine, builds, method, mode, max_edits
):
    program = request.getfixturevalue(machine)
    path, reads, segments = pairs
    if method == "gatekeeper":
        segments = [(s * len(r))[: len(r)] for r, s in zip(reads, segments, strict=True)]
        path = tmp_path / "pairs.tsv"
        write(path, reads, segments)
    want = edits(reads, segments, max_edits, method=method, mode=mode).tolist()
    assert len(set(want)) > 2
    for build in builds:
        assert run(program, path, build, method, mode, max_edits, 2) == want


UNTOUCHED = 77


def compute(reads, segments, pairs=2, results=True, **options):
    """Return what the C function computes, or the message with which it refuses its arguments.

    The two structs are given by their fields, with a list for an array.
    """
    h = Handles()
    options = h.new("gkl_shim_prefilter_options *", {"max_edits": 3, **options})
    handle = h.opened("prefilter", "prefilter_open", options)
    kinds = {"letters": "uint8_t[]", "starts": "int64_t[]", "lengths": "int32_t[]"}

    def struct(fields):
        if fields is None:
            return h.ffi.NULL
        made = h.new("gkl_shim_prefilter_sequences *")
        for name, value in fields.items():
            is_array = isinstance(value, (list, bytes))
            setattr(made, name, h.new(kinds.get(name, "uint32_t[]"), value) if is_array else value)
        return made

    out = h.new("int16_t[]", [UNTOUCHED] * 3)
    sides = struct(reads), struct(segments)
    given = out if results else h.ffi.NULL
    message = refusal(h, "prefilter_compute", handle, pairs, *sides, given)
    h.close()
    *results, behind = out
    assert behind == UNTOUCHED
    if not message:
        return results
    assert results == [UNTOUCHED] * 2
    return message


#: Two sequences of four bases, one after the other, and two that overlap.
IN_ROWS = {"letters": b"ACGTACGA", "size": 8, "stride": 4, "length": 4}
ANYWHERE = {"letters": b"ACGTA", "size": 5, "starts": [0, 1], "lengths": [4, 4]}
PLANES = {"low": [0b10101010], "high": [0b11001100], "size": 8, "stride": 4, "length": 4}


def test_forms_of_sequences():
    assert compute(IN_ROWS, IN_ROWS) == [0, 0]
    assert compute(IN_ROWS, {**IN_ROWS, "letters": b"ACGTACGT"}) == [0, 1]
    assert compute(ANYWHERE, {**IN_ROWS, "letters": b"ACGTCGTA"}) == [0, 0]
    assert compute(PLANES, {**IN_ROWS, "letters": b"ACTGACTG"}) == [0, 0]
    assert compute({**PLANES, "undefined": [1]}, PLANES) == [UNDEFINED, 0]
    assert compute(None, None, pairs=0, results=False) == [UNTOUCHED] * 2


@pytest.mark.parametrize(
    ("given", "wrong", "message"),
    [
        (IN_ROWS, {"letters": None}, "letters is null, and so is low or high"),
        (PLANES, {"low": None}, "letters is null, and so is low or high"),
        (IN_ROWS, {"size": 7}, "sequence 1 reaches outside the 7 bases"),
        (IN_ROWS, {"stride": 5}, "sequence 1 reaches outside the 8 bases"),
        (IN_ROWS, {"length": 5}, "sequence 1 reaches outside the 8 bases"),
        (IN_ROWS, {"length": 0}, "sequence 0 has length 0, not 1 to 10000"),
        (IN_ROWS, {"length": 10_001}, "sequence 0 has length 10001, not 1 to 10000"),
        (ANYWHERE, {"lengths": [4, 0]}, "sequence 1 has length 0, not 1 to 10000"),
        (ANYWHERE, {"lengths": [4, 10_001]}, "sequence 1 has length 10001, not 1 to 10000"),
        (ANYWHERE, {"lengths": [4, 5]}, "sequence 1 reaches outside the 5 bases"),
        (ANYWHERE, {"starts": [0, 2]}, "sequence 1 reaches outside the 5 bases"),
        (ANYWHERE, {"starts": [-1, 1]}, "sequence 0 reaches outside the 5 bases"),
    ],
)
def test_sequences_outside_their_buffer(given, wrong, message):
    """Of either kind; they would be read from memory that is not the caller's."""
    fields = {name: value for name, value in {**given, **wrong}.items() if value is not None}
    assert compute(fields, IN_ROWS) == f"reads: {message}"
    assert compute(IN_ROWS, fields) == f"segments: {message}"


@pytest.mark.parametrize(
    ("mode", "longest", "want"),
    [(0, 10_000, [ABOVE, ABOVE]), (1, 10_510, [3, 2]), (2, 10_510, [3, 2])],
)
def test_the_longest_segment(mode, longest, want):
    """Where a part of it may be aligned, it has room for the most edits at both ends."""
    letters = b"A" * longest
    segment = {"letters": letters, "size": longest, "stride": 0, "length": longest}
    longer = {**segment, "letters": letters + b"A", "size": longest + 1, "length": longest + 1}
    assert compute(IN_ROWS, segment, mode=mode) == want
    assert compute(IN_ROWS, longer, mode=mode) == (
        f"segments: sequence 0 has length {longest + 1}, not 1 to {longest}"
    )
    assert compute(longer, IN_ROWS, mode=mode).endswith("not 1 to 10000")


def test_a_place_beyond_every_integer():
    """Pair 2 of three would start at base 2^63."""
    reads = {**IN_ROWS, "stride": 1 << 62}
    message = "reads: sequence 2 reaches outside the 8 bases"
    assert compute(reads, IN_ROWS, pairs=3) == message


@pytest.mark.parametrize(
    ("options", "message"),
    [
        *(({name: value}, f"{name} is {value}, not GKL_SHIM_PREFILTER_")
          for name in ("method", "mode") for value in (-1, 3)),
        ({"max_edits": 256}, "max_edits is 256, not 0 to 255"),
        ({"method": 1, "mode": 1}, "GKL_SHIM_PREFILTER_GATEKEEPER has no mode"),
    ],
)  # fmt: skip
def test_wrong_options(options, message):
    with pytest.raises(ValueError, match=f"^{message}"):
        compute(IN_ROWS, IN_ROWS, **options)


def test_gatekeeper_needs_equal_lengths():
    longer = {**ANYWHERE, "letters": b"ACGTAC", "size": 6, "lengths": [4, 5]}
    assert compute(longer, IN_ROWS, method=1).startswith("pair 1: GateKeeper needs")
