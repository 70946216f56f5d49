"""Compare two VCF files record by record."""

from __future__ import annotations

import io
import re
from collections import defaultdict, deque
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import zip_longest
from pathlib import Path

from gkl_shim.errors import FormatError
from gkl_shim.formats.input import Input

_FIXED = ("CHROM", "POS", "ID", "REF", "ALT", "QUAL", "FILTER", "INFO")
_GENOTYPE = re.compile(r"/GT(?: \(\d+\))?$")


@dataclass(frozen=True)
class Difference:
    """The differences in one record."""

    site: str
    """For example ``20:224941 T>A``."""
    columns: dict[str, tuple[str, str]]
    """The values in both files, by field name: ``QUAL``, ``INFO/DP``, ``NA12878/GT``."""
    call: bool
    """Whether the call itself differs: its site, alleles, FILTER or a genotype."""
    place: tuple[str, int] | None = None
    """The contig and the position of the record, or None if this is no record."""

    def __str__(self) -> str:
        changes = (f"{name} {one} | {other}" for name, (one, other) in self.columns.items())
        return f"{self.site}: {'; '.join(changes)}"


@dataclass(frozen=True)
class Comparison:
    """The result of comparing the records of two VCF files."""

    records: tuple[int, int]
    differences: list[Difference] = field(default_factory=list)
    identical_records: int = 0
    """How many lines both files have."""

    @property
    def identical(self) -> bool:
        """Whether every column of every record is equal, in the same order."""
        return not self.differences

    @property
    def same_calls(self) -> bool:
        """Whether sites, alleles, FILTER and genotypes are equal. Other fields may differ."""
        return not any(difference.call for difference in self.differences)

    def __str__(self) -> str:
        if self.identical:
            return f"identical, {self.records[0]} records"
        return f"{len(self.differences)} records differ, the first {self.differences[0]}"


def compare(one: Path, other: Path) -> Comparison:
    """Compare every record of two VCF files, plain or gzipped.

    Records are paired by site and alleles, so that an extra record in one file does not make all
    later records differ. The memory that this takes grows with the differences, not with the files.

    Raises
    ------
    FormatError
        If a file is not VCF, or its gzip data are damaged.
    """
    mine, its = _Reader(one), _Reader(other)
    left, in_order = _left_over(mine, its)
    differences = []
    if mine.samples != its.samples:
        names = (" ".join(mine.samples) or "none", " ".join(its.samples) or "none")
        differences.append(Difference("header", {"samples": names}, call=True))
    records, other_records = (
        [_fields(reader.samples, line) for line in lines]
        for reader, lines in zip((mine, its), left, strict=True)
    )
    waiting: dict[str, list[dict[str, str]]] = defaultdict(list)
    for record in reversed(other_records):
        waiting[_site(record)].append(record)
    paired = []
    for record in records:
        if same_site := waiting[_site(record)]:
            paired.append(same_site.pop())
            columns = _differing(record, paired[-1])
        else:
            columns = {"record": ("yes", "no")}
        differences.append(_difference(record, columns))
    unpaired = {id(record) for same_site in waiting.values() for record in same_site}
    paired_in_order = [record for record in other_records if id(record) not in unpaired]
    for record, expected in zip(paired, paired_in_order, strict=True):
        in_order = in_order and record is expected
    for record in other_records:
        if id(record) in unpaired:
            differences.append(_difference(record, {"record": ("no", "yes")}))
    if not in_order:
        order = ("one order", "another order")
        differences.append(Difference("records", {"order": order}, call=True))
    return Comparison((mine.records, its.records), differences, mine.records - len(left[0]))


def records(path: Path) -> Iterator[tuple[str, dict[str, str]]]:
    """Yield the site of each record, as in `Difference`, and its fields by name.

    Raises
    ------
    FormatError
        If the file is not VCF, or its gzip data are damaged.
    """
    reader = _Reader(path)
    for line in reader:
        fields = _fields(reader.samples, line)
        yield _site(fields), fields


