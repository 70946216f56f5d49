"""The files to validate on: whether they are complete, and their checksums."""

from __future__ import annotations

import gzip
import hashlib
import json
import re
import shlex
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from gkl_shim.common._naming import naming
from gkl_shim.common._output_files import atomic_output
from gkl_shim.errors import FormatError, MissingComponent

_INDEXES = {
    ".bam": (".bam.bai", ".bai", ".bam.csi", ".csi"),
    ".cram": (".cram.crai", ".crai"),
    ".vcf": (".vcf.idx",),
    ".gz": (".gz.tbi", ".gz.csi"),
    ".bed": (".bed.idx",),
}
_PIECE = 1 << 22
_CONTIG = re.compile(r"^##contig=<ID=([^,>]+)")
_EXCLUSIONS = {"XL", "exclude-intervals", "ixp", "interval-exclusion-padding"}
# The arguments for GATK that `gkl-shim validate` cannot pass on: what it gives itself or would not
# see, what all shards would write to at once, what leaves GATK's times out of the log, and what
# calls nothing.
_REFUSED = {
    "R", "reference", "I", "input", "O", "output", "L", "intervals", "ip", "interval-padding",
    "isr", "interval-set-rule", *_EXCLUSIONS, "native-pair-hmm-use-double-precision",
    "arguments_file",
    "bamout", "bam-output", "f1r2-tar-gz", "graph", "graph-output", "activity-profile-out",
    "assembly-region-out", "pair-hmm-results-file", "pdhmm-results-file",
    "debug-assembly-variants-out", "debug-genotyper-output", "haplotype-debug-histogram-output",
    "permutect-training-dataset", "permutect-test-dataset", "mutect3-dataset",
    "debug-assembly-region-state", "alm-path",
    "verbosity",
    # Of Picard's tools, and of the other steps.
    "REFERENCE_SEQUENCE", "INPUT", "OUTPUT", "M", "METRICS_FILE", "TMP_DIR", "CREATE_INDEX",
    "CREATE_MD5_FILE", "create-output-bam-md5", "OBM", "bqsr", "bqsr-recal-file", "known-sites",
    "V", "variant",
    "h", "help", "version",
}  # fmt: skip


@dataclass(frozen=True)
class Inputs:
    """What GATK reads."""

    reference: Path
    reads: tuple[Path, ...]
    intervals: tuple[str, ...] = ()
    """Files, or text such as ``chr20:1-1000000``, as GATK's ``-L``. Without any, all is called."""
    truth: Path | None = None
    confident: Path | None = None
    """A BED file of where the truth is complete."""
    arguments: tuple[str, ...] = ()
    """More arguments for GATK."""
    known_sites: tuple[Path, ...] = ()
    """VCF or BED files of known variants, for BaseRecalibrator."""
    common_variants: Path | None = None
    """A VCF of common variants with their frequencies, for GetPileupSummaries."""

    @property
    def files_of_calls(self) -> list[Path]:
        """The files that calls depend on, also those named in intervals and arguments."""
        texts = [Path(text) for text in (*self.intervals, *self.arguments) if text]
        return [self.reference, *self.reads, *(path for path in texts if is_file(path))]

    @property
    def files_of_truth(self) -> list[Path]:
        """The files that calls are scored with."""
        return [path for path in (self.truth, self.confident) if path]

    @property
    def files_of_steps(self) -> list[Path]:
        """The files that only steps around the callers depend on."""
        return [*self.known_sites, *([self.common_variants] if self.common_variants else [])]

    @property
    def files(self) -> list[Path]:
        """Every file, once. One may be among both the calls' and the truth's."""
        files = [*self.files_of_calls, *self.files_of_truth, *self.files_of_steps]
        return list(dict.fromkeys(files))


def is_file(path: Path) -> bool:
    """Return whether this is the path of a file. Any text is allowed."""
    try:
        return path.is_file()
    except OSError:  # a text too long for a file name
        return False


def check(inputs: Inputs) -> None:
    """Check that files have the companions that GATK needs, before anything runs.

    Raises
    ------
    MissingComponent
        If an index or a dictionary is missing. The message has the command that makes it.
    FormatError
        If the truth or the confident regions are of another reference.
    """
    reference = inputs.reference
    for path in inputs.files:
        with naming(str(path)):
            if path.exists() and not path.is_file() and not path.is_dir():
                raise MissingComponent(f"{path}: not a regular file; copy it into one")
            path.open("rb").close()
    index = reference.with_name(reference.name + ".fai")
    if not index.is_file():
        raise MissingComponent(f"{index}: missing; run `{_shown('samtools', 'faidx', reference)}`")
    stem = reference.with_suffix("") if reference.suffix == ".gz" else reference
    if not stem.with_suffix(".dict").is_file():
        raise MissingComponent(
            f"{stem.with_suffix('.dict')}: missing; run "
            f"`{_shown('gatk', 'CreateSequenceDictionary', '-R', reference)}`"
        )
    for reads in inputs.reads:
        if reads.suffix not in (".bam", ".cram"):
            raise MissingComponent(f"{reads}: not named .bam or .cram; sort the reads into one")
        _require_index(reads, _shown("samtools", "index", reads))
    names = {name for name, _ in _contigs(reference)}
    for vcf in (inputs.truth, inputs.common_variants):
        if vcf is not None:
            _require_indexed(vcf, ".vcf", ".vcf.gz")
    for path in inputs.known_sites:
        _require_indexed(path, ".vcf", ".vcf.gz", ".bed", ".bed.gz")
    if inputs.confident is not None and next(_lines(inputs.confident), "").startswith("@"):
        raise FormatError(str(inputs.confident), 1, "this is an interval list; give a BED file")
    for path in inputs.files_of_truth:
        _require_contigs(path, names, reference)


