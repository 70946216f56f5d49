"""CuPy arrays as input of PairHMM: they are copied to the host. CuPy itself is not imported."""

from __future__ import annotations

import sys
import threading
from typing import Any

__all__ = ["After", "current_stream", "is_cupy_array", "on_host"]


class _Thread(threading.local):
    after: Any = None


_thread = _Thread()


def is_cupy_array(value: Any) -> bool:
    """Whether a value is a CuPy array."""
    # While another thread imports CuPy, the module has no ndarray yet.
    return isinstance(value, getattr(sys.modules.get("cupy"), "ndarray", ()))


def on_host(value: Any) -> Any:
    """Copy a CuPy array to a NumPy array; return any other value unchanged.

    The copy is one transfer. It follows the work on the thread's current stream, and on the stream
    of :class:`After`, and is complete when this returns.
    """
    if not is_cupy_array(value):
        return value
    with value.device:
        if _thread.after is not None:
            _thread.after.synchronize()
        return value.get()


def current_stream() -> Any:
    """Return the thread's current CuPy stream; None where there are no CuPy arrays."""
    cuda = getattr(sys.modules.get("cupy"), "cuda", None)
    if cuda is None:
        return None
    try:
        return cuda.get_current_stream()
    except cuda.runtime.CUDARuntimeError:  # no device
        return None


class After:
    """While it is entered, what the thread copies to the host follows the work on `stream`, too.

    For a background thread that copies arrays of a caller, who may still be writing them.

    Parameters
    ----------
    stream
        From :func:`current_stream` in the caller's thread.
    """

    def __init__(self, stream: Any) -> None:
        self._stream = stream

    def __enter__(self) -> None:
        _thread.after = self._stream

    def __exit__(self, *_: object) -> None:
        _thread.after = None
