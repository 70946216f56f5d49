"""``gkl-shim doctor``."""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import Any

import pytest

from gkl_shim import paths
from gkl_shim.common import _native
from gkl_shim.gatk import checkup, known_results, settings
from tests.cli.shim_command import doctor, one_error, run
from tests.conftest import require_tool
from tests.pairhmm import oracle
from tests.pdhmm import oracle as pdhmm_oracle
from tests.smithwaterman import oracle as smithwaterman_oracle


def test_the_json_report_lists_every_part(tmp_path: Path) -> None:
    found = doctor(tmp_path)
    for build in _native.builds():
        state, detail = found[f"build {build}"]
        assert state == "ok"
        for kernel in ("PairHMM: ", "PDHMM: ", "Smith-Waterman: "):
            assert kernel in detail
    assert "replaces PairHMM, PDHMM, Smith-Waterman" in found["GATK agent"][1]
    assert {"Java", "GATK agent", "Maven", "GPU", "CuPy"} <= found.keys()
    assert {state for state, _ in found.values()} <= {"ok", "missing"}


@pytest.mark.parametrize("command", ["doctor", "env"])
def test_json_may_also_go_to_a_file(tmp_path: Path, command: str) -> None:
    printed = run(tmp_path, command, "--json", "-").stdout
    both = run(tmp_path, command, "--json", "report.json")
    assert both.returncode == 0
    assert both.stdout not in (b"", printed)
    assert (tmp_path / "report.json").read_bytes() == printed
    assert json.loads(printed)


def test_only_the_engine_is_needed(tmp_path: Path) -> None:
    empty = tmp_path / "empty"
    empty.mkdir()
    found = doctor(tmp_path, PATH=str(empty), JAVA_HOME=str(empty))
    for name in ("Java", "Maven", "GPU"):
        state, detail = found[name]
        assert state == "missing" and detail


def gatk(folder: Path, **environment: str) -> tuple[str, str]:
    """Return what doctor finds of GATK if the cache has none, and there is no Java."""
    env = {"GKL_SHIM_CACHE": str(folder / "cache"), "GATK_LOCAL_JAR": "", "GATK_CLASSPATH": ""}
    env |= {"PATH": str(folder), "JAVA_HOME": str(folder)}
    return doctor(folder, **{**env, **environment})["GATK"]


def test_the_report_names_the_gatk_of_the_user(tmp_path: Path) -> None:
    programs = tmp_path / "programs"
    programs.mkdir()
    state, detail = gatk(tmp_path, PATH=str(programs))
    assert state == "missing"
    for way in ("GATK_LOCAL_JAR", "`gatk` on the PATH", "`gkl-shim demo`"):
        assert way in detail
    (programs / "gatk").write_text("#!/bin/sh\n")
    (programs / "gatk").chmod(0o755)
    jar = programs / "gatk-package-4.6.2.0-local.jar"
    jar.touch()
    assert gatk(tmp_path, PATH=str(programs)) == ("ok", str(jar))
    other = tmp_path / "other.jar"
    other.touch()
    assert gatk(tmp_path, GATK_CLASSPATH=f"{other}:{jar}") == ("ok", f"{other} and 1 more")
    absent = gatk(tmp_path, GATK_LOCAL_JAR="/absent.jar")
    assert absent == ("failed", "GATK_LOCAL_JAR: /absent.jar: no such file or folder")


