"""Samples for whole runs of GATK: genomes, tumors, deep samples and hard regions.

All are simulated, so the variants of each individual are known, and files of any size can be made
where they are needed. The same sequences give the same files. `real_samples` has real reads.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from benchmarks.common import samples, simulated_samples
from benchmarks.common.simulated_samples import Variant, long_deletions, mutated_copies
from gkl_shim.common._temporary import scratch
from gkl_shim.errors import FormatError, MissingComponent
from gkl_shim.gatk import run

_DEPTH = 35
_SNP_RATE = 1e-3
_SEED = 17
_LEAST_STRETCH = 10_000
_SMALL, _SHORT, _GENOME = 60_000, 300_000, 2_000_000
_AMPLICON, _AMPLICON_DEPTH, _AMPLICON_SNP_RATE = 4_000, 1500, 0.0025
_READ_LENGTH, _LONG_READ_LENGTH = 150, 250
_PROFILES = {_READ_LENGTH: "HS25", _LONG_READ_LENGTH: "MSv3"}

_PURITY = 0.6
_SOMATIC_RATE = 1e-4

_MITOCHONDRION, _JOIN = 16_569, 400
_HETEROPLASMY = 0.1

# Bases and copies of each repeat. The last one's depth is just below the 50 reads at each start
# that HaplotypeCaller keeps.
_REPEATS = ((1500, 30), (1500, 60), (600, 190))
_SUBFAMILIES = 6
_SUBFAMILY_DIVERGENCE = (0.005, 0.03)
_COPY_DIVERGENCE = (0.002, 0.02)

_KNOWN_SHARE = 0.8
_FORCED_SHARE = 0.1


@dataclass(frozen=True)
class RunSample:
    """The files of a sample."""

    name: str
    folder: Path

    @property
    def reference(self) -> Path:
        """The reference, with its index and dictionary."""
        return self.folder / "reference.fa"

    @property
    def contig(self) -> str:
        """The name of the reference's first contig."""
        return self.reference.with_suffix(".fa.fai").read_text().split("\t", 1)[0]

    @property
    def reads(self) -> Path:
        """The sorted, indexed reads. Those of a tumor, if there is a normal."""
        return self.folder / "reads.bam"

    @property
    def normal(self) -> Path | None:
        """The reads of the normal, whose name is "normal"."""
        path = self.folder / "normal.bam"
        return path if path.exists() else None

    @property
    def known(self) -> Path:
        """Known sites, as in dbSNP, with allele frequencies."""
        return self.folder / "known.vcf.gz"

    @property
    def truth(self) -> Path:
        """The individual's variants, if `write_truth` has written them."""
        return self.folder / "truth.vcf.gz"

    @property
    def confident(self) -> Path:
        """Where the truth is complete: everywhere."""
        return self.folder / "confident.bed"

    @property
    def alleles(self) -> Path:
        """Alleles to force. The sample has half of them."""
        return self.folder / "alleles.vcf.gz"


@dataclass(frozen=True)
class _Part:
    """Reads of one individual that are aligned to one sequence of the reference."""

    contig: str
    copies: Sequence[tuple[str, float]]
    """The sequences that the reads are made of, and the mean coverage of each."""
    individual: str = "individual"
    seed: int = _SEED
    read_length: int = _READ_LENGTH


@dataclass(frozen=True)
class _Plan:
    """What a sample is made of."""

    contigs: Mapping[str, str]
    files: Mapping[str, Sequence[_Part]]
    """The parts of each file of reads, by the file's name without ".bam"."""
    variants: Mapping[str, Sequence[Variant]]
    """The variants on each sequence of the reference, by position."""


_Planner = Callable[[Sequence[str]], _Plan]


class _Site(NamedTuple):
    """A line of a file of variants."""

    contig: str
    variant: Variant
    frequency: float


def human_like(length: int, sequences: Sequence[str]) -> str:
    """Return a sequence like a part of a human genome.

    It starts with the given sequences, without their stretches of N. When these are used up, the
    same letters follow in reverse order. They are not complemented. So they have a genome's
    composition and repeats, but are no copy that reads of the first part could align to.

    Raises
    ------
    FormatError
        If the sequences are too short.
    """
    stretches = [
        stretch
        for sequence in sequences
        for stretch in re.findall("[ACGT]+", sequence.upper())
        if len(stretch) >= _LEAST_STRETCH
    ]
    real = "".join(stretches)
    if 2 * len(real) < length:
        have = f"have {len(real):,} bases without an N; the sample needs {-(-length // 2):,}"
        raise FormatError("the given sequences", None, have)
    return (real + real[::-1])[:length]


