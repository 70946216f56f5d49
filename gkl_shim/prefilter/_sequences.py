"""Convert every form of reads, segments and contigs into the prefilter's :class:`Sequences`."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gkl_shim.common._checks import bytes_array, items_of, whole_numbers
from gkl_shim.common._ragged import offsets_of
from gkl_shim.prefilter import _native_prefilter

MAX_LENGTH = 10_000
MAX_CONTIG = 2**31 - 1

_COMPLEMENT = np.arange(256, dtype=np.uint8)
for _pair in ("AT", "CG", "at", "cg"):
    _first, _second = map(ord, _pair)
    _COMPLEMENT[_first], _COMPLEMENT[_second] = _second, _first


class Sequences:
    """Many sequences in one buffer, as letters or as two bits a base.

    There is no Python object for each sequence. :meth:`from_arrays`, :meth:`from_slices`,
    :meth:`from_matrix`, :meth:`from_planes` and :meth:`encoded` make one. The functions of
    :mod:`gkl_shim.prefilter` also accept lists of bytes or str, and convert them. Letters are ACGT
    in either case. Any other letter makes its sequence undefined. A sequence has 1 to 10,000 bases.
    """

    __slots__ = ("_raw",)

    def __init__(self, raw: _native_prefilter.Sequences) -> None:
        self._raw = raw

    @classmethod
    def of(cls, **fields: Any) -> Sequences:
        """Combine arrays that need no check: the fields of the native sequences."""
        return cls(_native_prefilter.Sequences(**fields))

    def changed(self, **fields: Any) -> Sequences:
        """Return the sequences with other values of some fields of :attr:`raw`."""
        return Sequences(dataclasses.replace(self._raw, **fields))

    @classmethod
    def from_arrays(
        cls, letters: NDArray[np.uint8] | bytes, offsets: NDArray[np.integer[Any]]
    ) -> Sequences:
        """Make sequences of ragged arrays. A uint8 array of letters is not copied.

        Parameters
        ----------
        letters
            The letters of all sequences, one-dimensional.
        offsets
            Integers, shape (sequences + 1,): sequence k is ``letters[offsets[k]:offsets[k + 1]]``.

        Raises
        ------
        ValueError
            If an offset is outside the letters, or a length is not 1 to 10,000.
        """
        ends = _integers(offsets, "offsets")
        if not len(ends):
            raise ValueError("offsets: empty; give one more than there are sequences")
        return cls.from_slices(letters, ends[:-1], np.diff(ends))

    @classmethod
    def from_slices(
        cls,
        letters: NDArray[np.uint8] | bytes,
        starts: NDArray[np.integer[Any]],
        lengths: NDArray[np.integer[Any]] | int,
    ) -> Sequences:
        """Make sequences of slices of a buffer. A uint8 array of letters is not copied.

        Parameters
        ----------
        letters
            The buffer, one-dimensional.
        starts
            Where each sequence starts: integers, shape (sequences,). Sequences may overlap.
        lengths
            The length of each sequence: integers, shape (sequences,), or one length for all.

        Raises
        ------
        ValueError
            If a sequence reaches outside the letters, or a length is not 1 to 10,000.
        """
        buffer = bytes_array(letters, "letters")
        begins, sizes, length = _slices(starts, lengths, len(buffer))
        places = {"count": len(begins), "starts": begins, "lengths": sizes, "length": length}
        return cls.of(**places, size=len(buffer), letters=buffer)

    @classmethod
    def from_matrix(cls, letters: NDArray[Any]) -> Sequences:
        """Make sequences of one length, one for each row of a matrix.

        Parameters
        ----------
        letters
            uint8, shape (sequences, length), or an array of fixed-width bytes (dtype ``S``) in
            which every element fills its width. A C-contiguous array is not copied.

        Raises
        ------
        ValueError
            If the array has another shape or type, or the length is not 1 to 10,000.
        """
        matrix = np.ascontiguousarray(letters)
        if matrix.dtype.kind == "S" and matrix.ndim == 1:
            matrix = matrix.view(np.uint8).reshape(len(matrix), matrix.dtype.itemsize)
        if matrix.dtype != np.uint8 or matrix.ndim != 2:
            raise ValueError(
                f"expected a two-dimensional uint8 array, got {matrix.dtype} of shape "
                f"{matrix.shape}"
            )
        count, length = matrix.shape
        _check_length(length)
        buffer = matrix.reshape(-1)
        return cls.of(count=count, size=len(buffer), letters=buffer, stride=length, length=length)

    @classmethod
    def from_planes(
        cls,
        low: NDArray[np.uint32],
        high: NDArray[np.uint32],
        starts: NDArray[np.integer[Any]],
        lengths: NDArray[np.integer[Any]] | int,
        undefined: NDArray[np.uint32] | None = None,
    ) -> Sequences:
        """Make sequences of bases that are already encoded in two bits.

        Parameters
        ----------
        low, high
            The two bits of each base: uint32, one-dimensional, of equal size. Base k is bit k % 32
            of word k // 32. A has neither bit set, C has `low`, T has `high`, and G has both.
        starts, lengths
            In bases, as for :meth:`from_slices`.
        undefined
            A set bit for every base that is not ACGT, or None if all bases are ACGT.

        Raises
        ------
        ValueError
            If the planes differ in size, or for the reasons that :meth:`from_slices` lists.
        """
        planes = [_words(plane, name) for plane, name in ((low, "low"), (high, "high"))]
        unknown = None if undefined is None else _words(undefined, "undefined")
        for plane, name in ((planes[1], "high"), (unknown, "undefined")):
            if plane is not None and len(plane) != len(planes[0]):
                raise ValueError(f"{name}: {len(plane)} words, but low has {len(planes[0])}")
        size = 32 * len(planes[0])
        begins, sizes, length = _slices(starts, lengths, size)
        places = {"count": len(begins), "starts": begins, "lengths": sizes, "length": length}
        return cls.of(**places, size=size, low=planes[0], high=planes[1], undefined=unknown)

    @property
    def raw(self) -> _native_prefilter.Sequences:
        """The arrays, in the form that the engines take."""
        return self._raw

    def __len__(self) -> int:
        return self._raw.count

    @property
    def lengths(self) -> NDArray[np.int32]:
        """The length of each sequence: int32, shape (sequences,)."""
        if self._raw.lengths is not None:
            return self._raw.lengths
        return np.full(self._raw.count, self._raw.length, np.int32)

    @property
    def starts(self) -> NDArray[np.int64]:
        """Where each sequence starts in its buffer: int64, shape (sequences,)."""
        if self._raw.starts is not None:
            return self._raw.starts
        return np.arange(self._raw.count, dtype=np.int64) * self._raw.stride

    def encoded(self, threads: int = 0) -> Sequences:
        """Encode the letters in two bits a base.

        Parameters
        ----------
        threads
            The most CPU threads to use. 0 uses every CPU that the process may use.

        Returns
        -------
        Sequences
            The encoded sequences, or `self` if it is encoded already.
        """
        raw = self._raw
        if raw.letters is None:
            return self
        low, high, undefined = (np.empty((raw.size + 31) // 32, np.uint32) for _ in range(3))
        any_undefined = _native_prefilter.encode(raw.letters, low, high, undefined, threads)
        unknown = undefined if any_undefined else None
        return self.changed(letters=None, low=low, high=high, undefined=unknown)

    def copied(self) -> Sequences:
        """Return a copy of the sequences and of their arrays."""
        raw = self._raw
        given = {field.name: getattr(raw, field.name) for field in dataclasses.fields(raw)}
        return self.changed(**{k: v.copy() for k, v in given.items() if isinstance(v, np.ndarray)})

    def part(self, first: int, last: int) -> Sequences:
        """Return the sequences ``[first, last)``, in the same buffer."""
        raw = self._raw
        starts, offset = raw.starts, 0
        if starts is None:
            offset = first * raw.stride
            if raw.letters is None:  # bit planes can only be cut at whole words
                starts = np.arange(first, last, dtype=np.int64) * raw.stride
                offset = 0
        else:
            starts = starts[first:last]
        return self.changed(
            count=last - first,
            size=raw.size - offset,
            letters=None if raw.letters is None else raw.letters[offset:],
            starts=starts,
            lengths=None if raw.lengths is None else raw.lengths[first:last],
        )

    def both_strands(self) -> Sequences:
        """Return all sequences, followed by all reverse complements, in a new buffer.

        Raises
        ------
        ValueError
            If the sequences are encoded.
        """
        raw = self._raw
        if raw.letters is None:
            raise ValueError("reads: cannot reverse-complement encoded reads; give letters")
        starts, lengths = self.starts, self.lengths
        return Sequences.of(
            count=2 * raw.count,
            size=2 * raw.size,
            letters=np.concatenate((raw.letters, _COMPLEMENT[raw.letters[::-1]])),
            starts=np.concatenate((starts, 2 * raw.size - starts - lengths)),
            lengths=np.concatenate((lengths, lengths)),
        )


def contig_sequences(value: Any) -> Sequences:
    """Convert the contigs of a reference, which may have any length.

    Parameters
    ----------
    value
        Sequences, or an iterable of bytes, str or uint8 arrays.
    """
    if isinstance(value, Sequences):
        return value
    items = enumerate(items_of(value, "contigs"))
    letters = [_letters(item, f"contigs: contig {index}") for index, item in items]
    lengths = np.fromiter(map(len, letters), np.int64, len(letters))
    if not len(lengths) or lengths.min() == 0 or lengths.max() > MAX_CONTIG:
        raise ValueError(f"contigs: one or more, each of 1 to {MAX_CONTIG:,} bases")
    return Sequences.of(
        count=len(letters),
        size=int(lengths.sum()),
        letters=np.frombuffer(b"".join(letters), np.uint8),
        starts=np.cumsum(lengths) - lengths,
        lengths=lengths.astype(np.int32),
    )


def sequences(value: Any, name: str) -> Sequences:
    """Convert an argument into :class:`Sequences`.

    Parameters
    ----------
    value
        Sequences, a uint8 matrix, an array of fixed-width bytes, or an iterable of bytes, str or
        uint8 arrays.
    name
        The name of the argument, for errors.

    Raises
    ------
    ValueError
        If the value has another type or a sequence has a wrong length. The message names the
        argument and the index.
    """
    if isinstance(value, Sequences):
        return value
    is_array = isinstance(value, np.ndarray) and value.dtype.kind in "uSU"
    items = value if is_array else items_of(value, name)
    try:
        if is_array:
            width = value.dtype.itemsize
            if value.dtype.kind == "U" or (
                value.dtype.kind == "S" and np.char.str_len(value).min(initial=width) < width
            ):
                return _joined(value.tolist())
            return Sequences.from_matrix(value)
        return _joined(items)
    except ValueError as error:
        raise ValueError(f"{name}: {error}") from None


def _joined(items: Iterable[Any]) -> Sequences:
    letters = [_letters(item, f"sequence {index}") for index, item in enumerate(items)]
    joined = np.frombuffer(b"".join(letters), np.uint8)
    return Sequences.from_arrays(joined, offsets_of(list(map(len, letters))))


def _letters(item: Any, name: str) -> bytes:
    if isinstance(item, bytes):
        return item
    if isinstance(item, str):
        # Every letter other than ACGT is undefined, so replacing it with "?" changes nothing.
        return item.encode("ascii", "replace")
    if isinstance(item, (bytearray, memoryview)):
        return bytes(item)
    if isinstance(item, np.ndarray) and item.dtype == np.uint8 and item.ndim == 1:
        return item.tobytes()
    raise ValueError(f"{name}: expected bytes, str or a uint8 array, got {type(item).__name__}")


def _words(value: Any, name: str) -> NDArray[np.uint32]:
    if not isinstance(value, np.ndarray) or value.dtype != np.uint32 or value.ndim != 1:
        raise ValueError(f"{name}: expected a one-dimensional uint32 array")
    return np.ascontiguousarray(value)


def _integers(value: Any, name: str) -> NDArray[np.int64]:
    return np.ascontiguousarray(whole_numbers(value, name), np.int64)


def _slices(
    starts: Any, lengths: Any, size: int
) -> tuple[NDArray[np.int64], NDArray[np.int32] | None, int]:
    """Check slices of a buffer, and return the starts, the lengths and the common length.

    Either the lengths are None or the common length is 0.
    """
    begins = _integers(starts, "starts")
    if isinstance(lengths, (int, np.integer)):
        _check_length(int(lengths))
        sizes, common = np.int64(lengths), int(lengths)
        widths = None
    else:
        sizes = _integers(lengths, "lengths")
        common = 0
        if len(sizes) != len(begins):
            raise ValueError(f"{len(begins)} starts, but {len(sizes)} lengths")
        wrong = (sizes < 1) | (sizes > MAX_LENGTH)
        if wrong.any():
            at = int(np.argmax(wrong))
            raise ValueError(f"sequence {at} has {sizes[at]} bases, not 1 to {MAX_LENGTH}")
        widths = sizes.astype(np.int32)
    outside = (begins < 0) | (begins > size - sizes)
    if outside.any():
        at = int(np.argmax(outside))
        raise ValueError(f"sequence {at} reaches outside the {size} bases")
    return begins, widths, common


def _check_length(length: int) -> None:
    if not 1 <= length <= MAX_LENGTH:
        raise ValueError(f"sequences of {length} bases: not 1 to {MAX_LENGTH}")
