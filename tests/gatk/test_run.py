"""The swaps reach the JVM, and the subcommands that use them."""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from gkl_shim.cli import gatk as gatk_command
from gkl_shim.common import _native
from gkl_shim.gatk import compare, data, kernel_times, programs, run, swaps
from tests.conftest import require_tool
from tests.gatk.conftest import QUICK, Gatk, command

COMMAND = Path(sys.executable).parent / "gkl-shim"
AGENT = "/opt/gkl-shim.jar"


@pytest.mark.usefixtures("many_cpus")
@pytest.mark.parametrize(
    ("given", "stock", "agent"),
    [
        ("", None, f"-javaagent:{AGENT}"),
        ("-Xmx4g", "-Xmx4g", f"-Xmx4g -javaagent:{AGENT}"),
        (f"-javaagent:{AGENT}", None, f"-javaagent:{AGENT}"),
        (
            "-Dx='a b' \"-javaagent:/a b/gkl-shim.jar\" -javaagent:/other.jar",
            "-Dx='a b' -javaagent:/other.jar",
            f"-Dx='a b' -javaagent:/other.jar -javaagent:{AGENT}",
        ),
    ],
)
def test_the_agent_is_added_to_or_removed_from_the_environment(
    given: str, stock: str | None, agent: str
) -> None:
    base = {"JAVA_TOOL_OPTIONS": given, "USE_LIBRARY_PATH": "1", "HOME": "/root"}
    for swap, expected in ((swaps.STOCK, stock), (swaps.Swap("agent", agent=Path(AGENT)), agent)):
        environment = swap.environment(base)
        assert environment.get("JAVA_TOOL_OPTIONS") == expected
        assert "USE_LIBRARY_PATH" not in environment
        assert environment["HOME"] == "/root"


@pytest.mark.usefixtures("many_cpus")
def test_the_agent_is_removed_from_every_variable() -> None:
    """Stock GATK runs without gkl-shim's agent, and a swap with no agent but its own."""
    base = {
        "JAVA_TOOL_OPTIONS": "-Xmx4g",
        "JDK_JAVA_OPTIONS": "-Da=b -javaagent:/x/gkl-shim.jar",
        "_JAVA_OPTIONS": "-javaagent:/x/gkl-shim.jar",
    }
    kept = {"JAVA_TOOL_OPTIONS": "-Xmx4g", "JDK_JAVA_OPTIONS": "-Da=b"}
    assert swaps.STOCK.environment(base) == kept
    environment = swaps.Swap("agent", agent=Path(AGENT)).environment(base)
    environment.pop("GKL_SHIM_PYTHON")
    assert environment == {**kept, "JAVA_TOOL_OPTIONS": f"-Xmx4g -javaagent:{AGENT}"}


def test_few_cpus_compile_later(monkeypatch: pytest.MonkeyPatch) -> None:
    """The options are ones that Java knows, are added once, and give way to the user's own."""
    monkeypatch.setattr(_native, "cpu_count", lambda: swaps.FEW_CPUS)
    swap = swaps.Swap("agent", agent=Path(AGENT))
    environment = swap.environment({"JAVA_TOOL_OPTIONS": "-Xmx4g"})
    first, agent, *late = environment["JAVA_TOOL_OPTIONS"].split()
    assert (first, agent, len(late)) == ("-Xmx4g", f"-javaagent:{AGENT}", 4)
    assert swap.environment(environment) == environment
    assert swaps.STOCK.environment(environment)["JAVA_TOOL_OPTIONS"] == "-Xmx4g"
    java = [require_tool("java"), *late, "-XX:+PrintFlagsFinal", "-version"]
    flags = subprocess.run(java, capture_output=True, text=True, check=True).stdout
    for option in late:
        name, value = option.removeprefix("-XX:").split("=")
        assert re.search(rf" {name} += {value} +\{{product\}} \{{command line\}}", flags)
    for given in ("-Xint", "-XX:TieredStopAtLevel=1", "'-XX:-TieredCompilation'"):
        base = {"_JAVA_OPTIONS": given}
        assert swap.environment(base)["JAVA_TOOL_OPTIONS"] == f"-javaagent:{AGENT}"


@pytest.mark.parametrize("folder", ["/libraries", "/a b"])
def test_the_library_path_is_added_once(folder: str) -> None:
    swap = swaps.Swap("library path", libraries=Path(folder))
    once = swap.environment({"JAVA_TOOL_OPTIONS": "-Xmx4g"})
    assert once["JAVA_TOOL_OPTIONS"].startswith("-Xmx4g ")
    assert swap.environment(once) == once


