"""Maximal exact matches between a reference and queries, with MUMmer's meaning.

A match is a part of a query that equals a part of the reference and cannot be extended at either
end. The method is copMEM's (Grabowski and Bieniecki, 2018): an index holds short seeds at every few
positions of the reference, and those at every few positions of the query are looked up. Every match
contains a pair of equal seeds. docs/algorithms/mem.md explains it.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from gkl_shim.common import _auto
from gkl_shim.common._arguments import INT32_MAX, check_choice, truth, whole_number
from gkl_shim.common._closable import Closable
from gkl_shim.common._output_files import atomic_output
from gkl_shim.errors import BackendUnavailable, FormatError
from gkl_shim.mem import _native_mem
from gkl_shim.mem._native_mem import WHOLE, Information, Part

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from gkl_shim.mem import _cuda as cuda

    #: The type of a match. `query` and `reference` are the indices of the two sequences.
    #: `query_start` and `reference_start` are positions in them and count from 0, and `length` is
    #: in letters. If `reverse` is set, `query_start` is in the reverse complement of the query.
    MATCH: np.dtype[np.void]

__all__ = ["MATCH", "Backend", "Index", "Information", "Kind", "Strands", "find"]

Kind: TypeAlias = Literal["mem", "mumreference", "mum"]
Strands: TypeAlias = Literal["forward", "reverse", "both"]
Backend: TypeAlias = Literal["auto", "cpu", "cuda"]

# How many matches of one query are in memory together, about: where the index is in memory, and
# where each search builds it.
_MATCHES, _PAGED_MATCHES = 1 << 23, 1 << 24


def __getattr__(name: str) -> Any:
    # Made on first use, because it needs NumPy.
    if name != "MATCH":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return _native_mem.match_type()


class Index(Closable):
    """An index of a reference. Several threads may search it at the same time.

    Parameters
    ----------
    reference
        One sequence (bytes, str or a uint8 array), a list of sequences, or a tuple of all letters
        (bytes or a uint8 array) and one more offset than there are sequences. Upper and lower case
        are equal. Letters other than ACGT match themselves, as in MUMmer.
    min_length
        The shortest match that can be found.
    nucleotides_only
        Letters other than ACGT match nothing.
    threads
        The most CPU threads to use. 0 uses every CPU that the process may use.
    memory
        How many bytes the index may take, about. The letters take memory in addition, and so does
        building: 4 bytes for each seed of a page. A reference whose index is larger is cut into
        pages, whose indexes are built one after another in each search. 0 means 8 GiB.
    page_letters
        The most letters of a page. 0 means as many as `memory` allows.
    query_letters
        How many letters will be searched, if known. It affects the speed alone.
    backend
        ``"cpu"``, ``"cuda"``, or ``"auto"``, which opens the devices after a second of searches
        that they would probably finish sooner. Each later search of this index goes to the CPU or
        to the devices, whichever is expected to be faster. All find the same matches.
    devices
        The numbers of the CUDA devices to use. The default is all devices.

    Raises
    ------
    BackendUnavailable
        If `backend` is ``"cuda"`` and there is no device that can be used.
    ValueError
        If an argument is out of range.
    MemoryError
        If there is not enough memory.
    """

    def __init__(
        self,
        reference: Any,
        *,
        min_length: int = 20,
        nucleotides_only: bool = False,
        threads: int = 0,
        memory: int = 0,
        page_letters: int = 0,
        query_letters: int = 0,
        backend: Backend = "auto",
        devices: Iterable[int] | None = None,
    ) -> None:
        check_choice("backend", backend, Backend)
        options = {
            "min_length": whole_number("min_length", min_length, 1),
            "nucleotides_only": truth("nucleotides_only", nucleotides_only),
            "threads": whole_number("threads", threads, 0, INT32_MAX),
            "memory": whole_number("memory", memory),
            "page_letters": whole_number("page_letters", page_letters),
            "query_letters": whole_number("query_letters", query_letters),
            # The devices build pages of their own.
            "deferred": backend == "cuda",
            "borrowed": isinstance(reference, _native_mem.Sequences),
        }
        # Devices that cannot be used are refused before the index is built.
        self._threads = threads
        self._devices: _auto.Devices[cuda.Engine] = _auto.Devices("mem", backend, devices)
        self._native: _native_mem.Index | None = _native_mem.Index.build(
            native_sequences(reference, "reference"), **options
        )

    @classmethod
    def load(
        cls,
        path: str | Path,
        *,
        threads: int = 0,
        backend: Backend = "auto",
        devices: Iterable[int] | None = None,
    ) -> Index:
        """Read a file that :meth:`save` wrote. The options are those of :class:`Index`.

        Raises
        ------
        FormatError
            If the file is no index, is damaged, or is of another version.
        OSError
            If the file cannot be read.
        """
        whole_number("threads", threads, 0, INT32_MAX)
        check_choice("backend", backend, Backend)
        data = Path(path).read_bytes()
        index = cls.__new__(cls)
        try:
            index._native = _native_mem.Index.load(data, threads)
        except ValueError as error:
            raise FormatError(str(path), None, str(error)) from None
        index._threads = threads
        index._devices = _auto.Devices("mem", backend, devices)
        return index

    def save(self, path: str | Path) -> None:
        """Write the index to a file, which appears when it is complete.

        Raises
        ------
        OSError
            If the file cannot be written. A file of that name keeps its content.
        """
        with atomic_output(path) as file:
            for piece in self._open().pieces():
                file.write(piece)

    def _open(self) -> _native_mem.Index:
        if self._native is None:
            raise ValueError("this Index is closed")
        return self._native

    def close(self) -> None:
        """Release memory and devices. Searches that are running in other threads finish."""
        self._native = None
        self._devices.close()

    @property
    def information(self) -> Information:
        """What the index consists of."""
        return self._open().information()

    def find(
        self,
        queries: Any,
        *,
        min_length: int | None = None,
        kind: Kind = "mem",
        strands: Strands = "forward",
    ) -> NDArray[np.void]:
        """Find the matches of queries.

        Parameters
        ----------
        queries
            As the reference of an :class:`Index`.
        min_length
            The shortest match, at least the index's. None means the index's.
        kind
            ``"mem"`` finds all matches, ``"mumreference"`` those whose letters occur once in the
            reference, and ``"mum"`` those whose letters occur once in the query, too.
        strands
            Search the queries as they are, their reverse complements, or both.

        Returns
        -------
        ndarray
            One record of the type :data:`MATCH` for each match. The order is by query, then strand,
            then position in the query and the reference; with ``"mum"``, by position in the
            reference.

        Raises
        ------
        ValueError
            If an argument is wrong.
        MemoryError
            If there is not enough memory.
        """
        check_choice("kind", kind, Kind)
        check_choice("strands", strands, Strands)
        length = self.information.min_length
        if min_length is not None:
            length = whole_number("min_length", min_length, length)
        return self.matches(native_sequences(queries, "queries"), length, kind, strands).array()

    def in_parts(
        self,
        queries: _native_mem.Sequences,
        min_length: int,
        kind: Kind,
        strands: Strands,
        most: int = 0,
    ) -> Iterator[_native_mem.Matches]:
        """Find matches in parts that need not be in memory together; for this package's own use.

        Matches come in the order of :meth:`find`. Each part is valid until the next one. With one
        query and the kind "mem", a part has about `most` matches; 0 chooses the number. Any other
        search is one part.
        """
        if len(queries) != 1 or kind != "mem":
            yield self.matches(queries, min_length, kind, strands)
            return
        most = most or (_MATCHES if self.information.resident else _PAGED_MATCHES)
        both: tuple[Strands, Strands] = "forward", "reverse"
        for strand in both if strands == "both" else (strands,):
            part = Part(0, queries.letters, most)
            while True:
                found = self.matches(queries, min_length, kind, strand, part)
                end = found.end
                yield found
                found.close()
                if end >= queries.letters:
                    break
                # The next part may have twice as many positions.
                part = Part(end, min(end + 2 * (end - part.first), queries.letters), most)

    def matches(
        self,
        queries: _native_mem.Sequences,
        min_length: int,
        kind: Kind,
        strands: Strands,
        part: Part = WHOLE,
    ) -> _native_mem.Matches:
        """Find matches, and leave them in the library's memory; for this package's own use."""
        native = self._open()
        with self._devices.for_call(lambda: self._estimate(queries, strands, part)) as engine:
            try:
                return native.find(queries, min_length, kind, strands, part, engine)
            except BackendUnavailable as error:
                self._devices.close()
                warnings.warn(f"gkl-shim: {error}; the CPU searches", RuntimeWarning, stacklevel=3)
            return native.find(queries, min_length, kind, strands, part)

    def _estimate(self, queries: _native_mem.Sequences, strands: Strands, part: Part) -> Any:
        letters = (part.last - part.first) or queries.letters * (2 if strands == "both" else 1)
        return _auto.estimate("mem", letters, self._threads)

    def is_of(self, reference: Any) -> bool:
        """Return whether this index was made of a reference, in any form that `Index` takes."""
        return self._open().is_of(native_sequences(reference, "reference"))


def find(
    reference: Any,
    queries: Any,
    *,
    min_length: int = 20,
    kind: Kind = "mem",
    strands: Strands = "forward",
    nucleotides_only: bool = False,
    threads: int = 0,
    backend: Backend = "auto",
    devices: Iterable[int] | None = None,
) -> NDArray[np.void]:
    """Find the matches between a reference and queries.

    Parameters
    ----------
    reference, min_length, nucleotides_only, threads, backend, devices
        As in :class:`Index`, but the backend ``"auto"`` is the CPU, because it chooses by the times
        of earlier searches of the same index.
    queries, kind, strands
        As in :meth:`Index.find`.

    Returns
    -------
    ndarray
        What :meth:`Index.find` returns.

    Raises
    ------
    BackendUnavailable, ValueError, MemoryError
        As in :class:`Index`, and if another argument is wrong.

    Examples
    --------
    >>> found = find("ACGTTGCA", ["TACGTA"], min_length=3)
    >>> found[["reference_start", "query_start", "length"]].tolist()
    [(0, 1, 4)]
    """
    check_choice("kind", kind, Kind)
    check_choice("strands", strands, Strands)
    given = native_sequences(queries, "queries")
    with Index(
        native_sequences(reference, "reference"),
        min_length=min_length,
        nucleotides_only=nucleotides_only,
        threads=threads,
        query_letters=given.letters * (2 if strands == "both" else 1),
        backend=backend,
        devices=devices,
    ) as index:
        index._devices.never_open()
        return index.find(given, kind=kind, strands=strands)


def native_sequences(value: Any, name: str) -> _native_mem.Sequences:
    if isinstance(value, _native_mem.Sequences):
        return value
    one_array = getattr(value, "dtype", None) == "uint8" and value.ndim == 1
    if one_array or isinstance(value, (str, bytes)):
        value = [value]
    from gkl_shim.common._ragged import ragged

    return _native_mem.Sequences.from_arrays(*ragged(value, name))
