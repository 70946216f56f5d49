"""Every function of the public header refuses null pointers and impossible numbers.

`CALLS` has valid arguments for each function. From these, tests make calls with one wrong argument.
"""

from __future__ import annotations

import functools
import re
import subprocess
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import pytest

import gkl_shim
from gkl_shim import _native
from tests.conftest import require_tool

HEADER = gkl_shim.paths.header().read_text()
FUNCTIONS = re.findall(r"^GKL_SHIM_API [^(]*?(\w+)\(", HEADER, re.MULTILINE)
#: More than fit into any memory.
HUGE = 2**62


class Free(NamedTuple):
    """An argument that may be NULL, or any number."""

    value: Any


class Most(NamedTuple):
    """A number that may be as large as one likes, but not less than 0."""

    value: int


class Struct(NamedTuple):
    """A struct, or a pointer to one."""

    type: str
    fields: dict[str, Any]
    may_be_null: bool = False


class Handles:
    """Opens what the functions need, when it is first used, and holds it."""

    def __init__(self) -> None:
        self.ffi, self.lib = _native.library()
        self._kept: list[Any] = []
        self._opened: list[Any] = []

    def close(self) -> None:
        """Close the handles, those that need others first."""
        while self._opened:
            self.ffi.release(self._opened.pop())

    def new(self, kind: str, value: Any = None) -> Any:
        made = self.ffi.new(kind, value)
        self._kept.append(made)
        return made

    def opened(self, kind: str, function: str, *arguments: Any) -> Any:
        """Return the handle that a function of the library opens."""
        handle = self.new(f"gkl_shim_{kind} **")
        values = [self.value(argument) for argument in arguments]
        _native.check(getattr(self.lib, f"gkl_shim_{function}")(*values, handle))
        self._opened.append(self.ffi.gc(handle[0], getattr(self.lib, f"gkl_shim_{kind}_close")))
        return self._opened[-1]

    def value(self, argument: Any) -> Any:
        """Return what to pass for an argument."""
        if isinstance(argument, Struct):
            made = self.new(f"{argument.type} *")
            types = dict(self.ffi.typeof(argument.type).fields)
            for name, field in argument.fields.items():
                value = self.value(field)
                setattr(made, name, value[0] if types[name].type.kind == "struct" else value)
            return made
        return argument.value if isinstance(argument, Free | Most) else argument

    def int64(self, *values: int) -> Any:
        return self.new("int64_t[]", values)

    def int32(self, *values: int) -> Any:
        return self.new("int32_t[]", values)

    def letters(self, text: bytes) -> Any:
        return self.new("uint8_t[]", text)

    def null(self) -> Free:
        return Free(self.ffi.NULL)

    # PairHMM and PDHMM: one region of one read and one haplotype.

    def regions(self) -> Struct:
        quals = self.letters(bytes([30] * 4))
        tracks = ("base_quals", "insertion_quals", "deletion_quals", "continuation_quals")
        return Struct(
            "gkl_shim_pairhmm_batch",
            {
                "regions": 1,
                "region_reads": self.int64(0, 1),
                "region_haplotypes": self.int64(0, 1),
                "read_offsets": self.int64(0, 4),
                "read_bases": self.letters(b"ACGT"),
                **dict.fromkeys(tracks, quals),
                "haplotype_offsets": self.int64(0, 6),
                "haplotype_bases": self.letters(b"ACGTAC"),
            },
        )

    def flagged_regions(self) -> Struct:
        flags = self.letters(bytes(6))
        fields = {"pairs": self.regions(), "haplotype_flags": flags}
        return Struct("gkl_shim_pdhmm_batch", fields)

    @functools.cached_property
    def pairhmm(self) -> Any:
        return self.opened("pairhmm", "pairhmm_open", self.ffi.NULL)

    @functools.cached_property
    def pdhmm(self) -> Any:
        return self.opened("pdhmm", "pdhmm_open", self.ffi.NULL)

    # Prefilter.

    @functools.cached_property
    def prefilter(self) -> Any:
        return self.opened("prefilter", "prefilter_open", self.ffi.NULL)

    def strided(self) -> Struct:
        """Two sequences of letters at regular distances."""
        planes = dict.fromkeys(("low", "high", "undefined", "starts", "lengths"), self.null())
        buffer = {"letters": self.letters(b"ACGTACGT"), "size": 8}
        return Struct(
            "gkl_shim_prefilter_sequences", {**buffer, "stride": 4, "length": 4, **planes}
        )

    def scattered(self) -> Struct:
        """Two sequences of bit planes anywhere."""
        planes = {"low": self.new("uint32_t[]", 1), "high": self.new("uint32_t[]", 1), "size": 8}
        places = {"starts": Free(self.int64(0, 4)), "lengths": Free(self.int32(4, 4))}
        free = {"letters": self.null(), "undefined": self.null(), "stride": Free(0)}
        return Struct(
            "gkl_shim_prefilter_sequences", {**planes, **places, **free, "length": Free(0)}
        )

    def contigs(self) -> Struct:
        fields = {
            "count": 1,
            "names": self.new("char[]", b"chr"),
            "name_offsets": self.int64(0, 3),
            "lengths": self.int64(100),
        }
        return Struct("gkl_shim_prefilter_contigs", fields)

    # Smith-Waterman.

    @functools.cached_property
    def smithwaterman(self) -> Any:
        return self.opened("smithwaterman", "smithwaterman_open", self.ffi.NULL)

    # Maximal exact matches.

    def sequences(self, *texts: bytes) -> Struct:
        ends = [len(b"".join(texts[:k])) for k in range(len(texts) + 1)]
        fields = {"count": len(texts), "offsets": self.int64(*ends)}
        return Struct(
            "gkl_shim_mem_sequences", {**fields, "letters": self.letters(b"".join(texts))}
        )

    @functools.cached_property
    def index(self) -> Any:
        options = Struct("gkl_shim_mem_options", {"min_length": 4})
        return self.opened("mem", "mem_open", options, self.sequences(b"ACGTTGCA"))

    def saved(self) -> Any:
        """The bytes of the index."""
        pieces, count = self.new("gkl_shim_mem_piece[]", 100), self.int64(0)
        _native.check(self.lib.gkl_shim_mem_save(self.index, pieces, 100, count))
        parts = [self.ffi.buffer(p.bytes, p.size)[:] for p in pieces[0 : count[0]] if p.size]
        return self.letters(b"".join(parts))

    def search(self) -> Struct:
        fields = {"min_length": Most(4), "kind": 0, "strands": 1}
        return Struct("gkl_shim_mem_search", {**fields, "first": 0, "last": 5, "most": Most(9)})

    @functools.cached_property
    def matches(self) -> Any:
        query = self.sequences(b"ACGTT")
        return self.opened("mem_matches", "mem_find", self.index, query, self.search())

    @functools.cached_property
    def fasta(self) -> Any:
        return self.opened("mem_fasta", "mem_parse", self.letters(b">a\nACGT\n"), 8, 1)

    def line_format(self) -> Struct:
        flags = ("four_columns", "lengths", "original_positions", "substrings", "continued")
        names = {"reference_names": self.sequences(b"r"), "query_names": self.sequences(b"q")}
        return Struct("gkl_shim_mem_format", {**names, **dict.fromkeys(flags, Free(0))})

    @functools.cached_property
    def lines(self) -> Any:
        return self.opened("mem_lines", "mem_lines_open", self.matches, self.line_format())

    # Read correction.

    def reads(self) -> Struct:
        fields = {"reads": 1, "offsets": self.int64(0, 12)}
        letters = self.letters(b"ACGTTGCAAGCT")
        return Struct(
            "gkl_shim_correct_batch", {**fields, "letters": letters, "qualities": self.null()}
        )

    @functools.cached_property
    def counter(self) -> Any:
        return self.opened("correct_counter", "correct_counter_open", 11, 1, 0, 2)

    @functools.cached_property
    def complete_counter(self) -> Any:
        counter, complete = self.counter, self.int32(0)
        for _ in range(3):
            _native.check(self.lib.gkl_shim_correct_count(counter, self.value(self.reads())))
        _native.check(self.lib.gkl_shim_correct_end_pass(counter, complete))
        assert complete[0]
        return counter

    @functools.cached_property
    def spectrum(self) -> Any:
        arguments = ("correct_spectrum", "correct_spectrum_make", self.complete_counter, 2)
        return self.opened(*arguments)

    def spectrum_info(self) -> Struct:
        known = self.new("gkl_shim_correct_spectrum_info *")
        _native.check(self.lib.gkl_shim_correct_spectrum_information(self.spectrum, known))
        fields = {"k": known.k, "threshold": known.threshold, "slots": known.slots}
        others = ("kmers", "false_positive_rate", "size", "slot_count")
        fields |= {name: Free(getattr(known, name)) for name in others}
        return Struct("gkl_shim_correct_spectrum_info", fields)


