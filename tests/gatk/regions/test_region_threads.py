"""HaplotypeCaller and Mutect2 call regions in several threads: stock's output, also in trouble."""

from __future__ import annotations

import hashlib
import re
import signal
import subprocess
import zipfile
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import pysam
import pytest

from benchmarks.common import run_modes
from gkl_shim.gatk import data, run, swaps
from tests.conftest import require_tool
from tests.gatk.conftest import QUICK, Gatk, Jvm, command, our_agent, programs

pytestmark = pytest.mark.gatk


def records(vcf: Path) -> list[str]:
    return [line for line in vcf.read_text().splitlines() if not line.startswith("##")]


def bcf_records(bcf: Path) -> bytes:
    """Return what follows the header, whose length is behind five bytes."""
    content = bcf.read_bytes()
    assert content[:3] == b"BCF"
    return content[9 + int.from_bytes(content[5:9], "little") :]


def threads(count: int | str) -> tuple[str, ...]:
    setting = "region_threads" if count == "off" else "threads"
    return (f"-Dgkl.shim.{setting}={count}",)


@pytest.fixture(scope="module")
def trouble(checks: Path) -> str:
    """The option of an agent that makes calls of regions sleep or fail."""
    engine = "org/broadinstitute/hellbender/tools/walkers/haplotypecaller/HaplotypeCallerEngine"
    return f"-javaagent:{checks}={engine},callRegion,org/gklshim/RegionTroubleCalls"


@pytest.fixture(scope="module")
def jvms(trouble: str, classpath: str, shared: Path) -> Iterator[dict[str, Jvm]]:
    """JVMs with that agent. GATK's own code calls regions in one, and several threads in the
    other: four, unless a test sets another number."""
    options = (our_agent(), trouble, "-Dgkl.shim.log=debug")
    made = {count: Jvm(classpath, shared, *options, *threads(count)) for count in ("off", "4")}
    yield made
    for jvm in made.values():
        jvm.close()


def calm(**settings: str) -> list[list[str]]:
    """Return the lines that prepare a JVM for a run: settings of RegionTroubleCalls, without which
    it does nothing, and the random numbers of a new JVM."""
    known = {"sleep": "0", "fail": "-1", "error": "", "draw": "false", **settings}
    return [["random"], *(["set", f"test.{name}", value] for name, value in known.items())]


def started(
    jvm: Jvm, *runs: Sequence[str], count: int | None = None, together: bool = False
) -> str:
    """Run tools, one after another or all at once, and return the log."""
    setting = ["set", "gkl.shim.threads"]
    before = [*calm(), *([[*setting, str(count)]] if count else [])]
    results, log = jvm(*before, *([["together"]] if together else []), *runs)
    if count:
        jvm([*setting, "4"])
    assert all(result.startswith("returned: ") for result in results), log[-3000:]
    return log


Ours = Callable[..., tuple[list[str], str]]


@pytest.fixture
def ours(jvms: dict[str, Jvm], tmp_path: Path) -> Ours:
    """Run a tool with a number of threads. Return the records and the log of the run."""

    def called(
        count: int, tool: str, sample: data.Sample, *arguments: str
    ) -> tuple[list[str], str]:
        vcf = tmp_path / "ours.vcf"
        log = started(jvms["4"], command(tool, sample, vcf, *arguments), count=count)
        assert f"regions: {count} threads" in log or count == 1, log[-3000:]
        return records(vcf), log

    return called


def test_haplotypecallers_vcf_is_stocks(gatk: Gatk, ours: Ours, genome: data.Sample) -> None:
    stock = gatk("HaplotypeCaller", genome, likelihoods=True)
    found, _ = ours(32, "HaplotypeCaller", genome)
    assert found == records(stock.vcf)
    assert len(found) > 50


def test_a_deletion_that_reaches_into_another_region_is_remembered(
    gatk: Gatk, ours: Ours, deletions: data.Sample, shared: Path
) -> None:
    """GATK keeps the allele * only where it has emitted the deletion that covers the variant.

    Some regions have another ploidy than the sample.
    """
    ploidy = shared / "ploidy.bed"
    ploidy.write_text("deletions\t2000\t6000\t2\ndeletions\t6000\t9000\t3\n")
    small = ["--max-assembly-region-size", "100", "--min-assembly-region-size", "30"]
    small += ["--ploidy-regions", str(ploidy)]
    stock = gatk("HaplotypeCaller", deletions, *small)
    spanning = [line for line in records(stock.vcf) if "*" in line.split("\t")[4]]
    assert len(spanning) > 15
    assert ours(8, "HaplotypeCaller", deletions, *small)[0] == records(stock.vcf)


