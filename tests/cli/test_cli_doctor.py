"""``gkl-shim doctor``."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path
from typing import Any

import pytest

from gkl_shim import _checkup, _known_results, _native, paths
from tests import oracle
from tests.cli.shim_command import run
from tests.pdhmm import oracle as pdhmm_oracle
from tests.smithwaterman import oracle as smithwaterman_oracle


def test_the_json_report_lists_every_part(tmp_path: Path) -> None:
    done = run(tmp_path, "doctor", "--json", "-")
    report = json.loads(done.stdout)
    assert done.returncode == 0
    assert report["ok"] is True
    found = {finding["name"]: finding for finding in report["findings"]}
    for build in _native.builds():
        assert found[f"build {build}"]["state"] == "ok"
        for kernel in ("PairHMM: ", "PDHMM: ", "Smith-Waterman: "):
            assert kernel in found[f"build {build}"]["detail"]
    assert "replaces PairHMM, PDHMM, Smith-Waterman" in found["GATK agent"]["detail"]
    assert {"Java", "GATK agent", "Maven", "GPU", "CuPy"} <= found.keys()
    assert all(finding["state"] in ("ok", "missing", "failed") for finding in found.values())


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
    bare = {"PATH": str(empty), "JAVA_HOME": str(empty)}
    done = run(tmp_path, "doctor", "--json", "-", env=bare)
    assert done.returncode == 0, done.stderr
    found = {finding["name"]: finding for finding in json.loads(done.stdout)["findings"]}
    for name in ("Java", "Maven", "GPU"):
        assert found[name]["state"] == "missing"
        assert found[name]["detail"]


def gatk(folder: Path, **environment: str) -> dict[str, str]:
    """Return what doctor finds of GATK if the cache has none."""
    env = {"GKL_SHIM_CACHE": str(folder / "cache"), "GATK_LOCAL_JAR": "", "GATK_CLASSPATH": ""}
    done = run(folder, "doctor", "--json", "-", env={**env, **environment})
    report = json.loads(done.stdout)
    found: dict[str, str] = next(each for each in report["findings"] if each["name"] == "GATK")
    assert done.returncode == (found["state"] == "failed")
    assert report["ok"] == (found["state"] != "failed")
    return found


def test_the_report_names_the_gatk_of_the_user(tmp_path: Path) -> None:
    programs = tmp_path / "programs"
    programs.mkdir()
    none = gatk(tmp_path, PATH=str(programs))
    assert none["state"] == "missing"
    for way in ("GATK_LOCAL_JAR", "`gatk` on the PATH", "`gkl-shim demo`"):
        assert way in none["detail"]
    (programs / "gatk").write_text("#!/bin/sh\n")
    (programs / "gatk").chmod(0o755)
    jar = programs / "gatk-package-4.6.2.0-local.jar"
    jar.touch()
    assert gatk(tmp_path, PATH=str(programs)) == {"name": "GATK", "state": "ok", "detail": str(jar)}
    other = tmp_path / "other.jar"
    other.touch()
    assert gatk(tmp_path, GATK_CLASSPATH=f"{other}:{jar}")["detail"] == f"{other} and 1 more"
    absent = gatk(tmp_path, GATK_LOCAL_JAR="/absent.jar")
    assert absent["state"] == "failed"
    assert absent["detail"] == "GATK_LOCAL_JAR: /absent.jar: no such file or folder"


def test_another_agent_beside_an_archive(tmp_path: Path) -> None:
    """GATK is started. This Java fails if its agent is to change log4j's classes."""
    java = tmp_path / "bin" / "java"
    java.parent.mkdir()
    java.write_text(
        "#!/bin/sh\n"
        'case "$* $JAVA_TOOL_OPTIONS" in\n'
        '"-version "*) echo \'openjdk version "17.0.15"\' ;;\n'
        '*"Main --version"*excludes=*) echo 4.6.2.0 ;;\n'
        '*) echo "Exception in log4j" >&2; exit 1 ;;\n'
        "esac\n"
    )
    java.chmod(0o755)
    jar = tmp_path / "gatk.jar"
    jar.touch()
    archive = f"-XX:SharedArchiveFile={tmp_path}/gkl-shim.jsa"
    jacoco = f"-javaagent:{tmp_path}/jacocoagent.jar=destfile=x"

    def found(**options: str) -> list[str]:
        known = {"JAVA_HOME": str(tmp_path), "GATK_LOCAL_JAR": str(jar), "GATK_CLASSPATH": ""}
        known |= {"JDK_JAVA_OPTIONS": "", "JAVA_TOOL_OPTIONS": "", **options}
        done = run(tmp_path, "doctor", "--json", "-", env=known)
        report = json.loads(done.stdout)
        told = [each for each in report["findings"] if each["name"] == "other agents"]
        assert done.returncode == (not report["ok"])
        return [f"{each['state']}: {each['detail']}" for each in told]

    ours = "-javaagent:/opt/gkl-shim.jar"
    assert found(JAVA_TOOL_OPTIONS=f"{ours} {archive}") == []
    assert found(JAVA_TOOL_OPTIONS=f"{ours} '{jacoco}'") == []
    which = "with jacocoagent.jar and a class-data archive"
    (fault,) = found(JAVA_TOOL_OPTIONS=f"'{jacoco}' {ours}", JDK_JAVA_OPTIONS=archive)
    assert fault.startswith(f"failed: GATK does not start {which}: Exception in log4j; set no")
    excluded = f"{jacoco},excludes=org.apache.logging.*"
    (fine,) = found(JAVA_TOOL_OPTIONS=f"{ours} {archive} {excluded}")
    assert fine == f"ok: GATK starts {which}"


