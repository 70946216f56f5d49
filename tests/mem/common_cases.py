"""What the tests of every algorithm need to know of mem."""

from __future__ import annotations

import functools
from typing import Any

from gkl_shim.common import _native
from tests.cli.shim_command import FileCommand
from tests.common.arguments import Calls, Free, Handles, Most, Struct, cuda_engine

#: A small use of the command.
COMMAND = FileCommand(
    "mem -maxmatch reference.fa",
    "query.fa",
    {
        "reference.fa": b">one\n" + b"ACGTTGCAGATTACAGGCATCGATC" * 40 + b"\n",
        "query.fa": b">q\n" + b"ACGTTGCAGATTACAGGCATCGATC" * 4 + b"\n",
    },
    has_builds=False,
)


def sequences(h: Handles, *texts: bytes) -> Struct:
    ends = [len(b"".join(texts[:k])) for k in range(len(texts) + 1)]
    fields = {"count": len(texts), "offsets": h.int64(*ends)}
    return Struct("gkl_shim_mem_sequences", {**fields, "letters": h.letters(b"".join(texts))})


@functools.cache
def index(h: Handles) -> Any:
    given = Struct("gkl_shim_mem_options", {"min_length": 4})
    return h.opened("mem", "mem_open", given, sequences(h, b"ACGTTGCA"))


def saved_bytes(h: Handles) -> Any:
    """The bytes of the index."""
    pieces, count = h.new("gkl_shim_mem_piece[]", 100), h.int64(0)
    _native.check(h.lib.gkl_shim_mem_save(index(h), pieces, 100, count))
    parts = [h.ffi.buffer(p.bytes, p.size)[:] for p in pieces[0 : count[0]] if p.size]
    return h.letters(b"".join(parts))


def search(h: Handles) -> Struct:
    fields = {"min_length": Most(4), "kind": 0, "strands": 1}
    part = {"first": 0, "last": 5, "most": Most(9)}
    return Struct("gkl_shim_mem_search", {**fields, **part, "engine": h.null()})


@functools.cache
def matches(h: Handles) -> Any:
    query = sequences(h, b"ACGTT")
    return h.opened("mem_matches", "mem_find", index(h), query, search(h))


@functools.cache
def fasta(h: Handles) -> Any:
    return h.opened("mem_fasta", "mem_parse", h.letters(b">a\nACGT\n"), 8, 1)


def line_format(h: Handles) -> Struct:
    flags = ("four_columns", "lengths", "original_positions", "substrings", "continued")
    names = {"reference_names": sequences(h, b"r"), "query_names": sequences(h, b"q")}
    return Struct("gkl_shim_mem_format", {**names, **dict.fromkeys(flags, Free(0))})


@functools.cache
def lines(h: Handles) -> Any:
    return h.opened("mem_lines", "mem_lines_open", matches(h), line_format(h))


CALLS: Calls = {
    "gkl_shim_mem_open": lambda h: (
        Struct(
            "gkl_shim_mem_options",
            {
                "threads": 1,
                "nucleotides_only": Free(0),
                "min_length": Most(4),
                **dict.fromkeys(("page_letters", "memory", "query_letters"), Most(0)),
                "deferred": Free(0),
                "borrowed": Free(0),
            },
        ),
        sequences(h, b"ACGT", b"A"),
        h.new("gkl_shim_mem **"),
    ),
    "gkl_shim_mem_information": lambda h: (index(h), h.new("gkl_shim_mem_info *")),
    "gkl_shim_mem_save": lambda h: (
        index(h), h.new("gkl_shim_mem_piece[2]"), Most(2), h.int64(0),
    ),
    "gkl_shim_mem_load": lambda h: (
        saved := saved_bytes(h), len(saved) - 1, 1, h.new("gkl_shim_mem **"),
    ),
    "gkl_shim_mem_is_of": lambda h: (index(h), sequences(h, b"ACGTTGCA"), h.int32(0)),
    "gkl_shim_mem_close": lambda h: (h.null(),),
    "gkl_shim_mem_cuda_engine_open": cuda_engine,
    "gkl_shim_mem_find": lambda h: (
        index(h), sequences(h, b"ACGTT"), search(h), h.new("gkl_shim_mem_matches **"),
    ),
    "gkl_shim_mem_count": lambda h: (matches(h),),
    "gkl_shim_mem_end": lambda h: (matches(h),),
    "gkl_shim_mem_copy": lambda h: (matches(h), h.new("gkl_shim_mem_match[1]")),
    "gkl_shim_mem_matches_close": lambda h: (h.null(),),
    "gkl_shim_mem_parse": lambda h: (
        h.letters(b">a\nACGT\n"), 8, 1, h.new("gkl_shim_mem_fasta **"),
    ),
    "gkl_shim_mem_fasta_sequences": lambda h: (
        fasta(h), *(h.new("gkl_shim_mem_sequences *") for _ in range(2)),
    ),
    "gkl_shim_mem_fasta_close": lambda h: (h.null(),),
    "gkl_shim_mem_lines_open": lambda h: (
        matches(h), line_format(h), h.new("gkl_shim_mem_lines **"),
    ),
    "gkl_shim_mem_lines_next": lambda h: (lines(h), h.new("uint8_t **"), h.int64(0)),
    "gkl_shim_mem_lines_close": lambda h: (h.null(),),
}  # fmt: skip