def _options(kind: str, **fields: Any) -> Callable[[Handles], tuple[Any, ...]]:
    """Return the arguments of a function that opens an engine."""

    def arguments(h: Handles) -> tuple[Any, ...]:
        options = {"threads": 1, "build": h.null(), **fields}
        given = Struct(f"gkl_shim_{kind}_options", options, may_be_null=True)
        return given, h.new(f"gkl_shim_{kind} **")

    return arguments


def _nothing(h: Handles) -> tuple[Any, ...]:
    return ()


CALLS: dict[str, Callable[[Handles], tuple[Any, ...]]] = {
    "gkl_shim_version": _nothing,
    "gkl_shim_last_error": _nothing,
    "gkl_shim_cpu_count": _nothing,
    "gkl_shim_builds": _nothing,
    "gkl_shim_pairhmm_open": _options("pairhmm", precision=0, conventions=0, backend=0),
    "gkl_shim_pairhmm_compute": lambda h: (
        h.pairhmm, h.regions(), h.new("double[1]"), Most(1),
    ),
    "gkl_shim_pairhmm_check": lambda h: (_offsets_alone(h, h.regions()),),
    "gkl_shim_pairhmm_build": lambda h: (h.pairhmm,),
    "gkl_shim_pairhmm_statistics": lambda h: (h.pairhmm, h.new("gkl_shim_pairhmm_stats *")),
    "gkl_shim_pairhmm_close": lambda h: (h.null(),),
    "gkl_shim_pairhmm_cuda_state": _nothing,
    "gkl_shim_pairhmm_parse": lambda h: (
        h.letters(b"0 0\n"), 4, Most(100), 1, h.int64(*[0] * 6), h.letters(b"    "),
        h.new("gkl_shim_pairhmm_text *"),
    ),
    "gkl_shim_pairhmm_format": lambda h: (
        h.new("double[1]"), 1, 1, h.new("uint8_t[25]"), h.int64(0),
    ),
    "gkl_shim_pdhmm_open": _options("pdhmm", conventions=0),
    "gkl_shim_pdhmm_compute": lambda h: (
        h.pdhmm, h.flagged_regions(), h.new("double[1]"), Most(1),
    ),
    "gkl_shim_pdhmm_check": lambda h: (_offsets_alone(h, h.flagged_regions()),),
    "gkl_shim_pdhmm_build": lambda h: (h.pdhmm,),
    "gkl_shim_pdhmm_statistics": lambda h: (h.pdhmm, h.new("gkl_shim_pdhmm_stats *")),
    "gkl_shim_pdhmm_close": lambda h: (h.null(),),
    "gkl_shim_pdhmm_parse": lambda h: (
        h.letters(b"0 1\nA 00\n"), 9, Most(100), 1, h.int64(*[0] * 8), h.letters(bytes(9)),
        h.new("gkl_shim_pdhmm_text *"),
    ),
    "gkl_shim_prefilter_open": _options("prefilter", method=0, mode=0, max_edits=2),
    "gkl_shim_prefilter_compute": lambda h: (
        h.prefilter, 2, h.strided(), h.scattered(), h.new("int16_t[2]"),
    ),
    "gkl_shim_prefilter_build": lambda h: (h.prefilter,),
    "gkl_shim_prefilter_close": lambda h: (h.null(),),
    "gkl_shim_prefilter_encode": lambda h: (
        h.letters(b"ACGT"), 4, 1, *(h.new("uint32_t[1]") for _ in range(3)), h.int32(0),
    ),
    "gkl_shim_prefilter_parse_pairs": lambda h: (
        h.letters(b"A\tC\n"), 4, Most(1), 1, h.int64(0), h.int32(0), h.int64(0), h.int32(0),
        h.int64(0), h.int64(0),
    ),
    "gkl_shim_prefilter_parse_candidates": lambda h: (
        h.letters(b"0\tchr\t5\n"), 8, Most(1), 1, 1, h.contigs(), h.int32(0), h.int32(0),
        h.int64(0), h.letters(b"0"), h.int64(0), h.int64(0),
    ),
    "gkl_shim_prefilter_format": lambda h: (
        h.new("int16_t[1]"), 1, Free(0), h.new("uint8_t[13]"), h.int64(0),
    ),
    "gkl_shim_smithwaterman_open": _options("smithwaterman"),
    "gkl_shim_smithwaterman_align": lambda h: (
        h.smithwaterman,
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
    "gkl_shim_smithwaterman_build": lambda h: (h.smithwaterman,),
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
        h.sequences(b"ACGT", b"A"),
        h.new("gkl_shim_mem **"),
    ),
    "gkl_shim_mem_information": lambda h: (h.index, h.new("gkl_shim_mem_info *")),
    "gkl_shim_mem_save": lambda h: (
        h.index, h.new("gkl_shim_mem_piece[2]"), Most(2), h.int64(0),
    ),
    "gkl_shim_mem_load": lambda h: (
        saved := h.saved(), len(saved) - 1, 1, h.new("gkl_shim_mem **"),
    ),
    "gkl_shim_mem_is_of": lambda h: (h.index, h.sequences(b"ACGTTGCA"), h.int32(0)),
    "gkl_shim_mem_close": lambda h: (h.null(),),
    "gkl_shim_mem_find": lambda h: (
        h.index, h.sequences(b"ACGTT"), h.search(), h.new("gkl_shim_mem_matches **"),
    ),
    "gkl_shim_mem_count": lambda h: (h.matches,),
    "gkl_shim_mem_end": lambda h: (h.matches,),
    "gkl_shim_mem_copy": lambda h: (h.matches, h.new("gkl_shim_mem_match[1]")),
    "gkl_shim_mem_matches_close": lambda h: (h.null(),),
    "gkl_shim_mem_parse": lambda h: (
        h.letters(b">a\nACGT\n"), 8, 1, h.new("gkl_shim_mem_fasta **"),
    ),
    "gkl_shim_mem_fasta_sequences": lambda h: (
        h.fasta, *(h.new("gkl_shim_mem_sequences *") for _ in range(2)),
    ),
    "gkl_shim_mem_fasta_close": lambda h: (h.null(),),
    "gkl_shim_mem_lines_open": lambda h: (
        h.matches, h.line_format(), h.new("gkl_shim_mem_lines **"),
    ),
    "gkl_shim_mem_lines_next": lambda h: (h.lines, h.new("uint8_t **"), h.int64(0)),
    "gkl_shim_mem_lines_close": lambda h: (h.null(),),
    "gkl_shim_correct_counter_open": lambda h: (
        11, 1, Most(0), 2, h.new("gkl_shim_correct_counter **"),
    ),
    "gkl_shim_correct_count": lambda h: (h.counter, h.reads()),
    "gkl_shim_correct_end_pass": lambda h: (h.counter, h.int32(0)),
    "gkl_shim_correct_histogram": lambda h: (
        h.complete_counter, h.new("int64_t[255]"), h.int32(0),
    ),
    "gkl_shim_correct_counter_close": lambda h: (h.null(),),
    "gkl_shim_correct_spectrum_make": lambda h: (
        h.complete_counter, 2, h.new("gkl_shim_correct_spectrum **"),
    ),
    "gkl_shim_correct_spectrum_load": lambda h: (
        h.spectrum_info(), h.new("gkl_shim_correct_spectrum **"),
    ),
    "gkl_shim_correct_spectrum_information": lambda h: (
        h.spectrum, h.new("gkl_shim_correct_spectrum_info *"),
    ),
    "gkl_shim_correct_spectrum_close": lambda h: (h.null(),),
    "gkl_shim_correct_reads": lambda h: (
        Struct(
            "gkl_shim_correct_options",
            {
                **dict.fromkeys(("threads", "max_changes", "max_window_changes"), 1),
                "method": 0,
                "all_or_nothing": Free(0),
            },
            may_be_null=True,
        ),
        h.spectrum, h.reads(), h.new("uint8_t[12]"), h.letters(b"0"), h.null(), h.null(),
    ),
}  # fmt: skip


