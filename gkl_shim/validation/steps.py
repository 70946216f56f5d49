"""The steps of a pipeline around the callers: their runs, and whether their files are the same."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from gkl_shim.common._output_files import atomic_output
from gkl_shim.errors import MissingComponent
from gkl_shim.gatk import swaps
from gkl_shim.validation import compared_files
from gkl_shim.validation.compared_files import FileComparison
from gkl_shim.validation.inputs import Inputs, is_file
from gkl_shim.validation.jobs import Job, Result
from gkl_shim.validation.modes import SHIM, STOCK
from gkl_shim.validation.runner import Runner

_MARK, _COUNT, _APPLY, _PILEUPS = (
    "MarkDuplicates", "BaseRecalibrator", "ApplyBQSR", "GetPileupSummaries",
)  # fmt: skip
_KNOWN_SITES, _COMMON_VARIANTS = "--known-sites", "--common-variants"
_TABLE = "recalibration.table"


@dataclass(frozen=True)
class Step:
    """A tool of GATK that is run once, on all reads."""

    tool: str
    title: str
    """Begins gkl-shim's lines about the step in the log."""
    output: str
    arguments: tuple[str, ...] = ()
    needs: str = ""
    """The option of ``gkl-shim validate`` without which the step is skipped, if there is one."""

    def lacks_sites(self, inputs: Inputs) -> bool:
        """Return whether the sites that the step needs are not given."""
        given = {_KNOWN_SITES: inputs.known_sites, _COMMON_VARIANTS: inputs.common_variants}
        return not given.get(self.needs, True)


STEPS = {
    step.tool: step
    for step in (
        Step(_MARK, "duplicates", "out.bam",
             ("-M", "metrics.txt", "--CREATE_INDEX", "true", "--CREATE_MD5_FILE", "true")),
        Step(_COUNT, "recalibration", _TABLE, (), _KNOWN_SITES),
        Step(_APPLY, "recalibration", "out.bam", ("--create-output-bam-md5", "true"), _KNOWN_SITES),
        Step(_PILEUPS, "pileup summaries", "pileups.table", (), _COMMON_VARIANTS),
    )
}  # fmt: skip
"""All steps by tool, in the order of a pipeline."""


@dataclass(frozen=True)
class StepResult:
    """What was found of a step."""

    step: Step
    runs: dict[str, Result]
    """The runs of `STOCK` and `SHIM`. Empty if the step was skipped."""
    files: list[FileComparison]

    @property
    def skipped(self) -> bool:
        """Whether what the step needs was not given."""
        return not self.runs

    @property
    def same_files(self) -> bool:
        """Whether all files have the same content. True if the step was skipped."""
        return all(file.same for file in self.files)