def test_another_agent_beside_an_archive(tmp_path: Path) -> None:
    """GATK is started. This Java fails if its agent is to change log4j's classes."""
    java = tmp_path / "bin" / "java"
    java.parent.mkdir()
    java.write_text(
        "#!/bin/sh\n"
        f"case $JAVA_TOOL_OPTIONS in *jacoco*) [ -e {tmp_path}/jacoco*.jar ] || exit 1; esac\n"
        'case "$* $JAVA_TOOL_OPTIONS" in\n'
        '"-version "*) echo \'openjdk version "17.0.15"\' ;;\n'
        '*"Main --version"*excludes=*) echo 4.6.2.0 ;;\n'
        '*) echo "Exception in log4j" >&2; exit 1 ;;\n'
        "esac\n"
    )
    java.chmod(0o755)
    jar = tmp_path / "gatk.jar"
    for each in (jar, tmp_path / "jacocoagent.jar", tmp_path / "gkl-shim.jar"):
        each.touch()
    archive = f"-XX:SharedArchiveFile={tmp_path}/gkl-shim.jsa"
    jacoco = f"-javaagent:{tmp_path}/jacocoagent.jar=destfile=x"

    def found(**options: str) -> tuple[str, str] | None:
        known = {"JAVA_HOME": str(tmp_path), "GATK_LOCAL_JAR": str(jar), "GATK_CLASSPATH": ""}
        known |= {"JDK_JAVA_OPTIONS": "", "JAVA_TOOL_OPTIONS": "", **options}
        return doctor(tmp_path, **known).get("other agents")

    ours = f"-javaagent:{tmp_path}/gkl-shim.jar"
    assert found(JAVA_TOOL_OPTIONS=f"{ours} {archive}") is None
    assert found(JAVA_TOOL_OPTIONS=f"{ours} '{jacoco}'") is None
    which = "with jacocoagent.jar and a class-data archive"
    fault = found(JAVA_TOOL_OPTIONS=f"'{jacoco}' {ours}", JDK_JAVA_OPTIONS=archive)
    assert fault is not None and fault[0] == "failed"
    assert fault[1].startswith(f"GATK does not start {which}: Exception in log4j; set no")
    excluded = f"{jacoco},excludes=org.apache.logging.*"
    fine = found(JAVA_TOOL_OPTIONS=f"{ours} {archive} {excluded}")
    assert fine == ("ok", f"GATK starts {which}")
    # If the agent does not exist, the advice would be wrong. Another finding names the agent.
    (tmp_path / "jacocoagent.jar").unlink()
    assert found(JAVA_TOOL_OPTIONS=f"{ours} {archive} '{jacoco}'") is None


OPTION_VARIABLES = ("JAVA_TOOL_OPTIONS", "JDK_JAVA_OPTIONS", "_JAVA_OPTIONS")


@pytest.mark.parametrize(
    ("variable", "option", "said"),
    [
        ("JAVA_TOOL_OPTIONS", "'-javaagent:/no jar=x=y'", "/no jar"),
        ("JDK_JAVA_OPTIONS", "'-agentpath:/no library.so=x=y'", "/no library.so"),
        ("_JAVA_OPTIONS", "-agentlib:absent=x", "absent"),
        ("JAVA_TOOL_OPTIONS", "-XX:+Absent", "Absent"),
        ("JDK_JAVA_OPTIONS", "-Xmx1x", "heap"),
    ],
)
def test_options_with_which_no_java_starts(
    tmp_path: Path, variable: str, option: str, said: str
) -> None:
    require_tool("java")
    known = {**dict.fromkeys(OPTION_VARIABLES, "-Xmx1g"), "JAVA_HOME": ""}
    known[variable] = f"-Xss1m {option}"
    state, detail = doctor(tmp_path, **known)["Java options"]
    assert state == "failed"
    assert detail.startswith(f"{variable}: ")
    assert re.search(rf"java does not run: .*{said}.*; correct this", detail)
    assert "Error occurred" not in detail and "Picked up" not in detail
    # Other commands that need Java say the same.
    command = ("env", "--archive", "x", "--classpath", str(paths.agent_jar()))
    done = run(tmp_path, *command, env=known)
    assert done.returncode == 1
    assert said in one_error(done)


def test_options_that_contradict_each_other(tmp_path: Path) -> None:
    require_tool("java")
    known = {**dict.fromkeys(OPTION_VARIABLES, "-XX:+UseSerialGC"), "JAVA_HOME": ""}
    assert "Java options" not in doctor(tmp_path, **known)
    known["JDK_JAVA_OPTIONS"] = "-XX:+UseParallelGC"
    state, detail = doctor(tmp_path, **known)["Java options"]
    assert (state, detail.partition(": ")[0]) == ("failed", ", ".join(OPTION_VARIABLES))