def _offsets_alone(h: Handles, batch: Struct) -> Struct:
    """Leave out what the functions that check a batch do not read."""
    fields = {
        name: field
        if name == "regions" or name.startswith("region_") or name.endswith("_offsets")
        else _offsets_alone(h, field)
        if isinstance(field, Struct)
        else h.null()
        for name, field in batch.fields.items()
    }
    return batch._replace(fields=fields)


def _wrong(ffi: Any, argument: Any, kind: Any) -> Iterator[tuple[str, Any]]:
    """Yield wrong values in place of a valid argument of a C type, and what each is."""
    if isinstance(argument, Free):
        return
    if isinstance(argument, Struct):
        types = dict(ffi.typeof(argument.type).fields)
        assert types.keys() == argument.fields.keys(), argument.type
        for name, field in argument.fields.items():
            for what, value in _wrong(ffi, field, types[name].type):
                yield f"{name}: {what}", argument._replace(fields={**argument.fields, name: value})
    if kind.kind == "pointer":
        if not (isinstance(argument, Struct) and argument.may_be_null):
            yield "NULL", Free(ffi.NULL)
    elif kind.kind == "primitive":
        yield "-1", -1
        if kind.cname == "int64_t" and not isinstance(argument, Most):
            yield "2^62", HUGE


