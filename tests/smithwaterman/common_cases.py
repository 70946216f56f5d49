"""What the tests of every algorithm need to know of Smith-Waterman."""

from __future__ import annotations

import functools
from typing import Any

from tests.cli.shim_command import FileCommand
from tests.common.arguments import Calls, Free, Handles, Most, Struct, options

#: A small use of the command.
COMMAND = FileCommand(
    "smithwaterman --backend cpu", "pairs.tsv", {"pairs.tsv": b"ACGTACGT\tACGTACGT\n" * 100}
)


@functools.cache
def smithwaterman(h: Handles) -> Any:
    return h.opened("smithwaterman", "smithwaterman_open", h.ffi.NULL)


CALLS: Calls = {
    "gkl_shim_smithwaterman_open": options("smithwaterman"),
    "gkl_shim_smithwaterman_align": lambda h: (
        smithwaterman(h),
        Struct(
            "gkl_shim_smithwaterman_batch",
            {
                "pairs": 1,
                "reference_offsets": h.int64(0, 4),
                "references": h.letters(b"ACGT"),
                "alternative_offsets": h.int64(0, 2),
                "alternatives": h.letters(b"CG"),
            },
        ),
        Struct(
            "gkl_shim_smithwaterman_parameters",
            {
                **dict.fromkeys(("match", "mismatch", "gap_open", "gap_extend"), Free(1)),
                "overhang": 0,
            },
        ),
        h.int64(0), h.int64(0, 0), h.new("char[12]"), Most(12),
    ),
    "gkl_shim_smithwaterman_build": lambda h: (smithwaterman(h),),
    "gkl_shim_smithwaterman_close": lambda h: (h.null(),),
    "gkl_shim_smithwaterman_parse": lambda h: (
        h.letters(b"A\tC\n"), 4, Most(1), 1,
        Struct(
            "gkl_shim_smithwaterman_parameters",
            dict.fromkeys(("match", "mismatch", "gap_open", "gap_extend", "overhang"), Free(1)),
        ),
        h.new("gkl_shim_smithwaterman_parameters *"), h.int64(*[0] * 4), h.letters(bytes(4)),
        h.new("gkl_shim_smithwaterman_batch *"), h.int64(0),
    ),
    "gkl_shim_smithwaterman_format": lambda h: (
        1, h.int64(0), h.int64(0, 2), h.new("char[]", b"1M"), 1, h.new("uint8_t[24]"),
        h.int64(0),
    ),
}  # fmt: skip
