"""What the tests of every algorithm need to know of correct."""

from __future__ import annotations

import functools
from typing import Any

from gkl_shim.common import _native
from tests.cli.shim_command import FileCommand
from tests.common.arguments import Calls, Free, Handles, Most, Struct, cuda_engine

#: A small use of the command.
COMMAND = FileCommand(
    "correct -k 11 --threshold 2",
    "reads.fq",
    {"reads.fq": b"@r\nACGTTGCAGATTACAGGCATCGATC\n+\nIIIIIIIIIIIIIIIIIIIIIIIII\n" * 30},
    has_builds=False,
)


def reads(h: Handles) -> Struct:
    fields = {"reads": 1, "offsets": h.int64(0, 12)}
    letters = h.letters(b"ACGTTGCAAGCT")
    return Struct("gkl_shim_correct_batch", {**fields, "letters": letters, "qualities": h.null()})


@functools.cache
def counter(h: Handles) -> Any:
    return h.opened("correct_counter", "correct_counter_open", 11, 1, 0, 2, h.null())


@functools.cache
def complete_counter(h: Handles) -> Any:
    counted, complete = counter(h), h.int32(0)
    for _ in range(3):
        _native.check(h.lib.gkl_shim_correct_count(counted, h.value(reads(h))))
    _native.check(h.lib.gkl_shim_correct_end_pass(counted, complete))
    assert complete[0]
    return counted


@functools.cache
def spectrum(h: Handles) -> Any:
    arguments = ("correct_spectrum", "correct_spectrum_make", complete_counter(h), 2)
    return h.opened(*arguments)


def spectrum_info(h: Handles) -> Struct:
    known = h.new("gkl_shim_correct_spectrum_info *")
    _native.check(h.lib.gkl_shim_correct_spectrum_information(spectrum(h), known))
    fields = {"k": known.k, "threshold": known.threshold, "slots": known.slots}
    others = ("kmers", "false_positive_rate", "size", "slot_count")
    fields |= {name: Free(getattr(known, name)) for name in others}
    return Struct("gkl_shim_correct_spectrum_info", fields)


CALLS: Calls = {
    "gkl_shim_correct_counter_open": lambda h: (
        11, 1, Most(0), 2, h.null(), h.new("gkl_shim_correct_counter **"),
    ),
    "gkl_shim_correct_count": lambda h: (counter(h), reads(h)),
    "gkl_shim_correct_end_pass": lambda h: (counter(h), h.int32(0)),
    "gkl_shim_correct_histogram": lambda h: (
        complete_counter(h), h.new("int64_t[255]"), h.int32(0),
    ),
    "gkl_shim_correct_counter_close": lambda h: (h.null(),),
    "gkl_shim_correct_spectrum_make": lambda h: (
        complete_counter(h), 2, h.new("gkl_shim_correct_spectrum **"),
    ),
    "gkl_shim_correct_spectrum_load": lambda h: (
        spectrum_info(h), h.new("gkl_shim_correct_spectrum **"),
    ),
    "gkl_shim_correct_spectrum_information": lambda h: (
        spectrum(h), h.new("gkl_shim_correct_spectrum_info *"),
    ),
    "gkl_shim_correct_spectrum_close": lambda h: (h.null(),),
    "gkl_shim_correct_cuda_engine_open": cuda_engine,
    "gkl_shim_correct_reads": lambda h: (
        Struct(
            "gkl_shim_correct_options",
            {
                **dict.fromkeys(("threads", "max_changes", "max_window_changes"), 1),
                "method": 0,
                "all_or_nothing": Free(0),
                "engine": h.null(),
            },
            may_be_null=True,
        ),
        spectrum(h), reads(h), h.new("uint8_t[12]"), h.letters(b"0"), h.null(), h.null(),
    ),
}  # fmt: skip
