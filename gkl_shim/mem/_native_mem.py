"""The cffi binding of maximal exact matches, with NumPy arrays in and out.

NumPy is imported where an array is made. The command makes none, and importing NumPy takes as long
as the search of two genomes.
"""

from __future__ import annotations

import functools
from collections.abc import Iterator
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any, NamedTuple

from gkl_shim.common import _native

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from gkl_shim.mem._cuda import Engine

KINDS = {"mem": 0, "mumreference": 1, "mum": 2}
STRANDS = {"forward": 1, "reverse": 2, "both": 3}


@functools.cache
def match_type() -> np.dtype[np.void]:
    """Return the type of a match: ``gkl_shim_mem_match``."""
    import numpy as np

    return np.dtype(
        {
            "names": ["query", "reverse", "query_start", "reference", "reference_start", "length"],
            "formats": ["<i4", "?", "<i8", "<i4", "<i8", "<i8"],
            "offsets": [28, 32, 8, 24, 0, 16],
            "itemsize": 40,
        }
    )


@dataclass(frozen=True)
class Information:
    """What an index consists of: ``gkl_shim_mem_info``."""

    min_length: int
    """The shortest match that can be found, in letters."""
    sequences: int
    """Of the reference."""
    letters: int
    """Of all sequences of the reference together."""
    pages: int
    page_letters: int
    """Of each page but the last."""
    bytes: int
    """The memory of all pages if they are kept, otherwise of one page, about."""
    resident: bool
    """Whether all pages are kept. Otherwise each search builds them again."""
    seed_letters: int
    """The length of a seed."""
    reference_step: int
    """A seed is indexed at each position that is a multiple of this."""
    nucleotides_only: bool
    """Whether letters other than ACGT match nothing."""


class Part(NamedTuple):
    """What part of a search is wanted, as ``gkl_shim_mem_search`` defines it."""

    first: int = 0
    last: int = 0
    most: int = 0


#: The part that is the whole search.
WHOLE = Part()


class Sequences:
    """A ``gkl_shim_mem_sequences *``, and what keeps its memory alive."""

    def __init__(self, pointer: Any, owner: Any) -> None:
        self.pointer = pointer
        self._owner = owner

    @classmethod
    def from_arrays(cls, letters: NDArray[np.uint8], offsets: NDArray[np.int64]) -> Sequences:
        """Refer to letters and offsets, which must not change."""
        ffi, _ = _native.library()
        views = ffi.from_buffer("int64_t[]", offsets), ffi.from_buffer("uint8_t[]", letters)
        pointer = ffi.new("gkl_shim_mem_sequences *", (len(offsets) - 1, *views))
        return cls(pointer, views)

    def __len__(self) -> int:
        return int(self.pointer.count)

    @property
    def letters(self) -> int:
        """The letters of all sequences together."""
        return int(self.pointer.offsets[self.pointer.count])

    def arrays(self) -> tuple[NDArray[np.uint8], NDArray[np.int64]]:
        """Return copies of the letters and the offsets."""
        import numpy as np

        ffi, _ = _native.library()
        offsets = ffi.buffer(self.pointer.offsets, 8 * (len(self) + 1))
        letters = ffi.buffer(self.pointer.letters, self.letters) if self.letters else b""
        return np.frombuffer(letters, np.uint8).copy(), np.frombuffer(offsets, np.int64).copy()


class Fasta:
    """The sequences of a FASTA text and their names.

    Parameters
    ----------
    text
        The bytes of whole lines.
    threads
        The most CPU threads to use. 0 uses every CPU that the process may use.
    """

    def __init__(self, text: Any, threads: int) -> None:
        ffi, lib = _native.library()
        view = ffi.from_buffer("uint8_t[]", text)
        handle = _native.opened("mem_fasta", view, len(text), threads, by="mem_parse", long=True)
        pointers = [ffi.new("gkl_shim_mem_sequences *") for _ in range(2)]
        _native.check(lib.gkl_shim_mem_fasta_sequences(handle, *pointers))
        self.sequences, self.names = (Sequences(pointer, handle) for pointer in pointers)

    def name(self, sequence: int) -> str:
        """Return the name of one sequence."""
        ffi, _ = _native.library()
        pointer = self.names.pointer
        start, end = pointer.offsets[sequence], pointer.offsets[sequence + 1]
        return bytes(ffi.buffer(pointer.letters + start, end - start)).decode(errors="replace")


