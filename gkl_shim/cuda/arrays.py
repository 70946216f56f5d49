"""Copy CuPy arrays that are input of PairHMM to the host. This module does not import CuPy."""

from __future__ import annotations

import sys
import threading
from typing import Any

# The address of CUDA's per-thread default stream. It means another stream in each thread.
_PER_THREAD_STREAM = 2


class _Thread(threading.local):
    after: Any = None


_thread = _Thread()


def is_cupy_array(value: Any) -> bool:
    """Whether a value is a CuPy array."""
    # While another thread imports CuPy, the module has no ndarray yet.
    return isinstance(value, getattr(sys.modules.get("cupy"), "ndarray", ()))


def on_host(value: Any) -> Any:
    """Copy a CuPy array to a NumPy array; return any other value unchanged.

    The copy is one transfer. It waits for the work queued on the thread's current stream of the
    array's device and on the stream of :class:`After`. It is complete when this function returns.
    """
    if not is_cupy_array(value):
        return value
    with value.device:
        after = _thread.after
        if after is not None:
            # This thread cannot wait for the caller's per-thread stream alone.
            (value.device if after.ptr == _PER_THREAD_STREAM else after).synchronize()
        return value.get()


def current_stream() -> Any:
    """Return the thread's current CuPy stream on the current device.

    Return None if CuPy is not imported or has no device.
    """
    cuda = getattr(sys.modules.get("cupy"), "cuda", None)
    if cuda is None:
        return None
    try:
        return cuda.get_current_stream()
    except cuda.runtime.CUDARuntimeError:  # no device
        return None


class After:
    """A context manager: the thread's copies to the host also wait for the work on `stream`.

    A background thread uses it to copy arrays that the caller's stream may still be writing. For
    the per-thread default stream, the copies wait for all work on the array's device.

    Parameters
    ----------
    stream
        What :func:`current_stream` returned in the caller's thread.
    """

    def __init__(self, stream: Any) -> None:
        self._stream = stream

    def __enter__(self) -> None:
        _thread.after = self._stream

    def __exit__(self, *_: object) -> None:
        _thread.after = None
