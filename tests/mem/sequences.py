"""Repetitive sequences for Hypothesis, references as an index takes them, and FASTA."""

from __future__ import annotations

import re
from typing import Any

from hypothesis import strategies as st

from gkl_shim import mem

#: Alphabets of one letter, two, nucleotides, with N, with other IUPAC codes, and of proteins.
ALPHABETS = ("A", "AC", "ACGT", "ACGTN", "AN", "acgtACGTNryk", "ACDEFGHIKLMNPQRSTVWY")


@st.composite
def sequence(draw: st.DrawFn, alphabet: str, longest: int) -> str:
    """A run of one letter, tandem repeats with a few changes, or any letters."""
    unit = draw(st.text(alphabet, min_size=1, max_size=draw(st.sampled_from([1, 3, longest]))))
    letters = list((unit * longest)[: draw(st.integers(0, longest))])
    for _ in range(draw(st.integers(0, 3)) if letters else 0):
        letters[draw(st.integers(0, len(letters) - 1))] = draw(st.sampled_from(alphabet))
    return "".join(letters)


@st.composite
def pair(draw: st.DrawFn, longest: int = 60) -> tuple[list[str], list[str]]:
    """References and queries of one alphabet. Queries share parts with references."""
    alphabet = draw(st.sampled_from(ALPHABETS))
    references = draw(st.lists(sequence(alphabet, longest), min_size=1, max_size=4))
    queries = draw(st.lists(sequence(alphabet, longest), min_size=1, max_size=4))
    for k in range(len(queries)):
        source = draw(st.sampled_from(references + queries))
        start = draw(st.integers(0, len(source)))
        end = draw(st.integers(start, len(source)))
        queries[k] = source[start:end] + queries[k]
    return references, queries


def reference_as(borrowed: bool, reference: Any) -> Any:
    """Return a reference that an index borrows, or one that it copies."""
    return mem.native_sequences(reference, "reference") if borrowed else reference


def fasta(sequences: list[str], prefix: str = "s", width: int = 60) -> bytes:
    """Return the FASTA of sequences named s0, s1 and so on."""
    lines = []
    for number, letters in enumerate(sequences):
        lines.append(f">{prefix}{number} more words")
        lines += [letters[k : k + width] for k in range(0, len(letters), width)]
    return "".join(line + "\n" for line in lines).encode()


def parsed(text: bytes) -> list[tuple[bytes, bytes]]:
    """Return the name and the letters of each sequence of a FASTA text, a line at a time."""
    names: list[bytes] = []
    letters = [b""]
    for line in text.split(b"\n"):
        before, mark, description = line.partition(b">")
        letters[-1] += b"".join(before.split())
        if mark:
            # Letters before the first description belong to its sequence.
            letters += [b""] if names else []
            names.append(re.split(rb"\s", description, maxsplit=1)[0])
    return list(zip(names, letters, strict=False))
