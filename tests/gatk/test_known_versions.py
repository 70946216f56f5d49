"""The versions of GATK whose classes the agent knows are those that the image and the docs name."""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path

import pytest

from tests.conftest import ROOT

_VERSION = r"\d+(?:\.\d+){3}"


@pytest.fixture(scope="module")
def known() -> list[str]:
    """GATK's versions, in order."""
    lists = set((ROOT / "java/src/main/resources/org/gklshim/gatk").glob("*.known"))
    # Not every version has the class that this one is for.
    lists = {path for path in lists if path.name != "pdhmm.known"}
    found = [
        {
            version
            for line in path.read_text().splitlines()
            if not line.startswith("#")
            for version in line.split()[2].split(",")
            if not version.startswith("picard-")
        }
        for path in lists
    ]
    assert len(found) > 1
    assert all(versions == found[0] for versions in found)
    return sorted(found[0])


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
