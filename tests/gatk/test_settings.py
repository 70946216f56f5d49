"""The settings of the parts of GATK's own Java that the agent replaces."""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path

import pytest

from gkl_shim import paths
from gkl_shim.gatk import data, run, swaps
from tests.conftest import require_tool
from tests.gatk.conftest import QUICK, Gatk, command, compile_java
from tests.gatk.regions.test_region_threads import records

pytestmark = pytest.mark.gatk

#: Each is the name of a setting and of our package.
PARTS = {"annotations", "assembly", "confidence", "likelihoods", "tools", "walk"}
GVCF = ("-ERC", "GVCF", "-L", "q:6000-8000")
THREE_CPUS = "-XX:ActiveProcessorCount=3"


@pytest.mark.parametrize(
    ("by_variable", "by_property", "asked"),
    [
        ({"annotations", "assembly"}, {"confidence", "likelihoods"}, 2),
        ({"confidence", "tools"}, {"annotations", "walk"}, 4),
        ({"likelihoods", "walk"}, {"assembly", "tools"}, 4),
    ],
)
def test_off_leaves_just_these_parts_to_gatk(
    gatk: Gatk,
    chr22: data.Sample,
    tmp_path: Path,
    by_variable: set[str],
    by_property: set[str],
    asked: int,
) -> None:
    """The JVM lists the classes that it loads. Nothing sets how many threads call regions."""
    stock = gatk("HaplotypeCaller", chr22, *GVCF)
    output, loaded = tmp_path / "out.vcf", tmp_path / "loaded"
    done = run.gatk(
        command("HaplotypeCaller", chr22, output, *GVCF, "--native-pair-hmm-threads", str(asked)),
        gatk.classpath,
        swaps.agent(),
        environment={f"GKL_SHIM_{part.upper()}": "off" for part in by_variable},
        java_options=(
            *QUICK,
            THREE_CPUS,
            *(f"-Dgkl.shim.{part}=off" for part in by_property),
            f"-Xlog:class+load:file={loaded}",
        ),
    )
    log = done.log.decode()
    assert done.returncode == 0, log[-3000:]
    assert f"regions: {min(asked, 3)} threads" in log
    assert records(output) == records(stock.vcf)
    packages = set(re.findall(r" org\.gklshim\.gatk\.(\w+)\.\w+", loaded.read_text()))
    assert packages == PARTS - by_variable - by_property | {"bam", "regions"}


def test_how_many_threads_call_regions(classpath: str, tmp_path: Path) -> None:
    path = f"{paths.agent_jar()}:{classpath}"
    compile_java(path, tmp_path, "RegionThreadsCheck")
    program = "org.gklshim.gatk.regions.RegionThreadsCheck"

    def said(
        variable: str, *values: str, given: int = 2, cpus: str = THREE_CPUS
    ) -> tuple[list[str], list[str]]:
        """Return the numbers of threads, and what the warnings say is ignored."""
        environment = {**os.environ, "GKL_SHIM_REGION_THREADS": variable}
        java = [require_tool("java"), cpus, "-cp", f"{tmp_path}:{path}", program, str(given)]
        done = subprocess.run(
            [*java, *values], env=environment, capture_output=True, text=True, check=True
        )
        return done.stdout.split(), re.findall(r"warning: (.*) is ignored: ", done.stderr)

    assert said("5", "", "1", "7", "1024", "auto", "off") == (["5", "1", "7", "1024", "3", "1"], [])
    assert said("auto", "") == (["3"], [])
    assert said("", "") == (["2"], [])
    assert said("", "", given=4) == (["3"], [])
    assert said("", "", "off", "auto", given=0) == (["3", "1", "3"], [])
    assert said("", "", "auto", given=0, cpus="-XX:ActiveProcessorCount=32") == (["16", "32"], [])
    wrong = ["0", "1025", "-2", "x", "2.5", "99999999999"]
    expected = ["GKL_SHIM_REGION_THREADS=y", *(f"gkl.shim.region_threads={each}" for each in wrong)]
    assert said("y", "", *wrong) == (["2"] * 7, expected)
