"""Smith-Waterman: align sequences to references, with the results of GATK's own aligner.

For every pair, the offset and the CIGAR are those of GATK's class ``SmithWatermanJavaAligner``.
"""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Iterable
from typing import Any, Literal, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from gkl_shim.common._arguments import check_choice
from gkl_shim.common._closable import Closable
from gkl_shim.common._ragged import part, ragged
from gkl_shim.smithwaterman import _native_smithwaterman

__all__ = ["DANGLING_END", "HAPLOTYPE_TO_REFERENCE", "READ_TO_HAPLOTYPE", "Alignments",
           "Overhang", "Parameters", "SmithWaterman", "align"]  # fmt: skip

Overhang: TypeAlias = Literal["softclip", "indel", "leading_indel", "ignore"]

# The most letters in one native call. Ctrl-C waits until the call returns, and a call's buffer for
# CIGARs has two bytes a letter.
_CALL_LETTERS = 1 << 23


class Parameters(NamedTuple):
    """Scores. Penalties are negative."""

    match: int
    mismatch: int
    gap_open: int
    """For the first letter of a gap."""
    gap_extend: int
    """For each further letter."""


HAPLOTYPE_TO_REFERENCE = Parameters(200, -150, -260, -11)
"""What GATK aligns haplotypes to the reference with (``NEW_SW_PARAMETERS``)."""
READ_TO_HAPLOTYPE = Parameters(10, -15, -30, -5)
"""What GATK aligns reads to their best haplotype with."""
DANGLING_END = Parameters(25, -50, -110, -6)
"""What GATK aligns dangling ends of the assembly graph with (``STANDARD_NGS``)."""


@dataclasses.dataclass(frozen=True, slots=True)
class Alignments:
    """The alignments of a batch, as arrays."""

    offsets: NDArray[np.int64]
    """Where each alternative starts in its reference, counted from 0: shape (pairs,)."""
    cigar_text: NDArray[np.uint8]
    """The CIGARs of all pairs as ASCII text, without separators."""
    cigar_offsets: NDArray[np.int64]
    """Where each CIGAR starts in `cigar_text`, and the end of the last: shape (pairs + 1,)."""

    def __len__(self) -> int:
        return len(self.offsets)

    def cigar(self, pair: int) -> str:
        """Return one pair's CIGAR, such as ``"3S10M2D5M"``."""
        pair = range(len(self))[pair]
        start, end = self.cigar_offsets[pair : pair + 2]
        return self.cigar_text[start:end].tobytes().decode("ascii")

    @property
    def cigars(self) -> list[str]:
        """The CIGARs of all pairs, each a str."""
        text = self.cigar_text.tobytes().decode("ascii")
        ends = self.cigar_offsets.tolist()
        return [text[start:end] for start, end in itertools.pairwise(ends)]


