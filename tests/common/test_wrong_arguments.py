"""Every function of the public header refuses null pointers, impossible numbers and wrong offsets.

`CALLS` has valid arguments for each function, those of an algorithm from its ``common_cases.py``.
From these, tests make calls with one wrong argument.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import pytest

import gkl_shim
from gkl_shim.common import _native
from tests.common.arguments import Calls, Free, Handles, Most, Struct, nothing, of_each

HEADER = gkl_shim.paths.header().read_text()
FUNCTIONS = re.findall(r"^GKL_SHIM_API [^(]*?(\w+)\(", HEADER, re.MULTILINE)
#: More than fit into any memory.
HUGE = 2**62
CALLS: Calls = {
    "gkl_shim_version": nothing,
    "gkl_shim_last_error": nothing,
    "gkl_shim_cpu_count": nothing,
    "gkl_shim_builds": nothing,
    "gkl_shim_cuda_engine_next_loss": lambda h: (h.new("gkl_shim_cuda_engine **")[0], h.int32(0)),
    "gkl_shim_cuda_engine_uses": lambda h: (h.new("gkl_shim_cuda_engine **")[0], Free(-1)),
    "gkl_shim_cuda_engine_close": lambda h: (h.null(),),
}
for calls in of_each("CALLS").values():
    CALLS.update(calls)


def _wrong(ffi: Any, argument: Any, kind: Any) -> Iterator[tuple[str, Any]]:
    """Yield wrong values in place of a valid argument of a C type, and what each is."""
    if isinstance(argument, Free):
        return
    if isinstance(argument, Struct):
        types = dict(ffi.typeof(argument.type).fields)
        assert types.keys() == argument.fields.keys(), argument.type
        for name, field in argument.fields.items():
            values = [*_wrong(ffi, field, types[name].type), *_wrong_offsets(ffi, name, field)]
            for what, value in values:
                yield f"{name}: {what}", argument._replace(fields={**argument.fields, name: value})
    if kind.kind == "pointer":
        if not (isinstance(argument, Struct) and argument.may_be_null):
            yield "NULL", Free(ffi.NULL)
    elif kind.kind == "primitive":
        yield "-1", -1
        if kind.cname == "int64_t" and not isinstance(argument, Most):
            yield "2^62", HUGE


def _wrong_offsets(ffi: Any, name: str, field: Any) -> Iterator[tuple[str, Any]]:
    """Yield wrong values of a field that holds offsets, and what is said of each."""
    if name.endswith("offsets") or name.startswith("region_"):
        (_, *others) = field
        yield "offset 0 is 1, not 0", ffi.new("int64_t[]", [1, *others])
        for at, wrong in ((1, -1), (len(others), -(2**63))):
            changed = [0, *others]
            changed[at] = wrong
            yield f"offset {at} is less than the one before", ffi.new("int64_t[]", changed)


def test_every_function_is_tested() -> None:
    assert len(FUNCTIONS) == HEADER.count("\nGKL_SHIM_API ") > 50
    assert sorted(CALLS) == sorted(FUNCTIONS)


@pytest.fixture
def handles() -> Iterator[Handles]:
    made = Handles()
    yield made
    made.close()


@pytest.mark.parametrize("name", CALLS)
def test_one_wrong_argument_is_refused(handles: Handles, name: str, fake_gpus: Any) -> None:
    fake_gpus()
    ffi, lib = handles.ffi, handles.lib
    function = getattr(lib, name)
    arguments = CALLS[name](handles)
    given = ffi.typeof(function)
    marked = ffi.new("gkl_shim_pairhmm_options *", {"build": (mark := ffi.new("char[]", b"mark"))})
    wrong = [
        (f"argument {place}: {what}", (*arguments[:place], value, *arguments[place + 1 :]))
        for place, (argument, kind) in enumerate(zip(arguments, given.args, strict=True))
        for what, value in _wrong(ffi, argument, kind)
    ]
    for what, changed in wrong:
        # The message must be a new one.
        lib.gkl_shim_pairhmm_open(marked, ffi.new("gkl_shim_pairhmm **"))
        assert "mark" in _native.last_error()
        result = function(*map(handles.value, changed))
        if given.result.cname == "gkl_shim_status":
            message = _native.last_error()
            assert (result, "mark" in message) == (lib.GKL_SHIM_EINVAL, False), what
            assert ("null" in message) == what.endswith("NULL"), (what, message)
            # PairHMM has many arrays, and the message says which is absent.
            if re.search(r"_(quals|bases): NULL$", what):
                assert what.split(": ")[-2] in message, (what, message)
            if "offset " in what:
                assert what[what.index("offset ") :] in message, (what, message)
        else:
            assert not result or not ffi.string(result), what
    assert mark
    # What the wrong ones were made of is right.
    values = [handles.value(argument) for argument in arguments]
    result = function(*values)
    if given.result.cname == "gkl_shim_status":
        assert result == lib.GKL_SHIM_OK, _native.last_error()
    for value, kind in zip(values, given.args, strict=True):
        if kind.kind == "pointer" and re.fullmatch(r"gkl_shim_\w+ \* \*", kind.cname):
            getattr(lib, kind.cname.split()[0] + "_close")(value[0])
