"""The C ABI: what it refuses beyond null pointers and impossible numbers, which
tests/common/test_wrong_arguments.py passes to all functions, and the library for aarch64 under
emulation."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from gkl_shim.common import _native
from tests import native_driver
from tests.smithwaterman import oracle
from tests.smithwaterman.pairs import Pair, pairs


@pytest.fixture(scope="module")
def sample(tmp_path_factory) -> tuple[Path, list[Pair], list[str]]:
    # Lowercase letters and blanks aside, scanf reads every letter.
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


class Call:
    """The arguments of gkl_shim_smithwaterman_align(), which a test spoils."""

    def __init__(self) -> None:
        self.ffi, self.lib = _native.library()
        new = self.ffi.new
        self.handle = _native.opened("smithwaterman", self.ffi.NULL)
        self.references = new("uint8_t[]", b"ACGTACGT")
        self.reference_offsets = new("int64_t[]", [0, 4, 8])
        self.alternative_offsets = new("int64_t[]", [0, 3, 5])
        self.parameters = new("gkl_shim_smithwaterman_parameters *", (1, -1, -2, -1, 0))
        self.batch = new(
            "gkl_shim_smithwaterman_batch *",
            (2, self.reference_offsets, self.references, self.alternative_offsets, self.references),
        )
        self.offsets = new("int64_t[]", [-7, -7])
        self.cigar_offsets = new("int64_t[]", [-7, -7, -7])
        self.cigars = new("char[]", b"?" * 26)
        self.size = 26

    def __call__(self) -> Any:
        status = self.lib.gkl_shim_smithwaterman_align(
            self.handle,
            self.batch,
            self.parameters,
            self.offsets,
            self.cigar_offsets,
            self.cigars,
            self.size,
        )
        if status == self.lib.GKL_SHIM_OK:
            return None
        assert status == self.lib.GKL_SHIM_EINVAL
        return _native.last_error()


def test_the_call_that_the_others_spoil() -> None:
    call = Call()
    assert call() is None
    assert list(call.offsets) == [0, 0]
    ends = list(call.cigar_offsets)
    assert call.ffi.buffer(call.cigars, ends[2])[:] == b"3M1S1M"
    assert ends == [0, 2, 6]
    call.batch.pairs = 0
    assert call() is None
    assert call.cigar_offsets[0] == 0


def set_offset(name: str, index: int, value: int) -> Any:
    def change(call: Call) -> None:
        getattr(call, name)[index] = value

    return change


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (
            lambda call: setattr(call, "size", 25),
            "cigars has room for 25 bytes; these sequences need 26",
        ),
        (lambda call: setattr(call.parameters, "overhang", 4), "overhang is 4, not 0 to 3"),
        (set_offset("reference_offsets", 1, 9), "references: offset 2 is less than the one before"),
        (set_offset("reference_offsets", 1, 0), "references: sequence 0 is empty"),
        (set_offset("alternative_offsets", 2, 3), "alternatives: sequence 1 is empty"),
        (
            set_offset("alternative_offsets", 2, 3 + (1 << 18) + 1),
            "alternatives: sequence 1 has 262145 letters, more than 262144",
        ),
    ],
)
def test_refused(change, message: str) -> None:
    call = Call()
    change(call)
    assert call() == message
    assert list(call.offsets) == [-7, -7]
    assert list(call.cigar_offsets) == [-7, -7, -7]
    assert call.ffi.buffer(call.cigars, 26)[:] == b"?" * 26
