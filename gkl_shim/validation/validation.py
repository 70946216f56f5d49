"""The whole validation: run, compare, look into differences, and score."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from gkl_shim.common._output_files import atomic_output
from gkl_shim.errors import MissingComponent
from gkl_shim.gatk import compare, kernel_times, swaps
from gkl_shim.validation import accuracy, differences
from gkl_shim.validation.accuracy import CALLS, SUMMARY, Score
from gkl_shim.validation.differences import Finding
from gkl_shim.validation.inputs import Inputs, checksums, reference_bases
from gkl_shim.validation.jobs import FOLDER, Job, Result
from gkl_shim.validation.modes import DOUBLE, SHIM, SHIM_DOUBLE, STOCK, STOCK_DOUBLE, Mode
from gkl_shim.validation.runner import Runner
from gkl_shim.validation.steps import Step, StepResult, StepValidator

_SMALLEST_SHARD, _LARGEST_SHARD = 1_000_000, 20_000_000
_OUT = "out.vcf.gz"
# From gkl-shim's lines about a kernel (java/src/main/java/org/gklshim/Algorithm.java).
_ORIGINAL = " is used"
_JAVA_PAIRHMM = "] PairHMM: not made faster"


@dataclass
class ModeResult:
    """What was found in a mode."""

    mode: Mode
    runs: dict[str, list[Result]]
    """The shards of `STOCK`, `SHIM` and, with a truth, `STOCK_DOUBLE`."""
    records: int = 0
    """The records that stock GATK has written."""
    identical: int = 0
    """Those that gkl-shim has written, too, byte by byte."""
    findings: list[Finding] = field(default_factory=list)
    final: compare.Comparison | None = None
    """The final calls, of a mode whose tool does not make them."""
    scores: dict[str, dict[str, Score]] = field(default_factory=dict)
    """By variant, and SNP or INDEL: what Concordance says of it with the truth."""
    equivalence: dict[str, dict[str, Score]] = field(default_factory=dict)
    """The same with stock GATK's calls as the truth."""

    @property
    def same_calls(self) -> bool:
        """Whether sites, alleles, FILTER and genotypes are the same."""
        final = self.final is None or self.final.same_calls
        return final and not any(finding.call for finding in self.findings)

    def count(self, kind: str) -> int:
        """Return how many records differ in this way: a `Finding.kind`."""
        return sum(finding.kind == kind for finding in self.findings)


@dataclass(frozen=True)
class Validation:
    """The result of a validation."""

    inputs: Inputs
    checksums: dict[str, str]
    versions: list[str]
    modes: list[ModeResult]
    steps: list[StepResult]

    @property
    def same_calls(self) -> bool:
        """Whether all calls of all modes are the same."""
        return all(result.same_calls for result in self.modes)

    @property
    def same_files(self) -> bool:
        """Whether the files of all steps that were run have the same content."""
        return all(result.same_files for result in self.steps)


