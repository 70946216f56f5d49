"""Samples of real reads for whole runs of GATK: one window of a genome, repeated to any length.

Real reads cost GATK more than simulated ones do: qualities vary, errors cluster, QD exceeds 35, and
short series of qualities reach the exact rank-sum test. The copies are equal, so their records are
equal, too.
"""

from __future__ import annotations

import importlib
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

from benchmarks.common import run_samples, samples
from benchmarks.common.run_samples import RunSample
from benchmarks.common.simulated_samples import Variant
from gkl_shim.common._temporary import scratch
from gkl_shim.errors import FormatError, MissingComponent
from gkl_shim.gatk import run

# A pysam.AlignedSegment.
_Read: TypeAlias = Any

_KEPT_TAGS = ("NM", "MD", "AS", "XS", "MC", "MQ")
_SKIPPED_FLAGS = 0x904  # unmapped, secondary, supplementary


@dataclass(frozen=True)
class Window:
    """A part of a genome, and real reads."""

    reads: Path
    """A sorted, indexed BAM file."""
    reference: Path
    """A FASTA file with one sequence, named CONTIG:START-END as by `samtools faidx`."""


@dataclass(frozen=True)
class _Plan:
    copies: int
    """The number of contigs. Each is one copy of the window, or of a part of it."""
    part: tuple[int, int] | None = None
    """The first and the last base of the part, from 1."""
    repeats: int = 1
    """How often a contig has each pair of reads."""
    has_normal: bool = False
    """Whether every second pair goes to the reads of a normal."""


_PLANS = {
    "real-12kb": _Plan(1, part=(1, 12_000)),
    "real-300kb": _Plan(3),
    "real-2mb": _Plan(20),
    "real-10mb": _Plan(100),
    "real-2mb-normal": _Plan(20, has_normal=True),
    "real-amplicon": _Plan(1, part=(48_001, 52_000), repeats=50),
}
SAMPLES = tuple(_PLANS)
"""The names of all samples. The numbers are for a window of 100 kb at 30x."""


def make(name: str, folder: Path, window: Window, classpath: str) -> RunSample:
    """Return a sample. Its files are made, unless the folder has them.

    Parameters
    ----------
    name
        One of `SAMPLES`.
    folder
        The samples' folder. Each sample gets a folder of its name there.
    window
        The reads. Pairs of which both reads lie inside are used.
    classpath
        GATK's class path. Stock HaplotypeCaller finds the known sites.

    Raises
    ------
    FormatError
        If the window's name is no interval, or no pair of reads lies inside.
    MissingComponent
        If pysam is missing, or GATK fails.
    """
    sample = RunSample(name, folder / name)
    if sample.alleles.exists():
        return sample
    letters = make_reads(sample, window)
    variants = _calls(sample, next(iter(letters)), classpath)
    run_samples.write_sites(sample, letters, dict.fromkeys(letters, variants), classpath)
    return sample


def make_reads(sample: RunSample, window: Window) -> dict[str, str]:
    """Make a sample's reference and reads, without known sites. Return the contigs' letters.

    Raises
    ------
    FormatError
        If the window's name is no interval, or no pair of reads lies inside.
    MissingComponent
        If pysam is missing.
    """
    plan = _PLANS[sample.name]
    contig, start, letters = _place(window.reference)
    first, last = plan.part or (1, len(letters))
    letters = letters[first - 1 : last]
    names = [f"t{copy + 1}" for copy in range(plan.copies)]
    sample.folder.mkdir(parents=True, exist_ok=True)
    samples.write_reference(sample.reference, dict.fromkeys(names, letters))
    start += first - 1
    pairs = _pairs(window.reads, contig, start, start + last - first)
    individuals = {sample.reads: ("real", pairs)}
    if plan.has_normal:
        normal = sample.folder / "normal.bam"
        individuals = {sample.reads: ("tumor", pairs[::2]), normal: ("normal", pairs[1::2])}
    for file, (individual, own) in individuals.items():
        _write_reads(file, individual, own, start, plan, names, letters)
    return dict.fromkeys(names, letters)


