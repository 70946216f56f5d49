"""Recipes and images name the version of the package, and the recipe its requirements."""

from __future__ import annotations

import os
import re
import subprocess
from importlib import metadata

import pytest

from tests.conftest import ROOT


def requirements(section: str) -> set[str]:
    """Return what the recipe requires in a section, without spaces."""
    recipe = (ROOT / "recipe" / "meta.yaml").read_text(encoding="utf-8")
    lines = re.search(rf"^  {section}:\n((?:    .*\n)+)", recipe, re.MULTILINE)
    assert lines is not None
    return {line.replace(" ", "") for line in re.findall(r"^    - (.*)$", lines[1], re.MULTILINE)}


@pytest.mark.parametrize(
    ("path", "line"),
    [
        ("recipe/meta.yaml", '{{% set version = "{}" %}}'),
        ("docker/Dockerfile", "ARG VERSION={}"),
        ("workflow/envs/gatk.yaml", "  - gkl-shim ={}"),
    ],
)
def test_version(path: str, line: str) -> None:
    lines = (ROOT / path).read_text(encoding="utf-8").splitlines()
    assert line.format(metadata.version("gkl-shim")) in lines


def test_compose_runs_as_the_user_who_follows_its_comment() -> None:
    text = (ROOT / "docker" / "compose.yaml").read_text(encoding="utf-8")
    (line,) = re.findall(r"^#   (export .*)$", text, re.MULTILINE)
    (user,) = re.findall(r"^    user: (.*)$", text, re.MULTILINE)
    script = f"{line}\nexec sh -c 'echo {user}'"
    done = subprocess.run(
        ["bash", "-c", script], env={"PATH": os.environ["PATH"]}, capture_output=True, text=True,
        check=False,
    )  # fmt: skip
    assert (done.stdout, done.stderr) == (f"{os.getuid()}:{os.getgid()}\n", "")


def test_what_a_user_needs() -> None:
    """Conda has every package for both machines, isal under another name."""
    needed = [line for line in metadata.requires("gkl-shim") or [] if "extra ==" not in line]
    names = {re.sub("^isal", "python-isal", line.partition(";")[0].strip()) for line in needed}
    assert requirements("run") == {"python", *names}


def test_what_the_build_needs() -> None:
    project = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    (line,) = re.findall(r"^requires = \[(.*)\]$", project, re.MULTILINE)
    assert requirements("host") >= set(re.findall(r'"(.+?)"', line))