def test_every_function_is_tested() -> None:
    assert len(FUNCTIONS) == HEADER.count("\nGKL_SHIM_API ") > 50
    assert sorted(CALLS) == sorted(FUNCTIONS)


@pytest.fixture
def handles() -> Iterator[Handles]:
    made = Handles()
    yield made
    made.close()


@pytest.mark.parametrize("name", CALLS)
def test_one_wrong_argument_is_refused(handles: Handles, name: str) -> None:
    ffi, lib = handles.ffi, handles.lib
    function = getattr(lib, name)
    arguments = CALLS[name](handles)
    given = ffi.typeof(function)
    marked = ffi.new("gkl_shim_pairhmm_options *", {"build": (mark := ffi.new("char[]", b"mark"))})
    wrong = [
        (f"argument {place}: {what}", (*arguments[:place], value, *arguments[place + 1 :]))
        for place, (argument, kind) in enumerate(zip(arguments, given.args, strict=True))
        for what, value in _wrong(ffi, argument, kind)
    ]
    for what, changed in wrong:
        # The message must be a new one.
        lib.gkl_shim_pairhmm_open(marked, ffi.new("gkl_shim_pairhmm **"))
        assert "mark" in _native.last_error()
        result = function(*map(handles.value, changed))
        if given.result.cname == "gkl_shim_status":
            message = _native.last_error()
            assert (result, "mark" in message) == (lib.GKL_SHIM_EINVAL, False), what
            assert ("null" in message) == what.endswith("NULL"), (what, message)
        else:
            assert result == 0 if given.result.kind == "primitive" else not ffi.string(result), what
    assert mark
    # What the wrong ones were made of is right.
    values = [handles.value(argument) for argument in arguments]
    result = function(*values)
    if given.result.cname == "gkl_shim_status":
        assert result == lib.GKL_SHIM_OK, _native.last_error()
    for value, kind in zip(values, given.args, strict=True):
        if kind.kind == "pointer" and re.fullmatch(r"gkl_shim_\w+ \* \*", kind.cname):
            getattr(lib, kind.cname.split()[0] + "_close")(value[0])