class StepValidator:
    """The jobs of the steps of one validation, and what follows from their results.

    Parameters
    ----------
    inputs
        Checked inputs.
    sums
        The checksums of the inputs, by path.
    intervals
        A file of the intervals, or None for all.
    output
        The absolute path of the folder of the validation.
    runner
        Runs GATK.
    """

    def __init__(self, inputs: Inputs, sums: dict[str, str], intervals: Path | None, output: Path,
                 runner: Runner) -> None:  # fmt: skip
        self._inputs = inputs
        self._sums = sums
        self._intervals = intervals
        self._output = output
        self._runner = runner

    def run(self, steps: Sequence[Step]) -> Iterator[StepResult]:
        """Run the steps that can be run, and compare what they write.

        The files of stock GATK are kept. Those of gkl-shim are removed if they are the same.

        Raises
        ------
        MissingComponent
            If GATK fails, or gkl-shim does not compute in it.
        FormatError
            If GATK has written a damaged BAM file.
        """
        more = self._inputs.arguments
        # The table that ApplyBQSR applies. The arguments are for the chosen tools alone.
        table = self._job(STEPS[_COUNT], STOCK, more if STEPS[_COUNT] in steps else ())
        for step in steps:
            if step.lacks_sites(self._inputs):
                yield StepResult(step, {}, [])
                continue
            before = [table] if step.tool == _APPLY else []
            stock, shim = (self._job(step, name, more, before) for name in (STOCK, SHIM))
            yield self._compared(step, stock, shim, before)

    def _job(
        self, step: Step, variant: str, more: Sequence[str], before: Sequence[Job] = ()
    ) -> Job:
        inputs = self._inputs
        files = inputs.files_of_calls
        arguments = [step.tool, "-R", str(inputs.reference)]
        arguments += [part for reads in inputs.reads for part in ("-I", str(reads))]
        intervals = ["-L", str(self._intervals)] if self._intervals else []
        if step.tool == _COUNT:
            files = [*files, *inputs.known_sites]
            arguments += [part for path in inputs.known_sites for part in (_KNOWN_SITES, str(path))]
        elif step.tool == _APPLY:
            arguments += [part for job in before for part in ("-bqsr", str(job.file(_TABLE)))]
        elif step.tool == _PILEUPS and inputs.common_variants:
            files = [*files, inputs.common_variants]
            arguments += ["-V", str(inputs.common_variants), "-L", str(inputs.common_variants)]
            intervals += ["--interval-set-rule", "INTERSECTION"] if intervals else []
        if step.tool != _MARK:
            arguments += intervals
        # GATK runs in another folder.
        arguments += [str(Path(text).absolute()) if is_file(Path(text)) else text for text in more]
        arguments += [*step.arguments, "-O", step.output]
        depends = [self._sums[str(path.absolute())] for path in files]
        depends += [*inputs.intervals, *map(self._runner.key, before)]
        return Job(
            f"{step.tool}, {variant}",
            self._output / step.tool / variant,
            tuple(arguments),
            tuple(depends),
            swaps.STOCK if variant == STOCK else swaps.agent(),
            inside=True,
        )

    def _compared(self, step: Step, stock: Job, shim: Job, before: Sequence[Job]) -> StepResult:
        """Run a step unless both results are compared, and compare them."""
        path = self._output / step.tool / "compared.json"
        keys = [self._runner.key(job) for job in (stock, shim)]
        result = _kept(step, path, keys)
        if result is None:
            if before:
                self._runner.run(f"{step.tool}: make the table", before)
            runs = self._runner.run(step.tool, [stock, shim])
            _require_shim(step, shim, runs[1])
            names = [name for run in runs for name in run.sizes]
            files = compared_files.compare(stock.folder, shim.folder, names)
            result = StepResult(step, dict(zip((STOCK, SHIM), runs, strict=True)), files)
            facts = {"runs": {name: asdict(run) for name, run in result.runs.items()},
                     "files": [asdict(file) for file in files]}  # fmt: skip
            with atomic_output(path) as stream:
                stream.write(json.dumps({"keys": keys, **facts}, indent=1).encode())
        if result.same_files:
            shutil.rmtree(shim.folder, ignore_errors=True)
        return result


def _kept(step: Step, path: Path, keys: Sequence[str]) -> StepResult | None:
    """Return what an earlier call found of two runs, or None if there is nothing of these keys."""
    try:
        facts: dict[str, Any] = json.loads(path.read_text())
        if facts["keys"] != keys:
            return None
        runs = {name: Result(**run) for name, run in facts["runs"].items()}
        return StepResult(step, runs, [FileComparison(**file) for file in facts["files"]])
    except (OSError, ValueError, TypeError, KeyError):
        return None


def _require_shim(step: Step, job: Job, result: Result) -> None:
    """Check that gkl-shim computed: otherwise all would be the same.

    A run in which it did not is not kept, because the cause may be in no key.
    """
    lines = [line for line in result.said if line.partition("] ")[2].startswith(f"{step.title}: ")]
    # GATK's own code does all the work of ApplyBQSR in one thread.
    signs = ["own code is used", *(["one thread, because of "] * (step.tool == _APPLY))]
    left = [line for line in lines if any(sign in line for sign in signs)]
    sign = r"only at the positions" if step.tool == _PILEUPS else r"(one|\d+) threads?\b"
    if left or not any(re.search(sign, line) for line in lines):
        job.forget()
        why = f": {left[-1]}" if left else ""
        raise MissingComponent(
            f"{step.tool}: gkl-shim did not compute it in GATK, see {job.log}{why}"
        )
