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


#: What later versions of GATK have, by the end of its types: our method is there for these.
LATER = {"calcGenotypeLikelihoodsOfRefVsAny": "$RunningAverage;ZD)"}


def described(classpath: str, names: list[str], *options: str) -> dict[str, str]:
    """Return what javap prints for each class. One JVM describes all."""
    command = [require_tool("javap"), *options, "-cp", classpath, *names]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    texts = re.sub(r"^Compiled from .*\n", "", done.stdout, flags=re.MULTILINE).split("\n}\n")
    assert texts.pop() == ""
    return dict(zip(names, texts, strict=True))


def compiled(folder: Path, classes: Path, classpath: str = "") -> list[str]:
    """Compile the declarations in a folder, and return their names."""
    sources = sorted(folder.rglob("*.java"))
    command = [require_tool("javac"), "-cp", classpath, "-d", classes, *sources]
    subprocess.run(command, check=True)
    return [str(p.relative_to(folder).with_suffix("")).replace("/", ".") for p in sources]


def members(classpath: str, names: list[str]) -> dict[str, set[str]]:
    """Return the declaration, fields and methods of each class."""
    return {name: set(text.splitlines()) for name, text in described(classpath, names).items()}


def test_our_bindings_have_the_members_of_gatks(tmp_path: Path) -> None:
    names = compiled(BINDINGS, tmp_path)
    assert len(names) >= 13
    ours, new = members(str(tmp_path), names), members(gkl_classpath("0.9.0"), names)
    shared = [name for name in names if ".pdhmm." not in name]
    old = members(gkl_classpath("0.8.11"), shared)
    for name in names:
        if name.endswith(".PDHMMNativeArguments"):
            # Ours is a part: it lacks what only Intel's library needs.
            assert ours[name] <= new[name]
        else:
            assert ours[name] == new[name] == old.get(name, new[name])


def descriptors(classpath: str, names: list[str]) -> dict[str, set[tuple[str, str]]]:
    """The fields and methods of classes as the JVM links them: a name, and a type.

    A method NAME$original is GATK's NAME, after the agent has redirected that.
    """
    return {
        name: {
            (member, kind)
            for member, kind in re.findall(
                r"([\w.]+)(?:\$original)?(?:\(.*)?;\n +descriptor: (\S+)", text
            )
            if member != name  # no constructors
        }
        for name, text in described(classpath, names, "-s", "-p").items()
    }


def test_what_we_use_of_gatk_is_there(tmp_path: Path) -> None:
    """Inherited methods are looked for in the class that declares them."""
    names = compiled(GATK, tmp_path, gkl_classpath("0.9.0"))
    assert len(names) >= 8
    inherited = {"PartiallyDeterminedHaplotype": "htsjdk.variant.variantcontext.SimpleAllele"}
    ours = descriptors(str(tmp_path), names)
    theirs = descriptors(fetch.gatk_classpath(), [*names, *inherited.values()])
    for name in names:
        parent = inherited.get(name.rsplit(".", 1)[-1])
        absent = ours[name] - theirs[name] - theirs.get(parent or "", set())
        assert all(LATER.get(member, "no such") in kind for member, kind in absent), absent


def test_our_classes_compile_without_a_warning(tmp_path: Path) -> None:
    compiled(GATK, tmp_path / "gatk", gkl_classpath("0.9.0"))
    sources = (ROOT / "java" / "src").rglob("*.java")
    command = [require_tool("javac"), "--release", "8", "-Xlint:all,-options", "-Werror"]
    command += ["-cp", f"{gkl_classpath('0.9.0')}:{tmp_path / 'gatk'}", "-d", tmp_path, *sources]
    done = subprocess.run(command, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")