def _require_indexed(path: Path, *endings: str) -> None:
    if not path.name.endswith(endings):
        raise MissingComponent(f"{path}: not named {' or '.join(endings)}")
    _require_index(path, _shown("gatk", "IndexFeatureFile", "-I", path))


def _require_index(path: Path, command: str) -> None:
    stem = path.with_suffix("")
    for suffix in _INDEXES[path.suffix]:
        if stem.with_name(stem.name + suffix).is_file():
            return
    raise MissingComponent(f"{path}: it has no index; run `{command}`")


def _require_contigs(path: Path, names: set[str], reference: Path) -> None:
    """Look at the header and the first line below it."""
    in_header: set[str] = set()
    for number, line in enumerate(_lines(path), 1):
        if line.startswith(("#", "track", "browser")) or not line.strip():
            in_header.update(_CONTIG.findall(line))
            continue
        contig = line.split("\t")[0].strip()
        if contig not in names:
            raise FormatError(
                str(path), number,
                f'contig "{contig}" is not in {reference}; use files of the same reference',
            )  # fmt: skip
        if in_header and contig not in in_header:
            # GATK's Concordance would fail.
            command = _shown("gatk", "UpdateVCFSequenceDictionary", "-V", path, "-R", reference,
                             "--replace", "-O", "NEW.vcf.gz")  # fmt: skip
            raise FormatError(
                str(path), number, f'the header has no line of contig "{contig}"; run `{command}`'
            )
        return
    raise FormatError(str(path), None, "it has no records")


def option_name(argument: str) -> str:
    """Return the name of an option of GATK, or "" for a value.

    GATK takes each name with one or two dashes, and a tag after a colon. It refuses a value after
    "=" and a value that follows a name of one letter, as in ``-Lchr20``.
    """
    return argument.lstrip("-").partition(":")[0] if argument[:1] == "-" else ""


def complaint(argument: str) -> str | None:
    """Return why an argument cannot be given, or None."""
    name = option_name(argument)
    if name not in _REFUSED:
        return None
    remedy = "; give the remaining intervals with -L, before --" * (name in _EXCLUSIONS)
    return f"{argument}: it cannot be given after --{remedy}"


def _shown(*command: str | Path) -> str:
    return shlex.join(map(str, command))


def _lines(path: Path) -> Iterator[str]:
    opener = gzip.open if path.suffix == ".gz" else open
    try:
        with opener(path, "rt", errors="replace") as stream:
            yield from stream
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise FormatError(str(path), None, f"damaged gzip data: {error}") from error


def _contigs(reference: Path) -> list[tuple[str, int]]:
    index = reference.with_name(reference.name + ".fai")
    contigs = []
    for number, line in enumerate(index.read_text(errors="replace").splitlines(), 1):
        columns = line.split("\t")
        if len(columns) < 5 or not columns[1].isdecimal():
            raise FormatError(str(index), number, "not a line of an index; run `samtools faidx`")
        contigs.append((columns[0], int(columns[1])))
    return contigs


def reference_bases(reference: Path) -> int:
    """Return the length of all sequences of the reference."""
    return sum(length for _, length in _contigs(reference))


def checksums(files: Sequence[Path], kept: Path) -> dict[str, str]:
    """Return the SHA-256 of files, by path.

    Parameters
    ----------
    files
        The files.
    kept
        A JSON file, which is written. Checksums in it are not computed again if a file has the
        same size and time.
    """
    try:
        before = json.loads(kept.read_text())
    except (OSError, ValueError):
        before = None
    sums: dict[str, str] = {}
    entries = {}
    for path in files:
        name = str(path.absolute())
        stat = path.stat()
        entry = {"size": stat.st_size, "time": stat.st_mtime_ns}
        old = before.get(name) if isinstance(before, dict) else None
        if isinstance(old, dict) and old == {"sha256": old.get("sha256"), **entry}:
            sums[name] = str(old["sha256"])
        else:
            sums[name] = sha256(path)
        entries[name] = {**entry, "sha256": sums[name]}
    with atomic_output(kept) as stream:
        stream.write(json.dumps(entries, indent=1).encode())
    return sums


def sha256(path: Path) -> str:
    """Return the SHA-256 of a file."""
    digest = hashlib.sha256()
    with naming(str(path)), path.open("rb") as stream:
        while piece := stream.read(_PIECE):
            digest.update(piece)
    return digest.hexdigest()
