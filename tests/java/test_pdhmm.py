"""PDHMM's classes in a JVM: Intel's and GATK's names, our bytes."""

from __future__ import annotations

import re
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from gkl_shim.formats import pdhmm_in
from gkl_shim.gatk import fetch
from tests import conftest
from tests.conftest import require_tool
from tests.java.conftest import Jvm, Outcome
from tests.pdhmm.regions import pairs

RECORDED, LIKELIHOODS = conftest.recorded("chr22_dragen.pdhmm")
GKL = "0.9.1"  # GATK 4.7.0.0 ships with it
MODULE = "tests.java.pdhmm_scenarios"
GATK_JAVA = "org.broadinstitute.hellbender.utils.pairhmm.LoglessPDPairHMM"


def regions_of(path: Path) -> list[list[Any]]:
    """The pairs of each region of a file."""
    with pdhmm_in.Reader(path) as reader:
        return [list(pairs(batch[k : k + 1])) for batch in reader for k in range(len(batch))]


def recorded() -> tuple[list[Any], np.ndarray]:
    """The recorded regions, and the likelihoods of all their pairs."""
    regions = []
    with pdhmm_in.Reader(RECORDED) as reader:
        for batch in reader:
            for k in range(len(batch)):
                some = list(pairs(batch[k : k + 1]))
                count = int(batch.shapes[k][1])
                reads = [pair[:5] for pair in some[::count]]
                regions.append((reads, [pair[5:] for pair in some[:count]]))
    return regions, LIKELIHOODS


def run(jvm: Jvm, scenario: str, argument: Any, **options: Any) -> Outcome:
    return jvm(scenario, argument, gkl=GKL, module=MODULE, **options)


@pytest.mark.parametrize("swap", ["agent", "stock"])
def test_both_methods(jvm: Jvm, swap: str) -> None:
    regions, expected = recorded()
    done = run(jvm, "compute", regions, swap=swap, options=["-Xcheck:jni"])
    assert done.result["ours"] == (swap != "stock")
    for method in ("likelihoods", "flat"):
        found = np.concatenate(done.result[method])
        np.testing.assert_allclose(found, expected, rtol=0, atol=1e-9, err_msg=method)
    assert done.result["again"] == done.result["likelihoods"][0]
    if swap != "stock":
        line = done.line("double precision")
        assert "PDHMM: " in line
        assert line.endswith("Intel GKL replaced (agent)")
        assert "PDHMM: " in done.line(" pairs, ")
        assert len(done.ours) == 2
        assert "WARNING in native method" not in done.log
        assert "FATAL ERROR" not in done.log


def test_every_wrong_call_raises_an_exception(jvm: Jvm) -> None:
    regions, _ = recorded()
    caught = run(jvm, "errors", regions[0]).result
    for name, (kind, message) in caught.items():
        if name.endswith("null"):
            assert kind == "java.lang.NullPointerException", name
        elif name == "not initialized":
            assert kind == "java.lang.IllegalStateException", name
        else:
            assert kind == "java.lang.IllegalArgumentException", name
        assert "\n" not in message
    bases = len(regions[0][0][0][0])
    assert caught["insertionGOP short"][1] == (
        f"read 0: insertionGOP has 1 values for {bases} bases"
    )
    assert "gap qualities are less than 128" in caught["negative gap"][1]
    assert "at most 32768 are allowed" in caught["long read"][1]
    assert "at most 262144 are allowed" in caught["long haplotype"][1]
    assert len(caught) == 56


def test_sixteen_threads(jvm: Jvm) -> None:
    regions, expected = recorded()
    done = run(jvm, "threads", (regions, 16))
    first = done.result[0]
    np.testing.assert_allclose(np.concatenate(first), expected, rtol=0, atol=1e-9)
    assert all(results == first for results in done.result)
    assert "64 regions, " in done.line(" pairs, ")


