"""The report of a validation, as JSON."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Sequence
from dataclasses import asdict
from typing import Any

import gkl_shim
from gkl_shim import paths
from gkl_shim.common import _processor
from gkl_shim.gatk import kernel_times
from gkl_shim.validation.accuracy import Score
from gkl_shim.validation.differences import Finding
from gkl_shim.validation.inputs import sha256
from gkl_shim.validation.jobs import Result
from gkl_shim.validation.modes import SHIM, STOCK
from gkl_shim.validation.steps import StepResult
from gkl_shim.validation.validation import ModeResult, Validation


def document(result: Validation) -> dict[str, Any]:
    """Return the facts of the report."""
    inputs = result.inputs
    return {
        "same_calls": result.same_calls,
        "same_files": result.same_files,
        "gkl_shim": gkl_shim.__version__,
        "gkl_shim_jar_sha256": sha256(paths.agent_jar()),
        "versions": result.versions,
        "machine": asdict(_processor.describe()),
        "inputs": {
            "reference": str(inputs.reference),
            "reads": [str(path) for path in inputs.reads],
            "intervals": list(inputs.intervals),
            "truth": str(inputs.truth) if inputs.truth else None,
            "confident": str(inputs.confident) if inputs.confident else None,
            "arguments": list(inputs.arguments),
            "known_sites": [str(path) for path in inputs.known_sites],
            "common_variants": str(inputs.common_variants) if inputs.common_variants else None,
        },
        "sha256": result.checksums,
        "modes": {found.mode.name: _mode(found) for found in result.modes},
        "steps": {found.step.tool: _step(found) for found in result.steps},
    }


def _mode(found: ModeResult) -> dict[str, Any]:
    return {
        "tool": found.mode.tool,
        "arguments": list(found.mode.arguments),
        "same_calls": found.same_calls,
        "records": found.records,
        "identical": found.identical,
        "differing": len(found.findings),
        "calls_that_differ": found.count("call"),
        "near_ties": found.count("near tie"),
        "other_differences": found.count("other"),
        "final_calls": None if found.final is None else {
            "tool": found.mode.last_tool,
            "same_calls": found.final.same_calls,
            "records": found.final.records[0],
            "differing": len(found.final.differences),
            "calls_that_differ": [
                str(item) for item in found.final.differences if item.call
            ],
        },
        "findings": [_finding(finding) for finding in found.findings],
        "scores": _scores(found.scores),
        "beside_stock": _scores(found.equivalence),
        "runs": {variant: _runs(runs) for variant, runs in found.runs.items()},
        "kernels": {variant: _kernels(found.runs[variant]) for variant in (STOCK, SHIM)},
        "pairs_on_gpu": kernel_times.pairs_on_gpu(b"\n".join(run.log for run in found.runs[SHIM])),
    }  # fmt: skip


def _step(found: StepResult) -> dict[str, Any]:
    return {
        "tool": found.step.tool,
        "skipped": f"it needs {found.step.needs}" if found.skipped else None,
        "same_files": found.same_files,
        "files": [asdict(file) for file in found.files],
        "runs": {variant: _runs([run]) for variant, run in found.runs.items()},
        "kernels": {variant: _kernels([run]) for variant, run in found.runs.items()},
        "pairs_on_gpu": {},
    }


def _finding(finding: Finding) -> dict[str, Any]:
    return {
        "record": finding.site,
        "kind": finding.kind,
        "shard": finding.shard,
        "reproduced_alone": finding.reproduced,
        "fields": {
            name: {
                **asdict(values),
                "distance": values.distance,
                "distance_of_precisions": values.distance_of_precisions,
            }
            for name, values in finding.fields.items()
        },
        "commands": finding.commands,
    }


def _scores(scores: dict[str, dict[str, Score]]) -> dict[str, Any]:
    return {
        variant: {
            kind: {
                **asdict(score),
                "recall": score.recall,
                "precision": score.precision,
                "f1": score.f1,
                "discordance": score.discordance,
            }
            for kind, score in kinds.items()
        }
        for variant, kinds in scores.items()
    }


def _runs(runs: Sequence[Result]) -> dict[str, Any]:
    return {
        "cpu_seconds": sum(run.cpu_seconds for run in runs),
        "seconds": sum(run.seconds for run in runs),
        "peak_mib": max(run.peak_mib for run in runs),
        "shards": [
            {
                "command": shlex.join(run.arguments),
                "seconds": run.seconds,
                "cpu_seconds": run.cpu_seconds,
                "peak_mib": run.peak_mib,
                "gkl_shim": run.said,
            }
            for run in runs
        ],
    }


def _kernels(runs: Sequence[Result]) -> dict[str, Any]:
    """Return the sums over shards, by kernel: seconds, and the cells that gkl-shim counts."""
    kernels: dict[str, dict[str, float]] = {}
    for run in runs:
        _add(kernels, "seconds", run.kernel_seconds.items())
        totals = kernel_times.by_gkl_shim(run.log)
        _add(kernels, "cells", ((kernel, total.cells) for kernel, total in totals.items()))
    return kernels


def _add(kernels: dict[str, dict[str, float]], what: str,
         values: Iterable[tuple[str, float]]) -> None:  # fmt: skip
    for kernel, value in values:
        sums = kernels.setdefault(kernel, {})
        sums[what] = sums.get(what, 0) + value