def test_intels_code_is_called_in_one_thread(gatk: Gatk, chr22: data.Sample) -> None:
    """Its Smith-Waterman is not made for several threads."""
    option = "-Dgkl.shim.smithwaterman=off"
    ours = gatk("HaplotypeCaller", chr22, swap="agent", java_options=(option, *threads(4)))
    assert "regions: GATK's own code is used: Intel's IntelSmithWaterman" in ours.log
    assert records(ours.vcf) == records(gatk("HaplotypeCaller", chr22, likelihoods=True).vcf)


def test_intels_pdhmm_is_called_in_one_thread(
    gatk_470: Gatk, chr22: data.Sample, shared: Path, tmp_path: Path
) -> None:
    """It keeps its table in a variable that all threads share."""
    jvm = Jvm(gatk_470.classpath, shared, our_agent(), "-Dgkl.shim.pdhmm=off", *threads(4))
    short = command("HaplotypeCaller", chr22, tmp_path / "out.vcf", "-L", "q:1-2500")
    _, log = jvm([*short, "--dragen-378-concordance-mode"])
    assert "regions: GATK's own code is used: Intel's IntelPDHMM" in log
    _, log = jvm(short)
    assert "regions: 4 threads" in log + jvm.close()


def waits(log: str) -> list[int]:
    """Return how many values of QD were drawn, and how often regions and the search for regions
    waited until all earlier regions were done."""
    (line,) = (line for line in log.splitlines() if "values of QD drawn" in line)
    return [int(number) for number in re.findall(r" (\d+) ", line.split("regions:")[1])]


def test_regions_of_real_reads_do_not_wait_to_draw_qd(
    gatk: Gatk, ours: Ours, hg002: data.Sample
) -> None:
    stock = gatk("HaplotypeCaller", hg002, likelihoods=True)
    found, log = ours(8, "HaplotypeCaller", hg002)
    assert found == records(stock.vcf)
    drawn, regions_waits, search_waits = waits(log)
    assert drawn > 30
    assert (regions_waits, search_waits) == (0, 0)


def test_the_search_does_not_wait_for_regions_that_draw_nothing(
    ours: Ours, deep: data.Sample
) -> None:
    """There is no QualByDepth in Mutect2, but the downsampler draws."""
    one, _ = ours(1, "Mutect2", deep)
    eight, log = ours(8, "Mutect2", deep)
    assert one == eight
    assert waits(log) == [0, 0, 0]


def test_tools_that_run_one_after_another_in_one_jvm(
    gatk: Gatk,
    jvms: dict[str, Jvm],
    chr22: data.Sample,
    deep: data.Sample,
    hg002: data.Sample,
    tmp_path: Path,
) -> None:
    """In other modes they write what one thread and what stock GATK write. That is the BAM file of
    the haplotypes, too: GATK numbers them through all regions. In the BCF file, QD is a number."""
    runs = {
        "gvcf": ("HaplotypeCaller", chr22, "-ERC", "GVCF"),
        "dragen": ("HaplotypeCaller", chr22, "--dragen-378-concordance-mode"),
        "mutect2": ("Mutect2", chr22),
        "deep": ("HaplotypeCaller", deep),
        "pseudo": ("HaplotypeCaller", chr22, "-A", "AllelePseudoDepth"),
        "own": ("HaplotypeCaller", chr22, "-A", "CountingAnnotation"),
    }
    logs = {}
    for way in ("off", "3", "stock"):
        folder = tmp_path / way
        folder.mkdir()
        commands = [
            command(tool, sample, folder / f"{name}.vcf", "-bamout",
                    str(folder / f"{name}.bamout.bam"), *arguments)
            for name, (tool, sample, *arguments) in runs.items()
            if way in ("3", "off" if name == "deep" else "stock")
        ]  # fmt: skip
        # Its random numbers follow those of the deep sample.
        if way != "stock":
            commands.append(command("HaplotypeCaller", hg002, folder / "high_qd.bcf"))
        jvm = {"off": jvms["off"], "3": jvms["4"], "stock": gatk.jvm()}[way]
        logs[way] = started(jvm, *commands, count=3 if way == "3" else None)
    # DRAGEN 3.7.8 mode detects variants in pileups, which our walk does not make everywhere.
    said = "finding active regions: GATK's own code is used: pileup detection"
    assert logs["3"].count(said) == 1
    for name in runs:
        way = "off" if name == "deep" else "stock"
        assert run_modes.difference(tmp_path / way / name, tmp_path / "3" / name) is None, name
        assert (tmp_path / "3" / f"{name}.bamout.bam").stat().st_size > 10_000
    one_thread, three = (bcf_records(tmp_path / way / "high_qd.bcf") for way in ("off", "3"))
    assert one_thread == three
    # Another test runs stock GATK on this sample, which takes long.
    stock = gatk("HaplotypeCaller", deep, likelihoods=True)
    assert records(tmp_path / "3" / "deep.vcf") == records(stock.vcf)
    assert logs["3"].count("regions: 3 threads") == 5
    for annotation in ("AllelePseudoDepth", "CountingAnnotation"):
        reason = f"regions: GATK's own code is used: the annotation {annotation}"
        assert logs["3"].count(reason) == 1
    assert "] regions:" not in logs["off"]
    assert "[gkl-shim" not in logs["stock"]


