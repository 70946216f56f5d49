"""The thread that reads ahead of its consumer."""

from __future__ import annotations

import io
import sys
import threading
from typing import Any

import pytest

from gkl_shim.formats.prefilter_text import TextReader


class Stalled(io.RawIOBase):
    """A file that waits before its end."""

    def __init__(self, text: bytes) -> None:
        self._text = io.BytesIO(text)
        self.may_end = threading.Event()

    def readinto(self, buffer: Any) -> int:
        got = self._text.readinto(buffer)
        if not got:
            self.may_end.wait()
        return got


def _used_in_part(file: Stalled) -> None:
    next(iter(TextReader(file, "pairs").pairs()))


def test_a_reader_that_is_dropped_says_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its thread has the last reference to it, and so cleans up."""
    told: list[Any] = []
    monkeypatch.setattr(sys, "unraisablehook", told.append)
    before = set(threading.enumerate())
    line = b"\t".join([b"A" * 127] * 2) + b"\n"
    # The first piece has all lines, so the thread waits for the end when the reader is dropped.
    text = line * ((1 << 24) // len(line))
    for _ in range(10):
        file = Stalled(text)
        _used_in_part(file)
        file.may_end.set()
        for thread in set(threading.enumerate()) - before:
            thread.join()
    assert told == []
