"""The parts of GATK that the agent makes faster, as their folders declare them."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

from gkl_shim.gatk.fallbacks import fallback
from gkl_shim.validation.steps import STEPS
from tests.conftest import ROOT, require_tool
from tests.java.conftest import compile_java

SOURCES = ROOT / "java/src/main/java/org/gklshim/gatk"
KNOWN = ROOT / "java/src/main/resources/org/gklshim/gatk/known.classes"


@pytest.fixture(scope="module")
def printed(
    agent_jar: Path, tmp_path_factory: pytest.TempPathFactory
) -> subprocess.CompletedProcess[str]:
    folder = tmp_path_factory.mktemp("parts")
    compile_java(str(agent_jar), folder, [Path(__file__).with_name("PartsChecks.java")])
    java = [require_tool("java"), "-cp", f"{agent_jar}:{folder}", "org.gklshim.PartsChecks"]
    # A part of one tool logs nothing for another.
    java.append("MarkDuplicates")
    return subprocess.run(java, capture_output=True, text=True, check=True)


@pytest.fixture(scope="module")
def names(printed: subprocess.CompletedProcess[str]) -> dict[str, list[str]]:
    """The classes that each part must know, by the part's folder."""
    texts = re.findall(r"^org\.gklshim\.gatk\.(\w+)\n (.*)$", printed.stdout, re.MULTILINE)
    return {folder: text.split() for folder, text in texts}


def test_each_folder_with_a_part_is_one(names: dict[str, list[str]]) -> None:
    assert set(names) == {path.parent.name for path in SOURCES.glob("*/Part.java")}


def test_the_list_of_known_classes_is_what_they_name(
    printed: subprocess.CompletedProcess[str], names: dict[str, list[str]]
) -> None:
    named = [
        name for line in printed.stdout.splitlines() if line[0] == " " for name in line.split()
    ]
    assert all(len(set(each)) == len(each) for each in names.values())
    lines = [line for line in KNOWN.read_text().splitlines() if not line.startswith("#")]
    assert [line.split()[0] for line in lines] == sorted(set(named))


def test_each_knows_all_versions(names: dict[str, list[str]]) -> None:
    versions = {
        line.split()[0]: set(re.findall(r"(?<=[=,])\d+(?:\.\d+){3}", line))
        for line in KNOWN.read_text().splitlines()
    }
    each = [set[str]().union(*(versions[name] for name in of_part)) for of_part in names.values()]
    assert len(each[0]) > 1
    assert all(found == each[0] for found in each)


def test_the_lines_about_fallbacks_are_understood(
    printed: subprocess.CompletedProcess[str], names: dict[str, list[str]]
) -> None:
    found = [fallback(line) for line in printed.stderr.splitlines()]
    assert len(found) == 2 * len(names) + 1
    assert all(each and each.reason == "a reason: of two" for each in found)
    titles = {each.title: each.original for each in found if each}
    assert len(titles) == len(names) + 1
    assert titles["PairHMM"] == "Intel GKL"
    assert titles["duplicates"] == "Picard's own code"
    assert titles["regions"] == "GATK's own code"
    assert {step.title for step in STEPS.values()} <= titles.keys()
    assert fallback("[gkl-shim 1.0] regions: 4 threads") is None
    assert fallback("regions: GATK's own code is used: not by us") is None
