"""Calls of the whole sample, and their recall and precision by GATK's Concordance."""

from __future__ import annotations

import csv
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from gkl_shim.errors import FormatError
from gkl_shim.validation.inputs import Inputs, option_name
from gkl_shim.validation.jobs import FOLDER, Job
from gkl_shim.validation.modes import Mode

CALLS, SUMMARY = "calls.vcf.gz", "summary.tsv"
_MITOCHONDRIA = "mitochondria-mode"


@dataclass(frozen=True)
class Score:
    """A line of Concordance's summary."""

    true_positives: int
    false_positives: int
    false_negatives: int

    @property
    def recall(self) -> float | None:
        """The share of the truth that was called, or None without truth."""
        return _share(self.true_positives, self.true_positives + self.false_negatives)

    @property
    def precision(self) -> float | None:
        """The share of the calls that are true, or None without calls."""
        return _share(self.true_positives, self.true_positives + self.false_positives)

    @property
    def f1(self) -> float | None:
        """The harmonic mean of recall and precision."""
        wrong = self.false_positives + self.false_negatives
        return _share(2 * self.true_positives, 2 * self.true_positives + wrong)

    @property
    def discordance(self) -> float | None:
        """The share of the calls of either set that the other lacks."""
        wrong = self.false_positives + self.false_negatives
        return _share(wrong, self.true_positives + wrong)


def _share(part: int, whole: int) -> float | None:
    return part / whole if whole else None


def gather_jobs(mode: Mode, label: str, folder: Path, shards: Sequence[Job],
                keys: Sequence[str]) -> list[Job]:  # fmt: skip
    """Return the jobs that unite the shards of a mode: their VCFs and, of Mutect2, their counts."""
    vcfs = [part for job in shards for part in ("-I", str(job.file("out.vcf.gz")))]
    arguments = ("MergeVcfs", *vcfs, "-O", f"{FOLDER}/{CALLS}")
    jobs = [Job(f"{label}, gather", folder / "gathered", arguments, tuple(keys))]
    if mode.last_tool == "FilterMutectCalls":
        stats = [part for job in shards for part in ("-stats", f"{job.file('out.vcf.gz')}.stats")]
        arguments = ("MergeMutectStats", *stats, "-O", f"{FOLDER}/calls.stats")
        jobs.append(Job(f"{label}, gather", folder / "statistics", arguments, tuple(keys)))
    return jobs


def final_jobs(mode: Mode, label: str, folder: Path, gathered: Sequence[Job], inputs: Inputs,
               keys: Sequence[str]) -> list[Job]:  # fmt: skip
    """Return the job that makes calls of what the tool has written, if the mode needs one."""
    if mode.last_tool is None:
        return []
    arguments = [mode.last_tool, "-R", str(inputs.reference)]
    arguments += ["-V", str(gathered[0].file(CALLS)), "-O", f"{FOLDER}/{CALLS}"]
    if mode.last_tool == "FilterMutectCalls":
        arguments += ["--stats", str(gathered[1].file("calls.stats"))]
        arguments += _mitochondria_mode(inputs.arguments)
    return [Job(f"{label}, {mode.last_tool}", folder / "final", tuple(arguments), tuple(keys))]


def _mitochondria_mode(arguments: Sequence[str]) -> list[str]:
    """Return this flag as it was given, with the value that may follow it."""
    for number, argument in enumerate(arguments):
        if option_name(argument) == _MITOCHONDRIA:
            following = arguments[number + 1 : number + 2]
            return [argument, *(text for text in following if not text.startswith("-"))]
    return []


def concordance(
    name: str,
    folder: Path,
    inputs: Inputs,
    calls: Path,
    truth: Path,
    keys: Sequence[str],
    regions: Sequence[Path | None],
) -> Job:
    """Return the job that compares calls with a truth, in what all these regions share."""
    arguments = ["Concordance", "-R", str(inputs.reference), "-eval", str(calls)]
    arguments += ["--truth", str(truth), "-S", f"{FOLDER}/{SUMMARY}"]
    given = [region for region in regions if region is not None]
    for region in given:
        arguments += ["-L", str(region)]
    if len(given) > 1:
        arguments += ["--interval-set-rule", "INTERSECTION"]
    return Job(name, folder, tuple(arguments), tuple(keys))


def read_summary(path: Path) -> dict[str, Score]:
    """Return the scores of SNPs and indels that Concordance has written.

    Raises
    ------
    FormatError
        If the file is another one.
    """
    try:
        with path.open(newline="") as stream:
            scores = {
                row["type"]: Score(int(row["TP"]), int(row["FP"]), int(row["FN"]))
                for row in csv.DictReader(stream, delimiter="\t")
            }
        if "SNP" not in scores:
            raise KeyError("SNP")
        return scores
    except (KeyError, TypeError, ValueError) as error:
        raise FormatError(str(path), None, "not a summary of GATK's Concordance") from error
