"""The C ABI: what it refuses beyond null pointers and impossible numbers, which
tests/common/test_wrong_arguments.py passes to all functions, and the library for aarch64 under
emulation."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from gkl_shim.common import _native
from tests import native_driver
from tests.common.arguments import Handles, changed, refusal
from tests.smithwaterman import oracle
from tests.smithwaterman.common_cases import CALLS
from tests.smithwaterman.pairs import Pair, pairs


@pytest.fixture(scope="module")
def sample(tmp_path_factory) -> tuple[Path, list[Pair], list[str]]:
    made = sorted(pairs(500, seed=11, longest=150), key=lambda pair: (pair[2], pair[3]))
    path = tmp_path_factory.mktemp("pairs") / "pairs.tsv"
    path.write_bytes(b"".join(pair.line() for pair in made))
    return path, made, ["{}\t{}".format(*oracle.align(*pair)) for pair in made]


def run(program: list[str], *arguments: object) -> list[str]:
    return native_driver.run(program, *arguments).splitlines()


@pytest.mark.parametrize(("machine", "builds"), [
    ("native", _native.builds()),
    ("aarch64", ("neon", "portable")),
])  # fmt: skip
@pytest.mark.parametrize("threads", [1, 2])
def test_every_build_everywhere(sample, request, machine, builds, threads: int) -> None:
    program = request.getfixturevalue(machine)
    path, _, want = sample
    for build in builds:
        assert run(program, path, build, threads) == want


#: Two pairs of five letters of alternatives, whose CIGARs need room for 26 bytes.
OFFSETS = {"reference_offsets": [0, 4, 8], "alternative_offsets": [0, 3, 5]}
ROOM = 26


def aligned(size: int = ROOM, overhang: int = 0, pairs: int = 2, **wrong: list[int]) -> Any:
    """Align two pairs in C. Return offsets, CIGARs and their ends, or the error's message."""
    h = Handles()
    handle, batch, parameters, *_ = CALLS["gkl_shim_smithwaterman_align"](h)
    letters = h.letters(b"ACGTACGT")
    given = {name: h.int64(*numbers) for name, numbers in (OFFSETS | wrong).items()}
    batch = changed(batch, pairs=pairs, references=letters, alternatives=letters, **given)
    scores = {"match": 1, "mismatch": -1, "gap_open": -2, "gap_extend": -1}
    offsets, ends, cigars = h.int64(-7, -7), h.int64(-7, -7, -7), h.new("char[]", b"?" * ROOM)
    message = refusal(h, "smithwaterman_align", handle, batch,
                      changed(parameters, **scores, overhang=overhang),
                      offsets, ends, cigars, size)  # fmt: skip
    found = list(offsets), list(ends), h.ffi.buffer(cigars, ROOM)[:]
    h.close()
    if not message:
        return found
    assert found == ([-7, -7], [-7, -7, -7], b"?" * ROOM)
    return message


def test_two_pairs() -> None:
    offsets, ends, cigars = aligned()
    assert (offsets, ends, cigars[:6]) == ([0, 0], [0, 2, 6], b"3M1S1M")
    assert aligned(pairs=0)[1][0] == 0


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"size": 25}, "cigars has room for 25 bytes; these sequences need 26"),
        ({"overhang": 4}, "overhang is 4, not 0 to 3"),
        ({"reference_offsets": [0, 9, 8]}, "references: offset 2 is less than the one before"),
        ({"reference_offsets": [0, 0, 8]}, "references: sequence 0 is empty"),
        ({"alternative_offsets": [0, 3, 3]}, "alternatives: sequence 1 is empty"),
        (
            {"alternative_offsets": [0, 3, 3 + (1 << 18) + 1]},
            "alternatives: sequence 1 has 262145 letters, more than 262144",
        ),
    ],
)
def test_refused(wrong: dict[str, Any], message: str) -> None:
    assert aligned(**wrong) == message
