"""Set up standard streams, warnings and signal handlers."""

from __future__ import annotations

import contextlib
import io
import locale
import os
import signal
import sys
import threading
import time
import warnings
from types import FrameType
from typing import Any

from gkl_shim.common._descriptors import Output
from gkl_shim.common._output_files import STANDARD_OUTPUT
from gkl_shim.common._printable import printable
from gkl_shim.common._temporary import remove_all_unfinished

_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
# How long the main thread may take to handle a signal, and then to clean up and exit.
_GRACE_SECONDS = 0.5

_ending = threading.Event()


class _StandardError(Output):
    """Standard error. It ignores errors, because a failed message must not fail the command."""

    def write(self, data: Any) -> int:
        with contextlib.suppress(OSError):
            super().write(data)
        return memoryview(data).nbytes


def open_standard_streams() -> None:
    """Replace the standard streams with ones whose errors name them, and occupy closed descriptors.

    If descriptor 0, 1 or 2 is closed, the next file to be opened would get its number, and would
    receive what is printed. Each closed descriptor is therefore opened on the null device: 0 for
    writing and 1 for reading, so that using them still fails, and 2 for writing.
    """
    for number, access in ((0, os.O_WRONLY), (1, os.O_RDONLY), (2, os.O_WRONLY)):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, access)  # takes the lowest free descriptor
            os.set_inheritable(number, True)
    sys.stdout = _text(Output(1, STANDARD_OUTPUT, closefd=False), sys.stdout)
    sys.stderr = _text(_StandardError(2, "standard error", closefd=False), sys.stderr)


def _text(file: Output, before: Any) -> io.TextIOWrapper:
    encoding = getattr(before, "encoding", None) or locale.getpreferredencoding(False)
    buffered = io.BufferedWriter(file)
    return io.TextIOWrapper(
        buffered, encoding, "backslashreplace", line_buffering=file.fileno() == 2 or file.isatty()
    )


def show_warnings() -> None:
    """Print each warning as one line on standard error, without the place in the code.

    The filters are those of Python. A user's own, in PYTHONWARNINGS, are for Python programs: here
    they would hide what a command has to say, or make a fault of it.
    """
    warnings.resetwarnings()
    for category in (
        DeprecationWarning,
        PendingDeprecationWarning,
        ImportWarning,
        ResourceWarning,
    ):
        warnings.simplefilter("ignore", category)

    def show(message: Warning | str, *_: object, **__: object) -> None:
        text = str(message).removeprefix("gkl-shim: ")
        print("gkl-shim: warning:", printable(text), file=sys.stderr)

    warnings.showwarning = show


def keep_exit_codes() -> None:
    """Let this process read the exit codes of the programs that it runs.

    A process manager may ignore SIGCHLD, which its children inherit. The kernel would discard the
    exit code of every program that ends, and GATK that failed would pass for one that succeeded.
    """
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)


def end_on_signals() -> None:
    """Make SIGINT, SIGTERM and SIGHUP end the command within a second, unless they are ignored.

    The handler raises SystemExit in the main thread, so that temporary files are removed. Python
    runs the handler only between bytecodes of the main thread, which may be in a long native call,
    and cleaning up may hang. So every signal wakes a second thread. It ends the process if the
    main thread does not handle the signal in time, or has not exited in time after that.
    """
    wake_read, wake_write = os.pipe()
    os.set_blocking(wake_write, False)
    signal.set_wakeup_fd(wake_write, warn_on_full_buffer=False)
    for number in _SIGNALS:
        if signal.getsignal(number) != signal.SIG_IGN:  # ignored under nohup
            signal.signal(number, _end)
    threading.Thread(target=_watch, args=(wake_read,), name="gkl-shim-signals", daemon=True).start()


def _end(number: int, frame: FrameType | None) -> None:
    if not _ending.is_set():
        _ending.set()
        raise SystemExit(128 + number)


def _watch(wake_read: int) -> None:
    while True:
        number = os.read(wake_read, 1)[0]
        # A subcommand may install its own handler for a while.
        if signal.getsignal(number) is _end:
            break
    if _ending.wait(_GRACE_SECONDS):
        time.sleep(_GRACE_SECONDS)
    remove_all_unfinished()
    os._exit(128 + number)
