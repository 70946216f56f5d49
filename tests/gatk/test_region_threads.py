"""HaplotypeCaller and Mutect2 call regions in several threads: stock's output, also in trouble."""

from __future__ import annotations

import os
import signal
import subprocess
import zipfile
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from benchmarks.common import run_modes
from gkl_shim import paths
from gkl_shim.gatk import data, run, swaps
from tests.conftest import require_tool
from tests.gatk.conftest import QUICK, Gatk, agent_jar, check_agent

pytestmark = pytest.mark.gatk


def records(vcf: Path) -> list[str]:
    return [line for line in vcf.read_text().splitlines() if not line.startswith("##")]


def threads(count: int | str) -> tuple[str, ...]:
    return (f"-Dgkl.shim.region_threads={count}",)


def test_haplotypecallers_vcf_is_stocks(gatk: Gatk, genome: data.Sample) -> None:
    stock = gatk("HaplotypeCaller", genome, likelihoods=True)
    ours = gatk("HaplotypeCaller", genome, swap="agent", java_options=threads(32))
    assert "regions: 32 threads" in ours.log
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
        ("HaplotypeCaller", ("--dragen-378-concordance-mode",)),
        ("Mutect2", ()),
    ],
)
def test_other_modes_write_what_one_thread_writes(
    gatk: Gatk, chr22: data.Sample, tool: str, arguments: tuple[str, ...], tmp_path: Path
) -> None:
    """The BAM file of the haplotypes, too: GATK numbers them through all regions."""
    logs = []
    for count in ("off", "3"):
        bam = f"{tmp_path / count}.bamout.bam"
        done = gatk(tool, chr22, *arguments, "-bamout", bam, swap="agent",
                    java_options=threads(count))  # fmt: skip
        Path(f"{tmp_path / count}.vcf").write_text(done.vcf.read_text())
        logs.append(done.log)
    assert "regions: 3 threads" in logs[1]
    assert "regions:" not in logs[0]
    assert run_modes.difference(tmp_path / "off", tmp_path / "3") is None
    assert (tmp_path / "3.bamout.bam").stat().st_size > 10_000


def test_an_option_that_needs_one_thread_is_named(gatk: Gatk, chr22: data.Sample) -> None:
    done = gatk("HaplotypeCaller", chr22, "-A", "AllelePseudoDepth", swap="agent",
                java_options=threads(4))  # fmt: skip
    assert "regions: one thread, because of the annotation AllelePseudoDepth" in done.log


def test_a_class_that_differs_by_a_byte_is_left_alone(
    gatk: Gatk, chr22: data.Sample, classpath: str, tmp_path: Path
) -> None:
    name = "org/broadinstitute/hellbender/engine/AssemblyRegionIterator.class"
    (jar,) = (path for path in classpath.split(":") if "/gatk-4" in path)
    with zipfile.ZipFile(jar) as archive:
        original = archive.read(name)
    changed = original.replace(
        b"AssemblyRegionIterator pileup: ", b"AssemblyRegionIterator_pileup: "
    )
    assert changed != original
    with zipfile.ZipFile(tmp_path / "changed.jar", "w") as archive:
        archive.writestr(name, changed)
    output = tmp_path / "out.vcf"
    command = ["HaplotypeCaller", "-R", str(chr22.reference), "-I", str(chr22.reads)]
    done = run.gatk(
        [*command, "-O", str(output)],
        f"{tmp_path / 'changed.jar'}:{classpath}",
        swaps.agent(),
        java_options=(*QUICK, *threads(4)),
    )
    said = "GATK's own code is used, because this version's AssemblyRegionIterator is not known"
    assert f"calling regions: {said}".encode() in done.log
    assert f"finding active regions: {said}".encode() in done.log
    assert records(output) == records(gatk("HaplotypeCaller", chr22, likelihoods=True).vcf)


@pytest.fixture(scope="module")
def in_one_jvm(
    classpath: str, tmp_path_factory: pytest.TempPathFactory
) -> Callable[..., tuple[list[Path], str]]:
    """Run HaplotypeCaller on samples in one JVM, and return its VCFs and its log."""
    classes = tmp_path_factory.mktemp("in_one_jvm")
    source = Path(__file__).with_name("InOneJvm.java")
    javac = [require_tool("javac"), "-cp", classpath, "-d", str(classes), str(source)]
    subprocess.run(javac, check=True)

    def called(
        folder: Path, samples: Sequence[data.Sample], agent: Sequence[str] = (), *how: str
    ) -> tuple[list[Path], str]:
        folder.mkdir()
        vcfs = [folder / f"{number}.vcf" for number in range(len(samples))]
        command = [require_tool("java"), "-Xmx2g", *QUICK, *agent]
        command += ["-cp", f"{classpath}:{classes}", "InOneJvm", *how]
        for number, (sample, vcf) in enumerate(zip(samples, vcfs, strict=True)):
            command += ["--and"] if number else []
            command += ["HaplotypeCaller", "-R", str(sample.reference), "-I", str(sample.reads)]
            command += ["-O", str(vcf)]
        done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
        assert done.returncode == 0, done.stderr[-3000:]
        return vcfs, done.stderr

    return called


