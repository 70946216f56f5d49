"""Reads in and out: the bytes of files and the errors are those of htsjdk's own code."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from gkl_shim.gatk import data
from tests.conftest import require_tool
from tests.gatk.conftest import QUICK, Gatk, our_agent, with_gkl

pytestmark = pytest.mark.gatk

SLEEP = "org/gklshim/gatk/blocks/CodecPool,take,org/gklshim/gatk/blocks/SleepyThreads"


def test_files_and_errors_are_htsjdks(classpath: str, checks: Path, tmp_path: Path) -> None:
    """Written, sorted, indexed, queried, truncated, damaged, with threads that sleep at random: see
    ReadsScenarios.java."""
    options = [f"-Djava.io.tmpdir={tmp_path}", "-Xmx2g", "-Dgkl.shim.threads=8"]
    options += [our_agent(), f"-javaagent:{checks}={SLEEP}"]
    options += ["-cp", f"{classpath}:{checks}"]
    command = [require_tool("java"), *QUICK, *options, "ReadsCheck"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=500, check=False)
    assert done.returncode == 0, done.stderr[-3000:]
    assert done.stdout == "201 results, false true\ntrue true true true \n", done.stdout[:3000]
    assert "reads: 8 threads for compressed blocks" in done.stderr


def test_the_tools_files_are_stocks(
    chr22: data.Sample, in_one_jvm: Callable[..., str], tmp_path: Path
) -> None:
    """Whole, by interval, and sorted, with the index and the MD5 of each."""
    digests = []
    for swap in ("stock", "agent"):
        reads, folder = str(chr22.reads), tmp_path / swap
        folder.mkdir()
        silent = ["--VALIDATION_STRINGENCY", "SILENT"]
        by_place = ["-SO", "coordinate", "--CREATE_INDEX", "true", "--MAX_RECORDS_IN_RAM", "1000"]
        by_place += silent
        plain = ["--add-output-sam-program-record", "false", "--create-output-bam-md5"]
        commands = [
            ["PrintReads", "-I", reads, "-O", f"{folder}/whole.bam", *plain],
            ["PrintReads", "-I", reads, "-O", f"{folder}/part.bam", *plain, "-L", "q:1-9000"],
            ["SortSam", "-I", reads, "-O", f"{folder}/name.bam", "-SO", "queryname", *silent],
            ["SortSam", "-I", f"{folder}/name.bam", "-O", f"{folder}/place.bam", *by_place],
        ]
        agent = [our_agent(), "-Dgkl.shim.threads=2"]
        log = in_one_jvm(commands, *(agent if swap == "agent" else []))
        assert len(re.findall("reads: 2 threads", log)) == (swap == "agent"), log[-3000:]
        digests.append({path.name: path.read_bytes() for path in sorted(folder.iterdir())})
    stock, ours = digests
    assert len(stock) == 9
    assert stock == ours


def test_files_are_stocks_with_gkl_088(
    classpath: str, shared: Path, chr22: data.Sample, tmp_path: Path
) -> None:
    """At GATK's level 2, its deflater compresses the first block in another way than all others."""
    gatk = Gatk(with_gkl(classpath, "0.8.8"), shared)
    files = []
    for swap in ("stock", "agent"):
        folder = tmp_path / swap
        folder.mkdir()
        words = ["PrintReads", "-I", str(chr22.reads), "-O", f"{folder}/reads.bam"]
        words += ["--add-output-sam-program-record", "false", "--create-output-bam-md5"]
        log = gatk.run(words, swap, "-Dgkl.shim.threads=3").log.decode()
        assert "gkl-0.8.8.jar" in log, log[-3000:]
        assert ("reads: 3 threads for compressed blocks" in log) == (swap == "agent"), log[-3000:]
        files.append({path.name: path.read_bytes() for path in folder.iterdir()})
    stock, ours = files
    assert len(stock) == 3
    assert ours == stock
