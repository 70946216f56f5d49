"""The number of threads of all parts, and what they do if the system refuses a thread."""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from gkl_shim import paths
from gkl_shim.gatk import data
from tests.conftest import require_tool
from tests.gatk.conftest import Jvm, command, our_agent

pytestmark = pytest.mark.gatk

PACKAGE = "org/gklshim/gatk/threads"


def test_one_rule(classpath: str, checks: Path) -> None:
    """One thread a CPU, 16 at most; the setting replaces both, and GATK's option."""
    path = f"{checks}:{paths.agent_jar()}:{classpath}"

    def said(variable: str, *values: str, cpus: int = 3) -> tuple[list[str], list[str]]:
        """Return the numbers of threads for the values of GATK's option and of the property, and
        what the warnings say is ignored."""
        java = [require_tool("java"), f"-XX:ActiveProcessorCount={cpus}", "-cp", path]
        done = subprocess.run(
            [*java, f"{PACKAGE.replace('/', '.')}.ThreadsCheck", *values],
            env={**os.environ, "GKL_SHIM_THREADS": variable},
            capture_output=True,
            text=True,
            check=True,
        )
        return done.stdout.split(), re.findall(r"warning: (.*) is ignored: ", done.stderr)

    assert said("", "0,", "2,", "4,") == (["3", "2", "3"], [])
    assert said("", "0,", "2,", "4,", "20,", cpus=32) == (["16", "2", "4", "16"], [])
    assert said("", "0,", cpus=1) == (["1"], [])
    assert said("5", "0,", "2,", "2,1", "2,7", "0,1024") == (["5", "5", "1", "7", "1024"], [])
    wrong = ["0", "1025", "-2", "x", "2.5", "99999999999", "auto"]
    expected = ["GKL_SHIM_THREADS=y", *(f"gkl.shim.threads={each}" for each in wrong)]
    assert said("y", "2,", "2,", *(f"2,{each}" for each in wrong)) == (["2"] * 9, expected)


def test_a_number_in_the_setting_of_a_part_is_told(
    in_one_jvm: Callable[..., str], chr22: data.Sample, tmp_path: Path
) -> None:
    """Each was one of threads before all parts had the same."""
    short = command("HaplotypeCaller", chr22, tmp_path / "out.vcf", "-L", "q:4000-6000")
    options = ["-Dgkl.shim.region_threads=2", "-Dgkl.shim.reads=auto", "-Dgkl.shim.walk=2x"]
    log = in_one_jvm([short], our_agent(), *options)
    for setting in ("region_threads=2", "reads=auto"):
        told = "it must be on or off; GKL_SHIM_THREADS sets the number of threads\n"
        assert log.count(f"warning: gkl.shim.{setting} is ignored: {told}") == 1
    assert log.count("warning: gkl.shim.walk=2x is ignored: it must be on or off\n") == 1


@pytest.mark.parametrize("allowed", [0, 2])
def test_refused_threads_change_nothing_but_the_log(
    in_one_jvm: Callable[..., str],
    checks: Path,
    chr22: data.Sample,
    genome: data.Sample,
    tmp_path: Path,
    allowed: int,
) -> None:
    """Each part does its work with the threads that it gets, or with the tool's own."""
    refusing = f"-javaagent:{checks}={PACKAGE}/Threads,make,{PACKAGE}/RefusedThreads"
    sites = tmp_path / "sites.vcf"
    sites.write_text("##fileformat=VCFv4.2\n#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\n")
    (name,) = re.findall(r"^>(\S+)", genome.reference.read_text(), re.M)
    with sites.open("a") as file:
        file.write(f"{name}\t3000\t.\tA\tC\t.\t.\t.\n")
    files = {}
    for way in ("stock", "agent"):
        # Headers have the paths of files.
        folder = tmp_path / "run"
        folder.mkdir()
        reads, table = folder / "marked.bam", folder / "table"
        marked = data.Sample("marked", "marked", genome.reference, reads)
        commands = [
            ["IndexFeatureFile", "-I", str(sites)],
            ["MarkDuplicates", "-I", str(genome.reads), "-O", str(reads),
             "-M", str(folder / "metrics"), "--CREATE_INDEX", "true"],
            [*command("BaseRecalibrator", marked, table), "--known-sites", str(sites)],
            [*command("ApplyBQSR", marked, folder / "recalibrated.bam"), "-bqsr", str(table),
             "--add-output-sam-program-record", "false"],
            [*command("HaplotypeCaller", chr22, folder / "calls.vcf"),
             "--create-output-variant-index", "false"],
        ]  # fmt: skip
        # A JVM for each: after other tests, a shared JVM of stock GATK has deflated other blocks.
        options = [f"-Dtest.allowed={allowed}", "-Dgkl.shim.threads=4"]
        log = in_one_jvm(commands, *([our_agent(), refusing] if way == "agent" else []), *options)
        files[way] = {path.name: path.read_bytes() for path in folder.iterdir()}
        # They say when they were written.
        for text in ("metrics", "calls.vcf"):
            files[way][text] = re.sub(rb"(?m)^#.*\n", b"", files[way][text])
        folder.rename(tmp_path / way)
    assert files["agent"] == files["stock"]
    assert len(files["stock"]) > 6
    parts = ["duplicates", "reads", "records", "regions"]
    reason = "fewer threads: java.lang.OutOfMemoryError: unable to create native thread"
    told = re.findall(rf"warning: (\w+): {reason}$", log, re.M)
    assert sorted(told) == sorted([*parts, *(["start"] if allowed == 0 else [])])
    assert "own code is used" not in log


def test_engines_are_made_when_there_are_regions(
    classpath: str, shared: Path, checks: Path, chr22: data.Sample, tmp_path: Path
) -> None:
    """A shard with one active region is called by the tool's own engine."""
    folder = "org/gklshim/gatk/regions"
    counting = f"-javaagent:{checks}={folder}/EngineFactory,make,{folder}/CountedEngines"
    jvm = Jvm(classpath, shared, our_agent(), counting, "-Dgkl.shim.threads=4")
    output = tmp_path / "out.vcf"
    _, log = jvm(command("HaplotypeCaller", chr22, output, "-L", "q:5000-5020"))
    assert "regions: 4 threads" in log
    assert log.count("another engine") == 0
    _, log = jvm(command("HaplotypeCaller", chr22, output))
    assert log.count("another engine") == 3
    jvm.close()
