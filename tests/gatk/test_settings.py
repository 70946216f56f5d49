"""The settings of the parts of GATK's own Java that the agent replaces, and its known versions."""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path

import pytest

from gkl_shim import paths
from gkl_shim.gatk import data, run, swaps
from tests.conftest import ROOT, require_tool
from tests.gatk.conftest import QUICK, Gatk, command
from tests.gatk.regions.test_region_threads import records

pytestmark = pytest.mark.gatk

#: Each is the name of a setting and of our package.
PARTS = {"annotations", "assembly", "confidence", "likelihoods", "tools", "walk"}
#: The packages that serve several parts.
SHARED = {"blocks", "records", "threads"}
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
    assert packages - SHARED == PARTS - by_variable - by_property | {"regions"}


def test_how_many_threads_call_regions(classpath: str, checks: Path) -> None:
    path = f"{checks}:{paths.agent_jar()}:{classpath}"
    program = "org.gklshim.gatk.regions.RegionThreadsCheck"

    def said(variable: str, *values: str, cpus: str = THREE_CPUS) -> tuple[list[str], list[str]]:
        """Return the numbers of threads for the values of GATK's option and of the property, and
        what the warnings say is ignored."""
        environment = {**os.environ, "GKL_SHIM_REGION_THREADS": variable}
        java = [require_tool("java"), cpus, "-cp", path, program]
        done = subprocess.run(
            [*java, *values], env=environment, capture_output=True, text=True, check=True
        )
        return done.stdout.split(), re.findall(r"warning: (.*) is ignored: ", done.stderr)

    values = ("2,", "2,1", "2,7", "2,1024", "2,auto", "2,off")
    assert said("5", *values) == (["5", "1", "7", "1024", "3", "1"], [])
    assert said("auto", "2,") == (["3"], [])
    assert said("", "2,", "4,", "0,", "0,off", "0,auto") == (["2", "3", "3", "1", "3"], [])
    assert said("", "0,", "0,auto", cpus="-XX:ActiveProcessorCount=32") == (["16", "32"], [])
    wrong = ["0", "1025", "-2", "x", "2.5", "99999999999"]
    expected = ["GKL_SHIM_REGION_THREADS=y", *(f"gkl.shim.region_threads={each}" for each in wrong)]
    assert said("y", "2,", *(f"2,{each}" for each in wrong)) == (["2"] * 7, expected)


_VERSION = r"\d+(?:\.\d+){3}"


@pytest.fixture(scope="module")
def known() -> list[str]:
    """GATK's versions, in order."""
    found: dict[str, set[str]] = {}
    for line in (ROOT / "java/src/main/resources/org/gklshim/gatk/known.classes").open():
        if not line.startswith("#"):
            _, parts, forms = line.split(maxsplit=2)
            for part in parts.split(","):
                versions = re.findall(rf"(?<=[=,]){_VERSION}", forms)
                found.setdefault(part, set()).update(versions)
    del found["pdhmm"]  # Not every version has the class that it is for.
    assert len(found) > 1
    assert all(versions == found["regions"] for versions in found.values())
    return sorted(found["regions"])


@pytest.mark.parametrize("page", ["docs/gatk.md", "docs/docker.md"])
def test_the_docs_name_them(known: list[str], page: str) -> None:
    text = " ".join((ROOT / page).read_text().split())
    named = set(re.findall(rf"{_VERSION}(?:, {_VERSION})+ and {_VERSION}", text))
    assert named == {f"{', '.join(known[:-1])} and {known[-1]}"}


def test_the_build_of_an_image_warns_of_all_others(known: list[str], tmp_path: Path) -> None:
    gatk = tmp_path / "gatk"
    gatk.write_text('#!/bin/sh\necho "The Genome Analysis Toolkit (GATK) v$GATK_VERSION"\n')
    gatk.chmod(0o755)

    def warnings(version: str) -> list[str]:
        # Without a Python it stops before it installs anything.
        done = subprocess.run(
            ["sh", ROOT / "docker" / "install", "command", tmp_path / "absent", "none.whl"],
            env={"PATH": f"{tmp_path}:{os.environ['PATH']}", "GATK_VERSION": version},
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 1
        assert f"error: BASE_IMAGE has no Python at {tmp_path / 'absent'}" in done.stderr
        return re.findall("^gkl-shim: warning: (.*)$", done.stderr, re.MULTILINE)

    for version in known:
        assert warnings(version) == []
    for version in ("4.2.6.1", "4.6.1.0", "4.6.2", "4.8.0.0", ""):
        (told,) = warnings(version)
        assert told.startswith(f"BASE_IMAGE has GATK {version}; tested are {' '.join(known)}. ")
