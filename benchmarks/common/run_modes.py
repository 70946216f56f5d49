"""Ways to run HaplotypeCaller and Mutect2, and the comparison of what two runs wrote."""

from __future__ import annotations

import gzip
import tarfile
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import zip_longest
from pathlib import Path

from benchmarks.common.run_samples import RunSample
from gkl_shim.gatk import compare
from gkl_shim.validation import compared_files

_BAMOUT, _COUNTS = ".bamout.bam", ".f1r2.tar.gz"


@dataclass(frozen=True)
class Mode:
    """A tool of GATK and its arguments."""

    tool: str
    arguments: tuple[str, ...] = ()
    """More arguments. {known}, {alleles}, {normal} and {output} stand for files,
    {contig} for the name of the first contig."""


def _caller(*arguments: str) -> Mode:
    return Mode("HaplotypeCaller", arguments)


def _mutect(*arguments: str) -> Mode:
    return Mode("Mutect2", arguments)


def _odd_modes() -> dict[str, Mode]:
    """Return runs with options that few users give, each of which changes how regions are made.

    Options that do not touch each other share a run.
    """
    intervals = (
        *("{contig}:40000-49000", "{contig}:48500-60000", "{contig}:61000-61000"),
        *("{contig}:62000-75000", "{contig}:90000-120000"),
    )
    filters = ("MappingQualityReadFilter", "NotDuplicateReadFilter", "GoodCigarReadFilter")
    shared = {
        "filters": _repeated("--disable-read-filter", *filters),
        "all-reads": ("--max-reads-per-alignment-start", "0", "--dont-use-soft-clipped-bases"),
        "few-reads": ("--max-reads-per-alignment-start", "2", "--min-base-quality-score", "17"),
        "kmers": (
            *_repeated("--kmer-size", "7", "21", "45"),
            *("--allow-non-unique-kmers-in-ref", "--dont-increase-kmer-sizes-for-cycles"),
        ),
        "dangling": ("--recover-all-dangling-branches", "--min-dangling-branch-length", "1"),
        "linked": ("--linked-de-bruijn-graph",),
        "forced": ("--alleles", "{alleles}", "--force-call-filtered-alleles"),
        "small-regions": (
            *("--min-assembly-region-size", "20", "--max-assembly-region-size", "90"),
            *("--assembly-region-padding", "37", "--active-probability-threshold", "0.05"),
        ),
        "intervals": (
            *_repeated("-L", *intervals),
            *("--interval-padding", "20", "--interval-merging-rule", "OVERLAPPING_ONLY"),
        ),
        "annotations": _repeated(
            *("-A", "AlleleFraction", "AssemblyComplexity", "BaseQuality", "ClippingRankSumTest"),
            *("CountNs", "FragmentLength", "LikelihoodRankSumTest", "MappingQuality"),
            *("OriginalAlignment", "ReadPosition", "ReferenceBases", "SampleList"),
            *("StrandBiasBySample", "TandemRepeat", "UniqueAltReadCount"),
        ),
        "pseudo-depth": ("-A", "AllelePseudoDepth"),
        "mnps": ("--max-mnp-distance", "3", "--do-not-run-physical-phasing"),
        "soft-clips": ("--soft-clip-low-quality-ends", "--override-fragment-softclip-check"),
    }
    callers = {
        "pruning": ("--adaptive-pruning", "--error-correct-reads"),
        "min-pruning": ("--min-pruning", "1", "--num-pruning-samples", "2"),
        "contamination": ("--contamination-fraction-to-filter", "0.15", "--heterozygosity", "0.05"),
        "quality": ("--min-base-quality-score", "0", "--base-quality-score-threshold", "6"),
        "gvcf": (
            *("-ERC", "GVCF", "-G", "AS_StandardAnnotation", "--floor-blocks"),
            *("-GQB", "10", "-GQB", "30", "-GQB", "60", "-comp:known", "{known}"),
        ),
        "pileups": ("--pileup-detection",),
    }
    mutects = {
        "panel": ("--panel-of-normals", "{known}", "--genotype-pon-sites"),
        "germline": ("--genotype-germline-sites", "--initial-tumor-lod", "0.5"),
        "suspicious": (
            *("--downsampling-stride", "20", "--max-suspicious-reads-per-alignment-start", "6"),
            *("--max-reads-per-alignment-start", "5"),
        ),
        "complexity": ("-A", "AssemblyComplexity", "--assembly-complexity-reference-mode"),
        "pruning": ("--pruning-lod-threshold", "0.5", "--min-pruning", "1"),
    }
    modes = {name: _caller(*options) for name, options in {**shared, **callers}.items()}
    for name, options in {**shared, **mutects}.items():
        modes[f"mutect2-{name}"] = _mutect(*options)
    return modes


