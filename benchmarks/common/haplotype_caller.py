"""Run HaplotypeCaller on a sample."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from gkl_shim.errors import MissingComponent
from gkl_shim.gatk import run, swaps

__all__ = ["haplotype_caller"]


def haplotype_caller(
    reference: Path,
    reads: Path,
    vcf: Path,
    classpath: str,
    swap: swaps.Swap,
    options: Sequence[str] = (),
    environment: Mapping[str, str] | None = None,
) -> run.Run:
    """Run HaplotypeCaller.

    Parameters
    ----------
    reference, reads
        The sample.
    vcf
        What is written.
    classpath
        GATK's.
    swap
        Which PairHMM it gets.
    options
        More arguments for GATK.
    environment
        Variables to add to this process's.

    Raises
    ------
    MissingComponent
        If GATK fails.
    """
    arguments = ["HaplotypeCaller", "-R", str(reference), "-I", str(reads), "-O", str(vcf)]
    done = run.gatk([*arguments, *options], classpath, swap, environment=environment)
    if done.returncode != 0:
        raise MissingComponent(f"HaplotypeCaller failed: {done.complaint}")
    return done
