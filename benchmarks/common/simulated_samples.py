"""Simulate diploid samples: ART makes reads of two mutated copies, and bwa aligns them."""

from __future__ import annotations

import random
import subprocess
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmarks.common.samples import write_reference
from gkl_shim.common._temporary import scratch
from gkl_shim.errors import MissingComponent
from gkl_shim.gatk import programs
from gkl_shim.gatk.data import Sample

_APT = "apt install art-nextgen-simulation-tools bwa samtools"
_SNPS_PER_INDEL = 8
_LONGEST_INDEL = 12
_FRAGMENT = 400
_FRAGMENT_SPREAD = 60


def random_sequence(length: int, seed: int) -> str:
    """Return a random sequence of A, C, G and T."""
    return "".join(random.Random(seed).choices("ACGT", k=length))


def simulate(
    folder: Path,
    name: str,
    sequence: str,
    depth: float,
    *,
    read_length: int = 150,
    profile: str = "HS25",
    quality_shift: int = 0,
    snp_rate: float = 1e-3,
    threads: int = 2,
    seed: int = 17,
    individual: str | None = None,
) -> Sample:
    """Simulate paired reads of a diploid individual, and align them.

    The individual has SNPs, and one short indel for every eight SNPs. Two thirds of the variants
    are on one copy only. The same arguments give the same reads.

    Parameters
    ----------
    folder
        The output folder, which is created if necessary.
    name
        The name of the reference's only sequence and of the files.
    sequence
        The reference: A, C, G, T and N.
    depth
        The mean coverage of both copies together.
    read_length
        The length in bases, at most the profile's (150 for HS25, 250 for MSv3).
    profile
        ART's built-in error profile: HS25 (HiSeq 2500), MSv3 (MiSeq v3), ...
    quality_shift
        Added to every base quality before errors are drawn. A negative value makes poor reads.
    snp_rate
        The number of SNPs per base.
    threads
        The threads of bwa.
    seed
        The seed of all random choices.
    individual
        The name of the individual in the reads' header, `name` by default.

    Returns
    -------
    Sample
        The reference and the sorted, indexed reads.

    Raises
    ------
    MissingComponent
        If ``art_illumina``, ``bwa`` or ``samtools`` is not installed, or fails.
    """
    copies = [(copy, depth / 2) for copy in mutated_copies(sequence, snp_rate, seed)]
    return simulate_mixture(
        folder, name, sequence, copies, read_length=read_length, profile=profile,
        quality_shift=quality_shift, threads=threads, seed=seed, individual=individual,
    )  # fmt: skip


def simulate_mixture(
    folder: Path,
    name: str,
    sequence: str,
    copies: Sequence[tuple[str, float]],
    *,
    read_length: int = 150,
    profile: str = "HS25",
    quality_shift: int = 0,
    threads: int = 2,
    seed: int = 17,
    individual: str | None = None,
) -> Sample:
    """Simulate paired reads of a mixture of sequences, and align them to a reference.

    Parameters
    ----------
    copies
        The sequences that reads are made of, and the mean coverage of each.

    The other parameters, the result and the exception are those of `simulate`.
    """
    folder.mkdir(parents=True, exist_ok=True)
    reference = folder / f"{name}.fa"
    write_reference(reference, {name: sequence})
    reads = folder / f"{name}.bam"
    with scratch(folder) as partial:
        options = ["--len", read_length, "--seqSys", profile]
        options += ["--qShift", quality_shift, "--qShift2", quality_shift]
        fastqs = _simulated_reads(partial, copies, options, seed)
        align(fastqs, reference, reads, name, individual=individual or name, threads=threads)
    depth = sum(depth for _, depth in copies)
    return Sample(name, f"simulated, {depth:g}x over {len(sequence):,} bp", reference, reads)


def _simulated_reads(
    folder: Path, copies: Sequence[tuple[str, float]], options: Sequence[object], seed: int
) -> list[Path]:
    """Run ART on each copy, and return the files of both mates."""
    art = _tool("art_illumina")
    mates: list[list[Path]] = [[], []]
    for number, (copy, depth) in enumerate(copies, 1):
        source = folder / f"copy{number}.fa"
        source.write_text(f">copy{number}\n{copy}\n")
        # ART writes PREFIX1.fq and PREFIX2.fq.
        prefix = folder / f"copy{number}."
        command = [art, "--in", source, "--out", prefix, "--id", f"copy{number}-"]
        command += ["--paired", "--fcov", depth, "--mflen", _FRAGMENT, "--sdev", _FRAGMENT_SPREAD]
        command += [*options, "--rndSeed", seed + number, "--noALN", "--quiet"]
        _run([str(part) for part in command])
        for mate in (1, 2):
            mates[mate - 1].append(Path(f"{prefix}{mate}.fq"))
    return [_join(files, folder / f"mate{mate}.fq") for mate, files in enumerate(mates, 1)]


