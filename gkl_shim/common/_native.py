"""Load the native library, and bind what every algorithm uses: errors, builds and CPUs.

``<algorithm>/_native_<algorithm>.py`` binds the functions of one algorithm.
"""

from __future__ import annotations

import functools
import importlib
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import gkl_shim
from gkl_shim import paths
from gkl_shim.common._arguments import INT32_MAX, whole_number
from gkl_shim.errors import BackendUnavailable, MissingComponent

#: The time between two runs of Python's signal handlers in a native call, in milliseconds.
INTERVAL = 50
#: The exceptions that signal handlers have raised in native calls of the main thread.
_raised: list[BaseException] = []

_load_lock = threading.Lock()
_loaded: tuple[Any, Any] | None = None


def library() -> tuple[Any, Any]:
    """Return the cffi instance and the library, which the first call loads.

    Raises
    ------
    MissingComponent
        If the library or its binding does not exist, or the system cannot load it.
    """
    global _loaded
    if _loaded is not None:
        return _loaded
    with _load_lock:
        if _loaded is None:
            path = paths.library()
            ffi = importlib.import_module(f"gkl_shim.{paths.binding().stem}").ffi
            try:
                opened = ffi.dlopen(str(path))
            except OSError as error:
                raise _unusable(path, f"does not load: {_reason(error, path)}") from error
            if paths.library_is_chosen():
                _check_version(ffi, opened, path)
            _loaded = ffi, opened
        return _loaded


def _check_version(ffi: Any, opened: Any, path: Path) -> None:
    """Refuse a file that is not the native library of this version of gkl-shim."""
    absent = []
    for name in dir(opened):
        try:
            getattr(opened, name)
        except ffi.error:
            absent.append(name)
    if "gkl_shim_version" in absent:
        raise _unusable(path, "is not a library of gkl-shim: it has no gkl_shim_version()")
    found = ffi.string(opened.gkl_shim_version()).decode()
    if found != gkl_shim.__version__:
        raise _unusable(path, f"is of version {found}; this is gkl-shim {gkl_shim.__version__}")
    if absent:
        raise _unusable(path, f"is another build of gkl-shim: it has no {absent[0]}()")


def _unusable(path: Path, reason: str) -> MissingComponent:
    if paths.library_is_chosen():
        return MissingComponent(
            f"GKL_SHIM_LIBRARY names {path}, which {reason} (without it the installed one is used)"
        )
    return MissingComponent(f"the native library {path} {reason}; reinstall gkl-shim")


def _reason(error: OSError, path: Path) -> str:
    """Return the dynamic linker's message without the path, which it repeats."""
    return str(error).removeprefix(f"cannot load library '{path}': ").removeprefix(f"{path}: ")


def version() -> str:
    """Return the library's version."""
    ffi, lib = library()
    return str(ffi.string(lib.gkl_shim_version()).decode())


def cpu_count() -> int:
    """Return how many CPUs the affinity mask and control group let this process use."""
    _, lib = library()
    return int(lib.gkl_shim_cpu_count())


def builds() -> tuple[str, ...]:
    """Return the engine builds that this CPU can run, best first."""
    ffi, lib = library()
    return tuple(ffi.string(lib.gkl_shim_builds()).decode().split())


def last_error() -> str:
    """Return the library's last error message, which may quote arbitrary bytes of an input."""
    ffi, lib = library()
    return str(ffi.string(lib.gkl_shim_last_error()).decode(errors="backslashreplace"))


def check(status: int) -> None:
    """Raise the exception for a status other than ``GKL_SHIM_OK``, with the library's message."""
    if status == 0:  # GKL_SHIM_OK
        return
    _, lib = library()
    message = last_error()
    if status == lib.GKL_SHIM_ENOMEM:
        raise MemoryError(message)
    if status == lib.GKL_SHIM_EUNAVAILABLE:
        raise BackendUnavailable(message)
    if status == lib.GKL_SHIM_EINTERNAL:
        raise RuntimeError(message)
    raise ValueError(message)


