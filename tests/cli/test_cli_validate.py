"""``gkl-shim validate``: its classes of difference, exit codes, errors and what it keeps.

A stand-in for Java answers at once. tests/gatk/test_validate.py runs GATK.
"""

from __future__ import annotations

import fcntl
import gzip
import hashlib
import json
import os
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from gkl_shim import paths
from gkl_shim.cli import validate
from gkl_shim.validation.modes import CALLER, MUTECT
from tests.cli.shim_command import COMMAND, here, one_error
from tests.conftest import ROOT, is_running
from tests.validation import fake_java

WITHOUT_JOBS = ("validate", "-R", "r.fa", "-I", "s.bam", "-c", "gatk.jar", "-o", "out")
OPTIONS = (*WITHOUT_JOBS, "--jobs", "1")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Inputs, and a stand-in for Java."""
    (tmp_path / "r.fa").write_text(">one\nACGT\n")
    (tmp_path / "r.fa.fai").write_text("one\t1000\t5\t60\t61\n")
    (tmp_path / "r.dict").write_text("@HD\tVN:1.6\n")
    for name in ("s.bam", "s.bai", "gatk.jar", "t.vcf.idx"):
        (tmp_path / name).write_bytes(b"x")
    (tmp_path / "t.vcf").write_text("#CHROM\none\t1\n")
    java = tmp_path / "home" / "bin" / "java"
    java.parent.mkdir(parents=True)
    fake = ROOT / "tests" / "validation" / "fake_java.py"
    java.write_text(f'#!/bin/sh\nexec "{sys.executable}" "{fake}" "$@"\n')
    java.chmod(0o755)
    return tmp_path


def _environment(folder: Path, **variables: str) -> dict[str, str]:
    named = {f"FAKE_{name.upper()}": value for name, value in variables.items()}
    log = str(folder / "runs")
    return {"JAVA_HOME": str(folder / "home"), "FAKE_LOG": log, "JAVA_TOOL_OPTIONS": "", **named}


def _validate(
    folder: Path, *options: str, **variables: str
) -> tuple[subprocess.CompletedProcess[bytes], list[str]]:
    """Run the command, and return what it gave and the runs of the stand-in."""
    runs = folder / "runs"
    runs.write_text("")
    given = WITHOUT_JOBS if "--jobs" in options else OPTIONS
    done = here(folder, *given, *options, env=_environment(folder, **variables))
    return done, runs.read_text().splitlines()


def _tools(runs: list[str]) -> list[str]:
    return [text.split("hellbender.Main ")[1].split(" ")[0] for text in runs]


def _facts(folder: Path) -> dict[str, Any]:
    def refuse(text: str) -> None:
        raise AssertionError(f"{text} is not JSON")

    text = (folder / "out" / "validation.json").read_text()
    facts: dict[str, Any] = json.loads(text, parse_constant=refuse)
    return facts


@pytest.mark.parametrize(
    ("difference", "code", "counts"),
    [
        ("", 0, (0, 0, 0)),
        ("near tie", 0, (1, 0, 0)),
        ("other", 0, (0, 1, 0)),
        ("call", 1, (0, 0, 1)),
        ("not a number", 0, (0, 1, 0)),
    ],
)
def test_each_class_of_difference(
    folder: Path, difference: str, code: int, counts: tuple[int, int, int]
) -> None:
    done, runs = _validate(folder, difference=difference)
    assert done.returncode == code, done.stderr
    facts = _facts(folder)
    assert facts["same_calls"] == (code == 0)
    mode = facts["modes"]["vcf"]
    names = ("near_ties", "other_differences", "calls_that_differ")
    assert tuple(mode[name] for name in names) == counts
    assert (mode["records"], mode["differing"]) == (2, sum(counts))
    assert mode["identical"] == 2 - sum(counts)
    # The interval of a difference is called again: stock and gkl-shim, in both precisions.
    again = [text for text in runs if "INTERSECTION" in text]
    assert len(again) == (4 if difference else 0)
    html = (folder / "out" / "validation.html").read_text()
    assert ("All calls are the same" in html) == (code == 0)
    for finding in mode["findings"]:
        assert finding["reproduced_alone"]
        stock, shim = finding["commands"]
        assert stock.startswith("gkl-shim gatk --stock HaplotypeCaller -R ")
        assert shim.startswith("gkl-shim gatk HaplotypeCaller -R ")
        assert "-L one:1-5900 " in shim


def test_records_that_only_the_shim_has_do_not_lower_the_identical_ones(folder: Path) -> None:
    done, _ = _validate(folder, difference="more records")
    assert done.returncode == 1
    assert done.stdout.decode().splitlines() == [
        "vcf: 2 records, 2 identical, 0 near ties, 0 other differences, 3 calls differ",
        "CALLS DIFFER; see out/validation.html",
    ]
    html = (folder / "out" / "validation.html").read_text()
    row = "<td>vcf</td><td>2</td><td>2</td><td>0</td><td>0</td><td>3</td><td></td>"
    assert row in html


def test_where_only_final_calls_differ(folder: Path) -> None:
    done, _ = _validate(folder, "--mode", "gvcf", difference="final call")
    assert done.returncode == 1
    assert done.stdout.decode().splitlines() == [
        "gvcf: 2 records, 2 identical, 0 near ties, 0 other differences, 0 calls differ, "
        "1 final calls differ",
        "CALLS DIFFER; see out/validation.html",
    ]
    facts = _facts(folder)
    mode = facts["modes"]["gvcf"]
    assert (facts["same_calls"], mode["same_calls"], mode["calls_that_differ"]) == (False, False, 0)
    assert (mode["final_calls"]["same_calls"], len(mode["final_calls"]["calls_that_differ"])) == (
        False, 1,
    )  # fmt: skip


def test_the_report(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    done, _ = _validate(folder, "--truth", "t.vcf", difference="near tie")
    assert done.stdout.decode().splitlines() == [
        "vcf: 2 records, 1 identical, 1 near ties, 0 other differences, 0 calls differ",
        "all calls are the same; see out/validation.html",
    ]
    facts = _facts(folder)
    assert facts["versions"] == ["The Genome Analysis Toolkit (GATK) v9.9"]
    assert set(facts["sha256"]) == {str(folder / name) for name in ("r.fa", "s.bam", "t.vcf")}
    jar = hashlib.sha256(paths.agent_jar().read_bytes()).hexdigest()
    assert facts["gkl_shim_jar_sha256"] == jar
    mode = facts["modes"]["vcf"]
    assert set(mode["scores"]) == {"stock", "gkl-shim", "stock-double"}
    assert mode["scores"]["stock"]["SNP"]["f1"] == pytest.approx(6 / 7)
    assert mode["scores"]["stock"]["INDEL"]["recall"] is None
    assert set(mode["beside_stock"]) == {"gkl-shim", "stock-double"}
    # GATK's clock says 0.5 s for gkl-shim, too, but it does not count all threads.
    assert mode["kernels"] == {
        "stock": {"PairHMM": {"seconds": 0.5}},
        "gkl-shim": {"PairHMM": {"seconds": 0.021, "cells": 100}},
    }
    html = (folder / "out" / "validation.html").read_text()
    row = "<td>vcf: PairHMM, seconds</td><td>0.50</td><td>0.02</td><td></td>"
    assert row in html
    assert "src=" not in html and 'rel="stylesheet"' not in html


def test_what_is_finished_is_not_run_again(folder: Path) -> None:
    done, runs = _validate(folder)
    assert len(runs) == 6  # intervals, two calls, two gathered, one score
    assert _validate(folder)[1] == []
    (folder / "out" / "vcf" / "gkl-shim" / "0000" / "out.vcf.gz").write_bytes(b"cut")
    assert len(_validate(folder)[1]) == 1
    assert len(_validate(folder, "--", "-ploidy", "4")[1]) == 5
    given = ("-L", "one:1-500", "--", "-ploidy", "4")
    assert len(_validate(folder, *given)[1]) == 6
    (folder / "s.bam").write_bytes(b"other reads")
    assert len(_validate(folder, *given)[1]) == 6
    (folder / "gatk.jar").write_bytes(b"another GATK")
    assert len(_validate(folder, *given)[1]) == 6
    assert done.returncode == 0


def test_a_file_of_intervals_that_is_also_the_confident_regions(folder: Path) -> None:
    """A change of it changes the calls. A change of the truth alone changes only the scores."""

    given = ("-L", "c.bed", "--truth", "t.vcf", "--confident", "c.bed")
    (folder / "c.bed").write_text("one\t0\t4\n")
    done, runs = _validate(folder, *given)
    assert done.returncode == 0, done.stderr
    everything = Counter(_tools(runs))
    assert (everything["SplitIntervals"], everything[CALLER]) == (1, 3)
    (folder / "t.vcf").write_text("#CHROM\none\t2\n")
    assert Counter(_tools(_validate(folder, *given)[1])) == {"Concordance": 3}
    (folder / "c.bed").write_text("one\t0\t9\n")
    assert Counter(_tools(_validate(folder, *given)[1])) == everything


def test_several_intervals_are_all_called(folder: Path) -> None:
    (folder / "c.bed").write_text("one\t0\t4\n")
    given = ("-L", "one:1-100", "-L", "one:900-950", "--shards", "2")
    done, runs = _validate(folder, *given, "--truth", "t.vcf", "--confident", "c.bed")
    assert done.returncode == 0, done.stderr
    (split,) = (text for text in runs if "SplitIntervals" in text)
    assert "-L one:1-100 -L one:900-950 " in split
    called = folder / "out" / "intervals.interval_list"
    assert called.read_text().splitlines()[2:] == ["one\t1\t500\t+\t.", "one\t501\t1000\t+\t."]
    where = f"-L {called} -L {folder}/c.bed --interval-set-rule INTERSECTION"
    assert sum("Concordance" in text and where in text for text in runs) == 3
    assert _facts(folder)["inputs"]["intervals"] == ["one:1-100", "one:900-950"]
    html = (folder / "out" / "validation.html").read_text()
    assert "<td>intervals</td><td>one:1-100 one:900-950</td>" in html


def test_all_tools_and_modes_in_shards_that_run_at_once(folder: Path) -> None:
    options = [part for tool in (CALLER, MUTECT) for part in ("--tool", tool)]
    modes = {
        "vcf": "",
        "gvcf": "-ERC GVCF",
        "dragen": "--dragen-mode true",
        "dragen378": "--dragen-378-concordance-mode true",
    }
    options += [part for mode in modes for part in ("--mode", mode)]
    done, runs = _validate(folder, *options, "--jobs", "3", "--shards", "3")
    assert done.returncode == 0, done.stderr
    assert [line.split(",")[0] for line in done.stdout.decode().splitlines()[:-1]] == [
        f"{name}: 6 records" for name in (*modes, "mutect2")
    ]
    # Stock and gkl-shim call three shards each.
    for arguments in filter(None, modes.values()):
        assert sum(f"{CALLER} " in text and arguments in text for text in runs) == 6
    tools = Counter(_tools(runs))
    assert (tools[CALLER], tools[MUTECT], tools["MergeVcfs"]) == (24, 6, 10)
    assert (tools["GenotypeGVCFs"], tools["FilterMutectCalls"]) == (2, 2)
    for name in (*modes, "mutect2"):
        for variant in ("stock", "gkl-shim"):
            gathered = folder / "out" / name / variant / "gathered" / "calls.vcf.gz"
            positions = [
                line.split(b"\t")[1]
                for line in gzip.decompress(gathered.read_bytes()).splitlines()
                if line[:1] != b"#"
            ]
            assert positions == [b"100", b"233", b"433", b"566", b"766", b"900"], name


STEPS = tuple(part for tool in fake_java.STEPS for part in ("--tool", tool))
SITES = ("--known-sites", "k.vcf", "--common-variants", "v.vcf")


@pytest.fixture
def with_sites(folder: Path) -> Path:
    """Inputs of the steps around the callers, too."""
    for name in ("k.vcf", "k.vcf.idx", "v.vcf", "v.vcf.idx"):
        (folder / name).write_text("x")
    return folder


def test_steps_around_the_callers(with_sites: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The same files; gkl-shim's are removed, and nothing is run again."""
    folder, out = with_sites, with_sites / "out"
    (folder / "odd").write_text("x")
    given = (*STEPS, *SITES, "-L", "one:1-100", "-L", "one:200-300", "--", "--odd", "odd")
    done, runs = _validate(folder, *given)
    assert done.returncode == 0, done.stderr
    assert done.stdout.decode().splitlines() == [
        "MarkDuplicates: out.bam: the same bytes",
        "MarkDuplicates: metrics.txt: the same but for the lines with dates",
        "MarkDuplicates: out.bai: the same bytes",
        "MarkDuplicates: out.bam.md5: the same bytes",
        "BaseRecalibrator: recalibration.table: the same bytes",
        "ApplyBQSR: out.bam: the same bytes",
        "ApplyBQSR: out.bai: the same bytes",
        "ApplyBQSR: out.bam.md5: the same bytes",
        "GetPileupSummaries: pileups.table: the same bytes",
        "all files are the same; see out/validation.html",
    ]
    # BaseRecalibrator's table of stock GATK serves ApplyBQSR.
    assert _tools(runs) == ["SplitIntervals", *(tool for tool in fake_java.STEPS for _ in "ab")]
    always = f"-R {folder}/r.fa -I {folder}/s.bam"
    where = f"-L {out}/intervals.interval_list"
    table = f"{out}/BaseRecalibrator/stock/recalibration.table"
    expected = [
        f"MarkDuplicates {always} --odd {folder}/odd -M metrics.txt --CREATE_INDEX true "
        "--CREATE_MD5_FILE true -O out.bam",
        f"BaseRecalibrator {always} --known-sites {folder}/k.vcf {where} --odd {folder}/odd "
        "-O recalibration.table",
        f"ApplyBQSR {always} -bqsr {table} {where} --odd {folder}/odd "
        "--create-output-bam-md5 true -O out.bam",
        f"GetPileupSummaries {always} -V {folder}/v.vcf -L {folder}/v.vcf {where} "
        f"--interval-set-rule INTERSECTION --odd {folder}/odd -O pileups.table",
    ]
    commands = [text.split("hellbender.Main ")[1] for text in runs[1:]]
    assert commands == [command for command in expected for _ in "ab"]
    for tool in fake_java.STEPS:
        assert not (out / tool / "gkl-shim").exists()
    assert Path(table).is_file()
    assert not list(out.rglob("spilled")) and not list(out.rglob("*.partial"))
    facts = _facts(folder)
    assert (facts["same_calls"], facts["same_files"], facts["modes"]) == (True, True, {})
    assert facts["inputs"]["known_sites"] == [str(folder / "k.vcf")]
    assert set(facts["sha256"]) >= {str(folder / name) for name in ("k.vcf", "v.vcf", "odd")}
    html = (out / "validation.html").read_text()
    assert "All files of other steps are the same." in html
    assert "All calls" not in html
    assert "<td>ApplyBQSR: CPU seconds</td>" in html

    again, runs = _validate(folder, *given)
    assert (again.stdout, runs) == (done.stdout, [])
    assert _facts(folder) == facts
    (folder / "k.vcf").write_text("y")
    assert _tools(_validate(folder, *given)[1]) == ["BaseRecalibrator"] * 2 + ["ApplyBQSR"] * 2
    # Another gkl-shim is compared with the stock runs that are there.
    done = here(folder, *OPTIONS, *given,
               env={**_environment(folder), "GKL_SHIM_THREADS": "1"})  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert len((folder / "runs").read_text().splitlines()) == 4 + len(STEPS) // 2