def shard_count(inputs: Inputs, cpus: int) -> int:
    """Return into how many shards to cut the reference: enough for the CPUs, and to resume."""
    bases = reference_bases(inputs.reference)
    if inputs.intervals:
        return max(1, min(cpus, -(-bases // _SMALLEST_SHARD)))
    largest = max(cpus, bases // _LARGEST_SHARD)
    return max(1, min(largest, -(-bases // _SMALLEST_SHARD)))


def validate(
    inputs: Inputs, modes: Sequence[Mode], output: Path, shards: int, runner: Runner,
    steps: Sequence[Step] = (),
) -> Validation:  # fmt: skip
    """Run GATK with and without gkl-shim in each mode and each step, and compare the results.

    Parameters
    ----------
    inputs
        Checked inputs.
    modes
        The modes.
    output
        The absolute path of a folder. What it has of an earlier, interrupted call is used.
    shards
        Into how many parts to cut the intervals.
    runner
        Runs GATK.
    steps
        The steps around the callers.

    Raises
    ------
    MissingComponent
        If GATK fails, or gkl-shim does not compute in it.
    FormatError
        If GATK has written a damaged BAM file.
    """
    sums = checksums(inputs.files, output / "checksums.json")
    own = _Validator(inputs, sums, output, runner)
    intervals, versions = own.split(shards)
    found = [own.mode(mode, intervals) for mode in modes]
    around = StepValidator(inputs, sums, own.called, output, runner).run(steps)
    return Validation(inputs, sums, versions, found, list(around))


class _Validator:
    """The jobs of one validation, and what follows from their results."""

    def __init__(self, inputs: Inputs, sums: dict[str, str], output: Path, runner: Runner) -> None:
        self._inputs = inputs
        self._output = output
        self._runner = runner
        self._sums = tuple(sums[str(path.absolute())] for path in inputs.files_of_calls)
        self._truth_sums = tuple(sums[str(path.absolute())] for path in inputs.files_of_truth)
        self._swaps = {STOCK: swaps.STOCK, SHIM: swaps.agent()}
        self._lengths: dict[str, int] = {}
        self.called: Path | None = None
        """A file of the intervals, or None for all. `split` makes it."""

    def split(self, shards: int) -> tuple[list[Path], list[str]]:
        """Cut the intervals, and return a file for each shard, and the versions of GATK and Java.

        GATK also checks here that reference and reads have the same contigs.
        """
        arguments = ["SplitIntervals", "-R", str(self._inputs.reference), *self._reads()]
        arguments += [part for text in self._inputs.intervals for part in ("-L", text)]
        arguments += ["--scatter-count", str(shards), "-O", FOLDER]
        job = Job("intervals", self._output / "intervals", tuple(arguments), self._sums)
        (result,) = self._runner.run("cut the intervals", [job])
        # The calls of a shard depend on what it covers, which the name of its file does not say.
        self._sums = (*self._sums, result.key)
        files = sorted(job.folder.glob("*.interval_list"))
        self._lengths = _lengths(files[0])
        if self._inputs.intervals:
            self.called = self._output / "intervals.interval_list"
            with atomic_output(self.called) as stream:
                stream.write(_united(files).encode())
        return files, result.versions

    def mode(self, mode: Mode, intervals: Sequence[Path]) -> ModeResult:
        """Validate a mode."""
        folder = self._output / mode.name
        variants = [STOCK, SHIM, *([STOCK_DOUBLE] if self._inputs.truth else [])]
        jobs = {
            variant: [
                self._call(mode, variant, folder / variant / f"{number:04}", ["-L", str(file)])
                for number, file in enumerate(intervals)
            ]
            for variant in variants
        }
        results = self._run_all(f"{mode.name}: call", jobs)
        _require_shim(mode, jobs[SHIM], results)
        found = ModeResult(mode, results)
        for number, file in enumerate(intervals):
            stock, shim = jobs[STOCK][number], jobs[SHIM][number]
            comparison = compare.compare(stock.file(_OUT), shim.file(_OUT))
            found.records += comparison.records[0]
            found.identical += comparison.identical_records
            found.findings += self._look_into(mode, number, file, comparison)
        self._finish(folder, jobs, found)
        return found

    def _run_all(self, title: str, jobs: dict[str, list[Job]]) -> dict[str, list[Result]]:
        """Run the jobs of all variants, shard by shard, so that variants share a machine's load."""
        in_turns = [job for shard in zip(*jobs.values(), strict=True) for job in shard]
        done = iter(self._runner.run(title, in_turns))
        results: dict[str, list[Result]] = {variant: [] for variant in jobs}
        for _ in next(iter(jobs.values())):
            for variant in jobs:
                results[variant].append(next(done))
        return results

    def _reads(self) -> list[str]:
        return [part for reads in self._inputs.reads for part in ("-I", str(reads))]

    def _arguments(self, mode: Mode, variant: str) -> list[str]:
        arguments = [mode.tool, "-R", str(self._inputs.reference), *self._reads(), *mode.arguments]
        double = DOUBLE if variant in (STOCK_DOUBLE, SHIM_DOUBLE) else ()
        return [*arguments, *double, *self._inputs.arguments]

    def _call(self, mode: Mode, variant: str, folder: Path, where: Sequence[str],
              inputs: Sequence[str] = ()) -> Job:  # fmt: skip
        arguments = [*self._arguments(mode, variant), *where, "-O", f"{FOLDER}/{_OUT}"]
        swap = self._swaps[STOCK if variant in (STOCK, STOCK_DOUBLE) else SHIM]
        name = f"{mode.name}, {variant}, {folder.name}"
        return Job(name, folder, tuple(arguments), (*self._sums, *inputs), swap)

    def _look_into(
        self, mode: Mode, number: int, intervals: Path, comparison: compare.Comparison
    ) -> list[Finding]:
        """Call the intervals around differences again, also in double precision."""
        if comparison.identical:
            return []
        commands = [
            shlex.join(
                [*command, *self._arguments(mode, variant), "-L", "{interval}", "-O", f"{name}.vcf"]
            ).replace("'{interval}'", "{interval}")
            for command, variant, name in (
                (("gkl-shim", "gatk", "--stock"), STOCK, "stock"),
                (("gkl-shim", "gatk"), SHIM, "shim"),
            )
        ]
        around = differences.windows(comparison.differences, self._lengths)
        if not around:
            return differences.classify(comparison.differences, number, None, commands)
        folder = self._output / mode.name / "again" / f"{number:04}"
        header = [line for line in intervals.read_text().splitlines() if line.startswith("@")]
        lines = [f"{contig}\t{start}\t{end}\t+\t." for contig, start, end in around]
        text = "\n".join([*header, *lines]) + "\n"
        folder.mkdir(parents=True, exist_ok=True)
        listed = folder / "windows.interval_list"
        with atomic_output(listed) as stream:
            stream.write(text.encode())
        where = ["-L", str(listed), "-L", str(intervals), "--interval-set-rule", "INTERSECTION"]
        jobs = [
            self._call(mode, variant, folder / variant, where, [text])
            for variant in (STOCK, SHIM, STOCK_DOUBLE, SHIM_DOUBLE)
        ]
        self._runner.run(f"{mode.name}: look into {len(comparison.differences)} differences", jobs)
        vcfs = [job.file(_OUT) for job in jobs]
        return differences.classify(comparison.differences, number, vcfs, commands)

    def _finish(self, folder: Path, jobs: dict[str, list[Job]], found: ModeResult) -> None:
        """Make the final calls of each variant, and compare and score them."""
        mode = found.mode
        calls: dict[str, tuple[Path, str]] = {}
        gathered = {
            variant: accuracy.gather_jobs(
                mode, f"{mode.name}, {variant}", folder / variant, shards,
                [result.key for result in found.runs[variant]],
            )
            for variant, shards in jobs.items()
        }  # fmt: skip
        united = self._run_all(f"{mode.name}: gather", gathered)
        final = {
            variant: accuracy.final_jobs(
                mode, f"{mode.name}, {variant}", folder / variant, parts, self._inputs,
                [result.key for result in united[variant]],
            )
            for variant, parts in gathered.items()
        }  # fmt: skip
        last = self._run_all(f"{mode.name}: make calls", final) if mode.last_tool else united
        for variant in jobs:
            job = (final[variant] or gathered[variant])[0]
            calls[variant] = (job.file(CALLS), last[variant][0].key)
        if mode.last_tool:
            found.final = compare.compare(calls[STOCK][0], calls[SHIM][0])
        scoring = list(self._scoring(folder, calls, found))
        self._runner.run(f"{mode.name}: score", [job for _, _, job in scoring])
        for scores, variant, job in scoring:
            scores[variant] = accuracy.read_summary(job.file(SUMMARY))

    def _scoring(
        self, folder: Path, calls: dict[str, tuple[Path, str]], found: ModeResult
    ) -> Iterator[tuple[dict[str, dict[str, Score]], str, Job]]:
        """Yield where each summary belongs, by variant, and the job that writes it."""
        truth = self._inputs.truth
        for variant, (path, key) in calls.items():
            if truth is not None:
                job = accuracy.concordance(
                    f"{folder.name}, {variant}, truth", folder / variant / "truth", self._inputs,
                    path, truth, (*self._truth_sums, key), (self.called, self._inputs.confident),
                )  # fmt: skip
                yield found.scores, variant, job
            if variant != STOCK:
                job = accuracy.concordance(
                    f"{folder.name}, {variant}, stock", folder / variant / "beside-stock",
                    self._inputs, path, calls[STOCK][0], (calls[STOCK][1], key), (self.called,),
                )  # fmt: skip
                yield found.equivalence, variant, job


def _require_shim(mode: Mode, jobs: Sequence[Job], results: dict[str, list[Result]]) -> None:
    """Check that gkl-shim computed: otherwise all would be the same.

    Runs in which it did not are not kept, because the cause, as a GPU that fails, is in no key.
    """
    errors = []
    for job, stock, shim in zip(jobs, results[STOCK], results[SHIM], strict=True):
        try:
            _require_kernels(mode, job, stock, shim)
            _require_gpu(f"{mode.name}: PairHMM", job, shim)
        except MissingComponent as error:
            job.forget()
            errors.append(error)
    if errors:
        raise errors[0]


def _require_kernels(mode: Mode, job: Job, stock: Result, shim: Result) -> None:
    """Check that gkl-shim computed each kernel in which stock GATK took time."""
    # Without GATK's times, gkl-shim's own lines still tell which kernels it left to GATK.
    by_gatk = stock.kernel_seconds or dict.fromkeys(kernel_times.KERNELS, 0.0)
    left = (_ORIGINAL,) if stock.kernel_seconds else (_ORIGINAL, _JAVA_PAIRHMM)
    for kernel, seconds in by_gatk.items():
        in_java = kernel == "Smith-Waterman" and stock.aligns_in_java
        if kernel not in shim.kernel_seconds and not in_java:
            _require_idle(f"{mode.name}: {kernel}", kernel, seconds, left, job, shim)


def _require_idle(name: str, kernel: str, seconds: float, left: Sequence[str], job: Job,
                  shim: Result) -> None:  # fmt: skip
    """Check that a kernel which gkl-shim did not compute had nothing to compute.

    `left` are the texts with which gkl-shim says that it left the kernel to GATK.
    """
    lines = [
        line for line in shim.said if line.partition("] ")[2].startswith((f"{kernel}: ",
                                                                          f"warning: {kernel}: "))
    ]  # fmt: skip
    if seconds > 0 or any(text in line for line in lines for text in left):
        why = f": {lines[-1]}" if lines else ""
        raise MissingComponent(f"{name}: gkl-shim did not compute it in GATK, see {job.log}{why}")


def _require_gpu(name: str, job: Job, shim: Result) -> None:
    """Check that a GPU computed, if it should: the CPU takes its place without an error."""
    log = shim.log
    if "PairHMM" not in shim.kernel_seconds or not kernel_times.goes_to_gpu(log):
        return
    if not kernel_times.pairs_on_gpu(log):
        lines = [line for line in shim.said if "] warning: PairHMM: " in line]
        why = f": {lines[-1]}" if lines else ""
        raise MissingComponent(
            f"{name}: GKL_SHIM_BACKEND is cuda, but no GPU computed, see {job.log}{why}"
        )


def _united(files: Sequence[Path]) -> str:
    """Return an interval list of all intervals of these, which have the same header."""
    first, *others = (file.read_text().splitlines(keepends=True) for file in files)
    return "".join([*first, *(line for lines in others for line in lines if line[0] != "@")])


def _lengths(intervals: Path) -> dict[str, int]:
    """Return the contigs in the header of an interval list, and their lengths."""
    lengths = {}
    for line in intervals.read_text().splitlines():
        if line.startswith("@SQ"):
            tags = dict(part.split(":", 1) for part in line.split("\t")[1:] if ":" in part)
            lengths[tags["SN"]] = int(tags["LN"])
    return lengths