def test_a_recording_can_be_computed_again_and_verify_finds_the_same_bits(
    jvm: Jvm, tmp_path: Path
) -> None:
    regions, _ = recorded()
    named = tmp_path / "regions.in"
    settings = {"GKL_SHIM_RECORD": str(named), "GKL_SHIM_VERIFY": "3"}
    done = run(jvm, "compute", regions[:2], environment=settings)
    written = tmp_path / "regions.in.pdhmm"
    # Both regions, then each of their reads with all haplotypes, then the first region again.
    assert f"recorded to {written}" in done.log
    found, whole = regions_of(written), regions_of(RECORDED)
    assert found[:2] == whole[:2]
    assert found[-1] == whole[0]
    assert done.line("is verified").endswith(
        "PDHMM: one region in 3 is verified by the portable build"
    )
    computed = re.search(r"PDHMM: (\d+) regions, ", done.line(" pairs, "))
    verified = re.search(
        r"PDHMM: (\d+) regions verified in double precision, 0 different, largest difference 0$",
        done.line("largest"),
    )
    assert computed and verified
    assert int(verified[1]) == int(computed[1]) // 3 > 0


def test_a_recording_says_that_it_has_other_letters(jvm: Jvm, tmp_path: Path) -> None:
    """The engine compares bytes, so a lower-case letter matches no base. The text has no such."""
    reads, haplotypes = recorded()[0][0]
    bases, *rest = haplotypes[0]
    changed = [(bases[:7] + bases[7:9].lower() + bases[9:], *rest), *haplotypes[1:]]
    setting = {"GKL_SHIM_RECORD": str(tmp_path / "regions.in")}
    done = run(jvm, "compute", [(reads, changed)], environment=setting)
    assert re.search(
        r"regions recorded to .* \([1-9]\d* letters other than ACGTN written as A, which gives "
        r"other likelihoods\)$",
        done.line("regions recorded to"),
    )


# ---- GATK's own class -----------------------------------------------------------------------


@pytest.fixture(scope="module")
def classpath() -> str:
    require_tool("java")
    require_tool("mvn")
    return fetch.gatk_classpath()


def gatk_run(jvm: Jvm, classpath: str, monkeypatch: pytest.MonkeyPatch, **options: Any) -> Outcome:
    monkeypatch.setattr("tests.java.conftest.gkl_classpath", lambda _: classpath)
    return run(jvm, "whose", GATK_JAVA, **options)


def test_an_agent_that_is_given_twice_works_once(
    jvm: Jvm, classpath: str, monkeypatch: pytest.MonkeyPatch, agent_jar: Path
) -> None:
    """JAVA_TOOL_OPTIONS may name it, and GATK's --java-options again."""
    done = gatk_run(jvm, classpath, monkeypatch, options=[f"-javaagent:{agent_jar}"])
    assert done.result is True
    assert not [line for line in done.ours if "warning" in line], done.log


def test_gatk_s_class_is_left_alone_if_it_is_another(
    jvm: Jvm, classpath: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Each class by turns: another byte makes it another version."""
    gatk = next(jar for jar in classpath.split(":") if Path(jar).name.startswith("gatk-4"))
    folder = "org/broadinstitute/hellbender/utils/pairhmm/"
    for name in ("LoglessPDPairHMM", "PDPairHMM"):
        other = tmp_path / name
        (other / folder).mkdir(parents=True)
        with zipfile.ZipFile(gatk) as jar:
            bytes_ = jar.read(f"{folder}{name}.class")
        # The name of an attribute that the JVM does not need.
        changed = bytes_.replace(b"SourceFile", b"sourceFile", 1)
        (other / f"{folder}{name}.class").write_bytes(changed)
        done = gatk_run(jvm, f"{other}:{classpath}", monkeypatch)
        assert done.result is False
        assert done.line("PDHMM").endswith(
            f"warning: PDHMM: GATK's Java is used: this version's {name} is not known"
        )


def test_gatk_s_class_is_left_alone_beside_a_native_one(
    jvm: Jvm, classpath: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """A GATK with VectorLoglessPairPDHMM asks for Java only if the user does."""
    folder = tmp_path / "org/broadinstitute/hellbender/utils/pairhmm"
    folder.mkdir(parents=True)
    (folder / "VectorLoglessPairPDHMM.class").touch()
    done = gatk_run(jvm, f"{tmp_path}:{classpath}", monkeypatch)
    assert done.result is False
    assert done.ours == []