def _place(reference: Path) -> tuple[str, int, str]:
    """Return the contig, the first position and the letters of a window."""
    name, letters = samples.read_fasta(reference)
    match = re.fullmatch(r"(.+):(\d+)-(\d+)", name)
    if match is None or int(match[3]) - int(match[2]) + 1 != len(letters):
        raise FormatError(str(reference), 1, f"{name}: not CONTIG:START-END of this sequence")
    return match[1], int(match[2]), letters.upper()


def _pysam() -> Any:
    try:
        return importlib.import_module("pysam")
    except ImportError as error:
        raise MissingComponent("pysam is missing: pip install pysam") from error


def _pairs(reads: Path, contig: str, start: int, end: int) -> list[list[_Read]]:
    """Return the pairs of which both reads lie in an interval."""
    found: dict[str, list[_Read]] = {}
    with _pysam().AlignmentFile(reads) as file:
        for read in file.fetch(contig, start - 1, end):
            if read.flag & _SKIPPED_FLAGS:
                continue
            if start <= read.reference_start + 1 and read.reference_end <= end:
                found.setdefault(read.query_name, []).append(read)
    pairs = [pair for pair in found.values() if len(pair) == 2]
    if not pairs:
        raise FormatError(str(reads), None, f"no pair of reads lies in {contig}:{start}-{end}")
    return pairs


def _moved(read: _Read, start: int, contig: str, header: Any) -> _Read:
    """Return a read of an interval that begins at `start`, as a read of a contig."""
    fields = read.to_dict()
    fields["ref_name"] = fields["next_ref_name"] = contig
    for position in ("ref_pos", "next_ref_pos"):
        fields[position] = str(int(fields[position]) - start + 1)
    fields["tags"] = [*(tag for tag in fields["tags"] if tag[:2] in _KEPT_TAGS), "RG:Z:r1"]
    return _pysam().AlignedSegment.from_dict(fields, header)


def _write_reads(
    target: Path,
    individual: str,
    pairs: Sequence[Sequence[_Read]],
    start: int,
    plan: _Plan,
    contigs: Sequence[str],
    letters: str,
) -> None:
    """Write pairs of an interval that begins at `start` to each contig, sorted and indexed."""
    group = {"ID": "r1", "SM": individual, "PL": "ILLUMINA", "LB": "l1", "PU": "u1"}
    header = {
        "HD": {"VN": "1.6", "SO": "coordinate"},
        "SQ": [{"SN": name, "LN": len(letters)} for name in contigs],
        "RG": [group],
    }
    pysam = _pysam()
    reads = sorted((read for pair in pairs for read in pair), key=lambda read: read.reference_start)
    with scratch(target.parent) as partial:
        bam = partial / target.name
        with pysam.AlignmentFile(bam, "wb", header=header) as file:
            moved = [_moved(read, start, contigs[0], file.header) for read in reads]
            for read, name, contig, number in _repeated(moved, plan):
                read.query_name = f"c{contig}_{number}_{name}"
                read.reference_id = read.next_reference_id = contig
                file.write(read)
        pysam.index(str(bam))
        bam.with_name(bam.name + ".bai").replace(target.with_name(target.name + ".bai"))
        bam.replace(target)


def _repeated(reads: Sequence[_Read], plan: _Plan) -> Iterator[tuple[_Read, str, int, int]]:
    """Yield each read, its first name, its contig and its number there, in the file's order."""
    named = [(read, str(read.query_name)) for read in reads]
    for contig in range(plan.copies):
        for read, name in named:
            for number in range(plan.repeats):
                yield read, name, contig, number


def _calls(sample: RunSample, contig: str, classpath: str) -> list[Variant]:
    """Return the variants that stock HaplotypeCaller finds on a contig, with one allele each."""
    with scratch(sample.folder) as partial:
        vcf = partial / "calls.vcf"
        arguments = ["HaplotypeCaller", "-R", str(sample.reference), "-I", str(sample.reads)]
        done = run.gatk([*arguments, "-L", contig, "-O", str(vcf)], classpath)
        if done.returncode != 0:
            raise MissingComponent(f"{sample.reads}: GATK could not call it: {done.complaint}")
        fields = [line.split("\t")[:5] for line in vcf.read_text().splitlines() if line[:1] != "#"]
    return [
        Variant(int(position) - 1, old, new, (0, 1))
        for _, position, _, old, new in fields
        if re.fullmatch("[ACGT]+", new)
    ]