#: A right and a wrong value of each setting; None for one without wrong values.
VALUES = {
    **dict.fromkeys(
        [
            "ANNOTATIONS",
            "ASSEMBLY",
            "CONFIDENCE",
            "DUPLICATES",
            "LIKELIHOODS",
            "PAIRHMM",
            "PDHMM",
            "PILEUPS",
            "SMITHWATERMAN",
            "TOOLS",
            "WALK",
        ],
        ("off", "no"),
    ),
    **dict.fromkeys(("READS", "RECALIBRATION", "REGION_THREADS"), ("1024", "1025")),
    "BACKEND": ("auto", "gpu"),
    "BUILD": ("portable", "sse"),
    "CACHE": ("/absent", "absent"),
    "DEVICES": ("0,1", "0,0"),
    "DEVICE_MEMORY": ("100", "1G"),
    "LIBRARY": ("", None),
    "LOG": ("debug", "loud"),
    "PYTHON": ("python3", "./python3"),
    "RECORD": ("/tmp/new", "/absent/new"),
    "RECORD_SMITHWATERMAN": ("new", "/tmp"),
    "RELEASE": ("1", None),
    "THREADS": ("2", "0"),
    "VERIFY": ("100", "1.5"),
}


def test_settings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(Path(sys.executable).parent))  # it has no Java, which takes long
    monkeypatch.setenv("JAVA_HOME", str(tmp_path))
    right = {f"GKL_SHIM_{name}": value for name, (value, _) in VALUES.items()}
    assert not right.keys() & doctor(tmp_path, **right).keys()
    wrong = {f"GKL_SHIM_{name}": value for name, (_, value) in VALUES.items() if value}
    found = doctor(tmp_path, **wrong)
    for name, value in wrong.items():
        state, detail = found[name]
        assert (state, detail.partition(" ")[0]) == ("failed", f"{value}:")
    # A name that is unknown is told, but may be the user's own.
    found = doctor(
        tmp_path,
        GKL_SHIM_THREAD="4",
        GKL_SHIM_OWN_JAR="x",
        GKL_SHIM_EMPTY="",
        JAVA_TOOL_OPTIONS="-Dgkl.shim.recordings=x -Dgkl.shim.walk=off -Dother=x",
    )
    unknown = "gkl-shim has no such setting"
    assert {name: found[name] for name in found if "shim" in name.lower()} == {
        "GKL_SHIM_THREAD": ("ignored", f"{unknown}; did you mean GKL_SHIM_THREADS?"),
        "GKL_SHIM_OWN_JAR": ("ignored", unknown),
        "gkl.shim.recordings": ("ignored", f"{unknown}; did you mean gkl.shim.record?"),
    }
    found = doctor(tmp_path, JAVA_TOOL_OPTIONS="'-Dgkl.shim.threads=a b'")
    state, detail = found["gkl.shim.threads"]
    assert (state, detail[:30]) == ("failed", "a b: it must be a whole number")


def test_all_settings_are_known() -> None:
    """Those that Java, the bridge and the documentation name."""
    root = Path(__file__).parents[2]
    sources = ["java/src/main/java/org/gklshim/Setting.java", "kernels/jni/settings/settings.cpp"]
    text = "".join((root / source).read_text() for source in sources)
    properties = set(re.findall(r'"gkl\.shim\.(\w+)"', text))
    variables = set(re.findall(r'"GKL_SHIM_(\w+)"', text))
    assert {name.lower() for name in variables} == properties
    table = (
        (root / "docs" / "gatk.md").read_text().partition("## Settings")[2].partition("\n## ")[0]
    )
    variables |= set(re.findall(r"`GKL_SHIM_(\w+)", table))
    assert variables | {"CACHE", "RELEASE"} == set(settings.SETTINGS) == set(VALUES)


def test_no_line_is_divided_in_a_file_or_pipe(tmp_path: Path) -> None:
    deep = tmp_path / ("long" * 40)
    deep.mkdir()
    jar = deep / "gatk.jar"
    jar.touch()
    done = run(tmp_path, "doctor", env={"GATK_LOCAL_JAR": str(jar), "GATK_CLASSPATH": ""})
    assert str(jar) in done.stdout.decode()
    assert all(line == line.rstrip() for line in done.stdout.decode().splitlines())


