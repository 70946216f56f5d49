"""``gkl-shim doctor``."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path

import mpmath
import pytest

from gkl_shim import _checkup, _known_results, _native, paths
from tests.cli.shim_command import run
from tests.pdhmm import oracle as pdhmm_oracle
from tests.smithwaterman import oracle as smithwaterman_oracle


def test_the_report_lists_every_build(tmp_path: Path) -> None:
    done = run(tmp_path, "doctor")
    assert (done.returncode, done.stderr) == (0, b"")
    text = done.stdout.decode()
    for name in ("native library", "CPU", *(f"build {build}" for build in _native.builds())):
        assert name in text


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
    shown, printed = (run(tmp_path, command, *rest) for rest in ([], ["--json", "-"]))
    both = run(tmp_path, command, "--json", "report.json")
    assert (both.returncode, both.stdout) == (0, shown.stdout)
    assert (tmp_path / "report.json").read_bytes() == printed.stdout
    assert json.loads(printed.stdout)
    done = run(tmp_path, command, "--json", "absent/report.json")
    assert (done.returncode, done.stdout) == (1, b"")
    assert b"absent/report.json: No such file or directory" in done.stderr


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
    findings: list[dict[str, str]] = json.loads(done.stdout)["findings"]
    return next(finding for finding in findings if finding["name"] == "GATK")


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


def test_a_missing_engine_is_a_failure(tmp_path: Path) -> None:
    done = run(tmp_path, "doctor", env={"GKL_SHIM_LIBRARY": "/absent.so"})
    assert done.returncode == 1
    assert "/absent.so" in done.stdout.decode()
    assert done.stderr == b""


def test_a_build_with_wrong_results_is_a_failure(monkeypatch: pytest.MonkeyPatch) -> None:
    right = _known_results.PAIRHMM[0]
    wrong = (right[0], right[1], (right[2][0] + 1e-4, *right[2][1:]))
    monkeypatch.setattr(_known_results, "PAIRHMM", (wrong,))
    assert _checkup._build("portable", False).state == "failed"


def test_a_build_with_a_wrong_pdhmm_is_a_failure(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_known_results, "PDHMM_LIKELIHOODS", _known_results.PDHMM_LIKELIHOODS[::-1])
    assert _checkup._build("portable", False).state == "failed"


def test_a_build_with_a_wrong_alignment_is_a_failure(monkeypatch: pytest.MonkeyPatch) -> None:
    reference, sequence, known = _known_results.ALIGNMENTS
    wrong = (reference, sequence, {**known, "indel": known["softclip"]})
    monkeypatch.setattr(_known_results, "ALIGNMENTS", wrong)
    assert _checkup._build("portable", False).state == "failed"


def test_a_jar_without_a_kernels_class_is_a_failure(tmp_path: Path) -> None:
    jar = tmp_path / "gkl-shim.jar"
    with zipfile.ZipFile(paths.agent_jar()) as old, zipfile.ZipFile(jar, "w") as new:
        for name in old.namelist():
            if "IntelPDHMM" not in name:
                new.writestr(name, old.read(name))
    assert _checkup._agent(jar).state == "failed"
    assert _checkup._agent(paths.agent_jar()).state == "ok"


def test_the_known_results_of_pdhmm_and_smith_waterman() -> None:
    """Computed once more, by the tests' own programs."""
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


def test_the_known_likelihoods_follow_the_model() -> None:
    """Computed once more, with 40 digits."""
    with mpmath.workdps(40):
        for read, haplotypes, known in _known_results.PAIRHMM:
            size = len(read.bases)
            tracks = [
                [track] * size if isinstance(track, int) else track
                for track in (
                    read.quals,
                    read.insertion_quals,
                    read.deletion_quals,
                    read.continuation_quals,
                )
            ]
            for haplotype, value in zip(haplotypes, known, strict=True):
                exact = _likelihood(read.bases, *tracks, haplotype)
                assert abs(exact - mpmath.mpf(value)) < 1e-11


def _likelihood(bases, quals, insertions, deletions, continuations, haplotype):  # type: ignore
    exponent = mpmath.mpf("0.434294") * mpmath.log(10)
    size = len(haplotype)
    match, insert = [mpmath.mpf(0)] * (size + 1), [mpmath.mpf(0)] * (size + 1)
    delete = [1 / mpmath.mpf(size)] * (size + 1)
    for base, *phred in zip(bases, quals, insertions, deletions, continuations, strict=True):
        error, to_insert, to_delete, extend = (mpmath.mpf(10) ** (-qual / 10) for qual in
                                               map(mpmath.mpf, phred))  # fmt: skip
        stay = (1 - min(1, to_insert + to_delete)) ** exponent
        rows = [[mpmath.mpf(0)], [mpmath.mpf(0)], [mpmath.mpf(0)]]
        for j, letter in enumerate(haplotype, 1):
            same = base == letter or "N" in (base, letter)
            emission = 1 - error if same else error / 3
            through = stay * match[j - 1] + (1 - extend) * (insert[j - 1] + delete[j - 1])
            rows[2].append(to_delete * rows[0][j - 1] + extend * rows[2][j - 1])
            rows[0].append(emission * through)
            rows[1].append(to_insert * match[j] + extend * insert[j])
        match, insert, delete = rows
    return mpmath.log10(sum(match[1:]) + sum(insert[1:]))
