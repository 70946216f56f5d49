"""The sample of real reads that comes with this package."""

from __future__ import annotations

from dataclasses import dataclass
from importlib import resources
from pathlib import Path

from gkl_shim.common._output_files import atomic_output, make_folder


@dataclass(frozen=True)
class Sample:
    """A reference and reads with the index and dictionary files that GATK needs."""

    name: str
    title: str
    reference: Path
    reads: Path


def na12878_chr22(folder: Path) -> Sample:
    """Copy the NA12878 reads that are part of this package. They cover 12 kb of chr22.

    Parameters
    ----------
    folder
        The output folder, which is created if necessary.
    """
    make_folder(folder)
    source = resources.files("gkl_shim.gatk") / "na12878_chr22"
    # The index comes last, because GATK warns about an index that is older than its reads.
    for name in ("q.fa", "q.fa.fai", "q.dict", "NA12878.bam", "NA12878.bai"):
        with atomic_output(folder / name) as file:
            file.write((source / name).read_bytes())
    title = "NA12878, 3,333 reads of chr22"
    return Sample("na12878_chr22", title, folder / "q.fa", folder / "NA12878.bam")
