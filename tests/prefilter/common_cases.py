"""What the tests of every algorithm need to know of the prefilter."""

from __future__ import annotations

import functools
from typing import Any

from tests.cli.shim_command import FileCommand
from tests.common.arguments import Calls, Free, Handles, Most, Struct, options

#: A small use of the command.
COMMAND = FileCommand("prefilter -e 1", "pairs.tsv", {"pairs.tsv": b"ACGTACGT\tACGTACGT\n" * 100})


@functools.cache
def prefilter(h: Handles) -> Any:
    return h.opened("prefilter", "prefilter_open", h.ffi.NULL)


def strided(h: Handles) -> Struct:
    """Two sequences of letters at regular distances."""
    planes = dict.fromkeys(("low", "high", "undefined", "starts", "lengths"), h.null())
    buffer = {"letters": h.letters(b"ACGTACGT"), "size": 8}
    return Struct("gkl_shim_prefilter_sequences", {**buffer, "stride": 4, "length": 4, **planes})


def scattered(h: Handles) -> Struct:
    """Two sequences of bit planes anywhere."""
    planes = {"low": h.new("uint32_t[]", 1), "high": h.new("uint32_t[]", 1), "size": 8}
    places = {"starts": Free(h.int64(0, 4)), "lengths": Free(h.int32(4, 4))}
    free = {"letters": h.null(), "undefined": h.null(), "stride": Free(0)}
    return Struct("gkl_shim_prefilter_sequences", {**planes, **places, **free, "length": Free(0)})


def contigs(h: Handles) -> Struct:
    fields = {
        "count": 1,
        "names": h.new("char[]", b"chr"),
        "name_offsets": h.int64(0, 3),
        "lengths": h.int64(100),
    }
    return Struct("gkl_shim_prefilter_contigs", fields)


CALLS: Calls = {
    "gkl_shim_prefilter_open": options("prefilter", method=0, mode=0, max_edits=2),
    "gkl_shim_prefilter_compute": lambda h: (
        prefilter(h), 2, strided(h), scattered(h), h.new("int16_t[2]"),
    ),
    "gkl_shim_prefilter_build": lambda h: (prefilter(h),),
    "gkl_shim_prefilter_close": lambda h: (h.null(),),
    "gkl_shim_prefilter_encode": lambda h: (
        h.letters(b"ACGT"), 4, 1, *(h.new("uint32_t[1]") for _ in range(3)), h.int32(0),
    ),
    "gkl_shim_prefilter_parse_pairs": lambda h: (
        h.letters(b"A\tC\n"), 4, Most(1), 1, h.int64(0), h.int32(0), h.int64(0), h.int32(0),
        h.int64(0), h.int64(0),
    ),
    "gkl_shim_prefilter_parse_candidates": lambda h: (
        h.letters(b"0\tchr\t5\n"), 8, Most(1), 1, 1, contigs(h), h.int32(0), h.int32(0),
        h.int64(0), h.letters(b"0"), h.int64(0), h.int64(0),
    ),
    "gkl_shim_prefilter_format": lambda h: (
        h.new("int16_t[1]"), 1, Free(0), h.new("uint8_t[13]"), h.int64(0),
    ),
}  # fmt: skip
