"""A real GATK and its samples. Each sample and each run is made once for the session."""

from __future__ import annotations

import contextlib
import os
import re
import subprocess
import zipfile
from dataclasses import dataclass
from pathlib import Path

import pytest

from benchmarks.common import samples, simulated_samples
from gkl_shim import paths
from gkl_shim.errors import MissingComponent
from gkl_shim.gatk import archive, compare, data, fetch, run, swaps
from tests.conftest import ROOT, alone, require_tool, shared_data

SWAPS = ("agent", "classpath", "library-path")

_ARCHIVES = ROOT / "build" / "tests" / "archive"

#: Options for short runs, which halve their CPU time: the JVM's first compiler alone, and GATK's
#: classes from an archive. The JVM ignores the archive with another class path.
QUICK = (
    "-XX:TieredStopAtLevel=1",
    f"-XX:SharedArchiveFile={_ARCHIVES / swaps.ARCHIVE_NAME}",
    "-Xlog:cds=off",
    "-Xlog:cds+dynamic=off",
)

# Without the shim every comparison would pass, so the log of each run is checked.
_SAID = {
    "stock": None,
    "agent": "agent",
    "classpath": "class path",
    "library-path": "library path",
}


@dataclass(frozen=True)
class Output:
    """The files and the log of one run of GATK."""

    vcf: Path
    log: str
    likelihoods: Path | None = None


class Gatk:
    """Runs GATK. A second call with the same arguments returns the output of the first."""

    def __init__(self, classpath: str, folder: Path) -> None:
        self.classpath = classpath
        self._folder = folder
        libraries = folder / "libraries"
        swaps.library_folder(classpath, libraries)
        self._swaps = {
            "stock": swaps.STOCK,
            "agent": swaps.agent(),
            "classpath": swaps.classpath(),
            "library-path": swaps.library_path(libraries),
        }
        self._done: dict[tuple[object, ...], Output] = {}

    def __call__(
        self,
        tool: str,
        sample: data.Sample,
        *arguments: str,
        swap: str = "stock",
        likelihoods: bool = False,
        java_options: tuple[str, ...] = (),
    ) -> Output:
        key = (tool, sample.name, arguments, swap, likelihoods, java_options)
        if key not in self._done:
            output = self._folder / f"{len(self._done)}.{tool}.{swap}.vcf"
            results = output.with_suffix(".likelihoods") if likelihoods else None
            command = [tool, "-R", str(sample.reference), "-I", str(sample.reads)]
            command += ["-O", str(output), *arguments]
            if results is not None:
                command += ["--pair-hmm-results-file", str(results)]
            options = (*QUICK, *java_options)
            result = run.gatk(command, self.classpath, self._swaps[swap], java_options=options)
            log = result.log.decode()
            assert result.returncode == 0, f"{' '.join(result.command[-20:])}\n{log[-3000:]}"
            if "LOGLESS_CACHING" not in arguments:
                assert _replaced(log) == _SAID[swap], f"{swap}: PairHMM is not its:\n{log[-3000:]}"
            self._done[key] = Output(output, log, results)
        return self._done[key]


def _replaced(log: str) -> str | None:
    """Return the log's words for how the shim replaced Intel's GKL, or None if it did not."""
    match = re.search(r"\[gkl-shim[^]]*\] .*Intel GKL replaced \(([^)]*)\)", log)
    return match[1] if match else None


@pytest.fixture(autouse=True, scope="session")
def _no_shim_around() -> None:
    """Refuse to run with our settings in the environment, because they would spoil comparisons."""
    harmless = ("GKL_SHIM_CACHE", "GKL_SHIM_LIBRARY", "GKL_SHIM_RELEASE", "GKL_SHIM_TEST_GPU")
    names = [name for name in os.environ if name.startswith("GKL_SHIM_") and name not in harmless]
    assert not names, f"unset {' '.join(names)}"


@pytest.fixture(scope="session")
def classpath() -> str:
    require_tool("java")
    require_tool("mvn")
    found = fetch.gatk_classpath()
    # An older Java makes no archive.
    with alone(_ARCHIVES), contextlib.suppress(MissingComponent):
        archive.for_gatk(found, _ARCHIVES)
    return found


