"""HaplotypeCallerSpark on a standalone Spark cluster: a master and two workers on loopback."""

from __future__ import annotations

import os
import re
import subprocess
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest

from gkl_shim import paths
from gkl_shim.gatk import compare, data, programs
from tests.gatk.conftest import Gatk

pytestmark = [pytest.mark.gatk, pytest.mark.pipeline]

LONGEST = 300
REPLACED = "Intel GKL replaced (agent)"


@pytest.fixture
def cluster(classpath: str, tmp_path: Path) -> Iterator[str]:
    """A master with two workers of one core each; its address. Workers write into tmp_path."""
    (tmp_path / "home" / "jars").mkdir(parents=True)
    deploy = "org.apache.spark.deploy"
    with ExitStack() as stack:
        master = tmp_path / "master.log"
        arguments = ["--host", "127.0.0.1", "--port", "0", "--webui-port", "0"]
        stack.enter_context(daemon(classpath, master, f"{deploy}.master.Master", *arguments))
        address = wait_for(master, r"Starting Spark master at (spark://127.0.0.1:\d+)")
        for worker in ("worker1", "worker2"):
            log = tmp_path / f"{worker}.log"
            arguments = ["--host", "127.0.0.1", "--webui-port", "0", "--cores", "1"]
            arguments += ["--memory", "1500m", "--work-dir", str(tmp_path / worker), address]
            stack.enter_context(daemon(classpath, log, f"{deploy}.worker.Worker", *arguments))
            wait_for(log, r"Successfully registered with master (\S+)")
        yield address


@contextmanager
def daemon(classpath: str, log: Path, *command: str) -> Iterator[None]:
    """Run one of Spark's daemons. Spark looks for SPARK_HOME/jars, which may be empty."""
    environment = {
        **os.environ,
        "SPARK_HOME": str(log.parent / "home"),
        "SPARK_SCALA_VERSION": "2.13",
        "SPARK_LOCAL_IP": "127.0.0.1",
    }
    with (
        log.open("wb") as stream,
        subprocess.Popen(
            [programs.java(), "-Xmx256m", "-cp", classpath, *command],
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=stream,
            stderr=stream,
        ) as process,
    ):
        try:
            yield
        finally:
            process.terminate()
            process.wait(timeout=LONGEST)


def wait_for(log: Path, pattern: str) -> str:
    """Wait until a line of a log matches, and return the first group."""
    end = time.monotonic() + LONGEST
    while time.monotonic() < end:
        match = re.search(pattern, log.read_text(errors="replace"))
        if match is not None:
            return match[1]
        time.sleep(0.5)
    pytest.fail(f"{log.name} has no line like {pattern}")


def test_executors_compute_with_the_shim_and_the_vcf_is_that_of_stock_spark(
    gatk: Gatk, cluster: str, chr20: data.Sample, tmp_path: Path
) -> None:
    # GATK refuses a value that contains "=". So it cannot pass -D to executors.
    agent = paths.agent_jar()
    assert "=" not in str(agent)
    shim = gatk(
        "HaplotypeCallerSpark",
        chr20,
        "--spark-master",
        cluster,
        *("--conf", "spark.driver.host=127.0.0.1"),
        *("--conf", "spark.executor.memory=1g"),
        *("--conf", f"spark.executor.extraClassPath={gatk.classpath}"),
        *("--conf", f"spark.executor.extraJavaOptions=-javaagent:{agent}"),
        swap="agent",
    )
    # An executor without a region loads none of the classes.
    logs = [path.read_text() for path in tmp_path.glob("worker*/*/*/stderr")]
    assert len(logs) == 2, "each worker starts an executor"
    assert any("PairHMM" in line and REPLACED in line for log in logs for line in log.splitlines())
    stock = gatk("HaplotypeCallerSpark", chr20, "--spark-master", "local[2]")
    comparison = compare.compare(stock.vcf, shim.vcf)
    assert comparison.identical and comparison.records[0] == 3, str(comparison)
