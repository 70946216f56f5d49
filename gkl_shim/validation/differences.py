"""The records that differ, and what stock GATK's own two precisions say about them."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from gkl_shim.gatk import compare

PADDING = 5000
"""Bases on both sides of a difference that are called again."""

_ABSENT = "absent"


@dataclass(frozen=True)
class Values:
    """A field of a record that differs, in text as in the VCF."""

    stock: str
    shim: str
    stock_double: str | None = None
    """Of stock GATK in double precision, where the interval around the record is called again."""
    shim_double: str | None = None

    @property
    def distance(self) -> float | None:
        """The largest difference of a number, stock to gkl-shim, or None for text and NaN."""
        return _distance(self.stock, self.shim)

    @property
    def distance_of_precisions(self) -> float | None:
        """The same, stock to stock in double precision."""
        return None if self.stock_double is None else _distance(self.stock, self.stock_double)


def _distance(one: str, other: str) -> float | None:
    pieces = [text.replace("|", ",").split(",") for text in (one, other)]
    if len(pieces[0]) != len(pieces[1]):
        return None
    try:
        found = [abs(float(a) - float(b)) for a, b in zip(*pieces, strict=True) if a != b]
    except ValueError:
        return None
    return max(found, default=None) if all(map(math.isfinite, found)) else None


@dataclass
class Finding:
    """A record that differs."""

    site: str
    place: tuple[str, int] | None
    shard: int
    fields: dict[str, Values]
    call: bool
    """Whether its site, alleles, FILTER or a genotype differs."""
    reproduced: bool = False
    """Whether the interval around it, called alone, gives the values that differ again."""
    commands: list[str] = field(default_factory=list)
    """Commands that show it."""

    @property
    def near_tie(self) -> bool:
        """Whether the call is the same, and stock's two precisions differ in all fields that do."""
        return self.reproduced and not self.call and all(
            values.stock_double not in (None, values.stock) for values in self.fields.values()
        )  # fmt: skip

    @property
    def kind(self) -> str:
        """The class of the difference: call, near tie or other."""
        return "call" if self.call else "near tie" if self.near_tie else "other"


def windows(
    differences: Sequence[compare.Difference], lengths: Mapping[str, int]
) -> list[tuple[str, int, int]]:
    """Return the intervals around differences, from 1, both ends included; they do not overlap.

    Parameters
    ----------
    differences
        The differences.
    lengths
        The contigs of the reference in their order, and their lengths.
    """
    found: list[tuple[str, int, int]] = []
    order = {name: number for number, name in enumerate(lengths)}
    places = {difference.place for difference in differences if difference.place}
    for contig, position in sorted(places, key=lambda place: (order[place[0]], place[1])):
        start, end = max(1, position - PADDING), min(lengths[contig], position + PADDING)
        if found and found[-1][0] == contig and start <= found[-1][2] + 1:
            found[-1] = (contig, found[-1][1], end)
        else:
            found.append((contig, start, end))
    return found


def classify(
    differences: Sequence[compare.Difference],
    shard: int,
    again: Sequence[Path] | None,
    commands: Sequence[str] = (),
) -> list[Finding]:
    """Return what is known of each difference.

    Parameters
    ----------
    differences
        The differences of a shard.
    shard
        Its number.
    again
        The VCFs of the intervals around them: stock, gkl-shim, and both in double precision. None
        if nothing was called again.
    commands
        The commands of stock and gkl-shim for a record's interval, with {interval} in its place.
    """
    sites = {difference.site for difference in differences}
    called = [
        {site: fields for site, fields in compare.records(path) if site in sites}
        for path in again or ()
    ]
    findings = []
    for difference in differences:
        fields = {name: Values(*pair) for name, pair in difference.columns.items()}
        finding = Finding(difference.site, difference.place, shard, fields, difference.call)
        if called and difference.place is not None:
            texts = {
                name: [_value(records.get(difference.site), name) for records in called]
                for name in fields
            }
            finding.reproduced = all(
                texts[name][:2] == [values.stock, values.shim] for name, values in fields.items()
            )
            finding.fields = {
                name: Values(values.stock, values.shim, *texts[name][2:])
                for name, values in fields.items()
            }
        if difference.place is not None:
            contig, position = difference.place
            interval = f"{contig}:{max(1, position - PADDING)}-{position + PADDING}"
            finding.commands = [text.replace("{interval}", interval) for text in commands]
        findings.append(finding)
    return findings


def _value(record: Mapping[str, str] | None, name: str) -> str:
    """Return a field as `compare.Difference` shows it."""
    if name == "record":
        return "no" if record is None else "yes"
    if record is None:
        return _ABSENT
    return " ".join(record) if name == "order of fields" else record.get(name, _ABSENT)