def test_tools_that_run_at_once_in_one_jvm(
    gatk: Gatk, chr22: data.Sample, jvms: dict[str, Jvm], tmp_path: Path
) -> None:
    """GATK's tools share one source of random numbers, but this sample needs none."""
    stock = gatk("HaplotypeCaller", chr22, likelihoods=True)
    ours = [tmp_path / "1.vcf", tmp_path / "2.vcf"]
    commands = [command("HaplotypeCaller", chr22, vcf) for vcf in ours]
    log = started(jvms["4"], *commands, together=True)
    assert log.count("regions: 4 threads") == 2
    for vcf in ours:
        assert records(vcf) == records(stock.vcf)


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
    done = run.gatk(
        command("HaplotypeCaller", chr22, output),
        f"{tmp_path / 'changed.jar'}:{classpath}",
        swaps.agent(),
        java_options=(*QUICK, *threads(4)),
    )
    said = "GATK's own code is used: this version's AssemblyRegionIterator is not known"
    assert f"regions: {said}".encode() in done.log
    assert f"finding active regions: {said}".encode() in done.log
    assert records(output) == records(gatk("HaplotypeCaller", chr22, likelihoods=True).vcf)


def in_trouble(
    jvm: Jvm, sample: data.Sample, output: Path, *arguments: str, **settings: str
) -> tuple[str, str]:
    """Run HaplotypeCaller with settings of RegionTroubleCalls. Return what it returns or throws,
    and the log."""
    words = command("HaplotypeCaller", sample, output, *arguments)
    (outcome,), log = jvm(*calm(**settings), words)
    return outcome, log


def test_threads_that_sleep_at_random_change_nothing(
    gatk: Gatk, jvms: dict[str, Jvm], chr22: data.Sample, tmp_path: Path
) -> None:
    stock = gatk("HaplotypeCaller", chr22, likelihoods=True)
    output = tmp_path / "out.vcf"
    outcome, _ = in_trouble(jvms["4"], chr22, output, sleep="20")
    assert outcome.startswith("returned: ")
    assert records(output) == records(stock.vcf)


def test_regions_that_draw_numbers_themselves_wait_for_their_turn(
    jvms: dict[str, Jvm], hg002: data.Sample, tmp_path: Path
) -> None:
    """They first draw what their records have left to draw."""
    vcfs = []
    for count, jvm in jvms.items():
        output = tmp_path / f"{count}.vcf"
        outcome, log = in_trouble(jvm, hg002, output, draw="true", sleep="20")
        assert outcome.startswith("returned: ")
        vcfs.append(records(output))
    assert vcfs[0] == vcfs[1]
    drawn, regions_waits, _ = waits(log)
    assert drawn > 30
    assert regions_waits > 0


def bam_reads(bam: Path) -> list[str]:
    with pysam.AlignmentFile(str(bam)) as file:
        return [read.to_string() for read in file]


@pytest.mark.parametrize("error", ["user", "late"])
def test_a_region_that_fails_ends_the_run_as_in_one_thread(
    jvms: dict[str, Jvm], chr22: data.Sample, tmp_path: Path, error: str
) -> None:
    outcomes = []
    for count, jvm in jvms.items():
        output, bam = tmp_path / f"{count}.vcf", tmp_path / f"{count}.bam"
        outcome, _ = in_trouble(
            jvm, chr22, output, "-bamout", str(bam), fail="5009", error=error, sleep="20"
        )
        outcomes.append((outcome, records(output), bam_reads(bam)))
    assert outcomes[0] == outcomes[1]
    outcome, written, reads = outcomes[0]
    assert re.match("threw: .*for the test", outcome)
    assert len(written) > 1
    assert reads


