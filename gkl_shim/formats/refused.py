"""Files that no command reads: how they begin, and what to do with them."""

from __future__ import annotations

import re
from typing import Any

from gkl_shim.errors import FormatError
from gkl_shim.formats.compressed import HEAD

# How other files begin, or what they have at a place near the beginning, and what they are.
_SAM = "SAM text; convert it with samtools fastq or samtools fasta"
# A line of a header. A comment may also be the name of a read of FASTQ: then letters follow it.
_SAM_BEGINS = re.compile(
    rb"@(?:(?:HD|SQ|RG|PG)\t[A-Za-z][A-Za-z0-9]:|CO\t[^\n]*(?:\Z|\n(?![A-Za-z.*-]*\r?(?:\n|\Z))))"
)
_PAGE = "a page of the web, perhaps the error of a download"
_PAGE_BEGINS = (b"<!doctype", b"<html", b"<head", b"<?xml")
_OTHERS = (
    (30, b"facts.npy\x01\0", "a spectrum of correct; give it with --spectrum"),
    (0, b"gklmem\x01\0", "an index of mem; give it with -load"),
    (0, b"PK\x03\x04", "a zip archive; unpack it first"),
    (0, b"\x5d\x00\x00", "lzma data; unpack it with xz -d"),
    (0, b"\x04\x22\x4d\x18", "lz4 data; unpack it with lz4 -d"),
    (0, b"\x1f\x9d", "data of compress; unpack it with gzip -d"),
    (257, b"ustar", "a tar archive; unpack it first"),
    (0, b"BAM\x01", "a BAM file; convert it with samtools fastq or samtools fasta"),
    (0, b"CRAM\x02", "a CRAM file; convert it with samtools fastq or samtools fasta"),
    (0, b"CRAM\x03", "a CRAM file; convert it with samtools fastq or samtools fasta"),
    (0, b"\xef\xbb\xbf", "text with a byte order mark; save it without one"),
    (0, b"\xff\xfe\0\0", "UTF-32 text; save it as ASCII"),
    (0, b"\0\0\xfe\xff", "UTF-32 text; save it as ASCII"),
    (0, b"\xff\xfe", "UTF-16 text; save it as ASCII"),
    (0, b"\xfe\xff", "UTF-16 text; save it as ASCII"),
)


def refuse(head: bytes, name: str) -> None:
    """Raise FormatError if a file that begins with these bytes is of another kind than text."""
    for at, magic, kind in _OTHERS:
        if head.startswith(magic, at):
            raise FormatError(name, None, f"it is {kind}")
    if _SAM_BEGINS.match(head):
        raise FormatError(name, None, f"it is {_SAM}")
    # White space may be before a page, and its tags may be in either case.
    if head.lstrip().lower().startswith(_PAGE_BEGINS):
        raise FormatError(name, None, f"it is {_PAGE}")


def refuse_cr(text: Any, name: str) -> None:
    """Refuse a text whose first bytes show that its lines end with CR alone."""
    head = bytes(text[:HEAD])
    if b"\r" in head[:-1] and b"\n" not in head:
        what = "its lines end with CR alone; they must end with LF or CR LF"
        raise FormatError(name, None, what)
