"""What the tests of every algorithm need to know of PairHMM."""

from __future__ import annotations

import functools
from typing import Any

from tests.cli.shim_command import REGIONS, FileCommand
from tests.common.arguments import Calls, Handles, Most, Struct, nothing, options

#: A small use of the command.
COMMAND = FileCommand("pairhmm", "regions.in", {"regions.in": REGIONS})


def regions(h: Handles) -> Struct:
    quals = h.letters(bytes([30] * 4))
    tracks = ("base_quals", "insertion_quals", "deletion_quals", "continuation_quals")
    return Struct(
        "gkl_shim_pairhmm_batch",
        {
            "regions": 1,
            "region_reads": h.int64(0, 1),
            "region_haplotypes": h.int64(0, 1),
            "read_offsets": h.int64(0, 4),
            "read_bases": h.letters(b"ACGT"),
            **dict.fromkeys(tracks, quals),
            "haplotype_offsets": h.int64(0, 6),
            "haplotype_bases": h.letters(b"ACGTAC"),
        },
    )


@functools.cache
def pairhmm(h: Handles) -> Any:
    return h.opened("pairhmm", "pairhmm_open", h.ffi.NULL)


def offsets_alone(h: Handles, batch: Struct) -> Struct:
    """Leave out what the functions that check a batch do not read."""
    fields = {
        name: field
        if name == "regions" or name.startswith("region_") or name.endswith("_offsets")
        else offsets_alone(h, field)
        if isinstance(field, Struct)
        else h.null()
        for name, field in batch.fields.items()
    }
    return batch._replace(fields=fields)


CALLS: Calls = {
    "gkl_shim_pairhmm_open": options("pairhmm", precision=0, conventions=0, backend=0),
    "gkl_shim_pairhmm_compute": lambda h: (
        pairhmm(h), regions(h), h.new("double[1]"), Most(1),
    ),
    "gkl_shim_pairhmm_check": lambda h: (offsets_alone(h, regions(h)),),
    "gkl_shim_pairhmm_build": lambda h: (pairhmm(h),),
    "gkl_shim_pairhmm_statistics": lambda h: (pairhmm(h), h.new("gkl_shim_pairhmm_stats *")),
    "gkl_shim_pairhmm_close": lambda h: (h.null(),),
    "gkl_shim_pairhmm_cuda_state": nothing,
    "gkl_shim_pairhmm_parse": lambda h: (
        h.letters(b"0 0\n"), 4, Most(100), 1, h.int64(*[0] * 6), h.letters(b"    "),
        h.new("gkl_shim_pairhmm_text *"),
    ),
    "gkl_shim_pairhmm_format": lambda h: (
        h.new("double[1]"), 1, 1, h.new("uint8_t[25]"), h.int64(0),
    ),
}  # fmt: skip
