"""A real GATK and its samples. The session makes each sample and each run once."""

from __future__ import annotations

import contextlib
import hashlib
import os
import queue
import re
import subprocess
import threading
import zipfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import takewhile
from pathlib import Path
from types import MappingProxyType

import pytest

from benchmarks.common import gatk_versions, real_samples, samples, simulated_samples
from benchmarks.common.run_samples import RunSample
from gkl_shim import paths
from gkl_shim.errors import MissingComponent
from gkl_shim.gatk import archive, data, fetch, run, swaps
from tests.conftest import DATA, ROOT, alone, once, require_tool, shared_data

SWAPS = ("agent", "library-path")

_ARCHIVES = ROOT / "build" / "tests" / "archive"

#: Options for short runs, which halve their CPU time: the JVM's first compiler alone, its plainest
#: collector, and GATK's classes from an archive. The JVM ignores the archive with another class
#: path.
QUICK = (
    "-XX:TieredStopAtLevel=1",
    "-XX:+UseSerialGC",
    f"-XX:SharedArchiveFile={_ARCHIVES / swaps.ARCHIVE_NAME}",
    "-Xlog:cds=off",
    "-Xlog:cds+dynamic=off",
)

# Without the shim every comparison would pass, so the log of each run is checked.
_SAID = {
    "stock": None,
    "agent": "agent",
    "library-path": "library path",
}


#: Seconds in which a JVM must end its runs.
_PATIENCE = 600