def test_a_region_that_lacks_memory_ends_the_process_as_in_one_thread(
    trouble: str, classpath: str, chr22: data.Sample, tmp_path: Path
) -> None:
    """GATK's main() does not catch this error, so each thread that is left would keep the JVM."""
    outcomes = []
    for count in ("off", "4"):
        output, bam = tmp_path / f"{count}.vcf", tmp_path / f"{count}.bam"
        options = (trouble, *QUICK, "-Dtest.fail=5009", "-Dtest.error=memory", *threads(count))
        done = run.gatk(
            command("HaplotypeCaller", chr22, output, "-bamout", str(bam)),
            classpath,
            swaps.agent(),
            java_options=(*options, "-Dtest.sleep=20"),
        )
        assert b"for the test" in done.log
        outcomes.append((done.returncode, records(output), bam_reads(bam)))
    assert outcomes[0] == outcomes[1]
    code, written, reads = outcomes[0]
    assert code != 0
    assert len(written) > 1
    assert reads


def test_a_region_that_fails_leaves_the_files_of_one_thread(
    jvms: dict[str, Jvm], chr22: data.Sample, tmp_path: Path
) -> None:
    """It throws an exception. A GVCF has its index and its checksum, and so has --bam-output."""
    left = []
    for count, jvm in jvms.items():
        folder = tmp_path / count
        folder.mkdir()
        output, bam = folder / "out.g.vcf.gz", folder / "out.bam"
        arguments = ("-ERC", "GVCF", "-bamout", str(bam), "--create-output-variant-md5")
        arguments += ("--create-output-bam-md5",)
        outcome, _ = in_trouble(jvm, chr22, output, *arguments, fail="5009", error="exception")
        assert re.match("threw: .*for the test", outcome)
        for file in (output, bam):
            checksum = hashlib.md5(file.read_bytes()).hexdigest()
            assert Path(f"{file}.md5").read_text().split()[0] == checksum
        with pysam.TabixFile(str(output)) as vcf:
            found = list(vcf.fetch(*vcf.contigs))
        with pysam.AlignmentFile(str(bam)) as reads:
            assert reads.check_index()
        names = sorted(path.name for path in folder.iterdir())
        left.append((outcome, names, found, bam_reads(bam)))
    assert left[0] == left[1]
    _, _, found, kept = left[0]
    assert len(found) > 100 and kept


def test_a_full_disk_ends_the_run_as_in_one_thread(
    jvms: dict[str, Jvm], chr22: data.Sample
) -> None:
    outcomes = set()
    for jvm in jvms.values():
        outcome, log = in_trouble(jvm, chr22, Path("/dev/full"))
        assert "No space left on device" in log
        # The message names an object by its address.
        outcomes.add(re.sub("@[0-9a-f]+", "", outcome))
    (outcome,) = outcomes
    assert outcome.startswith("threw: ")


def test_gatk_keeps_its_own_code_if_a_class_was_loaded_before_the_agent(
    gatk: Gatk, classpath: str, shared: Path, chr22: data.Sample, tmp_path: Path
) -> None:
    """An AOT cache of Java 24 and later loads GATK's classes so early."""
    jar = programs(shared, "EarlyClasses")
    stock = gatk("HaplotypeCaller", chr22, likelihoods=True)
    output = tmp_path / "out.vcf"
    package = "org.broadinstitute.hellbender"
    early = f"{package}.utils.Utils,{package}.engine.AssemblyRegionIterator"
    done = run.gatk(
        command("HaplotypeCaller", chr22, output),
        classpath,
        swaps.agent(),
        java_options=(*QUICK, *threads(3)),
        environment={"JAVA_TOOL_OPTIONS": f"-javaagent:{jar}={early}"},
    )
    assert done.returncode == 0
    for part in ("] warning: ", "finding active "):
        said = f"{part}regions: GATK's own code is used: the JVM loaded "
        assert done.log.decode().count(said) == 1
    assert b"regions: 3 threads" not in done.log
    assert records(output) == records(stock.vcf)


def test_a_signal_ends_a_run(
    trouble: str, classpath: str, chr22: data.Sample, tmp_path: Path
) -> None:
    """The JVM's exit code for a signal is 128 and its number."""
    java = [require_tool("java"), our_agent(), trouble, *QUICK, "-Dtest.sleep=600000", *threads(4)]
    java += ["-cp", classpath, run.MAIN_CLASS]
    java += command("HaplotypeCaller", chr22, tmp_path / "out.vcf")
    with subprocess.Popen(
        java, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True
    ) as process:
        assert process.stderr is not None
        assert any("regions: 4 threads" in line for line in process.stderr)
        process.terminate()
        process.stderr.read()
        assert process.wait(60) == 128 + signal.SIGTERM