def test_steps_beside_a_caller_and_skipped_ones(folder: Path) -> None:
    done, runs = _validate(folder, "--tool", CALLER, *STEPS)
    assert done.returncode == 0, done.stderr
    assert done.stdout.decode().splitlines()[5:] == [
        "BaseRecalibrator: skipped: it needs --known-sites",
        "ApplyBQSR: skipped: it needs --known-sites",
        "GetPileupSummaries: skipped: it needs --common-variants",
        "all calls are the same, all files are the same; see out/validation.html",
    ]
    assert Counter(_tools(runs))["MarkDuplicates"] == 2
    html = (folder / "out" / "validation.html").read_text()
    assert "<td>ApplyBQSR</td><td></td><td>skipped: it needs --known-sites</td>" in html
    assert "All calls are the same." in html and "All files of other steps are the same." in html


def test_arguments_for_apply_bqsr_are_not_base_recalibrators(with_sites: Path) -> None:
    given = ("--tool", "ApplyBQSR", *SITES, "--", "--emit-original-quals")
    _, runs = _validate(with_sites, *given)
    assert _tools(runs) == ["SplitIntervals", "BaseRecalibrator", "ApplyBQSR", "ApplyBQSR"]
    assert ["--emit-original-quals" in text for text in runs] == [False, False, True, True]