class Index:
    """A ``gkl_shim_mem *``."""

    def __init__(self, handle: Any) -> None:
        self._ffi, self._lib = _native.library()
        self.handle = handle

    @classmethod
    def build(cls, reference: Sequences, **options: int) -> Index:
        """Index a reference. The options are those of ``gkl_shim_mem_options``."""
        ffi, _ = _native.library()
        given = ffi.new("gkl_shim_mem_options *", options)
        used = reference if options.get("borrowed") else None
        return cls(_native.opened("mem", given, reference.pointer, used=used, long=True))

    @classmethod
    def load(cls, data: Any, threads: int) -> Index:
        """Open the bytes of a saved index."""
        ffi, _ = _native.library()
        view = ffi.from_buffer("uint8_t[]", data)
        return cls(_native.opened("mem", view, len(view), threads, by="mem_load"))

    def pieces(self) -> Iterator[Any]:
        """Yield the bytes of the index, as :meth:`load` reads them, in pieces."""
        count = self._ffi.new("int64_t *")
        _native.check(self._lib.gkl_shim_mem_save(self.handle, self._ffi.NULL, 0, count))
        pieces = self._ffi.new("gkl_shim_mem_piece[]", count[0])
        _native.check(self._lib.gkl_shim_mem_save(self.handle, pieces, count[0], count))
        for piece in pieces:
            if piece.size:
                yield self._ffi.buffer(piece.bytes, piece.size)

    def information(self) -> Information:
        """Return what the index consists of."""
        found = self._ffi.new("gkl_shim_mem_info *")
        _native.check(self._lib.gkl_shim_mem_information(self.handle, found))
        values = {field.name: getattr(found, field.name) for field in fields(Information)}
        flags = {name: bool(values[name]) for name in ("resident", "nucleotides_only")}
        return Information(**{**values, **flags})

    def is_of(self, reference: Sequences) -> bool:
        """Return whether the index was made from this reference."""
        same = self._ffi.new("int32_t *")
        _native.check(self._lib.gkl_shim_mem_is_of(self.handle, reference.pointer, same))
        return bool(same[0])

    def find(
        self,
        queries: Sequences,
        min_length: int,
        kind: str,
        strands: str,
        part: Part = WHOLE,
        engine: Engine | None = None,
    ) -> Matches:
        """Find the matches of queries, on the CPU or with an engine on devices.

        Raises
        ------
        BackendUnavailable
            If no device is left. A device that fails is not used again; the others take over.
        """
        on = self._ffi.NULL if engine is None else engine.pointer
        settings = (min_length, KINDS[kind], STRANDS[strands], *part, on)
        search = self._ffi.new("gkl_shim_mem_search *", settings)
        try:
            found = _native.opened(
                "mem_matches", self.handle, queries.pointer, search, by="mem_find", long=True,
                used=self,
            )  # fmt: skip
            return Matches(found, part)
        finally:
            if engine is not None:
                engine.tell_of_losses()


class Matches:
    """A ``gkl_shim_mem_matches *``."""

    def __init__(self, handle: Any, part: Part) -> None:
        self._ffi, self._lib = _native.library()
        self._handle = handle
        self._continued = part.first > 0

    def __len__(self) -> int:
        return int(self._lib.gkl_shim_mem_count(self._handle))

    def close(self) -> None:
        """Free the matches."""
        self._ffi.release(self._handle)

    @property
    def pages(self) -> int:
        """The pages of the reference on the devices that found the matches; 0 on the CPU."""
        return int(self._lib.gkl_shim_mem_cuda_pages(self._handle))

    @property
    def end(self) -> int:
        """The first position of the next part, for the matches of a part."""
        return int(self._lib.gkl_shim_mem_end(self._handle))

    def array(self) -> NDArray[np.void]:
        """Return the matches as an array of :func:`match_type`."""
        import numpy as np

        found = np.empty(len(self), match_type())
        if len(found):
            out = self._ffi.cast("gkl_shim_mem_match *", found.ctypes.data)
            _native.run(self._lib.gkl_shim_mem_copy, self._handle, out)
        return found

    def lines(
        self, reference_names: Sequences, query_names: Sequences, **options: bool
    ) -> Iterator[Any]:
        """Yield mummer's lines in pieces, each valid until the next one.

        The header of a query comes with its first part. The options are those of
        ``gkl_shim_mem_format``.
        """
        given = self._ffi.new(
            "gkl_shim_mem_format *",
            {
                "reference_names": reference_names.pointer,
                "query_names": query_names.pointer,
                "continued": self._continued,
                **options,
            },
        )
        lines = _native.opened("mem_lines", self._handle, given)
        text, size = self._ffi.new("uint8_t **"), self._ffi.new("int64_t *")
        while True:
            _native.check(self._lib.gkl_shim_mem_lines_next(lines, text, size))
            if not size[0]:
                return
            yield self._ffi.buffer(text[0], size[0])
