"""The process around a command: its standard streams, its signals, and what it may print."""

from __future__ import annotations

import contextlib
import io
import locale
import os
import signal
import sys
import threading
import time
from types import FrameType
from typing import Any

from gkl_shim._files import STANDARD_OUTPUT, Output, remove_unfinished

__all__ = ["end_on_signals", "open_standard_streams", "printable"]

_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
# How long the main thread may take to hear of a signal, and to leave after a second one.
_PATIENCE_SECONDS = 0.5

_ending = threading.Event()


class _StandardError(Output):
    """What cannot be said is left unsaid: a report that fails is no reason to fail."""

    def write(self, data: Any) -> int:
        with contextlib.suppress(OSError):
            super().write(data)
        return memoryview(data).nbytes


def open_standard_streams() -> None:
    """Put streams in place whose failures are named, and take up the numbers of closed ones.

    A closed one's number would go to the next file that is opened, which would get what is printed.
    It is opened the wrong way round, so that using it fails as if it were closed; what goes to
    standard error vanishes.
    """
    for number, access in ((0, os.O_WRONLY), (1, os.O_RDONLY), (2, os.O_WRONLY)):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, access)  # gets the lowest number that is free
            os.set_inheritable(number, True)
    sys.stdout = _text(Output(1, STANDARD_OUTPUT, closefd=False), sys.stdout)
    sys.stderr = _text(_StandardError(2, "standard error", closefd=False), sys.stderr)


def _text(file: Output, before: Any) -> io.TextIOWrapper:
    encoding = getattr(before, "encoding", None) or locale.getpreferredencoding(False)
    buffered = io.BufferedWriter(file)
    return io.TextIOWrapper(
        buffered, encoding, "backslashreplace", line_buffering=file.fileno() == 2 or file.isatty()
    )


def end_on_signals() -> None:
    """Let SIGINT, SIGTERM and SIGHUP end the command within a second, unless they are ignored.

    The handler raises SystemExit in the main thread, so that what is half done is cleared away.
    Python calls it between two steps of the main thread, which may be in a long native call: then
    another thread, which every signal wakes, ends the process. So it does at a second signal.
    """
    woken, wake = os.pipe()
    os.set_blocking(wake, False)
    signal.set_wakeup_fd(wake, warn_on_full_buffer=False)
    for number in _SIGNALS:
        if signal.getsignal(number) != signal.SIG_IGN:  # as for nohup
            signal.signal(number, _end)
    threading.Thread(target=_watch, args=(woken,), name="gkl-shim-signals", daemon=True).start()


def _end(number: int, frame: FrameType | None) -> None:
    if not _ending.is_set():
        _ending.set()
        raise SystemExit(128 + number)


def _watch(woken: int) -> None:
    again = False
    while True:
        number = os.read(woken, 1)[0]
        # A subcommand may handle signals itself for a while.
        if signal.getsignal(number) is not _end:
            continue
        if again:
            time.sleep(_PATIENCE_SECONDS)
        if again or not _ending.wait(_PATIENCE_SECONDS):
            remove_unfinished()
            os._exit(128 + number)
        again = True


def printable(text: str) -> str:
    """Return text with an escape for each character that is not printable, a newline included."""
    return "".join(
        character if character.isprintable() else _escape(character) for character in text
    )


def _escape(character: str) -> str:
    if "\udc80" <= character <= "\udcff":  # a byte of a file's name that is not UTF-8
        return f"\\x{ord(character) - 0xDC00:02x}"
    return character.encode("unicode_escape").decode("ascii")