@pytest.mark.parametrize(
    ("name", "lines"),
    [
        ("metrics.txt", ["metrics.txt: DIFFERS: line 3 differs"]),
        ("out.bai", ["out.bai: DIFFERS: line 1 differs"]),
        (
            "out.bam",
            ["out.bam: DIFFERS: the headers differ",
             *(f"{name}: DIFFERS: not compared, because the BAM files differ"
               for name in ("out.bai", "out.bam.md5"))],
        ),
    ],
)  # fmt: skip
def test_a_file_that_differs(folder: Path, name: str, lines: list[str]) -> None:
    """Both files are kept."""
    given = ("--tool", "MarkDuplicates")
    done, _ = _validate(folder, *given, difference=name)
    assert done.returncode == 1
    said = done.stdout.decode().splitlines()
    assert [line for line in said if "DIFFERS" in line] == [
        f"MarkDuplicates: {line}" for line in lines
    ]
    assert said[-1] == "FILES DIFFER; see out/validation.html"
    assert "Files of other steps differ." in (folder / "out" / "validation.html").read_text()
    for variant in ("stock", "gkl-shim"):
        assert (folder / "out" / "MarkDuplicates" / variant / name).is_file()
    again, runs = _validate(folder, *given)
    assert (again.returncode, again.stdout, runs) == (1, done.stdout, [])


