"""The interface that our classes are compiled against is GATK's own."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

from tests.conftest import ROOT, require_tool
from tests.java.conftest import gkl_classpath

BINDINGS = ROOT / "java" / "bindings"


def members(javap: str, classpath: str, name: str) -> set[str]:
    """Return what javap prints for a class: its declaration, fields and methods."""
    done = subprocess.run(
        [javap, "-cp", classpath, name], check=True, capture_output=True, text=True
    )
    return set(re.sub(r"^Compiled from .*$", "", done.stdout, flags=re.MULTILINE).splitlines())


def test_our_bindings_have_the_members_of_gatks(tmp_path: Path) -> None:
    sources = sorted(BINDINGS.rglob("*.java"))
    subprocess.run([require_tool("javac"), "-d", tmp_path, *sources], check=True)
    javap, classpath = require_tool("javap"), gkl_classpath("0.8.11")
    names = [str(p.relative_to(BINDINGS).with_suffix("")).replace("/", ".") for p in sources]
    assert len(names) >= 9
    for name in names:
        assert members(javap, str(tmp_path), name) == members(javap, classpath, name)


def test_our_classes_compile_without_a_warning(tmp_path: Path) -> None:
    sources = (ROOT / "java" / "src").rglob("*.java")
    command = [require_tool("javac"), "--release", "8", "-Xlint:all,-options", "-Werror"]
    command += ["-cp", gkl_classpath("0.8.11"), "-d", tmp_path, *sources]
    done = subprocess.run(command, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")
