"""The agent replaces the classes of each algorithm that passes its self-test.

An algorithm whose self-test passes or fails takes the place of Smith-Waterman.
"""

from __future__ import annotations

import subprocess
import zipfile
from pathlib import Path

import pytest

from tests.conftest import require_tool
from tests.java.conftest import compile_java, gkl_classpath, skip_unless_served
from tests.java.test_agent import WRONG

ALGORITHM = """
package org.gklshim.smithwaterman;

import org.gklshim.Algorithm;
import org.gklshim.NativeLibrary;
import org.gklshim.Setting;

public final class SmithWaterman extends Algorithm {
    public static final SmithWaterman INSTANCE = new SmithWaterman();

    private SmithWaterman() {
        super("SmithWaterman", Setting.SMITHWATERMAN, "nothing was aligned");
    }

    @Override
    protected void start(NativeLibrary library) {
        if (Boolean.getBoolean("fails")) {
            throw new IllegalStateException("it computes wrongly");
        }
    }
}
"""

REPLACEMENT = """
package com.intel.gkl.smithwaterman;

import org.gklshim.ReplacedClass;

public class IntelSmithWaterman {
    public boolean load(java.io.File folder) {
        return ReplacedClass.isUsable(IntelSmithWaterman.class);
    }
}
"""

# Loads both classes like GATK, and prints which are ours.
GATK = """
package org.broadinstitute.hellbender;

public class Main {
    public static void main(String[] arguments) throws Exception {
        com.intel.gkl.pairhmm.IntelPairHmm pairHmm =
                new com.intel.gkl.pairhmm.IntelPairHmmOMP();
        com.intel.gkl.smithwaterman.IntelSmithWaterman smithWaterman =
                new com.intel.gkl.smithwaterman.IntelSmithWaterman();
        if (!pairHmm.load(null) || !smithWaterman.load(null)) throw new IllegalStateException();
        pairHmm.initialize(null);
        for (Object object : new Object[] {pairHmm, smithWaterman}) {
            Class<?> type = object instanceof com.intel.gkl.pairhmm.IntelPairHmm
                    ? com.intel.gkl.pairhmm.IntelPairHmm.class : object.getClass();
            int natives = 0;
            for (java.lang.reflect.Method method : type.getDeclaredMethods())
                natives += java.lang.reflect.Modifier.isNative(method.getModifiers()) ? 1 : 0;
            System.out.println(type.getSimpleName() + (natives == 0 ? " ours" : " Intel's"));
        }
    }
}
"""


def write(folder: Path, sources: dict[str, str]) -> list[Path]:
    paths = []
    for name, text in sources.items():
        paths.append(folder / f"{name}.java")
        paths[-1].parent.mkdir(parents=True, exist_ok=True)
        paths[-1].write_text(text)
    return paths


@pytest.fixture(scope="module")
def agent(tmp_path_factory: pytest.TempPathFactory, agent_jar: Path) -> Path:
    """Return an agent's jar with the other algorithm in it."""
    folder = tmp_path_factory.mktemp("agent")
    sources = {"SmithWaterman": ALGORITHM, "IntelSmithWaterman": REPLACEMENT}
    compile_java(str(agent_jar), folder / "classes", write(folder, sources))
    made = {}
    for path in (folder / "classes").rglob("*.class"):
        name = str(path.relative_to(folder / "classes"))
        ours = name.startswith("org/gklshim/")
        made[name if ours else f"org/gklshim/replacements/{name}"] = path.read_bytes()
    with zipfile.ZipFile(agent_jar) as old, zipfile.ZipFile(folder / "gkl-shim.jar", "w") as new:
        for name in {*old.namelist()} - made.keys():
            new.writestr(name, old.read(name))
        for name, content in made.items():
            new.writestr(name, content)
    return folder / "gkl-shim.jar"


@pytest.fixture(scope="module")
def gatk(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A class path with both of Intel's classes."""
    folder = tmp_path_factory.mktemp("gatk")
    classpath = gkl_classpath("0.8.11")
    compile_java(classpath, folder / "classes", write(folder, {"Main": GATK}))
    return f"{folder / 'classes'}:{classpath}"


def run(agent: Path, gatk: str, *options: str) -> tuple[list[str], list[str]]:
    """Return what the program prints, and our lines in its log."""
    skip_unless_served("stock")
    command = [require_tool("java"), f"-javaagent:{agent}", *options, "-cp", gatk]
    command.append("org.broadinstitute.hellbender.Main")
    process = subprocess.run(command, capture_output=True, text=True, check=True)
    ours = [line for line in process.stderr.splitlines() if line.startswith("[gkl-shim")]
    return process.stdout.splitlines(), [line.split("] ", 1)[1] for line in ours]


def test_both_classes_are_replaced_if_both_algorithms_pass(agent: Path, gatk: str) -> None:
    printed, log = run(agent, gatk)
    assert printed == ["IntelPairHmm ours", "IntelSmithWaterman ours"]
    assert [line.split(":")[0] for line in log] == ["PairHMM", "SmithWaterman", "PairHMM"]
    # Nothing has called SmithWaterman.use().
    assert log[1] == "SmithWaterman: nothing was aligned"


def test_pairhmm_is_replaced_if_the_other_algorithm_fails(agent: Path, gatk: str) -> None:
    printed, log = run(agent, gatk, "-Dfails=true")
    assert printed == ["IntelPairHmm ours", "IntelSmithWaterman Intel's"]
    assert "warning: SmithWaterman: Intel GKL is used: it computes wrongly" in log
    assert [line for line in log if "Intel GKL replaced (agent)" in line]
    assert len(log) == 3


def test_the_other_class_is_replaced_if_pairhmm_fails(
    agent: Path, gatk: str, tmp_path: Path
) -> None:
    source, library = tmp_path / "wrong.c", tmp_path / "wrong.so"
    source.write_text(WRONG)
    command = [require_tool("cc"), "-shared", "-fPIC", source, "-o", library]
    subprocess.run(command, check=True)
    printed, log = run(agent, gatk, f"-Dgkl.shim.library={library}")
    assert printed == ["IntelPairHmm Intel's", "IntelSmithWaterman ours"]
    assert len(log) == 2
    assert log[0].startswith("warning: PairHMM: Intel GKL is used: the native library computes ")
    assert log[1] == "SmithWaterman: nothing was aligned"


def test_no_class_is_replaced_if_the_library_does_not_load(
    agent: Path, gatk: str, tmp_path: Path
) -> None:
    library = tmp_path / "broken.so"
    library.write_text("not a library")
    printed, log = run(agent, gatk, f"-Dgkl.shim.library={library}")
    assert printed == ["IntelPairHmm Intel's", "IntelSmithWaterman Intel's"]
    assert [line.split(" does not load")[0] for line in log] == [
        f"warning: {name}: Intel GKL is used: gkl.shim.library names {library}, which"
        for name in ("PairHMM", "SmithWaterman")
    ]


def test_off_replaces_no_class(agent: Path, gatk: str) -> None:
    printed, log = run(agent, gatk, "-Dgkl.shim.backend=off")
    assert printed == ["IntelPairHmm Intel's", "IntelSmithWaterman Intel's"]
    assert log == [
        f"{name}: gkl.shim.backend=off: Intel GKL is used" for name in ("PairHMM", "SmithWaterman")
    ]