@pytest.mark.parametrize(
    ("tool", "said", "why"),
    [
        ("MarkDuplicates", "reads: 2 threads for compressed blocks", ""),
        (
            "MarkDuplicates",
            "duplicates: Picard's own code is used: an input that is not BAM",
            ": [gkl-shim 1.0] duplicates: Picard's own code is used: an input that is not BAM",
        ),
        (
            "ApplyBQSR",
            "recalibration: GATK's own code is used: unusual contexts, cycles or qualities",
            ": [gkl-shim 1.0] recalibration: GATK's own code is used: unusual contexts, cycles or "
            "qualities",
        ),
        (
            "GetPileupSummaries",
            "pileup summaries: GATK's own code is used: this version is not known",
            ": [gkl-shim 1.0] pileup summaries: GATK's own code is used: this version is not known",
        ),
    ],
)
def test_where_the_shim_leaves_a_step_to_gatk_nothing_is_proved(
    with_sites: Path, tool: str, said: str, why: str
) -> None:
    given = ("--tool", tool, *SITES)
    done, _ = _validate(with_sites, *given, shim=f"[gkl-shim 1.0] {said}")
    assert done.returncode == 1
    log = with_sites / "out" / tool / "gkl-shim.log"
    assert done.stderr.decode().splitlines()[-1] == (
        f"gkl-shim: error: {tool}: gkl-shim did not compute it in GATK, see {log}{why}"
    )
    done, _ = _validate(with_sites, *given, shim="")
    assert done.returncode == 1
    assert f": {tool}, gkl-shim: gkl-shim did not run in GATK, see {log}" in done.stderr.decode()
    done, runs = _validate(with_sites, *given)
    assert (done.returncode, len(runs)) == (0, 1)


