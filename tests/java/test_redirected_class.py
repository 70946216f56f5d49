"""Methods of classes that call ours, and the threads that call regions."""

from __future__ import annotations

import hashlib
import re
import subprocess
import zipfile
from pathlib import Path

from gkl_shim.gatk import fetch
from tests.conftest import ROOT, require_tool
from tests.java.conftest import compile_java

KNOWN = ROOT / "java/src/main/resources/org/gklshim/gatk/known.classes"


def run(jar: Path, folder: Path, program: str, *arguments: str) -> list[str]:
    """Compile and run a program in one of the agent's packages."""
    compile_java(str(jar), folder, [Path(__file__).with_name(f"{program.rsplit('.', 1)[1]}.java")])
    command = [require_tool("java"), "-Xverify:all", "-cp", f"{jar}:{folder}", program, *arguments]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stderr[-3000:]
    return done.stdout.splitlines()


def test_redirected_methods_call_ours_and_can_call_the_original(
    agent_jar: Path, tmp_path: Path
) -> None:
    assert run(agent_jar, tmp_path, "org.gklshim.RedirectChecks") == [
        "no member absent",
        "several members several",
        "not subject 3",
        "-64.0",
        "[12, 3, 1099511627776]",
        "nothing",
        "5",
        "60",
        "private secret",
        "public sum",
        "public final nothing",
        "public name",
        "added",
        "true",
        "parsed",
    ]


def test_tasks_end_in_order_with_the_numbers_of_one_thread(agent_jar: Path, tmp_path: Path) -> None:
    threads = ("1", "2", "3", "8", "32")
    program = "org.gklshim.gatk.threads.OrderedTasksChecks"
    lines = run(agent_jar, tmp_path, program, "200", *threads)
    assert lines == [f"done with {count}" for count in threads]


def test_the_classes_of_our_gatk_are_known() -> None:
    """The jars of GATK are the oracle of the list."""
    known: dict[str, set[str]] = {}
    for line in KNOWN.read_text().splitlines():
        if not line.startswith("#"):
            name, *forms = line.split()
            known[name] = {form.split("=")[0] for form in forms}
    found: dict[str, str] = {}
    for jar in map(Path, fetch.gatk_classpath().split(":")):
        if re.match(r"(barclay|gatk|gkl|htsjdk|picard)-\d", jar.name):
            with zipfile.ZipFile(jar) as archive:
                for name in known.keys() & {entry[:-6] for entry in archive.namelist()}:
                    found[name] = hashlib.sha256(archive.read(f"{name}.class")).hexdigest()
    assert found
    assert all(digest in known[name] for name, digest in found.items())
