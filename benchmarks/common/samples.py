"""Samples for the benchmarks and tests: NA12878's reads of chr20, and files that GATK needs."""

from __future__ import annotations

import gzip
import hashlib
from pathlib import Path

from gkl_shim.errors import FormatError, MissingComponent
from gkl_shim.gatk import fetch, run
from gkl_shim.gatk.data import Sample

_LINE = 60
_NA12878_READS = fetch.Artifact(
    "org.bdgenomics.adam", "adam-core-spark3_2.12", "0.36.0", classifier="tests", without=("*:*",)
)
"""ADAM's test data: 565 reads of NA12878 and the first 250 kb of chromosome 20."""


def na12878_chr20(folder: Path, classpath: str) -> Sample:
    """Prepare the NA12878 reads at 20:224759-225255, from ADAM's test jar on Maven Central.

    Parameters
    ----------
    folder
        The output folder, which is created if necessary.
    classpath
        The class path of GATK. Its Picard sorts and indexes the reads.
    """
    with fetch.opened(_na12878_jar()) as archive:
        sam = archive.read("NA12878.sam").decode("ascii")
    sequence = chr20_head()
    folder.mkdir(parents=True, exist_ok=True)
    reference = folder / "chr20.250k.fa"
    write_reference(reference, {"20": sequence})
    # Replace the header's contigs of a whole genome with the one contig of this reference.
    lines = [
        line
        for line in sam.splitlines()
        if not line.startswith("@SQ") and (line.startswith("@") or line.split("\t")[2] == "20")
    ]
    dictionary = f"@SQ\tSN:20\tLN:{len(sequence)}"
    after_version = 1 if lines[0].startswith("@HD") else 0
    lines.insert(after_version, dictionary)
    unsorted = folder / "NA12878.sam"
    unsorted.write_text("\n".join(lines) + "\n")
    reads = sort_reads(unsorted, folder / "NA12878.bam", classpath)
    return Sample("na12878_chr20", "NA12878, 565 reads of chr20", reference, reads)


def chr20_head() -> str:
    """Return the first 250,000 bases of chr20, from ADAM's test jar on Maven Central."""
    with fetch.opened(_na12878_jar()) as archive:
        fasta = gzip.decompress(archive.read("chr20.250k.fa.gz")).decode("ascii")
    return "".join(line for line in fasta.splitlines() if not line.startswith(">"))


def _na12878_jar() -> Path:
    return Path(fetch.classpath("na12878-reads", [_NA12878_READS]))


def read_fasta(path: Path) -> tuple[str, str]:
    """Return the name and the letters of the only sequence in a FASTA file, plain or gzipped."""
    opener = gzip.open if path.suffix == ".gz" else open
    with opener(path, "rt", encoding="ascii") as stream:
        header = stream.readline()
        if not header.startswith(">") or not header[1:].split():
            raise FormatError(str(path), 1, "not a FASTA header")
        lines = []
        for number, line in enumerate(stream, 2):
            if line.startswith(">"):
                raise FormatError(str(path), number, "a second sequence; one is expected")
            lines.append(line.strip())
    return header[1:].split()[0], "".join(lines)


def write_reference(path: Path, sequences: dict[str, str]) -> None:
    """Write sequences as FASTA, with the .fai index and .dict dictionary that GATK needs."""
    index = []
    dictionary = ["@HD\tVN:1.6\tSO:unsorted"]
    with path.open("w", encoding="ascii") as stream:
        for name, sequence in sequences.items():
            stream.write(f">{name}\n")
            offset = stream.tell()
            for start in range(0, len(sequence), _LINE):
                stream.write(sequence[start : start + _LINE] + "\n")
            index.append(f"{name}\t{len(sequence)}\t{offset}\t{_LINE}\t{_LINE + 1}")
            digest = hashlib.md5(sequence.upper().encode("ascii"), usedforsecurity=False)
            dictionary.append(f"@SQ\tSN:{name}\tLN:{len(sequence)}\tM5:{digest.hexdigest()}")
    path.with_name(path.name + ".fai").write_text("\n".join(index) + "\n")
    path.with_suffix(".dict").write_text("\n".join(dictionary) + "\n")


def sort_reads(source: Path, target: Path, classpath: str) -> Path:
    """Sort reads by coordinate and index them, with Picard from GATK's class path."""
    result = run.gatk(
        [
            "SortSam",
            *("--INPUT", str(source)),
            *("--OUTPUT", str(target)),
            *("--SORT_ORDER", "coordinate"),
            *("--CREATE_INDEX", "true"),
            # The mates of some reads lie outside this excerpt of the reference.
            *("--VALIDATION_STRINGENCY", "SILENT"),
        ],
        classpath,
    )
    if result.returncode != 0:
        raise MissingComponent(f"{source}: Picard could not sort it: {result.complaint}")
    return target