@pytest.mark.parametrize(("gib", "cpus", "jobs"), [(64, 8, 8), (16, 8, 3), (4, 8, 1), (64, 1, 1)])
def test_each_run_has_a_cpu_and_5_gib(
    monkeypatch: pytest.MonkeyPatch, gib: int, cpus: int, jobs: int
) -> None:
    monkeypatch.setattr(validate, "usable_memory", lambda: gib << 30)
    assert validate._jobs(cpus) == jobs


def test_a_run_that_fails(folder: Path) -> None:
    trouble = "java.lang.IllegalStateException: odd"
    done, runs = _validate(folder, trouble=trouble, trouble_at="MergeVcfs")
    assert done.returncode == 1
    message = done.stderr.decode().splitlines()[-1]
    log = folder / "out" / "vcf" / "stock" / "gathered.log"
    assert message == (
        f"gkl-shim: error: vcf, stock, gather: MergeVcfs failed, see {log}: {trouble} (exit code 1)"
    )
    assert len(runs) == 4
    done, runs = _validate(folder)
    assert (done.returncode, len(runs)) == (0, 3)


def test_a_full_disk(folder: Path) -> None:
    trouble = "java.io.IOException: No space left on device"
    done, _ = _validate(folder, trouble=trouble, trouble_at="HaplotypeCaller")
    message = done.stderr.decode().splitlines()[-1]
    assert done.returncode == 1
    assert f"; {folder}/out/vcf/stock or " in message
    assert message.endswith("make room; what is finished is kept")
    assert not list((folder / "out" / "vcf").rglob("*.vcf.gz"))