def test_a_missing_engine_is_a_failure(tmp_path: Path) -> None:
    done = run(tmp_path, "doctor", env={"GKL_SHIM_LIBRARY": "/absent.so"})
    assert done.returncode == 1
    assert "/absent.so" in done.stdout.decode()
    assert done.stderr == b""


def _wrong_results() -> dict[str, Any]:
    read, haplotypes, values = _known_results.PAIRHMM[0]
    reference, sequence, known = _known_results.ALIGNMENTS
    return {
        "PAIRHMM": ((read, haplotypes, (values[0] + 1e-4, *values[1:])),),
        "PDHMM_LIKELIHOODS": _known_results.PDHMM_LIKELIHOODS[::-1],
        "ALIGNMENTS": (reference, sequence, {**known, "indel": known["softclip"]}),
    }


@pytest.mark.parametrize(("name", "wrong"), list(_wrong_results().items()))
def test_a_build_with_wrong_results_is_a_failure(
    monkeypatch: pytest.MonkeyPatch, name: str, wrong: Any
) -> None:
    monkeypatch.setattr(_known_results, name, wrong)
    assert _checkup._build("portable", False).state == "failed"


def test_a_jar_without_a_kernels_class_is_a_failure(tmp_path: Path) -> None:
    jar = tmp_path / "gkl-shim.jar"
    with zipfile.ZipFile(paths.agent_jar()) as old, zipfile.ZipFile(jar, "w") as new:
        for name in old.namelist():
            if "IntelPDHMM" not in name:
                new.writestr(name, old.read(name))
    assert _checkup._agent(jar).state == "failed"
    assert _checkup._agent(paths.agent_jar()).state == "ok"


def test_the_known_results_are_those_of_the_definitions() -> None:
    """Computed once more, by the tests' own programs."""
    for pair_read, haplotypes, values in _known_results.PAIRHMM:
        size = len(pair_read.bases)
        given = (pair_read.quals, pair_read.insertion_quals)
        given += (pair_read.deletion_quals, pair_read.continuation_quals)
        tracks = [[track] * size if isinstance(track, int) else track for track in given]
        for haplotype, value in zip(haplotypes, values, strict=True):
            found = oracle.likelihood(pair_read.bases.encode(), *tracks, haplotype.encode())
            assert found == pytest.approx(value, abs=1e-11)
    for read, known in zip(
        _known_results.PDHMM_READS, _known_results.PDHMM_LIKELIHOODS, strict=True
    ):
        tracks = (read.quals, read.insertion_quals, read.deletion_quals, read.continuation_quals)
        quals = [[track] * len(read.bases) for track in tracks]
        for (bases, flags), value in zip(_known_results.PDHMM_HAPLOTYPES, known, strict=True):
            letters = [flags.get(at, 0) for at in range(len(bases))]
            found = pdhmm_oracle.likelihood(read.bases.encode(), *quals, bases.encode(), letters)
            assert found == pytest.approx(value, abs=1e-13)
    reference, sequence, aligned = _known_results.ALIGNMENTS
    for overhang, expected in aligned.items():
        pair = reference.encode(), sequence.encode()
        assert smithwaterman_oracle.align(*pair, (200, -150, -260, -11), overhang) == expected
