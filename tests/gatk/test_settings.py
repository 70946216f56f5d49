"""The settings of the parts of GATK's own Java that the agent replaces, and its known versions."""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path

import pytest

from gkl_shim.gatk import data, run, swaps
from tests.conftest import ROOT
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
    packages = set(re.findall(r" org\.gklshim\.gatk\.(\w+)\.(?!Part )", loaded.read_text()))
    assert packages - SHARED == PARTS - by_variable - by_property | {"regions"}


_VERSION = r"\d+(?:\.\d+){3}"


@pytest.fixture(scope="module")
def known() -> list[str]:
    """GATK's versions, in order."""
    text = (ROOT / "java/src/main/resources/org/gklshim/gatk/known.classes").read_text()
    return sorted(set(re.findall(rf"(?<=[=,]){_VERSION}", text)))


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