@pytest.mark.parametrize(
    ("number", "given", "hang_at", "left"),
    [
        # gkl-shim's run, by its folder or its jar.
        (signal.SIGINT, (), "/gkl-shim/", 4),
        (signal.SIGTERM, ("--tool", "MarkDuplicates"), "/gkl-shim.jar", 1),
    ],
)
def test_an_interrupted_command_goes_on(
    folder: Path, number: signal.Signals, given: tuple[str, ...], hang_at: str, left: int
) -> None:
    runs = folder / "runs"
    runs.write_text("")
    variables = _environment(folder, hang_at=hang_at)
    command = [COMMAND, *OPTIONS, *given]
    environment = {**os.environ, **variables}
    with subprocess.Popen(
        command, cwd=folder, env=environment, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL
    ) as process:
        _wait(lambda: len(runs.read_text().splitlines()) == 3)
        process.send_signal(number)
        _, said = process.communicate(timeout=20)
    assert process.returncode == 128 + number
    assert said.decode().splitlines()[-1] == (
        "gkl-shim: stopped; the same command goes on from here"
    )
    assert not list(folder.rglob("*.partial"))
    done, again = _validate(folder, *given)
    assert (done.returncode, len(again)) == (0, left)


_OFF = "[gkl-shim 1.0] {0}: Intel GKL is used: GKL_SHIM_BACKEND=off"
_IDLE = "[gkl-shim 1.0] {0}: not made faster: this run of GATK never asked for the native {0}"
_ALIGNER_TIME = "INFO - Total compute time in {} Smith-Waterman : {} sec"
# Of GATK 4.6.2.0 with gkl-shim, for an interval without an active region.
_NO_REGION = [
    "[gkl-shim 0.1.0] Smith-Waterman: avx512 build (the best for this CPU); Intel GKL replaced "
    "(agent)",
    "[gkl-shim 0.1.0] PairHMM: avx512 build (the best for this CPU), single precision, 2 threads "
    "(4 asked for by GATK, 2 CPUs); Intel GKL replaced (agent)",
    "[gkl-shim 0.1.0] regions: 2 threads",
    "[gkl-shim 0.1.0] PairHMM: initialized, but no region was computed",
    "[gkl-shim 0.1.0] Smith-Waterman: loaded, but nothing was aligned",
]
_ALIGNED = "[gkl-shim 1.0] Smith-Waterman: 5 pairs, 100 cells in 0.0210 s, 0.10 GCUPS"