def test_tools_that_run_one_after_another_in_one_jvm(
    chr22: data.Sample, deep: data.Sample, in_one_jvm, tmp_path: Path
) -> None:
    samples = [chr22, deep, chr22]
    stock, log = in_one_jvm(tmp_path / "stock", samples)
    assert "regions: 4 threads" not in log
    agent = [f"-javaagent:{paths.agent_jar()}", *threads(4)]
    ours, log = in_one_jvm(tmp_path / "ours", samples, agent)
    assert log.count("regions: 4 threads") == len(samples)
    for our, other in zip(ours, stock, strict=True):
        assert records(our) == records(other)
        assert len(records(our)) > 1


def test_tools_that_run_at_once_in_one_jvm(
    gatk: Gatk, chr22: data.Sample, in_one_jvm, tmp_path: Path
) -> None:
    """GATK's tools share one source of random numbers, but this sample needs none."""
    stock = gatk("HaplotypeCaller", chr22, likelihoods=True)
    agent = [f"-javaagent:{paths.agent_jar()}", *threads(4)]
    ours, log = in_one_jvm(tmp_path / "ours", [chr22, chr22], agent, "--at-once")
    assert log.count("regions: 4 threads") == 2
    for vcf in ours:
        assert records(vcf) == records(stock.vcf)


@pytest.fixture(scope="module")
def trouble(classpath: str, tmp_path_factory: pytest.TempPathFactory) -> str:
    """The option of an agent that makes calls of regions sleep or fail."""
    jar = check_agent(tmp_path_factory.mktemp("trouble"), classpath, "RegionTroubleCalls")
    engine = "org/broadinstitute/hellbender/tools/walkers/haplotypecaller/HaplotypeCallerEngine"
    return f"-javaagent:{jar}={engine},callRegion,org/gklshim/RegionTroubleCalls"


def in_trouble(
    trouble: str, classpath: str, sample: data.Sample, output: Path, *options: str
) -> run.Run:
    command = ["HaplotypeCaller", "-R", str(sample.reference), "-I", str(sample.reads)]
    return run.gatk(
        [*command, "-O", str(output)],
        classpath,
        swaps.agent(),
        java_options=(trouble, *QUICK, *options),
    )


def test_threads_that_sleep_at_random_change_nothing(
    gatk: Gatk, trouble: str, classpath: str, genome: data.Sample, tmp_path: Path
) -> None:
    stock = gatk("HaplotypeCaller", genome, likelihoods=True)
    output = tmp_path / "out.vcf"
    done = in_trouble(trouble, classpath, genome, output, *threads(8), "-Dtest.sleep=20")
    assert done.returncode == 0
    assert records(output) == records(stock.vcf)


@pytest.mark.parametrize("error", ["user", "memory"])
def test_a_region_that_fails_ends_the_run_as_in_one_thread(
    trouble: str, classpath: str, chr22: data.Sample, tmp_path: Path, error: str
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
    trouble: str, classpath: str, chr22: data.Sample
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
    gatk: Gatk, classpath: str, chr22: data.Sample, tmp_path: Path, early: str, expected: str
) -> None:
    """An AOT cache of Java 24 and later loads GATK's classes so early."""
    jar = agent_jar(tmp_path, classpath, "org.gklshim.test.EarlyClasses", "EarlyClasses")
    stock = gatk("HaplotypeCaller", chr22, likelihoods=True)
    output = tmp_path / "out.vcf"
    command = ["HaplotypeCaller", "-R", str(chr22.reference), "-I", str(chr22.reads)]
    done = run.gatk(
        [*command, "-O", str(output)],
        classpath,
        swaps.agent(),
        java_options=(*QUICK, *threads(3)),
        environment={
            "JAVA_TOOL_OPTIONS": f"-javaagent:{jar}=org.broadinstitute.hellbender.{early}"
        },
    )
    assert done.returncode == 0
    assert done.log.decode().count(expected) == 1
    assert (b"regions: 3 threads" in done.log) == (early != "utils.Utils")
    assert records(output) == records(stock.vcf)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_a_run(
    trouble: str, classpath: str, chr22: data.Sample, tmp_path: Path, number: signal.Signals
) -> None:
    """The JVM's exit code for a signal is 128 and its number."""
    command = [require_tool("java"), f"-javaagent:{paths.agent_jar()}", trouble]
    command += [*QUICK, "-Dtest.sleep=600000", *threads(4), "-cp", classpath]
    command += ["org.broadinstitute.hellbender.Main", "HaplotypeCaller", "-R", str(chr22.reference)]
    command += ["-I", str(chr22.reads), "-O", str(tmp_path / "out.vcf")]
    with subprocess.Popen(
        command, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    ) as process:  # fmt: skip
        assert process.stderr is not None
        assert any("regions: 4 threads" in line for line in process.stderr)
        os.kill(process.pid, number)
        process.stderr.read()
        assert process.wait(60) == 128 + number