def make(name: str, folder: Path, sequences: Sequence[str], classpath: str) -> RunSample:
    """Return a sample. Its files are made, unless the folder has them.

    Parameters
    ----------
    name
        One of `SAMPLES`.
    folder
        The samples' folder. Each sample gets a folder of its name there.
    sequences
        Real sequences, for `human_like`.
    classpath
        GATK's class path. Picard compresses and indexes the files of variants.

    Raises
    ------
    FormatError
        If the sequences are too short.
    MissingComponent
        If ART, bwa or samtools is missing or fails, or Picard fails.
    """
    sample = RunSample(name, folder / name)
    if sample.alleles.exists():
        return sample
    plan = _PLANS[name](sequences)
    sample.folder.mkdir(parents=True, exist_ok=True)
    samples.write_reference(sample.reference, dict(plan.contigs))
    for file, parts in plan.files.items():
        with scratch(sample.folder) as partial:
            aligned = []
            for number, part in enumerate(parts):
                made = simulated_samples.simulate_mixture(
                    partial / str(number), part.contig, plan.contigs[part.contig], part.copies,
                    read_length=part.read_length, profile=_PROFILES[part.read_length],
                    seed=part.seed, individual=part.individual,
                )  # fmt: skip
                aligned.append(made.reads)
            simulated_samples.merge(sample.folder / f"{file}.bam", aligned)
    write_sites(sample, plan.contigs, plan.variants, classpath)
    return sample


def write_sites(
    sample: RunSample,
    contigs: Mapping[str, str],
    variants: Mapping[str, Sequence[Variant]],
    classpath: str,
) -> None:
    """Write the known sites of a sample, and the alleles to force.

    Parameters
    ----------
    sample
        The sample.
    contigs, variants
        The letters of each contig, and the sample's variants on it, by position.
    classpath
        GATK's class path. Picard compresses and indexes the files.

    Raises
    ------
    MissingComponent
        If Picard fails.
    """
    known, forced = _sites(contigs, variants)
    _write_sites(sample.known, contigs, known, classpath)
    _write_sites(sample.alleles, contigs, forced, classpath)


def write_truth(sample: RunSample, sequences: Sequence[str], classpath: str) -> None:
    """Write the truth of a sample of `KNOWN`, unless its folder has it.

    Parameters
    ----------
    sample
        The sample.
    sequences
        The sequences that it was made with.
    classpath
        GATK's class path. GATK moves indels to the left, as it does with its own calls.

    Raises
    ------
    FormatError
        If the sample was made with other sequences.
    MissingComponent
        If Picard or GATK fails.
    """
    if sample.truth.exists() and sample.confident.exists():
        return
    plan = _PLANS[sample.name](sequences)
    with scratch(sample.folder) as partial:
        reference = partial / sample.reference.name
        samples.write_reference(reference, dict(plan.contigs))
        if reference.read_bytes() != sample.reference.read_bytes():
            raise FormatError(str(sample.reference), None, "it was made of other sequences")
        variants = plan.variants.items()
        sites = [_Site(contig, variant, 0.5) for contig, own in variants for variant in own]
        unaligned = partial / "sites.vcf.gz"
        _write_sites(unaligned, plan.contigs, sites, classpath)
        arguments = ["LeftAlignAndTrimVariants", "-R", str(sample.reference)]
        done = run.gatk([*arguments, "-V", str(unaligned), "-O", str(sample.truth)], classpath)
    if done.returncode != 0:
        raise MissingComponent(f"{sample.truth}: GATK could not write it: {done.complaint}")
    lines = [f"{name}\t0\t{len(letters)}\n" for name, letters in plan.contigs.items()]
    sample.confident.write_text("".join(lines))