def _repeated(option: str, *values: str) -> tuple[str, ...]:
    return tuple(word for value in values for word in (option, value))


MODES = {
    "vcf": _caller(),
    "gvcf": _caller("-ERC", "GVCF"),
    "bp": _caller("-ERC", "BP_RESOLUTION"),
    "dragen": _caller("--dragen-mode", "true"),
    "dragen378": _caller("--dragen-378-concordance-mode", "true"),
    "dbsnp": _caller("-D", "{known}"),
    "alleles": _caller("--alleles", "{alleles}"),
    "bamout": _caller("-bamout", "{output}" + _BAMOUT),
    "ploidy1": _caller("-ploidy", "1"),
    "ploidy4": _caller("-ploidy", "4"),
    "options": _caller(
        *("-D", "{known}", "--alleles", "{alleles}", "-ploidy", "4"),
        *("-bamout", "{output}" + _BAMOUT),
    ),
    "mutect2": _mutect(),
    "mutect2-normal": _mutect("-I", "{normal}", "-normal", "normal"),
    "mutect2-resource": _mutect("--germline-resource", "{known}"),
    "mutect2-alleles": _mutect("--alleles", "{alleles}"),
    "mutect2-f1r2": _mutect("--f1r2-tar-gz", "{output}" + _COUNTS),
    "mutect2-bamout": _mutect("-bamout", "{output}" + _BAMOUT),
    "mutect2-options": _mutect(
        *("-I", "{normal}", "-normal", "normal", "--germline-resource", "{known}"),
        *("--f1r2-tar-gz", "{output}" + _COUNTS, "-bamout", "{output}" + _BAMOUT),
    ),
    "mitochondria": _mutect("--mitochondria-mode"),
    **{f"odd-{name}": mode for name, mode in _odd_modes().items()},
}
"""The ways to run, by a short name."""


def command(mode: Mode, sample: RunSample, output: Path) -> list[str]:
    """Return GATK's arguments. The run writes OUTPUT.vcf, and more files if the mode says so."""
    files = {
        "known": sample.known,
        "alleles": sample.alleles,
        "normal": sample.normal,
        "output": output,
        "contig": sample.contig,
    }
    arguments = [mode.tool, "-R", str(sample.reference), "-I", str(sample.reads)]
    arguments += ["-O", str(vcf(output))]
    return [*arguments, *(argument.format(**files) for argument in mode.arguments)]


def vcf(output: Path) -> Path:
    """Return the VCF of a run."""
    return output.with_name(output.name + ".vcf")


def records(output: Path) -> int:
    """Return the number of records in the VCF of a run."""
    with vcf(output).open("rb") as lines:
        return sum(not line.startswith(b"#") for line in lines)


def difference(one: Path, other: Path) -> str | None:
    """Return the first difference between the outputs of two runs, or None if there is none.

    Records of VCFs must be the same text in the same order, the reads of -bamout the same bytes,
    and so must the counts of --f1r2-tar-gz. Headers may differ, because they hold the command line
    and the date.
    """
    compared = compare.compare(vcf(one), vcf(other))
    if not compared.identical:
        return str(compared)
    for suffix, parts in ((_BAMOUT, _alignments), (_COUNTS, _members)):
        files = [path.with_name(path.name + suffix) for path in (one, other)]
        if files[0].exists() != files[1].exists():
            return f"only one of the runs wrote a file that ends in {suffix}"
        if not files[0].exists():
            continue
        for number, (mine, its) in enumerate(zip_longest(*map(parts, files)), 1):
            if mine != its:
                return f"{suffix}, {number}: {_shown(mine)} | {_shown(its)}"
    return None


def _shown(part: bytes | None) -> str:
    return "nothing" if part is None else part[:1000].decode(errors="backslashreplace")


def _alignments(path: Path) -> Iterator[bytes]:
    """Yield the bytes of each read of a BAM."""
    with gzip.open(path) as stream:
        compared_files.header(stream)
        yield from compared_files.alignments(stream)


def _members(path: Path) -> Iterator[bytes]:
    """Yield the name of each file of an archive, and its lines in order.

    GATK's columns of counts are in the order of a hash table, which differs between JVMs.
    """
    with tarfile.open(path) as archive:
        for member in sorted(archive.getmembers(), key=lambda member: member.name):
            content = archive.extractfile(member)
            yield member.name.encode()
            order: list[int] = []
            for line in content or ():
                cells = line.rstrip(b"\n").split(b"\t")
                if cells[0] == b"depth":
                    order = sorted(range(len(cells)), key=cells.__getitem__)
                yield b"\t".join(cells[k] for k in order) if len(cells) == len(order) else line
