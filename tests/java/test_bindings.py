"""The interface that our classes are compiled against is GATK's own."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

from gkl_shim.gatk import fetch
from tests.conftest import ROOT, require_tool
from tests.java.conftest import gkl_classpath

GATK = ROOT / "java" / "gatk"
BINDINGS = "org.broadinstitute.gatk.nativebindings."
#: The first compiler alone: these programs end before the second pays.
FAST = "-XX:TieredStopAtLevel=1"

#: What later versions of GATK have, by the end of its types: our method is there for these.
LATER = {
    "calcGenotypeLikelihoodsOfRefVsAny": "$RunningAverage;ZD)",
}
#: The field that the agent adds to classes.
ADDED = ("gklShim", "Ljava/lang/Object;")


def described(classpath: str, names: list[str], *options: str) -> dict[str, str]:
    """Return what javap prints for each class. One JVM describes all."""
    command = [require_tool("javap"), f"-J{FAST}", *options, "-cp", classpath, *names]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    texts = re.sub(r"^Compiled from .*\n", "", done.stdout, flags=re.MULTILINE).split("\n}\n")
    assert texts.pop() == ""
    return dict(zip(names, texts, strict=True))


@pytest.fixture(scope="module")
def stubs(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[str]]:
    """The compiled list of GATK's classes, and the names of those that are not nested."""
    classes = tmp_path_factory.mktemp("stubs")
    lists = [GATK / "classes.txt", *(ROOT / "java" / "src").rglob("classes.txt")]
    command = [require_tool("java"), FAST, GATK / "Stubs.java", *lists]
    subprocess.run([*command, "-d", classes], check=True)
    paths = (p.relative_to(classes).with_suffix("") for p in classes.rglob("*.class"))
    return classes, sorted(str(p).replace("/", ".") for p in paths if "$" not in p.name)


def members(classpath: str, names: list[str]) -> dict[str, set[str]]:
    """Return the declaration, fields and methods of each class. A stub's methods are native."""
    return {
        name: set(text.replace(" native ", " ").splitlines())
        for name, text in described(classpath, names).items()
    }


def test_our_bindings_have_the_members_of_gatks(stubs: tuple[Path, list[str]]) -> None:
    names = [name for name in stubs[1] if name.startswith(BINDINGS)]
    assert len(names) >= 13
    ours, new = members(str(stubs[0]), names), members(gkl_classpath("0.9.0"), names)
    shared = [name for name in names if ".pdhmm." not in name]
    old = members(gkl_classpath("0.8.11"), shared)
    for name in names:
        if name.endswith((".PDHMMNativeArguments", ".SWNativeAlignerResult")):
            # Ours is a part: it lacks what our classes do not use.
            assert ours[name] <= new[name]
        else:
            assert ours[name] == new[name] == old.get(name, new[name])


def descriptors(name: str, text: str) -> set[tuple[str, str]]:
    """The fields and methods of a class as the JVM links them: a name, and a type.

    A method NAME$original is GATK's NAME, after the agent has redirected that.
    """
    lines = r"([\w.]+)(?:\$original)?(?:\(.*)?;\n +descriptor: (\S+)"
    # A constructor has the name of the class.
    return {found for found in re.findall(lines, text) if found[0] != name}


def parents(name: str, text: str) -> set[str]:
    """What a class extends and implements, but for classes of the JDK."""
    header = text.lstrip().splitlines()[0]
    while "<" in header:
        header = re.sub(r"<[^<>]*>", "", header)
    found = re.findall(r"[\w$]+(?:\.[\w$]+)+", header.split(name, 1)[1])
    return {parent for parent in found if not parent.startswith("java.")}


def test_what_we_use_of_gatk_is_there(stubs: tuple[Path, list[str]]) -> None:
    """In the class itself, or in one that it extends."""
    classes, every_name = stubs
    names = [name for name in every_name if not name.startswith(BINDINGS)]
    assert len(names) >= 160
    texts: dict[str, str] = {}
    unknown = set(names)
    while unknown:
        texts |= described(fetch.gatk_classpath(), sorted(unknown), "-s", "-p")
        unknown = {parent for name in unknown for parent in parents(name, texts[name])}
        unknown -= texts.keys()

    def members_of(name: str) -> set[tuple[str, str]]:
        inherited = map(members_of, parents(name, texts[name]))
        return descriptors(name, texts[name]).union(*inherited)

    for name, text in described(str(classes), names, "-s", "-p").items():
        absent = descriptors(name, text) - members_of(name) - {ADDED}
        assert all(LATER.get(member, "no such") in kind for member, kind in absent), absent


def test_our_classes_compile_without_a_warning(
    stubs: tuple[Path, list[str]], tmp_path: Path
) -> None:
    sources = (ROOT / "java" / "src").rglob("*.java")
    command = [require_tool("javac"), f"-J{FAST}", "--release", "8", "-Xlint:all,-options"]
    command += ["-Werror", "-cp", stubs[0], "-d", tmp_path, *sources]
    done = subprocess.run(command, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")