def _genome(length: int, individuals: int = 1, *, read_length: int = _READ_LENGTH) -> _Planner:
    """A genome. Several individuals become one with several sequences: all have the same name."""

    def plan(sequences: Sequence[str]) -> _Plan:
        sequence = human_like(length, sequences)
        seeds = {f"human{number + 1}": _SEED + 10 * number for number in range(individuals)}
        return _Plan(
            dict.fromkeys(seeds, sequence),
            {
                "reads": [
                    _diploid(name, sequence, seed=seed, read_length=read_length)
                    for name, seed in seeds.items()
                ]
            },
            {name: _variants(sequence, seed) for name, seed in seeds.items()},
        )

    return plan


def _deletions(sequences: Sequence[str]) -> _Plan:
    """Long deletions on one copy, and many SNPs on the other. None of them is a known site."""
    sequence = human_like(_SMALL, sequences)
    copies = [(copy, _DEPTH / 2) for copy in long_deletions(sequence, _SEED)]
    return _Plan({"human1": sequence}, {"reads": [_Part("human1", copies)]}, {"human1": []})


def _several(sequences: Sequence[str]) -> _Plan:
    """Two individuals in one file, and a normal that is like the first of them."""
    sequence = human_like(_SMALL, sequences)
    one = _diploid("human1", sequence, individual="one")
    two = _diploid("human1", sequence, individual="two", seed=_SEED + 10)
    normal = _diploid("human1", sequence, individual="normal")
    files = {"reads": [one, two], "normal": [normal]}
    return _Plan({"human1": sequence}, files, {"human1": _variants(sequence)})


def _tumor(length: int) -> _Planner:
    """A tumor, whose reads are a mixture of a normal and a mutated genome, and its normal."""

    def plan(sequences: Sequence[str]) -> _Plan:
        sequence = human_like(length, sequences)
        one, other = mutated_copies(sequence, _SNP_RATE, _SEED)
        mutated, _ = mutated_copies(one, _SOMATIC_RATE, _SEED + 1)
        mixture = [
            (one, _DEPTH / 2 * (1 - _PURITY)),
            (mutated, _DEPTH / 2 * _PURITY),
            (other, _DEPTH / 2),
        ]
        tumor = _Part("human1", mixture, "tumor")
        normal = _diploid("human1", sequence, individual="normal", seed=_SEED)
        files = {"normal": [normal], "reads": [tumor]}
        return _Plan({"human1": sequence}, files, {"human1": _variants(sequence)})

    return plan


def _amplicon(sequences: Sequence[str]) -> _Plan:
    sequence = human_like(_AMPLICON, sequences)
    part = _diploid("human1", sequence, depth=_AMPLICON_DEPTH, snp_rate=_AMPLICON_SNP_RATE)
    variants = _variants(sequence, snp_rate=_AMPLICON_SNP_RATE)
    return _Plan({"human1": sequence}, {"reads": [part]}, {"human1": variants})


def _mitochondrion(sequences: Sequence[str]) -> _Plan:
    """A circle. One copy in ten has more variants than the others."""
    circle = human_like(_MITOCHONDRION, sequences)
    most, _ = mutated_copies(circle, _SNP_RATE, _SEED)
    few, _ = mutated_copies(most, _SNP_RATE, _SEED + 1)
    shares = ((most, 1 - _HETEROPLASMY), (few, _HETEROPLASMY))
    # The start is repeated at the end, for the reads that go over the join of the circle.
    copies = [(copy + copy[:_JOIN], 2000 * share) for copy, share in shares]
    return _Plan({"chrM": circle}, {"reads": [_Part("chrM", copies)]}, {"chrM": _variants(circle)})


def _hard(sequences: Sequence[str]) -> _Plan:
    """A genome with collapsed repeats: the reference has one copy where the individual has many.

    The copies form subfamilies. They differ from the reference by 1 to 7 percent.
    """
    sequence = human_like(_SHORT, sequences)
    choice = random.Random(_SEED)
    pieces, done = [], 0
    for number, (unit, count) in enumerate(_REPEATS, 1):
        start = number * _SHORT // (len(_REPEATS) + 1)
        pieces += [sequence[done:start], *_array(sequence[start : start + unit], count, choice)]
        done = start + unit
    individual = "".join([*pieces, sequence[done:]])
    copies = [(copy, _DEPTH / 2) for copy in mutated_copies(individual, _SNP_RATE, _SEED)]
    part = _Part("human1", copies)
    return _Plan({"human1": sequence}, {"reads": [part]}, {"human1": _variants(sequence)})


