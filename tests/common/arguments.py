"""Arguments of the library's functions, from which tests make wrong ones.

``tests/<algorithm>/common_cases.py`` has valid arguments of the functions of an algorithm, and what
else common tests need to know of it.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import Any, NamedTuple

from gkl_shim.common import _native
from tests.conftest import ROOT

#: For each function, what returns its arguments.
Calls = dict[str, "Callable[[Handles], tuple[Any, ...]]"]


class Free(NamedTuple):
    """An argument that may be NULL, or any number."""

    value: Any


class Most(NamedTuple):
    """A number that may be as large as one likes, but not less than 0."""

    value: int


class Struct(NamedTuple):
    """A struct, or a pointer to one."""

    type: str
    fields: dict[str, Any]
    may_be_null: bool = False


class Handles:
    """Opens what the functions need, when it is first used, and holds it."""

    def __init__(self) -> None:
        self.ffi, self.lib = _native.library()
        self._kept: list[Any] = []
        self._opened: list[Any] = []

    def close(self) -> None:
        """Close the handles, those that need others first."""
        while self._opened:
            self.ffi.release(self._opened.pop())

    def new(self, kind: str, value: Any = None) -> Any:
        made = self.ffi.new(kind, value)
        self._kept.append(made)
        return made

    def opened(self, kind: str, function: str, *arguments: Any) -> Any:
        """Return the handle that a function of the library opens."""
        handle = self.new(f"gkl_shim_{kind} **")
        values = [self.value(argument) for argument in arguments]
        _native.check(getattr(self.lib, f"gkl_shim_{function}")(*values, handle))
        self._opened.append(self.ffi.gc(handle[0], getattr(self.lib, f"gkl_shim_{kind}_close")))
        return self._opened[-1]

    def value(self, argument: Any) -> Any:
        """Return what to pass for an argument."""
        if isinstance(argument, Struct):
            made = self.new(f"{argument.type} *")
            types = dict(self.ffi.typeof(argument.type).fields)
            for name, field in argument.fields.items():
                value = self.value(field)
                setattr(made, name, value[0] if types[name].type.kind == "struct" else value)
            return made
        return argument.value if isinstance(argument, Free | Most) else argument

    def int64(self, *values: int) -> Any:
        return self.new("int64_t[]", values)

    def int32(self, *values: int) -> Any:
        return self.new("int32_t[]", values)

    def letters(self, text: bytes) -> Any:
        return self.new("uint8_t[]", text)

    def null(self) -> Free:
        return Free(self.ffi.NULL)


def changed(given: Struct, **fields: Any) -> Struct:
    """Return a struct with other values of some fields, or of those of a struct within it."""
    values = {
        name: changed(field, **fields) if isinstance(field, Struct) else fields.get(name, field)
        for name, field in given.fields.items()
    }
    return given._replace(fields=values)


def refusal(h: Handles, function: str, *arguments: Any) -> str:
    """Call a function of the library. Return the message with which it refuses the arguments.

    The message is empty if it accepts them.
    """
    status = getattr(h.lib, f"gkl_shim_{function}")(*map(h.value, arguments))
    if status == h.lib.GKL_SHIM_OK:
        return ""
    assert status == h.lib.GKL_SHIM_EINVAL
    return _native.last_error()


def options(kind: str, **fields: Any) -> Callable[[Handles], tuple[Any, ...]]:
    """Return the arguments of a function that opens an engine."""

    def arguments(h: Handles) -> tuple[Any, ...]:
        values = {"threads": 1, "build": h.null(), **fields}
        given = Struct(f"gkl_shim_{kind}_options", values, may_be_null=True)
        return given, h.new(f"gkl_shim_{kind} **")

    return arguments


def cuda_engine(h: Handles) -> tuple[Any, ...]:
    """Return the arguments of a function that opens GPUs."""
    return h.null(), h.new("gkl_shim_cuda_engine **")


def nothing(h: Handles) -> tuple[Any, ...]:
    """Return no arguments."""
    return ()


def of_each(name: str) -> dict[str, Any]:
    """Return a value of each algorithm's ``common_cases.py``, by algorithm."""
    found = sorted(path.parent.name for path in (ROOT / "tests").glob("*/common_cases.py"))
    modules = {folder: importlib.import_module(f"tests.{folder}.common_cases") for folder in found}
    return {folder: getattr(module, name) for folder, module in modules.items()}