@pytest.mark.parametrize(
    ("kernel", "stock", "shim"),
    [
        ("PairHMM", [fake_java.STOCK], [_NO_REGION[3]]),
        ("PairHMM", [fake_java.STOCK], [_IDLE.format("PairHMM")]),
        ("PairHMM", [], [_OFF.format("PairHMM")]),
        ("PairHMM", [], [_IDLE.format("PairHMM")]),
        ("PairHMM", [fake_java.STOCK, _ALIGNER_TIME.format("native", "0.00")],
         [_OFF.format("PairHMM"), _ALIGNED]),
        ("Smith-Waterman", [fake_java.STOCK, _ALIGNER_TIME.format("native", "0.00")],
         [fake_java.SHIM, _OFF.format("Smith-Waterman")]),
        ("Smith-Waterman", [fake_java.STOCK, _ALIGNER_TIME.format("native", "0.20")],
         [fake_java.SHIM, _OFF.format("warning: Smith-Waterman")]),
        ("Smith-Waterman", [fake_java.STOCK, _ALIGNER_TIME.format("native", "0.20")],
         [fake_java.SHIM, _IDLE.format("Smith-Waterman")]),
    ],
)  # fmt: skip
def test_where_the_shim_does_not_compute_nothing_is_proved(
    folder: Path, kernel: str, stock: list[str], shim: list[str]
) -> None:
    done, _ = _validate(folder, stock="\n".join(stock), shim="\n".join(shim))
    assert done.returncode == 1
    log = folder / "out" / "vcf" / "gkl-shim" / "0000.log"
    message = f"vcf: {kernel}: gkl-shim did not compute it in GATK, see {log}"
    reason = "".join(f": {line}" for line in shim if f"{kernel}: " in line)
    assert done.stderr.decode().splitlines()[-1] == f"gkl-shim: error: {message}{reason}"
    assert not (folder / "out" / "validation.json").exists()


@pytest.mark.parametrize(
    ("stock", "shim"),
    [
        ([], _NO_REGION),
        ([fake_java.STOCK.replace("0.5", "0.0"), _ALIGNER_TIME.format("native", "0.00")],
         _NO_REGION),
        ([fake_java.STOCK.replace("0.5", "0.0")], [_IDLE.format("PairHMM")]),
        ([fake_java.STOCK, _ALIGNER_TIME.format("java", "0.20")],
         [fake_java.SHIM, _IDLE.format("Smith-Waterman")]),
    ],
)  # fmt: skip
def test_where_a_kernel_has_nothing_to_compute(
    folder: Path, stock: list[str], shim: list[str]
) -> None:
    """No region is active, or GATK aligns in Java as before 4.5."""
    done, _ = _validate(folder, stock="\n".join(stock), shim="\n".join(shim))
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("stock", [fake_java.STOCK, ""])
def test_where_gkl_shim_says_nothing_it_did_not_run(folder: Path, stock: str) -> None:
    """Also where GATK's log has no times. The run is not kept."""
    done, _ = _validate(folder, stock=stock, shim="")
    assert done.returncode == 1
    log = folder / "out" / "vcf" / "gkl-shim" / "0000.log"
    message = f"vcf, gkl-shim, 0000: gkl-shim did not run in GATK, see {log}; "
    assert done.stderr.decode().splitlines()[-1].startswith(f"gkl-shim: error: {message}")
    done, runs = _validate(folder, stock=stock)
    assert done.returncode == 0, done.stderr
    assert sum(CALLER in text for text in runs) == 1


@pytest.mark.parametrize("name", fake_java.OPTIONS)
def test_where_stock_gatk_has_the_agent_nothing_is_kept(folder: Path, name: str) -> None:
    """An agent that has gkl-shim's own file name is removed. This one has another."""
    done = here(folder, *OPTIONS, env={**_environment(folder), name: "-javaagent:/link.jar"})
    assert done.returncode == 1
    log = folder / "out" / "vcf" / "stock" / "0000.log"
    assert done.stderr.decode().splitlines()[-1] == (
        f"gkl-shim: error: vcf, stock, 0000: stock GATK ran with gkl-shim, see {log}; remove it "
        f"from {name}"
    )
    done, again = _validate(folder)
    assert done.returncode == 0, done.stderr
    assert sum(CALLER in text for text in again) == 2


