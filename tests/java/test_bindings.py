"""The interface that our classes are compiled against is GATK's own."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

from gkl_shim.gatk import fetch
from tests.conftest import ROOT, require_tool
from tests.java.conftest import gkl_classpath

BINDINGS = ROOT / "java" / "bindings"
GATK = ROOT / "java" / "gatk"


def members(javap: str, classpath: str, name: str) -> set[str]:
    """Return what javap prints for a class: its declaration, fields and methods."""
    done = subprocess.run(
        [javap, "-cp", classpath, name], check=True, capture_output=True, text=True
    )
    return set(re.sub(r"^Compiled from .*$", "", done.stdout, flags=re.MULTILINE).splitlines())


def compiled(folder: Path, classes: Path) -> list[str]:
    """Compile the declarations in a folder, and return their names."""
    sources = sorted(folder.rglob("*.java"))
    subprocess.run([require_tool("javac"), "-d", classes, *sources], check=True)
    return [str(p.relative_to(folder).with_suffix("")).replace("/", ".") for p in sources]


def test_our_bindings_have_the_members_of_gatks(tmp_path: Path) -> None:
    javap, old, new = require_tool("javap"), gkl_classpath("0.8.11"), gkl_classpath("0.9.0")
    names = compiled(BINDINGS, tmp_path)
    assert len(names) >= 13
    for name in names:
        ours = members(javap, str(tmp_path), name)
        if name.endswith(".PDHMMNativeArguments"):
            # Ours is a part: it lacks what only Intel's library needs.
            assert ours <= members(javap, new, name)
        elif ".pdhmm." in name:
            assert ours == members(javap, new, name)
        else:
            assert ours == members(javap, old, name) == members(javap, new, name)


def descriptors(javap: str, classpath: str, name: str) -> set[tuple[str, str]]:
    """The fields and methods of a class as the JVM links them: a name, and a type."""
    done = subprocess.run(
        [javap, "-s", "-p", "-cp", classpath, name], check=True, capture_output=True, text=True
    )
    found = re.findall(r"([\w.]+)(?:\(.*)?;\n +descriptor: (\S+)", done.stdout)
    return {(member, kind) for member, kind in found if member != name}  # no constructors


def test_what_we_use_of_gatk_is_there(tmp_path: Path) -> None:
    """Inherited methods are looked for in the class that declares them."""
    javap, gatk = require_tool("javap"), fetch.gatk_classpath()
    names = compiled(GATK, tmp_path)
    assert len(names) == 8
    inherited = {"PartiallyDeterminedHaplotype": "htsjdk.variant.variantcontext.SimpleAllele"}
    for name in names:
        theirs = descriptors(javap, gatk, name)
        parent = inherited.get(name.rsplit(".", 1)[-1])
        if parent is not None:
            theirs |= descriptors(javap, gatk, parent)
        assert descriptors(javap, str(tmp_path), name) <= theirs


def test_our_classes_compile_without_a_warning(tmp_path: Path) -> None:
    compiled(GATK, tmp_path / "gatk")
    sources = (ROOT / "java" / "src").rglob("*.java")
    command = [require_tool("javac"), "--release", "8", "-Xlint:all,-options", "-Werror"]
    command += ["-cp", f"{gkl_classpath('0.9.0')}:{tmp_path / 'gatk'}", "-d", tmp_path, *sources]
    done = subprocess.run(command, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")