@pytest.mark.parametrize("name", ["a b", "it's", 'say "x"', """it's an "x".""", "$(a)"])
def test_a_jvm_takes_any_path_from_the_environment(tmp_path: Path, name: str) -> None:
    environment = swaps.Swap("x", libraries=tmp_path / name).environment(os.environ)
    command = [require_tool("java"), "-XshowSettings:properties", "-version"]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    assert f"    java.library.path = {tmp_path / name}\n" in done.stderr


@pytest.mark.parametrize(
    "swap",
    [
        swaps.Swap("agent", agent=Path(AGENT)),
        swaps.Swap("library path", libraries=Path("/opt/libraries")),
    ],
    ids=lambda swap: swap.name,
)
def test_the_library_in_a_jvm_is_told_of_this_python(swap: swaps.Swap) -> None:
    """The library opens the GPU engine with it. The user's choice of a Python has precedence."""
    assert swap.environment({})["GKL_SHIM_PYTHON"] == sys.executable
    assert swap.environment({"GKL_SHIM_PYTHON": "/a/python"})["GKL_SHIM_PYTHON"] == "/a/python"
    assert "GKL_SHIM_PYTHON" not in swaps.STOCK.environment({})


@pytest.mark.parametrize(
    ("log", "complaint"),
    [
        (b"", "exit code 3"),
        (b"07:00 INFO  Engine - Done\n", "exit code 3"),
        (b"ERROR: no such tool\n", "ERROR: no such tool (exit code 3)"),
        # The user's error is the best explanation, wherever it stands.
        (
            b"java.lang.Exception: x\n  A USER ERROR has occurred: no file\nError: y\n",
            "A USER ERROR has occurred: no file (exit code 3)",
        ),
        (b"Error: y\njava.lang.Exception: x\n", "java.lang.Exception: x (exit code 3)"),
        (b"Exception: \xff\n", "Exception: \N{REPLACEMENT CHARACTER} (exit code 3)"),
    ],
)
def test_why_a_run_failed(log: bytes, complaint: str) -> None:
    assert run.Run((), 3, 0.0, log).complaint == complaint


def test_gatks_own_time_in_pairhmm() -> None:
    """If a log has several, the last one counts."""
    line = b"Total compute time in PairHMM computeLogLikelihoods() : %b\n"
    log = b"x\n" + line % b"1.5" + line % b"2.5E-3" + b"y\n"
    assert run.Run((), 0, 0.0, log).kernel_seconds == {"PairHMM": 0.0025}
    assert run.Run((), 0, 0.0, b"Total compute time\n").kernel_seconds == {}


def test_gatks_own_time_in_each_kernel() -> None:
    log = b"""
17:57:41.510 INFO  PDPairHMM - Total compute time in PairHMM computeLogLikelihoods() : 0.2
17:57:41.511 INFO  PairHMM - Total compute time in PairHMM computeLogLikelihoods() : 0.0
17:57:41.511 INFO  SmithWatermanAligner - Total compute time in native Smith-Waterman : 0.57 sec
"""
    done = run.Run((), 0, 0.0, log)
    assert list(done.kernel_seconds.items()) == [
        ("PairHMM", 0.0),
        ("PDHMM", 0.2),
        ("Smith-Waterman", 0.57),
    ]
    in_java = log.replace(b"in native", b"in java")
    assert run.Run((), 0, 0.0, in_java).kernel_seconds == done.kernel_seconds
    assert run.Run((), 0, 0.0, b"").kernel_seconds == {}


def test_gatks_own_time_in_a_native_pdhmm() -> None:
    """GATK 4.7.0.0 leaves the total at zero."""
    log = b"""
21:17:11.457 INFO  VectorLoglessPairHMM - Time spent in setup for JNI call : 9.0
21:17:11.458 INFO  VectorLoglessPairPDHMM - Time spent in setup for JNI call : 0.25
21:17:11.458 INFO  VectorLoglessPairPDHMM - Time spent in JNI call : 0.5
21:17:11.458 INFO  VectorLoglessPairPDHMM - Time spent in post-processing : 2.5E-1
21:17:11.458 INFO  VectorLoglessPairPDHMM - Total comparisons : 16076
21:17:11.459 INFO  PDPairHMM - Total compute time in PairHMM computeLogLikelihoods() : 0.0
"""
    assert run.Run((), 0, 0.0, log).kernel_seconds == {"PDHMM": 1.0}


