"""The native reader of pairs agrees with a plain one, and the writer with the format."""

from __future__ import annotations

import io
import random
import re

import numpy as np
import pytest

from gkl_shim.common._ragged import ragged
from gkl_shim.errors import FormatError
from gkl_shim.formats import lines, smithwaterman_text
from gkl_shim.formats.smithwaterman_text import Pairs, Reader, formatted, write
from gkl_shim.smithwaterman import Alignments, Parameters
from tests.smithwaterman.pairs import OVERHANGS, Pair, pairs

DEFAULT = Parameters(5, -4, -9, -2)
ODD = b"\0\n\r\t \"',-+0159ACGTNacgtn.eE_x\x80\xff"


def oracle(text: bytes) -> list[Pair] | int:
    """Return the pairs of a text, or the number of its first wrong line."""
    found = []
    given = text.split(b"\n")
    while given and not given[-1].strip():
        given.pop()
    for number, line in enumerate(given, 1):
        fields = line.removesuffix(b"\r").split(b"\t")
        if number == 1 and len(fields) > 1 and all(map(is_word, fields[:2])):
            return 1
        scores, overhang = tuple(DEFAULT), "indel"
        if len(fields) == 4:
            numbers = [each.strip(b" ") for each in fields[2].split(b",")]
            if not all(re.fullmatch(rb"[-+]?[0-9]+", each) for each in numbers):
                return number
            scores, overhang = tuple(map(int, numbers)), fields[3].decode("latin-1").lower()
        wrong = len(fields) not in (2, 4)
        wrong |= not all(re.fullmatch(rb"[\x21-\x7e]+", each) for each in fields[:2])
        wrong |= len(scores) != 4 or any(not -(2**31) <= each < 2**31 for each in scores)
        if wrong or overhang not in OVERHANGS:
            return number
        found.append(Pair(fields[0], fields[1], scores, overhang))
    return found


def is_word(field: bytes) -> bool:
    """Whether a field of the first line would be in a header: a word with a letter of no base."""
    return bool(re.fullmatch(rb"#?\s*[a-z][\w ]*", field, re.I)) and bool(
        re.search(rb"[^ACGTUNRYSWKMBDHVX# ]", field, re.I)
    )


def each(chunk: Pairs) -> list[Pair]:
    sides = [
        [letters[ends[k] : ends[k + 1]].tobytes() for k in range(len(ends) - 1)]
        for letters, ends in (chunk.references, chunk.alternatives)
    ]
    return [Pair(*pair, chunk.parameters, chunk.overhang) for pair in zip(*sides, strict=True)]


def agree(text: bytes, threads: int) -> bool:
    """Compare reader and oracle; return whether the text is good."""
    want = oracle(text)
    with Reader(io.BytesIO(text), DEFAULT, "indel", threads) as reader:
        if isinstance(want, int):
            with pytest.raises(FormatError) as error:
                list(reader)
            assert error.value.line == want
            return False
        chunks = list(reader)
    assert [pair for chunk in chunks for pair in each(chunk)] == want
    return True


def random_text(rng: random.Random, seed: int) -> bytes:
    text = bytearray()
    for pair in pairs(rng.randint(0, 12), seed, longest=40):
        line = pair.line() if rng.random() < 0.6 else b"%b\t%b\n" % pair[:2]
        text += line.replace(b"\n", b"\r\n") if rng.random() < 0.2 else line
    for _ in range(rng.choice((0, 0, 1, 3))):
        at = rng.randrange(len(text) + 1)
        text[at : at + rng.choice((0, 1, 1))] = bytes([rng.choice(ODD)])
    return bytes(text) if rng.random() < 0.7 else bytes(text).removesuffix(b"\n")


@pytest.mark.parametrize("capacity", [1, 3, 1 << 17])
def test_mutated_texts_are_read_or_refused_like_the_oracle(monkeypatch, capacity: int) -> None:
    monkeypatch.setattr(smithwaterman_text, "LINES", capacity)
    rng = random.Random(capacity)
    good = sum(agree(random_text(rng, seed), 1 + seed % 2) for seed in range(400))
    assert 100 < good < 350


