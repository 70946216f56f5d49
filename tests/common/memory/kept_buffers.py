"""Call a native method of a Java class as a JVM does, and print the memory that it keeps.

The command line is: CALL. The tests' JVM must be preloaded. The script first makes a small call,
which allocates what every call needs. Then it makes the large call, and prints its exception, and
how many more bytes are in use after it than before.
"""

from __future__ import annotations

import ctypes
import os
import sys
from typing import Any

import numpy as np

from tests.common.memory.scarce import Jni

#: The least memory that the buffers of a large call take.
LARGE = 64 << 20


class _Usage(ctypes.Structure):
    """What glibc's mallinfo2() returns."""

    _fields_ = [
        *((name, ctypes.c_size_t) for name in ("arena", "ordblks", "smblks", "hblks", "hblkhd")),
        *((name, ctypes.c_size_t) for name in ("usmblks", "fsmblks", "uordblks", "fordblks")),
        ("keepcost", ctypes.c_size_t),
    ]


def used() -> int:
    """Return the bytes that are allocated."""
    mallinfo2 = ctypes.CDLL(None).mallinfo2
    mallinfo2.restype = _Usage
    usage = mallinfo2()
    return int(usage.hblkhd + usage.uordblks)


class Methods(Jni):
    """Call native methods and return their exception, or an empty string."""

    def __init__(self) -> None:
        super().__init__()
        self()  # loads the library

    def exception(self, name: str, *arguments: Any) -> str:
        self.result, exception = self.method(f"Java_{name}", self.env, 0, *arguments)
        return exception

    def room(self, count: int) -> Any:
        """Return an array of `count` numbers for results."""
        return self.object(bytearray(8 * count))


class Own(Methods):
    """Our class for packed regions, which have one haplotype of one letter."""

    def __init__(self) -> None:
        super().__init__()
        replaced = self.object(b"Intel GKL replaced (agent)\0")
        self.exception("org_gklshim_pairhmm_NativePairHmm_initialize", 0, 1, replaced)
        self.configuration = self.result

    def compute(self, reads: int, length: int, room: int = -1) -> str:
        sequences = self.object(b"A" * (5 * reads * length + 1))
        lengths = np.array([length] * reads + [1], np.int32)
        arrays = sequences, self.object(lengths.tobytes())
        results = self.room(reads if room < 0 else room)
        name = "org_gklshim_pairhmm_NativePairHmm_compute"
        return self.exception(name, self.configuration, *arrays, reads, 1, results)


class OwnWithoutRoom(Own):
    """The results do not fit into Java's array."""

    def small(self) -> str:
        return self.compute(1, 1)

    def large(self) -> str:
        return self.compute(1, LARGE // 5, room=0)


class OwnRecorded(Own):
    """A region is recorded."""

    def __init__(self) -> None:
        os.environ["GKL_SHIM_RECORD"] = "/dev/null"
        super().__init__()

    def small(self) -> str:
        return self.compute(1, 1)

    def large(self) -> str:
        return self.compute(LARGE // 5 // 1000, 1000)


class GklReads(Methods):
    """GKL's class. The second read has no bases."""

    def __init__(self) -> None:
        super().__init__()
        holder = self.object()
        self.exception("com_intel_gkl_pairhmm_IntelPairHmm_initNative", holder, holder, 0, 1)

    def compute(self, reads: list[list[bytes]]) -> str:
        name = "com_intel_gkl_pairhmm_IntelPairHmm_computeLikelihoodsNative"
        given = self.holders(reads), self.holders([[b"A"]])
        return self.exception(name, *given, self.room(len(reads)))

    def small(self) -> str:
        return self.compute([[b"A"] * 5])

    def large(self) -> str:
        return self.compute([[b"A" * (LARGE // 5)] * 5, [b""] * 5])


class SmithWaterman(Methods):
    """A sequence is too long."""

    def align(self, letters: int) -> str:
        given = self.object(b"A" * letters), self.object(b"A")
        cigar = self.object(bytearray(100))
        name = "org_gklshim_smithwaterman_NativeSmithWaterman_align"
        return self.exception(name, *given, 200, -150, -260, -11, 0, cigar)

    def small(self) -> str:
        return self.align(2)

    def large(self) -> str:
        return self.align(LARGE)


CALLS = {made.__name__: made for made in (OwnWithoutRoom, OwnRecorded, GklReads, SmithWaterman)}


def main() -> None:
    calls = CALLS[sys.argv[1]]()
    assert calls.small() == ""
    given = len(calls.kept)
    before = used()
    exception = calls.large()
    print(exception)
    del calls.kept[given:]
    print(used() - before)