def _left_over(one: _Reader, other: _Reader) -> tuple[tuple[list[str], list[str]], bool]:
    """Remove the lines that both files have.

    Returns
    -------
    tuple
        The lines that only one file has, and whether the other lines have the same order in both.
    """
    # The numbers of the lines that the other file has not shown yet.
    waiting: tuple[dict[str, deque[int]], ...] = ({}, {})
    in_order, last = True, (-1, -1)
    for number, pair in enumerate(zip_longest(one, other)):
        if pair[0] == pair[1]:
            matches = [(number, number)]
        else:
            matches = []
            for own, line in enumerate(pair):
                if line is None:
                    continue
                if line in waiting[1 - own]:
                    numbers = waiting[1 - own][line]
                    earlier = numbers.popleft()
                    if not numbers:
                        del waiting[1 - own][line]
                    matches.append((number, earlier) if own == 0 else (earlier, number))
                else:
                    waiting[own].setdefault(line, deque()).append(number)
        for match in matches:
            # Lines in the same order are found in this order, whatever one file has in between.
            in_order = in_order and match[0] > last[0] and match[1] > last[1]
            last = (max(match[0], last[0]), max(match[1], last[1]))
    left = tuple(
        [
            line
            for _, line in sorted(
                (number, line) for line, numbers in lines.items() for number in numbers
            )
        ]
        for lines in waiting
    )
    return (left[0], left[1]), in_order


class _Reader:
    """A VCF file. Iterating yields the lines of its records, checked for their columns."""

    def __init__(self, path: Path) -> None:
        self.records = 0
        self.samples: list[str] = []
        self._path = path
        self._lines = self._checked()
        # Read the header now, so that the samples are known.
        self._first = next(self._lines, None)

    def __iter__(self) -> Iterator[str]:
        if self._first is not None:
            yield self._first
        yield from self._lines

    def _checked(self) -> Iterator[str]:
        """Yield the lines of records, without their ends."""
        columns: set[int] | None = None
        for number, line in enumerate(self._text(), 1):
            if line.startswith("##"):
                continue
            line = line.rstrip("\n")
            if line.startswith("#CHROM"):
                self.samples = line.removesuffix("\r").split("\t")[9:]
                # Without a sample, FORMAT may be there or absent.
                columns = {9 + len(self.samples)} if self.samples else {8, 9}
            elif columns is None:
                raise FormatError(str(self._path), number, "a record before any #CHROM line")
            elif (width := line.count("\t") + 1) not in columns:
                raise FormatError(str(self._path), number, f"{width} columns, not the header's")
            else:
                self.records += 1
                yield line
        if columns is None:
            raise FormatError(str(self._path), 1, "not VCF: no #CHROM line")

    def _text(self) -> Iterator[str]:
        file = io.BufferedReader(Input(self._path), 1 << 17)
        # By default, Python would turn \r\n into \n.
        with io.TextIOWrapper(file, errors="surrogateescape", newline="\n") as stream:
            yield from stream


def _fields(samples: list[str], line: str) -> dict[str, str]:
    """Return a record as a dictionary of its fields."""
    columns = line.split("\t")
    fields = dict(zip(_FIXED, columns, strict=False))
    for entry in fields.pop("INFO").split(";"):
        key, _, value = entry.partition("=")
        fields[_numbered(f"INFO/{key}", fields)] = value
    if len(columns) > len(_FIXED):
        keys = columns[8].split(":")
        fields["FORMAT"] = columns[8]
        for sample, column in zip(samples, columns[9:], strict=True):
            # VCF allows trailing values to be omitted. This counts as a difference.
            fields[f"{sample}/values"] = str(column.count(":") + 1)
            for key, value in zip(keys, column.split(":"), strict=False):
                fields[_numbered(f"{sample}/{key}", fields)] = value
    return fields


def _numbered(name: str, fields: dict[str, str]) -> str:
    """Return the name of a field, with a number if it is repeated: ``INFO/DP``, ``INFO/DP (2)``."""
    number, numbered = 1, name
    while numbered in fields:
        number += 1
        numbered = f"{name} ({number})"
    return numbered


def _site(record: dict[str, str]) -> str:
    return f"{record['CHROM']}:{record['POS']} {record['REF']}>{record['ALT']}"


def _differing(one: dict[str, str], other: dict[str, str]) -> dict[str, tuple[str, str]]:
    """Return the fields that differ between two records whose lines differ."""
    columns = {
        name: (one.get(name, "absent"), other.get(name, "absent"))
        for name in {**one, **other}
        if one.get(name) != other.get(name)
    }
    return columns or {"order of fields": (" ".join(one), " ".join(other))}


def _difference(record: dict[str, str], columns: dict[str, tuple[str, str]]) -> Difference:
    call = any(name in ("record", "FILTER") or _GENOTYPE.search(name) for name in columns)
    place = (record["CHROM"], int(record["POS"])) if record["POS"].isdecimal() else None
    return Difference(_site(record), columns, call, place)