class Jvm:
    """A JVM that runs tools of GATK, one after another: its start takes longer than most runs.

    A run is a tool, or a main class, with its arguments. ToolRuns.java says what other lines do.
    """

    def __init__(
        self, classpath: str, shared: Path, *options: str, java: Sequence[str] = ()
    ) -> None:
        words = [*(java or (require_tool("java"), *QUICK)), "-Xmx2g", *options]
        self._process = subprocess.Popen(
            [*words, "-cp", f"{classpath}:{programs(shared)}", "ToolRuns"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            errors="replace",
        )
        self.log = ""
        """What all runs have said."""
        self._log: queue.Queue[str | None] = queue.Queue()
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def _read(self) -> None:
        assert self._process.stderr is not None
        for line in self._process.stderr:
            self._log.put(line)
        self._log.put(None)

    def __call__(self, *runs: Sequence[str]) -> tuple[list[str], str]:
        """Return what each run returns or throws, and the log."""
        assert self._process.stdin is not None and self._process.stdout is not None
        watch = threading.Timer(_PATIENCE, self._process.kill)
        watch.daemon = True
        watch.start()
        for first, *others in (*runs, ("end",)):
            is_tool = first[0].isupper()
            line = [run.MAIN_CLASS, first, *others] if is_tool else [first, *others]
            print(*line, sep="\t", file=self._process.stdin, flush=True)
        printed = list(takewhile("end\n".__ne__, self._process.stdout))
        watch.cancel()
        results = [line[:-1] for line in printed if line.startswith(("returned: ", "threw: "))]
        log = "".join(takewhile("end\n".__ne__, iter(self._log.get, None)))
        self.log += log
        return results, log

    def peak_mb(self) -> int:
        """Return the most memory that the JVM has had at a time."""
        status = Path(f"/proc/{self._process.pid}/status").read_text()
        return int(re.findall(r"VmHWM:\s+(\d+) kB", status)[0]) // 1024

    def close(self) -> str:
        """End the JVM, and return the rest of the log."""
        assert self._process.stdin is not None
        self._process.stdin.close()
        self._reader.join(_PATIENCE)
        rest = "".join(filter(None, (self._log.get() for _ in range(self._log.qsize()))))
        assert self._process.wait(_PATIENCE) == 0, rest[-3000:]
        return rest


def programs(shared: Path, premain: str = "CheckAgent") -> Path:
    """Return a jar of the Java programs of these tests. As an agent, it is one of two classes."""

    def make(folder: Path) -> Path:
        classes = folder / "classes"
        sources = map(str, Path(__file__).parent.rglob("*.java"))
        javac = [require_tool("javac"), "-J-XX:TieredStopAtLevel=1", "-nowarn", "-proc:none"]
        javac += ["-cp", f"{paths.agent_jar()}:{fetch.gatk_classpath()}", "-d", str(classes)]
        subprocess.run([*javac, *sources], check=True)
        for name in ("CheckAgent", "EarlyClasses"):
            with zipfile.ZipFile(folder / f"{name}.jar", "w") as jar:
                jar.writestr("META-INF/MANIFEST.MF", f"Premain-Class: org.gklshim.{name}\n")
                for path in classes.rglob("*"):
                    jar.write(path, path.relative_to(classes))
        return folder

    return once(shared / "programs", make) / f"{premain}.jar"


@dataclass(frozen=True)
class Output:
    """The files and the log of one run of GATK."""

    vcf: Path
    log: str
    likelihoods: Path | None = None


class Gatk:
    """Runs GATK. The session runs it once with the same arguments, whichever process asks.

    Runs of stock GATK share a JVM, and so do runs with the agent and nothing else. Each run begins
    with the random numbers of a new JVM. A run that is `alone` has its own.
    """

    def __init__(self, classpath: str, folder: Path) -> None:
        self.classpath = classpath
        self._folder = folder
        self._shared: dict[tuple[str, ...], Jvm] = {}
        libraries = folder / hashlib.sha256(classpath.encode()).hexdigest()
        once(libraries, lambda made: bool(swaps.library_folder(classpath, made)))
        self._swaps = {
            "stock": swaps.STOCK,
            "agent": swaps.agent(),
            "library-path": swaps.library_path(libraries),
        }

    def __call__(
        self,
        tool: str,
        sample: data.Sample,
        *arguments: str,
        swap: str = "stock",
        likelihoods: bool = False,
        java_options: tuple[str, ...] = (),
        alone: bool = False,
    ) -> Output:
        # Spark stays in a JVM.
        alone |= bool(java_options) or swap not in ("stock", "agent") or tool.endswith("Spark")
        options = (tool, "-R", str(sample.reference), "-I", str(sample.reads), *arguments)
        key = repr((self.classpath, options, swap, likelihoods, java_options, alone))

        def made(folder: Path) -> Output:
            output, results = folder / "out.vcf", folder / "likelihoods" if likelihoods else None
            command = [*options, "-O", str(output)]
            command += ["--pair-hmm-results-file", str(results)] if results else []
            if alone:
                result = self.run(command, swap, *java_options)
                succeeded, log = result.returncode == 0, result.log.decode()
            else:
                jvm = self.jvm(*[our_agent()] * (swap == "agent"))
                (outcome,), _ = jvm(["random"], command)
                succeeded, log = outcome.startswith("returned: "), jvm.log
            assert succeeded, f"{' '.join(command)}\n{log[-3000:]}"
            assert _replaced(log) == _SAID[swap], f"{swap}: PairHMM is not its:\n{log[-3000:]}"
            return Output(output, log, results)

        return once(self._folder / hashlib.sha256(key.encode()).hexdigest(), made)

    def jvm(self, *agents: str) -> Jvm:
        """Return the JVM of all runs with these agents and nothing else, or of stock GATK."""
        if agents not in self._shared:
            self._shared[agents] = Jvm(self.classpath, self._folder, *agents)
        return self._shared[agents]

    def run(self, arguments: list[str], swap: str, *java_options: str) -> run.Run:
        """Run GATK, which may fail."""
        options = (*QUICK, *java_options)
        return run.gatk(arguments, self.classpath, self._swaps[swap], java_options=options)


def with_gkl(classpath: str, version: str) -> str:
    """Return a class path with another version of GKL and its bindings."""
    gkl = re.compile(r"/(gkl|gatk-native-bindings)-[\d.]+\.jar$")
    other = [jar for jar in fetch.gkl_classpath(version).split(":") if gkl.search(jar)]
    kept = [jar for jar in classpath.split(":") if not gkl.search(jar)]
    assert len(other) == 2 and len(kept) == len(classpath.split(":")) - 2
    return ":".join([*other, *kept])


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
def shared(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder that all test processes of the session share."""
    folder = tmp_path_factory.getbasetemp()
    return folder.parent if "PYTEST_XDIST_WORKER" in os.environ else folder


@pytest.fixture(scope="session")
def gatk(classpath: str, shared: Path) -> Gatk:
    return Gatk(classpath, shared)


@pytest.fixture(scope="session")
def gatk_470(shared: Path) -> Gatk:
    require_tool("java")
    require_tool("mvn")
    return Gatk(gatk_versions.classpath("4.7.0.0"), shared)


@pytest.fixture(scope="session")
def chr20(classpath: str, shared: Path) -> data.Sample:
    return once(shared / "chr20", lambda folder: samples.na12878_chr20(folder, classpath))


@pytest.fixture(scope="session")
def chr22(shared: Path) -> data.Sample:
    return once(shared / "chr22", data.na12878_chr22)


@pytest.fixture(scope="session")
def deep(shared: Path) -> data.Sample:
    """A sample as deep as an amplicon: 1,200x over 1 kb, with a SNP every 400 bases."""
    return _simulated(shared / "deep", slice(500_000, 501_000), 1200, snp_rate=1 / 400)


@pytest.fixture(scope="session")
def hg002(shared: Path) -> data.Sample:
    """12 kb of real reads at 30x. QD is too high at many sites, so GATK draws random numbers."""
    window = real_samples.Window(
        shared_data("hg002_chr20", "HG002.30x.chr20_10_10p1mb.bam"),
        shared_data("hg002_chr20", "window.fa.gz"),
    )

    def make(folder: Path) -> data.Sample:
        sample = RunSample("real-12kb", folder)
        real_samples.make_reads(sample, window)
        return data.Sample("hg002", "HG002, 12 kb of chr20", sample.reference, sample.reads)

    return once(shared / "hg002", make)


@pytest.fixture(scope="session")
def genome(shared: Path) -> data.Sample:
    """A sample like a part of a whole genome: 30x over 70 kb."""
    return _simulated(shared / "genome", slice(70_000), 30)


@pytest.fixture(scope="session")
def deletions(shared: Path) -> data.Sample:
    """12 kb. One copy has a deletion of 30 to 69 bases in each 500, the other a SNP in each 30."""
    sequence = _sequence(slice(200_000, 212_000))
    copies = [(copy, 20) for copy in simulated_samples.long_deletions(sequence, seed=5)]
    simulate = simulated_samples.simulate_mixture
    folder = shared / "deletions"
    return once(folder, lambda made: simulate(made, folder.name, sequence, copies))


@pytest.fixture(scope="session")
def tandem(shared: Path) -> data.Sample:
    """A tandem repeat with variants. Branches that are recovered make a cycle in its graph."""
    for tool in ("bwa", "samtools"):
        require_tool(tool)

    def make(folder: Path) -> data.Sample:
        reference, reads, fastq = (folder / f"tandem.{end}" for end in ("fa", "bam", "fq"))
        name, sequence = samples.read_fasta(DATA / "tandem.fa")
        samples.write_reference(reference, {name: sequence})
        to_fastq = ["samtools", "fastq", "-n", "-o", fastq, DATA / "tandem.sam"]
        subprocess.run(to_fastq, check=True, stderr=subprocess.DEVNULL)
        simulated_samples.align([fastq], reference, reads, name, individual=name)
        return data.Sample(name, "a tandem repeat", reference, reads)

    return once(shared / "tandem", make)


def _simulated(folder: Path, part: slice, depth: float, **options: float) -> data.Sample:
    sequence = _sequence(part)
    name, simulate = folder.name, simulated_samples.simulate
    return once(folder, lambda made: simulate(made, name, sequence, depth, **options))


def _sequence(part: slice) -> str:
    """Return a part of a real sequence, for samples that these tools make."""
    for tool in ("art_illumina", "bwa", "samtools"):
        require_tool(tool)
    _, sequence = samples.read_fasta(shared_data("genomes", "human_g1k_v37_chr17_1Mb.fa.gz"))
    return sequence[part]


def our_agent() -> str:
    """Return the JVM's option for gkl-shim's agent."""
    return f"-javaagent:{paths.agent_jar()}"


def command(tool: str, sample: data.Sample, output: Path, *arguments: str) -> list[str]:
    """Return a tool's name and its arguments."""
    files = ("-R", sample.reference, "-I", sample.reads, "-O", output)
    return [tool, *map(str, files), *arguments]


@pytest.fixture(scope="session")
def in_one_jvm(gatk: Gatk, shared: Path) -> Callable[..., str]:
    """Run tools of GATK in one JVM, one after another. Return its log.

    Runs without options share a JVM, and so do runs with the same agents and no other option. The
    properties are set during the runs. The given number of runs fails, each with its exception in
    the log.
    """

    def called(
        runs: Sequence[Sequence[str]],
        *options: str,
        failures: int = 0,
        java: Sequence[str] = (),
        properties: Mapping[str, str] = MappingProxyType({}),
    ) -> str:
        is_shared = not java and all(option.startswith("-javaagent:") for option in options)
        jvm = gatk.jvm(*options) if is_shared else Jvm(gatk.classpath, shared, *options, java=java)
        given = [["set", *pair] for pair in properties.items()]
        results, log = jvm(["random"], *given, *runs, *(["set", name, ""] for name in properties))
        log += "" if is_shared else jvm.close()
        assert sum(line.startswith("threw: ") for line in results) == failures, log[-3000:]
        return log

    return called


@pytest.fixture(scope="session")
def checks(classpath: str, shared: Path) -> Path:
    """A jar of the Java programs of these tests.

    As an agent, it redirects calls of a method to what compares: see CheckAgent.java."""
    return programs(shared)


@pytest.fixture
def sample(request: pytest.FixtureRequest) -> data.Sample:
    """The sample that a test's parameter names."""
    chosen: data.Sample = request.getfixturevalue(request.param)
    return chosen