# Four threads called regions, and GATK's clock has the alignments of one of them.
WITH_THE_SHIM = b"""\
[gkl-shim 0.1.0] regions: 4 threads
17:57:41.511 INFO  PairHMM - Total compute time in PairHMM computeLogLikelihoods() : 9.0
17:57:41.511 INFO  SmithWatermanAligner - Total compute time in native Smith-Waterman : 0.01 sec
[gkl-shim 0.1.0] Smith-Waterman: 21 alignments, 1384886 cells in 2.5000 s, 5.77 GCUPS
[gkl-shim 0.1.0] PairHMM: 18 regions, 15797 pairs, 219357674 cells in 0.5000 s, 24.50 GCUPS, 0.08%
[gkl-shim 0.1.0] PairHMM: 1 region, 100 cells in 0.2500 s, 24.50 GCUPS
[gkl-shim 0.1.0] PDHMM: initialized, but no region was computed
"""
AGENT_SWAP = swaps.Swap("agent", agent=Path(AGENT))


def test_the_shims_own_time_counts_all_threads() -> None:
    """If a log has several JVMs' lines, they are added up."""
    done = run.Run((), 0, 2.0, WITH_THE_SHIM, AGENT_SWAP)
    assert list(done.kernel_seconds.items()) == [("PairHMM", 0.75), ("Smith-Waterman", 2.5)]
    assert done.region_threads == 4
    assert kernel_times.by_gkl_shim(WITH_THE_SHIM)["PairHMM"].cells == 219357774
    stock = run.Run((), 0, 2.0, WITH_THE_SHIM)
    assert stock.kernel_seconds == {"PairHMM": 9.0, "Smith-Waterman": 0.01}
    # Without its last lines, GATK's clock is no substitute.
    quiet = WITH_THE_SHIM.replace(b"[gkl-shim", b"[other")
    assert run.Run((), 0, 2.0, quiet, AGENT_SWAP).kernel_seconds == {}
    assert run.Run((), 0, 2.0, quiet, AGENT_SWAP).region_threads == 1


@pytest.mark.parametrize(
    ("swap", "log", "report"),
    [
        (
            swaps.STOCK,
            WITH_THE_SHIM.replace(b"regions:", b""),
            "stock GATK: PairHMM 9.000 s, 90.0%; Smith-Waterman 0.010 s, 0.1% of the run's 10.0 s, "
            "by GATK's clock",
        ),
        (
            AGENT_SWAP,
            WITH_THE_SHIM,
            "with the shim: PairHMM 0.750 s; Smith-Waterman 2.500 s, by gkl-shim's clock, summed "
            "over 4 threads that call regions; run 10.0 s",
        ),
        (
            AGENT_SWAP,
            WITH_THE_SHIM.replace(b"regions: 4 threads", b"regions: GATK's own code is used: x"),
            "with the shim: PairHMM 0.750 s, 7.5%; Smith-Waterman 2.500 s, 25.0% of the run's "
            "10.0 s, by gkl-shim's clock",
        ),
        (
            AGENT_SWAP,
            b"",
            "with the shim: gkl-shim reported no time for PairHMM, PDHMM, Smith-Waterman; run "
            "10.0 s",
        ),
        (
            swaps.STOCK,
            b"",
            "stock GATK: GATK reported no time for PairHMM, PDHMM, Smith-Waterman; run 10.0 s",
        ),
    ],
)
def test_what_the_gatk_command_reports(swap: swaps.Swap, log: bytes, report: str) -> None:
    assert gatk_command._report(run.Run((), 0, 10.0, log, swap)) == report


def gkl_shim(*arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [str(COMMAND), *arguments],
        capture_output=True,
        text=True,
        env={**os.environ, **environment},
        check=False,
    )


@pytest.mark.gatk
def test_the_gatk_command_reports_the_time_in_each_kernel(
    classpath: str, gatk: Gatk, chr20: data.Sample, tmp_path: Path
) -> None:
    stock = gatk("HaplotypeCaller", chr20)
    for options, who, clock, replaced in (
        (["--stock"], "stock GATK: PairHMM ", "GATK", False),
        (["-c", classpath], "with the shim: PairHMM ", "gkl-shim", True),
    ):
        vcf = tmp_path / f"{replaced}.vcf"
        options += ["--java-options", shlex.join(QUICK)]
        result = gkl_shim("gatk", *options, *command("HaplotypeCaller", chr20, vcf))
        assert result.returncode == 0, result.stderr
        assert compare.compare(stock.vcf, vcf).identical
        assert f"gkl-shim: {who}" in result.stderr.splitlines()[-1]
        assert "; Smith-Waterman " in result.stderr.splitlines()[-1]
        assert f"by {clock}'s clock" in result.stderr.splitlines()[-1]
        assert ("Intel GKL replaced" in result.stderr) == replaced


