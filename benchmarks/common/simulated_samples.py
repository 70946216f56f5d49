"""Simulate diploid samples: ART makes reads of two mutated copies, and bwa aligns them."""

from __future__ import annotations

import random
import subprocess
from collections.abc import Sequence
from pathlib import Path

from benchmarks.common.samples import write_reference
from gkl_shim._files import scratch
from gkl_shim.errors import MissingComponent
from gkl_shim.gatk import programs
from gkl_shim.gatk.data import Sample

__all__ = ["mutated_copies", "random_sequence", "simulate"]

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
    art, bwa, samtools = (
        programs.find(tool, f"simulated samples need it (Debian: {_APT})")
        for tool in ("art_illumina", "bwa", "samtools")
    )
    folder.mkdir(parents=True, exist_ok=True)
    reference = folder / f"{name}.fa"
    write_reference(reference, {name: sequence})
    reads = folder / f"{name}.bam"
    with scratch(folder) as partial:
        mates: list[list[Path]] = [[], []]
        for copy, mutated in enumerate(mutated_copies(sequence, snp_rate, seed), 1):
            source = partial / f"copy{copy}.fa"
            source.write_text(f">copy{copy}\n{mutated}\n")
            # ART writes PREFIX1.fq and PREFIX2.fq.
            prefix = partial / f"copy{copy}."
            command = [art, "--in", source, "--out", prefix, "--id", f"copy{copy}-"]
            command += ["--paired", "--len", read_length, "--fcov", depth / 2, "--seqSys", profile]
            command += ["--mflen", _FRAGMENT, "--sdev", _FRAGMENT_SPREAD]
            command += ["--qShift", quality_shift, "--qShift2", quality_shift]
            command += ["--rndSeed", seed + copy, "--noALN", "--quiet"]
            _run([str(part) for part in command])
            for mate in (1, 2):
                mates[mate - 1].append(Path(f"{prefix}{mate}.fq"))
        fastqs = [_join(files, partial / f"mate{mate}.fq") for mate, files in enumerate(mates, 1)]
        index = partial / "index"
        _run([bwa, "index", "-p", str(index), str(reference)])
        sam = partial / "aligned.sam"
        group = f"@RG\\tID:{name}\\tSM:{individual or name}\\tPL:ILLUMINA\\tLB:1"
        # Without -K, bwa's batches, and so its insert sizes, would depend on the threads.
        align = [bwa, "mem", "-t", str(threads), "-K", "10000000", "-R", group, "-o", str(sam)]
        align += [str(index)]
        _run([*align, *map(str, fastqs)])
        bam = partial / reads.name
        _run([samtools, "sort", "-o", str(bam), str(sam)])
        _run([samtools, "index", str(bam)])
        bam.with_name(bam.name + ".bai").replace(reads.with_name(reads.name + ".bai"))
        bam.replace(reads)
    return Sample(name, f"simulated, {depth:g}x over {len(sequence):,} bp", reference, reads)


def mutated_copies(sequence: str, snp_rate: float, seed: int) -> tuple[str, str]:
    """Return the two copies of a sequence in a simulated individual."""
    choice = random.Random(seed)
    indel_rate = snp_rate / _SNPS_PER_INDEL
    copies: tuple[list[str], list[str]] = ([], [])
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
        carriers = choice.choice(((0,), (1,), (0, 1))) if old != new else ()
        for copy in (0, 1):
            copies[copy].append(new if copy in carriers else old)
        position += len(old)
    return "".join(copies[0]), "".join(copies[1])


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
