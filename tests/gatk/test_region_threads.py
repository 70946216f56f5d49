"""HaplotypeCaller and Mutect2 call regions in several threads: stock's output, also in trouble."""

from __future__ import annotations

import subprocess
import zipfile
from pathlib import Path

import pytest

from gkl_shim import paths
from gkl_shim.gatk import data, run, swaps
from tests.conftest import require_tool
from tests.gatk.conftest import QUICK_COMPILER, Gatk

pytestmark = pytest.mark.gatk


def records(vcf: Path) -> list[str]:
    return [line for line in vcf.read_text().splitlines() if not line.startswith("##")]


def threads(count: int | str) -> tuple[str, ...]:
    return (f"-Dgkl.shim.region_threads={count}",)


@pytest.mark.parametrize("count", [2, 3, 32])
def test_haplotypecallers_vcf_is_stocks_for_any_number_of_threads(
    gatk: Gatk, genome: data.Sample, count: int
) -> None:
    stock = gatk("HaplotypeCaller", genome, likelihoods=True)
    ours = gatk("HaplotypeCaller", genome, swap="agent", java_options=threads(count))
    assert f"regions: {count} threads" in ours.log
    assert records(ours.vcf) == records(stock.vcf)
    assert len(records(ours.vcf)) > 200


def test_deep_samples_get_stocks_random_numbers(gatk: Gatk, deep: data.Sample) -> None:
    """The downsampler and QualByDepth draw from one generator."""
    stock = gatk("HaplotypeCaller", deep, likelihoods=True)
    ours = gatk("HaplotypeCaller", deep, swap="agent", java_options=threads(8))
    assert "regions: 8 threads" in ours.log
    assert records(ours.vcf) == records(stock.vcf)


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("HaplotypeCaller", ("-ERC", "GVCF")),
        ("HaplotypeCaller", ("-ploidy", "4")),
        ("HaplotypeCaller", ("--dragen-378-concordance-mode",)),
        ("Mutect2", ()),
        ("Mutect2", ("--mitochondria-mode",)),
    ],
)
def test_other_modes_write_what_one_thread_writes(
    gatk: Gatk, chr22: data.Sample, tool: str, arguments: tuple[str, ...]
) -> None:
    one = gatk(tool, chr22, *arguments, swap="agent", java_options=threads("off"))
    several = gatk(tool, chr22, *arguments, swap="agent", java_options=threads(3))
    assert "regions: 3 threads" in several.log
    assert "regions:" not in one.log
    assert records(several.vcf) == records(one.vcf)


def test_an_option_that_needs_one_thread_is_named(
    gatk: Gatk, chr22: data.Sample, tmp_path: Path
) -> None:
    bam = tmp_path / "out.bam"
    done = gatk("HaplotypeCaller", chr22, "-bamout", str(bam), swap="agent",
                java_options=threads(4))  # fmt: skip
    assert "regions: one thread, because of --bam-output" in done.log
    assert bam.stat().st_size > 0


@pytest.fixture(scope="module")
def trouble(classpath: str, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An agent that makes calls of regions sleep or fail."""
    folder = tmp_path_factory.mktemp("trouble")
    sources = map(str, Path(__file__).parent.glob("RegionTrouble*.java"))
    command = [require_tool("javac"), "-nowarn", "-cp", f"{paths.agent_jar()}:{classpath}"]
    subprocess.run([*command, "-d", str(folder), *sources], check=True)
    jar = folder / "trouble.jar"
    with zipfile.ZipFile(jar, "w") as archive:
        archive.writestr("META-INF/MANIFEST.MF", "Premain-Class: org.gklshim.RegionTrouble\n")
        for path in (folder / "org").rglob("*.class"):
            archive.write(path, path.relative_to(folder))
    return jar


def in_trouble(
    trouble: Path, classpath: str, sample: data.Sample, output: Path, *options: str
) -> run.Run:
    command = ["HaplotypeCaller", "-R", str(sample.reference), "-I", str(sample.reads)]
    return run.gatk(
        [*command, "-O", str(output)],
        classpath,
        swaps.agent(),
        java_options=(f"-javaagent:{trouble}", QUICK_COMPILER, *options),
    )


def test_threads_that_sleep_at_random_change_nothing(
    gatk: Gatk, trouble: Path, classpath: str, genome: data.Sample, tmp_path: Path
) -> None:
    stock = gatk("HaplotypeCaller", genome, likelihoods=True)
    output = tmp_path / "out.vcf"
    done = in_trouble(trouble, classpath, genome, output, *threads(8), "-Dtest.sleep=20")
    assert done.returncode == 0
    assert records(output) == records(stock.vcf)


@pytest.mark.parametrize("error", ["exception", "user", "memory"])
def test_a_region_that_fails_ends_the_run_as_in_one_thread(
    trouble: Path, classpath: str, chr22: data.Sample, tmp_path: Path, error: str
) -> None:
    outcomes = []
    for count in ("off", "4"):
        output = tmp_path / f"{count}.vcf"
        options = ("-Dtest.fail=5009", f"-Dtest.error={error}", "-Dtest.sleep=50")
        done = in_trouble(trouble, classpath, chr22, output, *options, *threads(count))
        assert b"for the test" in done.log
        outcomes.append((done.returncode, records(output)))
    assert outcomes[0] == outcomes[1]
    assert outcomes[0][0] != 0
    assert len(outcomes[0][1]) > 1


def test_a_full_disk_ends_the_run_as_in_one_thread(
    trouble: Path, classpath: str, chr22: data.Sample
) -> None:
    codes = set()
    for count in ("off", "4"):
        done = in_trouble(trouble, classpath, chr22, Path("/dev/full"), *threads(count))
        assert b"No space left on device" in done.log
        codes.add(done.returncode)
    assert len(codes) == 1 and 0 not in codes


@pytest.mark.parametrize(
    ("early", "expected"),
    [
        ("utils.Utils", "calling regions: GATK's own code is used: the JVM loaded Utils"),
        ("engine.AssemblyRegionIterator", "finding active regions: GATK's own code is used: the"),
    ],
)
def test_gatk_keeps_its_own_code_if_a_class_was_loaded_before_the_agent(
    gatk: Gatk, classpath: str, genome: data.Sample, tmp_path: Path, early: str, expected: str
) -> None:
    """An AOT cache of Java 24 and later loads GATK's classes so early."""
    source = Path(__file__).with_name("EarlyClasses.java")
    subprocess.run([require_tool("javac"), "-d", str(tmp_path), str(source)], check=True)
    jar = tmp_path / "early.jar"
    with zipfile.ZipFile(jar, "w") as archive:
        archive.writestr("META-INF/MANIFEST.MF", "Premain-Class: org.gklshim.test.EarlyClasses\n")
        for path in (tmp_path / "org").rglob("*.class"):
            archive.write(path, path.relative_to(tmp_path))
    stock = gatk("HaplotypeCaller", genome, likelihoods=True)
    output = tmp_path / "out.vcf"
    command = ["HaplotypeCaller", "-R", str(genome.reference), "-I", str(genome.reads)]
    done = run.gatk(
        [*command, "-O", str(output)],
        classpath,
        swaps.agent(),
        java_options=(QUICK_COMPILER, *threads(3)),
        environment={
            "JAVA_TOOL_OPTIONS": f"-javaagent:{jar}=org.broadinstitute.hellbender.{early}"
        },
    )
    assert done.returncode == 0
    assert done.log.decode().count(expected) == 1
    assert (b"regions: 3 threads" in done.log) == (early != "utils.Utils")
    assert records(output) == records(stock.vcf)