@pytest.mark.parametrize("threads", [1, 2])
def test_texts_of_many_pieces_are_read_like_the_oracle(monkeypatch, threads: int) -> None:
    """Lines cross the borders between the threads' pieces and between chunks."""
    monkeypatch.setattr(lines, "_CHUNK", 1 << 20)
    text = b"".join(pair.line() for pair in pairs(3000, seed=threads, longest=130)) * 8
    assert len(text) > 1 << 21
    assert agree(text, threads)
    rng = random.Random(threads)
    for _ in range(4):
        changed = bytearray(text)
        changed[rng.randrange(len(text))] = ord("\n")
        agree(bytes(changed), threads)


@pytest.mark.parametrize("scores", ["+1,-2, 3 ,-0", "1,-2,3,-2147483648", "007,0,0,0"])
def test_scores(scores: str) -> None:
    assert agree(f"A\tC\t{scores}\tSoftClip\n".encode(), 1)


@pytest.mark.parametrize(
    "header", [b"reference\talternative", b"#Seq1\tseq2\tscores\toverhang", b"ref\talt\r"]
)
def test_a_header_is_refused(header: bytes) -> None:
    with pytest.raises(FormatError) as error:
        list(Reader(io.BytesIO(header + b"\nACGT\tACG\n"), DEFAULT, "indel"))
    assert str(error.value) == "input:1: it is a header, not a pair of sequences; leave it out"


@pytest.mark.parametrize(
    ("line", "message"),
    [
        (b"\xef\xbb\xbfA\tC", "letter 1 of the reference is 0xEF"),
        (b"A\tC ", "letter 2 of the alternative is 0x20"),
        (b"A\x01\tC", "letter 2 of the reference is 0x01"),
        (b"!~\tA\x7f", "letter 2 of the alternative is 0x7F"),
    ],
)
def test_characters_that_are_no_letters(line: bytes, message: str) -> None:
    with pytest.raises(FormatError) as error:
        list(Reader(io.BytesIO(b"!~\tA\n" + line + b"\n"), DEFAULT, "indel"))
    assert str(error.value) == f"input:2: {message}, not a printable character of ASCII"


@pytest.mark.parametrize(
    "scores",
    ["", "1,2,3,", ",1,2,3", "1,2,3,4,5", "1,2,3,4.0", "1,2,3,+-4", "1,2,3,++4", "1,2,3,0x4",
     "1,2,3,-2147483649", "1,2,3,99999999999999999999", "1,2,3,- 4", "1,2,3,+"],
)  # fmt: skip
def test_wrong_scores(scores: str) -> None:
    assert not agree(f"A\tC\t{scores}\tsoftclip\n".encode(), 1)


def test_a_line_that_is_too_long(monkeypatch) -> None:
    monkeypatch.setattr(lines, "_CHUNK", 1 << 20)
    for first in (b"", b"A\tC\n"):
        with pytest.raises(FormatError, match="a line of more than 524388 bytes") as error:
            list(Reader(io.BytesIO(first + b"A" * (1 << 21)), DEFAULT, "indel"))
        assert error.value.line == 1 + len(first.splitlines())


def test_what_is_written_is_read() -> None:
    sides = [b"ACGT", b"A"], [b"C", b"GATTACA"]
    sequences = [ragged(side, "side") for side in sides]
    text = io.BytesIO()
    write(text, Pairs(Parameters(1, -2, -3, -1), "ignore", *sequences))
    (chunk,) = Reader(io.BytesIO(text.getvalue()), DEFAULT, "indel")
    want = [Pair(*pair, (1, -2, -3, -1), "ignore") for pair in zip(*sides, strict=True)]
    assert each(chunk) == want


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("count", [0, 1, 2048, 9001])
def test_alignments_as_text(count: int, threads: int) -> None:
    rng = random.Random(count)
    offsets = [rng.choice((0, 5, -(2**63), 2**63 - 1, rng.getrandbits(9))) for _ in range(count)]
    cigars = [f"{rng.randint(1, 99)}M" * rng.randint(0, 3) for _ in range(count)]
    ends = np.cumsum([0, *map(len, cigars)])
    text = np.frombuffer("".join(cigars).encode(), np.uint8)
    alignments = Alignments(np.array(offsets, np.int64), text, ends)
    want = "".join(f"{offset}\t{cigar}\n" for offset, cigar in zip(offsets, cigars, strict=True))
    assert bytes(formatted(alignments, threads)) == want.encode()
