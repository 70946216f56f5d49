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
LATER = {
    "calcGenotypeLikelihoodsOfRefVsAny": "$RunningAverage;ZD)",
}
#: The field that the agent adds to classes.
ADDED = ("gklShim", "Ljava/lang/Object;")


def described(classpath: str, names: list[str], *options: str) -> dict[str, str]:
    """Return what javap prints for each class. One JVM describes all."""
    command = [require_tool("javap"), *options, "-cp", classpath, *names]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    texts = re.sub(r"^Compiled from .*\n", "", done.stdout, flags=re.MULTILINE).split("\n}\n")
    assert texts.pop() == ""
    return dict(zip(names, texts, strict=True))


def compiled(folder: Path, classes: Path) -> list[str]:
    """Compile the declarations in a folder, and return their names."""
    sources = sorted(folder.rglob("*.java"))
    subprocess.run([require_tool("javac"), "-d", classes, *sources], check=True)
    return [str(p.relative_to(folder).with_suffix("")).replace("/", ".") for p in sources]


def compiled_stubs(classes: Path) -> list[str]:
    """Compile the list of GATK's classes, and return the names of those that are not nested."""
    classes.mkdir(exist_ok=True)
    command = [require_tool("java"), GATK / "Stubs.java", GATK / "classes.txt"]
    subprocess.run([*command, "-cp", gkl_classpath("0.9.0"), "-d", classes], check=True)
    paths = (p.relative_to(classes).with_suffix("") for p in classes.rglob("*.class"))
    return sorted(str(p).replace("/", ".") for p in paths if "$" not in p.name)


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


def ancestors(classpath: str, names: list[str]) -> dict[str, set[str]]:
    """Return what classes extend and implement, and so on up to those of the JDK."""
    known: dict[str, set[str]] = {}
    unknown = set(names)
    while unknown:
        for name, text in described(classpath, sorted(unknown)).items():
            header = text.lstrip().splitlines()[0]
            while "<" in header:
                header = re.sub(r"<[^<>]*>", "", header)
            parents = re.findall(r"[\w$]+(?:\.[\w$]+)+", header.split(name, 1)[1])
            known[name] = {parent for parent in parents if not parent.startswith("java.")}
        unknown = {parent for parents in known.values() for parent in parents} - known.keys()
    return known


def test_what_we_use_of_gatk_is_there(tmp_path: Path) -> None:
    """In the class itself, or in one that it extends."""
    names = compiled_stubs(tmp_path)
    assert len(names) >= 160
    parents = ancestors(fetch.gatk_classpath(), names)
    ours = descriptors(str(tmp_path), names)
    theirs = descriptors(fetch.gatk_classpath(), list(parents))

    def members_of(name: str) -> set[tuple[str, str]]:
        return theirs[name].union(*map(members_of, parents[name]))

    for name in names:
        absent = ours[name] - members_of(name) - {ADDED}
        assert all(LATER.get(member, "no such") in kind for member, kind in absent), absent


def test_our_classes_compile_without_a_warning(tmp_path: Path) -> None:
    compiled_stubs(tmp_path / "gatk")
    sources = (ROOT / "java" / "src").rglob("*.java")
    command = [require_tool("javac"), "--release", "8", "-Xlint:all,-options", "-Werror"]
    command += ["-cp", f"{tmp_path / 'gatk'}:{gkl_classpath('0.9.0')}", "-d", tmp_path, *sources]
    done = subprocess.run(command, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")
