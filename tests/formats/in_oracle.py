"""The .in formats read line by line, slowly: what the native parser must find, and refuse.

Shares no code with the package.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

SPACE = re.compile(rb"[ \t\n\v\f\r]+")
TRACKS = ("quals", "insertion_quals", "deletion_quals", "continuation_quals")


@dataclass
class Region:
    """Reads as tuples of bases and the four qualities as numbers, and haplotypes.

    A haplotype is a tuple of its letters and, in PDHMM's format, their flags.
    """

    reads: list[tuple[bytes, ...]] = field(default_factory=list)
    haplotypes: list[tuple[bytes, ...]] = field(default_factory=list)


class Fault(Exception):  # noqa: N818 - a line of a text, not of Python
    """A fault in a text, and its line."""

    def __init__(self, line: int, message: str) -> None:
        super().__init__(f"{line}: {message}")
        self.line = line
        self.message = message


def parse(text: bytes, longest_line: int = 1 << 26, flagged: bool = False) -> list[Region]:
    """Read regions, or raise a Fault. PDHMM's are flagged."""
    lines = text.split(b"\n")
    if not lines[-1]:
        del lines[-1]
    regions: list[Region] = []
    reads = haplotypes = header = 0
    for number, line in enumerate(lines, 1):
        if len(line) > longest_line:
            raise Fault(number, f"a line of more than {longest_line} bytes")
        fields = [each for each in SPACE.split(line) if each]
        try:
            if reads:
                reads -= 1
                regions[-1].reads.append(_read(number, fields))
            elif haplotypes:
                haplotypes -= 1
                read = _flagged_haplotype if flagged else _haplotype
                regions[-1].haplotypes.append(read(number, fields))
            elif fields:
                header = number
                reads, haplotypes = _header(number, fields, line)
                regions.append(Region())
        except Fault:
            if 0 in line:
                what = f"it is no text: byte {line.index(0) + 1} is NUL"
                raise Fault(number, what) from None
            if not fields:
                raise Fault(number, "a blank line is within a region") from None
            raise
    if reads or haplotypes:
        raise Fault(
            len(lines),
            f"the file ends within the region of line {header}: "
            + (f"{reads} reads and " if reads else "")
            + f"{haplotypes} haplotypes are missing",
        )
    if not regions:
        raise Fault(1, "no regions: the file is empty")
    return regions


def _header(number: int, fields: list[bytes], line: bytes) -> tuple[int, int]:
    if len(fields) == 2 and all(re.fullmatch(rb"[0-9]{1,9}", each) for each in fields):
        return int(fields[0]), int(fields[1])
    start = "".join(chr(byte) if byte < 128 else f"\\x{byte:02x}" for byte in line[:30])
    dots = "…" if len(line) > 30 else ""
    raise Fault(
        number,
        "expected a region's first line, the number of its reads and of its haplotypes, got "
        f"{start!r}{dots}",
    )


def _read(number: int, fields: list[bytes]) -> tuple[bytes, ...]:
    if len(fields) != 5:
        raise Fault(
            number,
            "a read has 5 fields (bases, base, insertion, deletion and continuation qualities), "
            f"here {len(fields)}",
        )
    bases, *tracks = fields
    for name, track in zip(TRACKS, tracks, strict=True):
        if len(track) != len(bases):
            raise Fault(number, f"{name}: {len(track)} qualities for {len(bases)} bases")
    _check_letters(number, bases, "read")
    for name, track in zip(TRACKS, tracks, strict=True):
        for byte in track:
            if not 33 <= byte <= 160:
                raise Fault(number, f"{name}: {_shown(byte)} is no quality (Phred + 33, from '!')")
    return bases, *(bytes(byte - 33 for byte in track) for track in tracks)


def _haplotype(number: int, fields: list[bytes]) -> tuple[bytes, ...]:
    if len(fields) != 1:
        raise Fault(number, f"a haplotype has 1 field, here {len(fields)}")
    _check_letters(number, fields[0], "haplotype")
    return (fields[0],)


def _flagged_haplotype(number: int, fields: list[bytes]) -> tuple[bytes, ...]:
    if len(fields) != 2:
        raise Fault(
            number,
            f"a haplotype has 2 fields, its letters and their flags; here {len(fields)}",
        )
    letters, digits = fields
    _check_letters(number, letters, "haplotype")
    if len(digits) != 2 * len(letters):
        raise Fault(
            number,
            f"the flags have {len(digits)} digits for {len(letters)} letters; they need two a "
            "letter",
        )
    if not re.fullmatch(rb"[0-9a-fA-F]*", digits):
        raise Fault(number, "the flags are not all hexadecimal digits")
    flags = [int(digits[at : at + 2], 16) for at in range(0, len(digits), 2)]
    for index, each in enumerate(flags, 1):
        if (each >> 3 != 0) != (each % 2 == 1):
            raise Fault(
                number,
                f"the flags of letter {index} are {each:02x}; the flags of other bases (8 to 128) "
                "need SNP (1), and SNP needs one of them",
            )
    return letters, bytes(flags)


def _check_letters(number: int, letters: bytes, what: str) -> None:
    for byte in letters:
        if chr(byte).upper() not in set("ACGTN"):
            raise Fault(number, f"letter {_shown(byte)} of the {what} is none of ACGTN")


def _shown(byte: int) -> str:
    return repr(chr(byte)) if chr(byte).isascii() and chr(byte).isprintable() else f"0x{byte:02X}"