def test_a_c_program_may_pass_null_everywhere(compile_c, tmp_path) -> None:
    """Each function returns what the header says for a null handle, or refuses the arguments."""
    ffi, lib = _native.library()
    lines, expected = [], []
    for name in FUNCTIONS:
        kind = ffi.typeof(getattr(lib, name))
        if not kind.args:
            continue
        arguments = ", ".join("NULL" if arg.kind == "pointer" else "0" for arg in kind.args)
        call = f"{name}({arguments})"
        if kind.result.kind == "void":
            lines.append(f'{call}; puts("{name} ");')
            expected.append(f"{name} ")
        elif kind.result.kind == "pointer":
            lines.append(f'printf("{name} %s\\n", {call});')
            expected.append(f"{name} ")
        else:
            lines.append(f'printf("{name} %d\\n", (int){call});')
            refused = kind.result.cname == "gkl_shim_status"
            expected.append(f"{name} {lib.GKL_SHIM_EINVAL if refused else 0}")
    source = tmp_path / "null.c"
    body = "\n".join(f"    {line}" for line in lines)
    source.write_text(
        f'#include <stdio.h>\n#include "gkl_shim.h"\nint main(void) {{\n{body}\n    return 0;\n}}\n'
    )
    program = compile_c(
        require_tool("cc"), source, gkl_shim.paths.library(), [gkl_shim.paths.header().parent]
    )
    done = subprocess.run([program], check=True, capture_output=True, text=True)
    assert done.stdout.splitlines() == expected
