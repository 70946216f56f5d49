"""What the tests of every algorithm need to know of PDHMM."""

from __future__ import annotations

import functools
from typing import Any

from tests.cli.shim_command import FileCommand
from tests.common.arguments import Calls, Handles, Most, Struct, options
from tests.conftest import DATA
from tests.pairhmm.common_cases import offsets_alone, regions

#: A small use of the command.
COMMAND = FileCommand(
    "pdhmm --backend cpu",
    "regions.pdhmm.in",
    {"regions.pdhmm.in": (DATA / "chr22_dragen.pdhmm.in").read_bytes()},
)


def flagged_regions(h: Handles) -> Struct:
    flags = h.letters(bytes(6))
    fields = {"pairs": regions(h), "haplotype_flags": flags}
    return Struct("gkl_shim_pdhmm_batch", fields)


@functools.cache
def pdhmm(h: Handles) -> Any:
    return h.opened("pdhmm", "pdhmm_open", h.ffi.NULL)


CALLS: Calls = {
    "gkl_shim_pdhmm_open": options("pdhmm", conventions=0),
    "gkl_shim_pdhmm_compute": lambda h: (
        pdhmm(h), flagged_regions(h), h.new("double[1]"), Most(1),
    ),
    "gkl_shim_pdhmm_check": lambda h: (offsets_alone(h, flagged_regions(h)),),
    "gkl_shim_pdhmm_build": lambda h: (pdhmm(h),),
    "gkl_shim_pdhmm_statistics": lambda h: (pdhmm(h), h.new("gkl_shim_pdhmm_stats *")),
    "gkl_shim_pdhmm_close": lambda h: (h.null(),),
    "gkl_shim_pdhmm_parse": lambda h: (
        h.letters(b"0 1\nA 00\n"), 9, Most(100), 1, h.int64(*[0] * 8), h.letters(bytes(9)),
        h.new("gkl_shim_pdhmm_text *"),
    ),
}  # fmt: skip