def _wrong_results() -> dict[str, Any]:
    read, haplotypes, values = known_results.PAIRHMM[0]
    reference, sequence, known = known_results.ALIGNMENTS
    return {
        "PAIRHMM": ((read, haplotypes, (values[0] + 1e-4, *values[1:])),),
        "PDHMM_LIKELIHOODS": known_results.PDHMM_LIKELIHOODS[::-1],
        "ALIGNMENTS": (reference, sequence, {**known, "indel": known["softclip"]}),
    }


@pytest.mark.parametrize(("name", "wrong"), list(_wrong_results().items()))
def test_a_build_with_wrong_results_is_a_failure(
    monkeypatch: pytest.MonkeyPatch, name: str, wrong: Any
) -> None:
    monkeypatch.setattr(known_results, name, wrong)
    assert checkup._build("portable", False).state == "failed"


def test_a_jar_without_a_kernels_class_is_a_failure(tmp_path: Path) -> None:
    jar = tmp_path / "gkl-shim.jar"
    with zipfile.ZipFile(paths.agent_jar()) as old, zipfile.ZipFile(jar, "w") as new:
        for name in old.namelist():
            if "IntelPDHMM" not in name:
                new.writestr(name, old.read(name))
    assert checkup._agent(jar).state == "failed"
    assert checkup._agent(paths.agent_jar()).state == "ok"


@pytest.mark.parametrize("home", ["/mnt", "/absent"])
def test_where_tmp_belongs_to_nobody(tmp_path: Path, home: str) -> None:
    """As in Apptainer without setuid. The agent's library is loaded from the user's folders."""
    script = 'mount -t tmpfs gkl-shim-test /mnt; cd /; exec "$@"'
    start = [require_tool("unshare"), "--user", "--map-root-user", "--mount", "sh", "-ec", script]
    if os.geteuid() == 0:  # in root's own namespaces, /tmp is still root's
        other = ["--reuid=12345", "--regid=12345", "--clear-groups"]
        start = [require_tool("setpriv"), *other, *start]
    if reason := subprocess.run([*start, "sh", "true"], capture_output=True, text=True).stderr:
        pytest.skip(f"no user namespaces here: {reason}")
    java = tmp_path / "bin" / "java"
    java.parent.mkdir()
    command = shlex.join([*start, "sh", require_tool("java")])
    java.write_text(
        f'#!/bin/sh\nunset XDG_RUNTIME_DIR XDG_CACHE_HOME\nHOME={home} exec {command} "$@"\n'
    )
    java.chmod(0o755)
    state, detail = doctor(tmp_path, JAVA_HOME=str(tmp_path))["GATK agent"]
    assert state == ("ok" if home == "/mnt" else "failed")
    assert ("/tmp belongs to another user" in detail) == (home == "/absent")


def test_the_known_results_are_those_of_the_definitions() -> None:
    """Computed once more, by the tests' own programs."""
    for pair_read, haplotypes, values in known_results.PAIRHMM:
        size = len(pair_read.bases)
        given = (pair_read.quals, pair_read.insertion_quals)
        given += (pair_read.deletion_quals, pair_read.continuation_quals)
        tracks = [[track] * size if isinstance(track, int) else track for track in given]
        for haplotype, value in zip(haplotypes, values, strict=True):
            found = oracle.likelihood(pair_read.bases.encode(), *tracks, haplotype.encode())
            assert found == pytest.approx(value, abs=1e-11)
    for read, known in zip(known_results.PDHMM_READS, known_results.PDHMM_LIKELIHOODS, strict=True):
        tracks = (read.quals, read.insertion_quals, read.deletion_quals, read.continuation_quals)
        quals = [[track] * len(read.bases) for track in tracks]
        for (bases, flags), value in zip(known_results.PDHMM_HAPLOTYPES, known, strict=True):
            letters = [flags.get(at, 0) for at in range(len(bases))]
            found = pdhmm_oracle.likelihood(read.bases.encode(), *quals, bases.encode(), letters)
            assert found == pytest.approx(value, abs=1e-13)
    reference, sequence, aligned = known_results.ALIGNMENTS
    for overhang, expected in aligned.items():
        pair = reference.encode(), sequence.encode()
        assert smithwaterman_oracle.align(*pair, (200, -150, -260, -11), overhang) == expected