def refusal(status: int) -> str | None:
    """Return why the library refuses an input, or None for ``GKL_SHIM_OK``. Raise for the rest."""
    if status == library()[1].GKL_SHIM_EINVAL:
        return last_error()
    check(status)
    return None


@functools.cache
def _interrupt() -> Any:
    """Return a ``gkl_shim_interrupt``. Python's signal handlers run while native code calls it."""
    ffi, _ = library()
    return ffi.callback(
        "int32_t(void)", lambda: 0, error=1, onerror=lambda _, error, __: _raised.append(error)
    )


def interruptible(function: Callable[..., int], *arguments: Any) -> int:
    """Call a native function that may take long, and return its status.

    In the main thread Python's signal handlers run every `INTERVAL` milliseconds. If one raises an
    exception, such as KeyboardInterrupt, the call ends soon and the exception is raised here. A
    handler may make such calls, too.
    """
    if threading.current_thread() is not threading.main_thread():
        return function(*arguments)
    _, lib = library()
    before = lib.gkl_shim_interruptible(_interrupt(), INTERVAL)
    try:
        status = function(*arguments)
    finally:
        lib.gkl_shim_interruptible(before, INTERVAL)
    if _raised:
        raise _raised.pop()
    return status


def run(function: Callable[..., int], *arguments: Any) -> None:
    """Call a native function that may take long: :func:`interruptible`, and :func:`check`."""
    check(interruptible(function, *arguments))


def constant(name: str) -> int:
    """Return a constant of the header by its name without ``GKL_SHIM_``, in either case."""
    return int(getattr(library()[1], f"GKL_SHIM_{name.upper()}"))


def opened(
    kind: str, *arguments: Any, by: str | None = None, used: object = None, long: bool = False
) -> Any:
    """Open a ``gkl_shim_<kind> *``. ``gkl_shim_<kind>_close`` gets it with the last reference.

    Parameters
    ----------
    kind
        The word in the handle's type and in the names of its functions.
    *arguments
        The arguments of the function that opens it, without the handle.
    by
        The words in that function's name, if it is not ``gkl_shim_<kind>_open``.
    used
        What the native object uses. It is kept until that is closed.
    long
        Whether the function may take long: see :func:`interruptible`.

    Raises
    ------
    BackendUnavailable, MemoryError, ValueError
        If the function fails, with the library's message.
    """
    ffi, lib = library()
    handle = ffi.new(f"gkl_shim_{kind} **")
    function = getattr(lib, f"gkl_shim_{by or f'{kind}_open'}")
    arguments = (*arguments, handle)
    check(interruptible(function, *arguments) if long else function(*arguments))
    close = getattr(lib, f"gkl_shim_{kind}_close")

    def close_before(pointer: Any, _used: object = used) -> None:
        close(pointer)

    return ffi.gc(handle[0], close_before)


class CpuEngine:
    """Owns the handle of a native CPU engine, and closes it when the last reference is gone.

    It is thread-safe, and releases the interpreter lock while the engine computes.

    Raises
    ------
    BackendUnavailable
        If this CPU cannot run `build`.
    ValueError
        If an option is out of range.
    """

    _kind: str

    def __init__(self, build: str | None, threads: int, **options: int) -> None:
        most_threads = whole_number("threads", threads, 0, INT32_MAX)
        if build is not None and not isinstance(build, str):
            raise ValueError(f"build: a name, not {build!r}")
        self._ffi, self._lib = library()
        name = self._ffi.NULL
        if build is not None:
            name = self._ffi.new("char[]", build.encode(errors="surrogateescape"))
        given = self._ffi.new(
            f"gkl_shim_{self._kind}_options *",
            {**options, "threads": most_threads, "build": name},
        )
        self._handle = opened(self._kind, given)

    @property
    def build(self) -> str:
        """The name of the build in use."""
        name = getattr(self._lib, f"gkl_shim_{self._kind}_build")(self._handle)
        return str(self._ffi.string(name).decode())