def _array(unit: str, count: int, choice: random.Random) -> Iterator[str]:
    """Yield the copies of a repeat."""

    def mutated(sequence: str, divergence: tuple[float, float]) -> str:
        return mutated_copies(sequence, choice.uniform(*divergence), choice.getrandbits(32))[0]

    subfamilies = [mutated(unit, _SUBFAMILY_DIVERGENCE) for _ in range(_SUBFAMILIES)]
    for _ in range(count):
        yield mutated(choice.choice(subfamilies), _COPY_DIVERGENCE)


def _diploid(
    contig: str,
    sequence: str,
    *,
    individual: str = "individual",
    seed: int = _SEED,
    depth: float = _DEPTH,
    snp_rate: float = _SNP_RATE,
    read_length: int = _READ_LENGTH,
) -> _Part:
    copies = mutated_copies(sequence, snp_rate, seed)
    return _Part(contig, [(copy, depth / 2) for copy in copies], individual, seed, read_length)


def _variants(sequence: str, seed: int = _SEED, snp_rate: float = _SNP_RATE) -> list[Variant]:
    return list(simulated_samples.variants(sequence, snp_rate, seed))


_PLANS: dict[str, _Planner] = {
    "300kb35x": _genome(_SHORT),
    "2mb35x": _genome(_GENOME),
    "2mb35x-250": _genome(_GENOME, read_length=_LONG_READ_LENGTH),
    "10mb35x": _genome(_GENOME, individuals=5),
    "60kb-deletions": _deletions,
    "several": _several,
    "300kb-tumor": _tumor(_SHORT),
    "2mb-tumor": _tumor(_GENOME),
    "amplicon": _amplicon,
    "mitochondrion": _mitochondrion,
    "hard": _hard,
}
SAMPLES = tuple(_PLANS)
"""The names of all samples."""

KNOWN = ("300kb35x", "2mb35x", "2mb35x-250", "10mb35x", "amplicon")
"""The samples of which all variants are known by their place on the reference."""


def _sites(
    contigs: Mapping[str, str], variants: Mapping[str, Sequence[Variant]]
) -> tuple[list[_Site], list[_Site]]:
    """Choose the known sites and the alleles to force.

    Known are most of the sample's variants, and as many that the sample lacks. Forced are a tenth
    of its variants, and as many that it lacks.
    """
    choice = random.Random(_SEED)
    known, forced = [], []
    for contig, own in variants.items():
        sequence = contigs[contig]
        taken = {variant.position for variant in own}
        absent = [
            variant
            for variant in simulated_samples.variants(sequence, _SNP_RATE, _SEED + 99)
            if variant.position not in taken
        ]
        for variant in (*own, *absent):
            site = _Site(contig, variant, choice.uniform(0.001, 0.5))
            if choice.random() < _KNOWN_SHARE:
                known.append(site)
            if choice.random() < _FORCED_SHARE:
                forced.append(site)
    return known, forced


def _write_sites(
    target: Path, contigs: Mapping[str, str], sites: Sequence[_Site], classpath: str
) -> None:
    """Write sites as a compressed, indexed VCF. Picard puts them in order."""
    lines = ["##fileformat=VCFv4.2"]
    lines += [f"##contig=<ID={name},length={len(letters)}>" for name, letters in contigs.items()]
    lines.append('##INFO=<ID=AF,Number=A,Type=Float,Description="Allele frequency">')
    lines.append("#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO")
    for number, (contig, variant, frequency) in enumerate(sites, 1):
        place = f"{contig}\t{variant.position + 1}\trs{number}"
        lines.append(f"{place}\t{variant.old}\t{variant.new}\t.\t.\tAF={frequency:.4f}")
    with scratch(target.parent) as partial:
        text = partial / "sites.vcf"
        text.write_text("\n".join(lines) + "\n")
        done = run.gatk(["SortVcf", "-I", str(text), "-O", str(target)], classpath)
    if done.returncode != 0:
        raise MissingComponent(f"{target}: Picard could not write it: {done.complaint}")