@pytest.mark.parametrize("computed", [True, False])
def test_whether_a_gpu_computed(folder: Path, computed: bool) -> None:
    """Where it should and did not, the CPU's results would pass for the GPU's."""
    warning = "[gkl-shim 1.0] warning: PairHMM: no GPU (why); the CPU engine computes"
    said = ["[gkl-shim 1.0] PairHMM: GKL_SHIM_BACKEND=cuda: regions go to the GPU"]
    said += [f"{fake_java.SHIM}; 4 pairs on GPU <1>"] if computed else [warning, fake_java.SHIM]
    done, _ = _validate(folder, "--shards", "2", shim="\n".join(said))
    if computed:
        assert done.returncode == 0, done.stderr
        assert _facts(folder)["modes"]["vcf"]["pairs_on_gpu"] == {"GPU <1>": 8}
        html = (folder / "out" / "validation.html").read_text()
        assert "<td>vcf: PairHMM, pairs on GPU &lt;1&gt;</td><td></td><td>8</td>" in html
    else:
        assert done.returncode == 1
        log = folder / "out" / "vcf" / "gkl-shim" / "0000.log"
        message = f"vcf: PairHMM: GKL_SHIM_BACKEND is cuda, but no GPU computed, see {log}"
        last = done.stderr.decode().splitlines()[-1]
        assert last == f"gkl-shim: error: {message}: {warning}"
        assert not (folder / "out" / "validation.json").exists()
        # Only what the GPU should have computed is computed again.
        done, runs = _validate(folder, "--shards", "2")
        assert done.returncode == 0, done.stderr
        assert sum(CALLER in text for text in runs) == 2


def test_what_a_killed_command_ran_ends_with_it(folder: Path) -> None:
    runs = folder / "runs"
    runs.write_text("")
    variables = _environment(folder, hang_at="HaplotypeCaller")
    with subprocess.Popen(
        [COMMAND, *OPTIONS], cwd=folder, env={**os.environ, **variables},
        stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
    ) as process:  # fmt: skip
        _wait(lambda: len(runs.read_text().splitlines()) == 2)
        log = folder / "out" / "vcf" / "stock" / "0000.log"
        with log.open("a") as another:
            (child,) = _children(process.pid)
            process.kill()
            process.wait()
            _wait(lambda: not is_running(child))
            # A process that does not end, as one of a host that shares the folder.
            assert _validate(folder)[0].returncode == 0
            another.write("[gkl-shim 1.0] regions: 9 threads\n")
    assert "9 threads" not in log.read_text()


def _children(process: int) -> list[int]:
    text = Path("/proc", str(process), "task", str(process), "children").read_text()
    return [int(number) for number in text.split()]


def _wait(done: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 60
    while not done():
        assert time.monotonic() < deadline
        time.sleep(0.05)


def test_two_commands_do_not_share_a_folder(folder: Path) -> None:
    (folder / "out").mkdir()
    with (folder / "out" / ".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        done, runs = _validate(folder)
    assert (done.returncode, runs) == (1, [])
    assert one_error(done).startswith("out: another gkl-shim validate writes there")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--confident", "c.bed"), "--confident needs --truth"),
        (("--tool", "Mutect2", "--mode", "gvcf"), "--mode is for HaplotypeCaller"),
        (("--tool", "Funcotator"), "Invalid value for '--tool'"),
        (("--tool", "ApplyBQSR"), "ApplyBQSR needs --known-sites"),
        (("--", "--METRICS_FILE", "m"), "--METRICS_FILE: it cannot be given after --"),
        (("--", "-L", "one"), "-L: it cannot be given after --"),
        (("--", "--I", "other.bam"), "--I: it cannot be given after --"),
        (("--", "-I:tumor", "other.bam"), "-I:tumor: it cannot be given after --"),
        (("--", "-output", "x.vcf"), "-output: it cannot be given after --"),
        (("--", "-graph", "x.dot"), "-graph: it cannot be given after --"),
        (("--", "-verbosity", "ERROR"), "-verbosity: it cannot be given after --"),
        (("--", "--help"), "--help: it cannot be given after --"),
        (
            ("--", "-XL", "one"),
            "-XL: it cannot be given after --; give the remaining intervals with -L, before --",
        ),
        (("--", "--bam-output", "x.bam"), "--bam-output: it cannot be given after --"),
        (("--java-options", "'"), "Invalid value for --java-options"),
    ],
)
def test_wrong_use(folder: Path, options: tuple[str, ...], message: str) -> None:
    done, runs = _validate(folder, *options)
    assert (done.returncode, runs) == (2, [])
    assert one_error(done).startswith(message)
    assert not (folder / "out").exists()


def test_a_missing_file(folder: Path) -> None:
    """tests/validation/test_inputs.py has all files."""
    (folder / "s.bai").unlink()
    done, runs = _validate(folder)
    assert (done.returncode, runs) == (1, [])
    assert one_error(done).startswith(f"{folder}/s.bam: it has no index; run `samtools index")