@pytest.fixture(scope="session")
def gatk(classpath: str, tmp_path_factory: pytest.TempPathFactory) -> Gatk:
    return Gatk(classpath, tmp_path_factory.mktemp("gatk"))


@pytest.fixture(scope="session")
def chr20(classpath: str, tmp_path_factory: pytest.TempPathFactory) -> data.Sample:
    return samples.na12878_chr20(tmp_path_factory.mktemp("chr20"), classpath)


@pytest.fixture(scope="session")
def chr22(tmp_path_factory: pytest.TempPathFactory) -> data.Sample:
    return data.na12878_chr22(tmp_path_factory.mktemp("chr22"))


@pytest.fixture(scope="session")
def deep(tmp_path_factory: pytest.TempPathFactory) -> data.Sample:
    """A sample as deep as an amplicon: 1,200x over 2 kb, with a SNP every 400 bases."""
    _require_simulators()
    _, sequence = samples.read_fasta(shared_data("genomes", "human_g1k_v37_chr17_1Mb.fa.gz"))
    window = sequence[500_000:502_000]
    folder = tmp_path_factory.mktemp("deep")
    return simulated_samples.simulate(folder, "deep", window, 1200, snp_rate=1 / 400)


@pytest.fixture(scope="session")
def genome(tmp_path_factory: pytest.TempPathFactory) -> data.Sample:
    """A sample like a part of a whole genome: 30x over 250 kb."""
    _require_simulators()
    _, sequence = samples.read_fasta(shared_data("genomes", "human_g1k_v37_chr17_1Mb.fa.gz"))
    folder = tmp_path_factory.mktemp("genome")
    return simulated_samples.simulate(folder, "genome", sequence[:250_000], 30)


def agent_jar(folder: Path, classpath: str, premain: str, *names: str) -> Path:
    """Compile Java files of this folder, one of which is an agent, and return their jar."""
    sources = [str(Path(__file__).with_name(f"{name}.java")) for name in names]
    command = [require_tool("javac"), "-nowarn", "-cp", f"{paths.agent_jar()}:{classpath}"]
    subprocess.run([*command, "-d", str(folder), *sources], check=True)
    jar = folder / "agent.jar"
    with zipfile.ZipFile(jar, "w") as archive:
        archive.writestr("META-INF/MANIFEST.MF", f"Premain-Class: {premain}\n")
        for path in (folder / "org").rglob("*.class"):
            archive.write(path, path.relative_to(folder))
    return jar


def check_agent(folder: Path, classpath: str, *checks: str) -> Path:
    """Compile what calls are redirected to, and the agent that does so, CheckAgent.java."""
    return agent_jar(folder, classpath, "org.gklshim.CheckAgent", "CheckAgent", *checks)


@pytest.fixture
def sample(request: pytest.FixtureRequest) -> data.Sample:
    """The sample that a test's parameter names."""
    chosen: data.Sample = request.getfixturevalue(request.param)
    return chosen


def _require_simulators() -> None:
    for tool in ("art_illumina", "bwa", "samtools"):
        require_tool(tool)


def check_near_ties(gatk: Gatk, tool: str, sample: data.Sample, *arguments: str) -> None:
    """Check a tool in which GKL's results depend on the precision.

    For a few records that are near ties, GKL gives different values in single and in double
    precision. The shim must make GKL's calls, and may differ from GKL in no more records than
    the two precisions do.
    """
    stock = gatk(tool, sample, *arguments)
    shim = gatk(tool, sample, *arguments, swap="agent")
    found = compare.compare(stock.vcf, shim.vcf)
    assert found.records[0] > 0
    assert found.same_calls, str(found)
    if found.differences:
        double = gatk(tool, sample, *arguments, "--native-pair-hmm-use-double-precision", "true")
        allowed = compare.compare(stock.vcf, double.vcf)
        differing = "\n".join(map(str, found.differences))
        assert len(found.differences) <= len(allowed.differences), differing
        print(f"{len(found.differences)} of {found.records[0]} records differ:\n{differing}")