class SmithWaterman(Closable):
    """An aligner with its options. It is cheap to make and may be used by several threads.

    Parameters
    ----------
    threads, build
        As for :class:`gkl_shim.pairhmm.PairHMM`, which also lists the exceptions. All builds give
        the same results.

    Examples
    --------
    >>> with SmithWaterman(threads=1) as aligner:
    ...     aligner.align(["ACGTACGTTA"], ["CGTTCGTT"]).cigars
    ['8M']
    """

    def __init__(self, *, threads: int = 0, build: str | None = None) -> None:
        self._engine: _native_smithwaterman.CpuEngine | None = _native_smithwaterman.CpuEngine(
            threads, build
        )
        self._build = self._engine.build

    @property
    def build(self) -> str:
        """The name of the build in use."""
        return self._build

    def close(self) -> None:
        """Refuse further calls. Calls that are running in other threads finish."""
        self._engine = None

    def align(
        self,
        references: Any,
        alternatives: Any,
        parameters: tuple[int, int, int, int] = HAPLOTYPE_TO_REFERENCE,
        overhang: Overhang = "softclip",
    ) -> Alignments:
        """Align each alternative to its reference.

        Parameters
        ----------
        references, alternatives
            As many of one as of the other: a list of bytes, str or uint8 arrays, or a tuple of
            all letters (bytes or a uint8 array) and one more offset than there are sequences. One
            bytes or str as `references` is the reference of all alternatives. Letters are compared
            as they are: N matches N, and ``a`` does not match ``A``. A sequence has 1 to 262,144
            letters.
        parameters
            Match, mismatch, gap open and gap extend. Any 32-bit numbers are allowed.
        overhang
            What happens to letters of an alternative that its reference does not cover.
            ``"softclip"`` clips them (S), ``"ignore"`` counts them as aligned (M). ``"indel"``
            aligns both sequences from end to end. ``"leading_indel"`` does so at the start only.

        Returns
        -------
        Alignments
            An offset and a CIGAR for each pair.

        Raises
        ------
        ValueError
            If the aligner is closed, if a sequence is empty, too long or of another type, if there
            are not as many of both, or a parameter is not a 32-bit number. The message says which.
        MemoryError
            If there is not enough memory.
        """
        engine = self._engine
        if engine is None:
            raise ValueError("this SmithWaterman is closed")
        check_choice("overhang", overhang, Overhang)
        code = _native_smithwaterman.overhang_code(overhang)
        scores = _scores(parameters)
        alternative = _ragged(alternatives, "alternatives")
        pairs = len(alternative[1]) - 1
        if isinstance(references, (str, bytes)):
            references = [references] * pairs
        reference = _ragged(references, "references")
        if len(reference[1]) - 1 != pairs:
            raise ValueError(
                f"{len(reference[1]) - 1} references for {pairs} alternatives; give one for each"
            )
        offsets = np.empty(pairs, np.int64)
        ends = np.zeros(pairs + 1, np.int64)
        texts = []
        room = np.empty(0, np.uint8)
        for first, last in _calls(reference[1] + alternative[1]):
            own_references = part(reference, first, last)
            own_alternatives = part(alternative, first, last)
            size = 2 * int(own_references[1][-1] + own_alternatives[1][-1])
            if len(room) < size:
                room = np.empty(size, np.uint8)
            own = np.empty(last - first + 1, np.int64)
            engine.align(
                own_references, own_alternatives, scores, code, offsets[first:last], own, room
            )
            ends[first + 1 : last + 1] = own[1:] + ends[first]
            texts.append(room[: own[-1]].copy())
        text = np.concatenate(texts) if texts else np.empty(0, np.uint8)
        return Alignments(offsets, text, ends)


def align(
    references: Any,
    alternatives: Any,
    parameters: tuple[int, int, int, int] = HAPLOTYPE_TO_REFERENCE,
    overhang: Overhang = "softclip",
    *,
    threads: int = 0,
) -> Alignments:
    """Align each alternative to its reference; see :meth:`SmithWaterman.align`.

    Examples
    --------
    >>> found = align(["ACGTACGTTA"], ["CGTTCGTT"])
    >>> found.offsets.tolist(), found.cigars
    ([1], ['8M'])
    """
    with SmithWaterman(threads=threads) as aligner:
        return aligner.align(references, alternatives, parameters, overhang)


def _scores(parameters: Any) -> tuple[int, int, int, int]:
    values = tuple(parameters) if isinstance(parameters, Iterable) else ()
    if len(values) != 4:
        raise ValueError(f"parameters: {len(values)} numbers, not 4")
    for name, value in zip(Parameters._fields, values, strict=True):
        if not isinstance(value, (int, np.integer)) or not -(2**31) <= value < 2**31:
            raise ValueError(f"parameters: {name} is {value!r}, not a 32-bit whole number")
    match, mismatch, gap_open, gap_extend = map(int, values)
    return match, mismatch, gap_open, gap_extend


def _calls(letters_before: NDArray[np.int64]) -> Iterable[tuple[int, int]]:
    """Divide pairs into native calls, and yield each call's first pair and the next call's."""
    first, pairs = 0, len(letters_before) - 1
    while first < pairs:
        most = letters_before[first] + _CALL_LETTERS
        last = max(int(np.searchsorted(letters_before, most, side="right")) - 1, first + 1)
        yield first, last
        first = last


def _ragged(value: Any, name: str) -> tuple[NDArray[np.uint8], NDArray[np.int64]]:
    """Convert sequences to letters and offsets, and check the lengths."""
    letters, ends = ragged(value, name)
    lengths = ends[1:] - ends[:-1]
    longest = _native_smithwaterman.longest()
    if len(lengths) and not 1 <= lengths.min() <= lengths.max() <= longest:
        at = int(np.argmax((lengths < 1) | (lengths > longest)))
        raise ValueError(f"{name}: sequence {at} has {lengths[at]} letters, not 1 to {longest}")
    return letters, ends
