"""Compare two VCF files record by record."""

from __future__ import annotations

import gzip
from collections import defaultdict
from dataclasses import dataclass, field
from pathlib import Path

from gkl_shim.errors import FormatError

__all__ = ["Comparison", "Difference", "compare"]

_FIXED = ("CHROM", "POS", "ID", "REF", "ALT", "QUAL", "FILTER", "INFO")
_CALL = ("CHROM", "POS", "REF", "ALT")
_GZIP_MAGIC = b"\x1f\x8b"


@dataclass(frozen=True)
class Difference:
    """The differences in one record."""

    site: str
    """For example ``20:224941 T>A``."""
    columns: dict[str, tuple[str, str]]
    """The values in both files, by field name: ``QUAL``, ``INFO/DP``, ``NA12878/GT``."""
    call: bool
    """Whether the call itself differs: its site, alleles, FILTER or a genotype."""

    def __str__(self) -> str:
        changes = (f"{name} {one} | {other}" for name, (one, other) in self.columns.items())
        return f"{self.site}: {'; '.join(changes)}"


@dataclass(frozen=True)
class Comparison:
    """The result of comparing the records of two VCF files."""

    records: tuple[int, int]
    differences: list[Difference] = field(default_factory=list)

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
    later records differ.

    Raises
    ------
    FormatError
        If a file is not VCF.
    """
    samples, records = _read(one)
    other_samples, other_records = _read(other)
    differences = []
    if samples != other_samples:
        names = (" ".join(samples) or "none", " ".join(other_samples) or "none")
        differences.append(Difference("header", {"samples": names}, call=True))
    waiting: dict[tuple[str, ...], list[dict[str, str]]] = defaultdict(list)
    for record in reversed(other_records):
        waiting[_key(record)].append(record)
    paired = []
    for record in records:
        if same_key := waiting[_key(record)]:
            match = same_key.pop()
            paired.append(match)
            if (difference := _difference(record, match)) is not None:
                differences.append(difference)
        else:
            differences.append(Difference(_site(record), {"record": ("yes", "no")}, call=True))
    unpaired = {id(record) for left in waiting.values() for record in left}
    in_order = [record for record in other_records if id(record) not in unpaired]
    for mine, its in zip(paired, in_order, strict=True):
        if mine is not its:
            order = (_site(mine), _site(its))
            differences.append(Difference(_site(mine), {"order": order}, call=True))
            break
    for record in other_records:
        if id(record) in unpaired:
            differences.append(Difference(_site(record), {"record": ("no", "yes")}, call=True))
    return Comparison((len(records), len(other_records)), differences)


def _read(path: Path) -> tuple[list[str], list[dict[str, str]]]:
    """Return the samples of a VCF file, and each record as a dictionary of its fields."""
    with path.open("rb") as raw:
        zipped = raw.read(2) == _GZIP_MAGIC
    samples: list[str] | None = None
    records = []
    with gzip.open(path, "rt") if zipped else path.open() as stream:
        for number, line in enumerate(stream, 1):
            if line.startswith("##"):
                continue
            columns = line.rstrip("\n").split("\t")
            if line.startswith("#CHROM"):
                samples = columns[9:]
            elif samples is None:
                raise FormatError(str(path), number, "a record before any #CHROM line")
            elif len(columns) < len(_FIXED) or len(columns) != _width(samples, columns):
                raise FormatError(str(path), number, f"{len(columns)} columns, not the header's")
            else:
                records.append(_fields(samples, columns))
    if samples is None:
        raise FormatError(str(path), 1, "not VCF: no #CHROM line")
    return samples, records


def _width(samples: list[str], columns: list[str]) -> int:
    return 9 + len(samples) if samples or len(columns) > len(_FIXED) else len(_FIXED)


def _fields(samples: list[str], columns: list[str]) -> dict[str, str]:
    fields = dict(zip(_FIXED, columns, strict=False))
    for entry in fields.pop("INFO").split(";"):
        key, _, value = entry.partition("=")
        fields[f"INFO/{key}"] = value
    if len(columns) > len(_FIXED):
        keys = columns[8].split(":")
        fields["FORMAT"] = columns[8]
        for sample, column in zip(samples, columns[9:], strict=True):
            # VCF allows trailing values to be omitted. This counts as a difference.
            fields[f"{sample}/values"] = str(column.count(":") + 1)
            for key, value in zip(keys, column.split(":"), strict=False):
                fields[f"{sample}/{key}"] = value
    return fields


def _key(record: dict[str, str]) -> tuple[str, ...]:
    return tuple(record[column] for column in _CALL)


def _site(record: dict[str, str]) -> str:
    return f"{record['CHROM']}:{record['POS']} {record['REF']}>{record['ALT']}"


def _difference(one: dict[str, str], other: dict[str, str]) -> Difference | None:
    columns = {
        name: (one.get(name, "absent"), other.get(name, "absent"))
        for name in {**one, **other}
        if one.get(name) != other.get(name)
    }
    if not columns and list(one) != list(other):
        columns = {"order of fields": (" ".join(one), " ".join(other))}
    if not columns:
        return None
    call = any(name == "FILTER" or name.endswith("/GT") for name in columns)
    return Difference(_site(one), columns, call)