@pytest.mark.gatk
def test_the_exit_code_is_that_of_gatk(classpath: str) -> None:
    wrong = ("HaplotypeCaller", "-R", "/nowhere.fa", "-I", "reads.bam", "-O", "/dev/null")
    options = ("--java-options", shlex.join(QUICK))
    result = gkl_shim("gatk", *options, *wrong, GATK_CLASSPATH=classpath)
    # GATK's code for a fault of its input. An error of ours would be 1.
    assert result.returncode == 2, result.stderr
    assert "A USER ERROR has occurred" in result.stderr


@pytest.mark.gatk
def test_java_options_reach_the_jvm(classpath: str) -> None:
    options = ("--java-options", "-Dx='a b' -XX:+PrintFlagsFinal -version")
    result = gkl_shim("gatk", "-c", classpath, *options, "--list")
    assert result.returncode == 0
    assert "UseCompressedOops" in result.stdout
    assert gkl_shim("gatk", "--java-options", "'", "--list").returncode == 2


@pytest.mark.gatk
def test_the_output_of_env_works_for_any_launcher(
    classpath: str, gatk: Gatk, chr20: data.Sample, tmp_path: Path
) -> None:
    """A plain java needs only the variables that ``eval "$(gkl-shim env)"`` exports. For the
    agent, test_archive.py shows it."""
    arguments = ["--swap", "library-path", "--classpath", classpath]
    exports = shlex.join([str(COMMAND), "env", *arguments, "-o", str(tmp_path / "with a blank")])
    vcf = tmp_path / "out.vcf"
    java = [programs.java(), *QUICK, "-cp", classpath, run.MAIN_CLASS]
    java += command("HaplotypeCaller", chr20, vcf)
    script = f'set -e; e="$({exports})"; eval "$e"; {shlex.join(java)}'
    result = subprocess.run(["bash", "-c", script], capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stderr
    assert "Intel GKL replaced (library path" in result.stderr
    stock = gatk("HaplotypeCaller", chr20)
    assert compare.compare(stock.vcf, vcf).identical


@pytest.mark.gatk
def test_env_fills_a_library_folder(classpath: str, tmp_path: Path) -> None:
    folder = tmp_path / "libraries"
    result = gkl_shim(
        "env", "--swap", "library-path", "--classpath", classpath, "-o", str(folder), "--json", "-"
    )
    assert result.returncode == 0, result.stderr
    answer = json.loads(result.stdout)
    assert answer["environment"]["USE_LIBRARY_PATH"]
    assert str(folder) in answer["environment"]["JAVA_TOOL_OPTIONS"]
    names = {path.name for path in folder.iterdir()}
    others = {f"libgkl_{name}.so" for name in ("utils", "compression", "smithwaterman")}
    assert names == others | {"libgkl_pairhmm.so", "libgkl_pairhmm_omp.so"}


@pytest.mark.parametrize(("version", "allows"), [("1.8.0_392", 0), ("21.0.8", 0), ("25.0.2", 1)])
def test_env_allows_native_libraries_where_java_warns_of_them(
    tmp_path: Path, version: str, allows: int
) -> None:
    java = tmp_path / "bin" / "java"
    java.parent.mkdir()
    java.write_text(f"#!/bin/sh\necho 'openjdk version \"{version}\" 2026-01-20' >&2\n")
    java.chmod(0o755)
    for before in ("-Xmx4g", f"-Xmx4g {swaps.NATIVE_ACCESS}"):
        result = gkl_shim("env", "--json", "-", JAVA_HOME=str(tmp_path), JAVA_TOOL_OPTIONS=before)
        options = json.loads(result.stdout)["environment"]["JAVA_TOOL_OPTIONS"]
        assert options.count(swaps.NATIVE_ACCESS) == max(allows, before.count(swaps.NATIVE_ACCESS))


@pytest.mark.parametrize(
    "arguments",
    [
        ("env", "--swap", "library-path"),
        ("env", "--output", "somewhere"),
        ("env", "--swap", "other"),
        ("gatk",),
    ],
)
def test_wrong_usage_is_one_line(arguments: tuple[str, ...]) -> None:
    result = gkl_shim(*arguments)
    assert result.returncode == 2
    assert len(result.stderr.splitlines()) == 1


def test_env_refuses_a_jar_without_gkls_libraries(tmp_path: Path) -> None:
    jar = tmp_path / "empty.jar"
    jar.write_bytes(b"PK\x05\x06" + bytes(18))
    folder = tmp_path / "out"
    result = gkl_shim("env", "--swap", "library-path", "--classpath", str(jar), "-o", str(folder))
    assert result.returncode == 1
    assert "no jar there holds GKL's libraries" in result.stderr
    assert not folder.exists()