def align(
    fastqs: Sequence[Path],
    reference: Path,
    target: Path,
    group: str,
    *,
    individual: str,
    threads: int = 2,
) -> None:
    """Align paired reads with bwa, and sort and index them.

    Parameters
    ----------
    fastqs
        The two files of mates, or one file in which mates follow each other.
    reference
        The FASTA file of the reference.
    target
        What is written: a BAM file and its index.
    group
        The name of the read group.

    Raises
    ------
    MissingComponent
        If ``bwa`` or ``samtools`` is not installed, or fails.
    """
    bwa, samtools = _tool("bwa"), _tool("samtools")
    with scratch(target.parent) as partial:
        index = partial / "index"
        _run([bwa, "index", "-p", str(index), str(reference)])
        sam = partial / "aligned.sam"
        header = f"@RG\\tID:{group}\\tSM:{individual}\\tPL:ILLUMINA\\tLB:1"
        # Without -K, bwa's batches, and so its insert sizes, would depend on the threads.
        command = [bwa, "mem", "-t", str(threads), "-K", "10000000", "-R", header, "-o", str(sam)]
        command += ["-p"] if len(fastqs) == 1 else []
        _run([*command, str(index), *map(str, fastqs)])
        bam = partial / target.name
        _run([samtools, "sort", "-o", str(bam), str(sam)])
        _put(bam, target, samtools)


def _tool(name: str) -> str:
    return programs.find(name, f"simulated samples need it (Debian: {_APT})")


def merge(target: Path, sources: Sequence[Path]) -> None:
    """Merge sorted reads into one indexed file. Their sequences and read groups are united.

    Raises
    ------
    MissingComponent
        If ``samtools`` is not installed, or fails.
    """
    samtools = _tool("samtools")
    with scratch(target.parent) as partial:
        bam = partial / target.name
        _run([samtools, "merge", str(bam), *map(str, sources)])
        _put(bam, target, samtools)


def _put(bam: Path, target: Path, samtools: str) -> None:
    """Index reads, and move both files into place."""
    _run([samtools, "index", str(bam)])
    bam.with_name(bam.name + ".bai").replace(target.with_name(target.name + ".bai"))
    bam.replace(target)


@dataclass(frozen=True)
class Variant:
    """A difference between an individual and the reference."""

    position: int
    """Where `old` starts, from 0."""
    old: str
    new: str
    carriers: tuple[int, ...]
    """Which of the two copies have it."""


def variants(sequence: str, snp_rate: float, seed: int) -> Iterator[Variant]:
    """Yield the variants of a simulated individual, by position."""
    choice = random.Random(seed)
    indel_rate = snp_rate / _SNPS_PER_INDEL
    position = 0
    while position < len(sequence):
        base = sequence[position]
        draw = choice.random()
        old, new = base, base
        if base in "ACGT":
            if draw < snp_rate:
                new = choice.choice("ACGT".replace(base, ""))
            elif draw < snp_rate + indel_rate / 2:
                new = base + "".join(choice.choices("ACGT", k=choice.randint(1, _LONGEST_INDEL)))
            elif draw < snp_rate + indel_rate:
                old = sequence[position : position + 1 + choice.randint(1, _LONGEST_INDEL)]
        if old != new:
            yield Variant(position, old, new, choice.choice(((0,), (1,), (0, 1))))
        position += len(old)


def mutated_copies(sequence: str, snp_rate: float, seed: int) -> tuple[str, str]:
    """Return the two copies of a sequence in a simulated individual."""
    copies: tuple[list[str], list[str]] = ([], [])
    done = 0
    for variant in variants(sequence, snp_rate, seed):
        for copy in (0, 1):
            changed = variant.new if copy in variant.carriers else variant.old
            copies[copy].extend((sequence[done : variant.position], changed))
        done = variant.position + len(variant.old)
    return "".join(copies[0]) + sequence[done:], "".join(copies[1]) + sequence[done:]


def long_deletions(sequence: str, seed: int) -> tuple[str, str]:
    """Return two copies of a sequence: with long deletions, and with many SNPs.

    The first one lacks 30 to 69 bases in each 500, the second one has a SNP in each 30.
    """
    choice = random.Random(seed)
    kept: list[str] = []
    done = 0
    for at in range(1000, len(sequence) - 1000, 500):
        start = at + choice.randrange(100)
        kept.append(sequence[done:start])
        done = start + choice.randrange(30, 70)
    changed = list(sequence)
    for at in range(500, len(sequence) - 500, 30):
        position = at + choice.randrange(15)
        if changed[position] in "ACGT":
            changed[position] = choice.choice("ACGT".replace(changed[position], ""))
    return "".join(kept) + sequence[done:], "".join(changed)


def _join(files: Sequence[Path], target: Path) -> Path:
    with target.open("wb") as stream:
        for file in files:
            stream.write(file.read_bytes())
    return target


def _run(command: Sequence[str]) -> None:
    result = subprocess.run(command, capture_output=True, text=True, errors="replace", check=False)
    if result.returncode != 0:
        said = (result.stderr.strip() or result.stdout.strip()).splitlines() or ["it said nothing"]
        raise MissingComponent(f"{command[0]} failed, exit code {result.returncode}: {said[-1]}")
