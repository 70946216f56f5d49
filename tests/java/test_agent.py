"""The Java agent: when it replaces classes, when it does not, and what it logs."""

from __future__ import annotations

import os
import shlex
import shutil
import struct
import subprocess
import zipfile
from collections.abc import Callable, Sequence
from importlib.metadata import version
from pathlib import Path

import pytest

from gkl_shim import paths
from tests.conftest import missing, require_tool
from tests.java import regions
from tests.java.conftest import Jvm, compile_java, gkl_classpath, skip_unless_served

Run = Callable[..., list[str]]

REGION = regions.typical(5)


def test_the_agent_does_not_affect_other_programs(tmp_path: Path, agent_jar: Path) -> None:
    source = tmp_path / "Hello.java"
    source.write_text(
        'class Hello { public static void main(String[] a) { System.out.print("hello"); } }'
    )
    temporary = tmp_path / "tmp"
    temporary.mkdir()
    command = [require_tool("java"), f"-javaagent:{agent_jar}", f"-Djava.io.tmpdir={temporary}"]
    process = subprocess.run([*command, str(source)], capture_output=True, text=True, check=True)
    assert (process.stdout, process.stderr) == ("hello", "")
    assert list(temporary.iterdir()) == []


@pytest.fixture(scope="module")
def intels(tmp_path_factory: pytest.TempPathFactory) -> list[list[float]]:
    """The likelihoods of `REGION` that Intel's class gives without the agent."""
    skip_unless_served("stock")
    stock = Jvm(tmp_path_factory.mktemp("stock"))("compute", {"regions": [REGION]}, swap="stock")
    likelihoods: list[list[float]] = stock.result["likelihoods"]
    return likelihoods


OFF, ABSENT = "GKL_SHIM_BACKEND=off", "GKL_SHIM_LIBRARY=/absent.so"
DOES_NOT_LOAD = (
    "warning: PairHMM: Intel GKL is used: GKL_SHIM_LIBRARY names /absent.so, which does "
)


@pytest.mark.parametrize(
    ("setting", "swap", "said"),
    [
        (OFF, "agent", f"{OFF}: Intel GKL is used"),
        (OFF, "classpath", f"{OFF}: Intel GKL is used"),
        (ABSENT, "classpath", DOES_NOT_LOAD),
    ],
)
def test_intels_class_computes_where_ours_does_not(
    jvm: Jvm, intels: list[list[float]], setting: str, swap: str, said: str
) -> None:
    """test_kernels.py has the libraries that are not ours."""
    environment = dict([setting.split("=")])
    outcome = jvm("compute", {"regions": [REGION]}, swap=swap, environment=environment)
    # With the class-path swap, our class comes first and calls Intel's.
    assert outcome.result["ours"] == (swap == "classpath")
    assert outcome.result["likelihoods"] == intels
    assert len(outcome.ours) == 1
    assert said in outcome.ours[0]


# It loads, gives wrong results, and would end the process if Intel's classes were bound to it.
WRONG = """
#include <stdlib.h>
int Java_org_gklshim_pairhmm_NativePairHmm_initialize(
    void *e, void *o, unsigned char d, int t, void *s) { return 0; }
void Java_org_gklshim_pairhmm_NativePairHmm_compute(
    void *e, void *o, int c, void *s, void *l, int r, int h, void *v) {}
void Java_com_intel_gkl_pairhmm_IntelPairHmm_initNative(void) { abort(); }
void Java_com_intel_gkl_pairhmm_IntelPairHmm_computeLikelihoodsNative(void) { abort(); }
"""


def test_intels_class_stays_if_the_library_computes_wrongly(
    jvm: Jvm, intels: list[list[float]], tmp_path: Path
) -> None:
    source, library = tmp_path / "wrong.c", tmp_path / "wrong.so"
    source.write_text(WRONG)
    compiler = require_tool("cc")
    subprocess.run([compiler, "-shared", "-fPIC", source, "-o", library], check=True)
    setting = {"GKL_SHIM_LIBRARY": str(library)}
    outcome = jvm("compute", {"regions": [REGION]}, environment=setting)
    assert outcome.result["likelihoods"] == intels
    assert len(outcome.ours) == 1
    assert (
        "Intel GKL is used: the native library computes wrongly on this machine"
        in (outcome.ours[0])
    )


def test_control_characters_of_a_setting_are_escaped(jvm: Jvm) -> None:
    """Those of the settings that Java reads; the native library escapes those of the others."""
    skip_unless_served("stock")
    setting = {"GKL_SHIM_PAIRHMM": "\x1b[2J\t\x7fon"}
    outcome = jvm("compute", {"regions": [REGION]}, environment=setting)
    outcome.line(r"GKL_SHIM_PAIRHMM=\x1b[2J\x09\x7fon is ignored")


def test_a_library_that_others_can_change_is_refused(jvm: Jvm, tmp_path: Path) -> None:
    """tests/python_host/test_safe_file.py has all such places."""
    skip_unless_served("stock")
    library, link = tmp_path / "folder" / "library.so", tmp_path / "link.so"
    library.parent.mkdir()
    shutil.copy(paths.library(), library)
    link.symlink_to(library)
    setting = {"GKL_SHIM_LIBRARY": str(link)}
    assert jvm("compute", {"regions": [REGION]}, environment=setting).result["ours"]
    library.parent.chmod(0o777)
    outcome = jvm("compute", {"regions": [REGION]}, environment=setting)
    assert outcome.line("warning").endswith(
        "Intel GKL is used: GKL_SHIM_LIBRARY names "
        f"{link}, which is not loaded: others can write to {library.parent}"
    )


def test_a_temporary_folder_that_others_can_write_to_is_not_used(jvm: Jvm) -> None:
    """Other users could replace the library there, so it is extracted to another folder."""
    skip_unless_served("stock")
    jvm.temporary.chmod(0o777)
    before = jvm.temporary.stat().st_mtime_ns
    assert jvm("compute", {"regions": [REGION]}).result["ours"]
    assert jvm.temporary.stat().st_mtime_ns == before
    jvm.temporary.chmod(0o1777)  # only its owner can remove a file
    assert jvm("compute", {"regions": [REGION]}).result["ours"]
    assert jvm.temporary.stat().st_mtime_ns != before
    assert list(jvm.temporary.iterdir()) == []


_NOEXEC = """
for folder in {folders}; do
    mount --rbind "$folder" "$folder"
    mount -o remount,bind,noexec "$folder"
done
unset HOME XDG_CACHE_HOME XDG_RUNTIME_DIR
exec "$@"
"""


@pytest.mark.parametrize("also", ["", "/tmp"])
def test_a_temporary_folder_that_forbids_execution(
    run_gatk: Run, tmp_path: Path, agent_jar: Path, also: str
) -> None:
    """The library is loaded from /tmp instead, unless /tmp forbids execution, too."""
    folder = tmp_path / "noexec"
    folder.mkdir()
    alone = [require_tool("unshare"), "--user", "--map-root-user", "--mount"]
    script = ["sh", "-ec", _NOEXEC.format(folders=f"{shlex.quote(str(folder))} {also}"), "sh"]

    def complaint(*command: str | Path) -> str:
        done = subprocess.run([*alone, *command], capture_output=True, text=True, check=False)
        return done.stderr if done.returncode else ""

    if reason := complaint("mount", "--rbind", folder, folder):
        pytest.skip(f"no mounts without privileges here: {reason}")
    if reason := complaint(*script, "true"):
        missing(f"these mounts fail: {reason}")
    options = [f"-javaagent:{agent_jar}", f"-Djava.io.tmpdir={folder}"]
    call = "try" if also else "initialize"  # GKL is extracted to the same folder
    ours = run_gatk(call, options=options, before=[*alone, *script])
    warnings = [line for line in ours if line.startswith("warning: PairHMM: Intel GKL is used: ")]
    if also:
        (line,) = warnings
        assert "java.io.tmpdir a directory of your own that allows execution; " in line
        for place in (folder, Path(also)):
            assert line.count(f"; {place}/gkl-shim-") == 1
        assert line.count("libgkl_shim.so: ") == 2
    else:
        assert [line for line in ours if "Intel GKL replaced (agent)" in line]
        assert not warnings
    assert list(folder.iterdir()) == []


def test_the_agent_says_that_a_platform_is_not_supported(
    jvm: Jvm, tmp_path: Path, agent_jar: Path
) -> None:
    """The jar of this test has no library for this machine."""
    skip_unless_served("stock")
    empty = tmp_path / "gkl-shim.jar"
    with zipfile.ZipFile(agent_jar) as full, zipfile.ZipFile(empty, "w") as archive:
        for name in full.namelist():
            if not name.startswith("native/"):
                archive.writestr(name, full.read(name))
    outcome = jvm("compute", {"regions": [REGION]}, swap="stock", options=[f"-javaagent:{empty}"])
    assert not outcome.result["ours"]
    machine = os.uname().machine
    (line,) = outcome.ours
    assert line.endswith(
        f"] warning: PairHMM: Intel GKL is used: no native library for linux-{machine}"
    )


@pytest.mark.skipif(os.uname().machine != "x86_64", reason="the CPUs are of x86-64")
def test_a_cpu_without_fma_keeps_what_gatk_has(tmp_path: Path, agent_jar: Path) -> None:
    """Our kernels would be slower than the classes that they replace."""
    source = tmp_path / "Load.java"
    source.write_text(
        "public class Load { public static void main(String[] names) throws Exception"
        " { for (String name : names) Class.forName(name); } }"
    )
    gkl = gkl_classpath("0.9.1")
    compile_java(gkl, tmp_path, [source])
    java = [require_tool("qemu-x86_64"), "-cpu", "Nehalem", Path(require_tool("java")).resolve()]
    options = ["-Xint", f"-javaagent:{agent_jar}", "-cp", f"{tmp_path}:{gkl}"]
    names = [f"com.intel.gkl.{name}" for name in ("pairhmm.IntelPairHmm", "pdhmm.IntelPDHMM")]
    done = subprocess.run(
        [*java, *options, "Load", *names], capture_output=True, text=True, check=True, timeout=300
    )
    assert [line.split("warning: ")[1] for line in done.stderr.splitlines()] == [
        f"{kernel}: Intel GKL is used: this CPU has no AVX2 with FMA, without which gkl-shim is "
        "slower"
        for kernel in ("PairHMM", "PDHMM")
    ]


def test_every_class_loader_gets_our_class(jvm: Jvm) -> None:
    """As in Spark and notebooks, GATK is in other class loaders. One of them does not delegate to
    the application's."""
    jars = gkl_classpath("0.8.11").split(":")
    results = jvm("class_loaders", (REGION, jars)).result
    truth = regions.likelihoods(REGION)
    assert len(results) == 4
    for likelihoods, ours in results:
        assert ours
        assert likelihoods == pytest.approx(truth, abs=1e-5)


def test_each_dropped_class_loader_can_be_collected(tmp_path: Path) -> None:
    """Although the thread that computed in it lives on. Our classes are before GKL's."""
    libraries = f"{paths.classpath_jar()}:{gkl_classpath('0.9.1')}"
    compile_java(libraries, tmp_path, [Path(__file__).with_name("DroppedLoaders.java")])
    classpath = f"{tmp_path}:{libraries}"
    command = [require_tool("java"), "-Xmx256m", "-cp", classpath, "DroppedLoaders", classpath, "6"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stderr.count("Intel GKL replaced (class path)") == 6
    assert "warning" not in done.stderr
    # The JVM may hold the latest one a little longer.
    assert int(done.stdout) <= 1


GATK = """
package org.broadinstitute.hellbender;
public class Main {
    public static void main(String[] arguments) throws Exception {
        if (arguments.length > 0) {
            com.intel.gkl.pairhmm.IntelPairHmm pairHmm = new com.intel.gkl.pairhmm.IntelPairHmm();
            boolean loaded = pairHmm.load(null);
            if (!loaded && !arguments[0].equals("try")) throw new IllegalStateException();
            if (arguments[0].equals("initialize")) pairHmm.initialize(null);
            if (arguments[arguments.length - 1].equals("fail")) System.exit(3);
        }
    }
}
"""


NO_PAIRHMM = "PairHMM: not made faster: this run of GATK never asked for the native PairHMM"
NO_ALIGNER = "Smith-Waterman: not made faster: this run of GATK never asked for the native"
NONE_LOADED = "loaded none of the classes that gkl-shim replaces, so nothing was made faster"


@pytest.fixture(scope="module")
def run_gatk(tmp_path_factory: pytest.TempPathFactory) -> Run:
    """Run a program in the place of GATK, and return our lines in its log."""
    folder = tmp_path_factory.mktemp("gatk")
    classpath = gkl_classpath("0.8.11")
    source = folder / "Main.java"
    source.write_text(GATK)
    compile_java(classpath, folder, [source])
    name = "org/broadinstitute/hellbender/Main.class"

    def run(
        *arguments: str,
        options: list[str],
        version: str | None = None,
        before: Sequence[str] = (),
        status: int = 0,
    ) -> list[str]:
        gatk = folder / f"{version}.jar"
        with zipfile.ZipFile(gatk, "w") as jar:
            manifest = "Manifest-Version: 1.0\n"
            manifest += f"Implementation-Version: {version}\n" if version else ""
            jar.writestr("META-INF/MANIFEST.MF", manifest)
            jar.write(folder / name, name)
        command = [*before, require_tool("java"), *options, "-cp", f"{gatk}:{classpath}"]
        command += ["org.broadinstitute.hellbender.Main", *arguments]
        process = subprocess.run(command, capture_output=True, text=True)
        assert process.returncode == status, process.stderr
        ours = [line for line in process.stderr.splitlines() if line.startswith("[gkl-shim")]
        return [line.split("] ", 1)[1] for line in ours]

    return run


@pytest.mark.parametrize("arguments", [["load"], ["initialize"]])
def test_the_log_says_if_gatk_never_asked_for_pairhmm(
    run_gatk: Run, agent_jar: Path, arguments: list[str]
) -> None:
    ours = run_gatk(*arguments, options=[f"-javaagent:{agent_jar}"])
    assert len([line for line in ours if NO_PAIRHMM in line]) == (arguments == ["load"])
    unused = "PairHMM: initialized, but no region was computed"
    assert (unused in ours) == (arguments == ["initialize"])
    # PairHMM may have been made faster, so this says nothing of the run as a whole.
    assert len([line for line in ours if line.startswith(NO_ALIGNER)]) == 1
    assert not [line for line in ours if "warning" in line or "nothing was made faster" in line]


@pytest.mark.parametrize("arguments", [["--help"], ["load", "-h"], ["load", "--version"]])
def test_help_is_followed_by_no_line_of_ours(
    run_gatk: Run, agent_jar: Path, arguments: list[str]
) -> None:
    assert run_gatk(*arguments, options=[f"-javaagent:{agent_jar}"]) == []


def test_a_gatk_that_ends_early_is_one_of_the_reasons(run_gatk: Run, agent_jar: Path) -> None:
    options = [f"-javaagent:{agent_jar}"]
    ours = run_gatk("load", "fail", options=options, status=3)
    assert [line.split(" (")[1].split(",")[0] for line in ours] == 2 * ["it ended early"]
    (line,) = run_gatk(options=options, version="4.9.1.0")
    assert f"{NONE_LOADED} (it ended early, " in line


@pytest.mark.parametrize(
    ("version", "named"),
    [("4.9.1.0", "GATK 4.9.1.0"), (None, "this GATK, which names no version,")],
)
def test_a_gatk_without_any_class_that_we_know_is_warned_of_once(
    run_gatk: Run, agent_jar: Path, version: str | None, named: str
) -> None:
    ours = run_gatk(options=[f"-javaagent:{agent_jar}"], version=version)
    assert len(ours) == 1
    assert ours[0].startswith(f"warning: {named} {NONE_LOADED} (")


def test_an_agent_that_is_given_twice_says_everything_once(run_gatk: Run, agent_jar: Path) -> None:
    """JAVA_TOOL_OPTIONS may name it, and GATK's --java-options again."""
    ours = run_gatk(options=2 * [f"-javaagent:{agent_jar}"], version="4.9.1.0")
    assert len(ours) == 1


def test_nobody_is_warned_of_what_was_turned_off(run_gatk: Run, agent_jar: Path) -> None:
    options = [f"-javaagent:{agent_jar}", "-Dgkl.shim.backend=off"]
    assert run_gatk(options=options, version="4.9.1.0") == []


def test_without_the_agent_the_log_is_gatks_alone(run_gatk: Run) -> None:
    assert run_gatk(options=[], version="4.9.1.0") == []


MACHINES = {"linux-x86_64": 62, "linux-aarch64": 183}


def platforms(agent_jar: Path) -> list[str]:
    """Return the platforms of the jar: this one, or both in a release build."""
    with zipfile.ZipFile(agent_jar) as archive:
        found = [name.split("/")[1] for name in archive.namelist() if name.endswith(".so")]
    assert f"linux-{os.uname().machine}" in found
    if os.environ.get("GKL_SHIM_RELEASE"):
        assert sorted(found) == sorted(MACHINES)
    return found


def test_the_jars_hold_the_right_files(agent_jar: Path, classpath_jar: Path) -> None:
    with zipfile.ZipFile(agent_jar) as agent, zipfile.ZipFile(classpath_jar) as front:
        names = set(agent.namelist())
        # A class loader must not find replaced classes in the agent's jar.
        assert not [name for name in names if name.startswith(("com/", "org/broadinstitute/"))]
        for platform in platforms(agent_jar):
            library = agent.read(f"native/{platform}/libgkl_shim.so")
            assert library[:4] == b"\x7fELF"
            assert struct.unpack_from("<H", library, 18) == (MACHINES[platform],)
        for archive in (agent, front):
            for name in archive.namelist():
                if name.endswith(".class"):
                    assert struct.unpack_from(">H", archive.read(name), 6) == (52,), name
            manifest = archive.read("META-INF/MANIFEST.MF").decode()
            assert f"Implementation-Version: {version('gkl-shim')}\r\n" in manifest
        swapped = {name for name in front.namelist() if name.endswith(".class")}
        # No class of GATK itself: on the class path nothing checks which version it would replace.
        assert swapped == {
            f"com/{name}.class"
            for name in (
                "fulcrumgenomics/fgkl/pairhmm/FgklPairHmm",
                "fulcrumgenomics/fgkl/pdhmm/FgklPdHmm",
                "fulcrumgenomics/fgkl/smithwaterman/FgklSmithWaterman",
                "intel/gkl/pairhmm/IntelPairHmm",
                "intel/gkl/pairhmm/IntelPairHmmOMP",
                "intel/gkl/pdhmm/IntelPDHMM",
                "intel/gkl/smithwaterman/IntelSmithWaterman",
            )
        }
        for name in swapped:
            assert front.read(name) == agent.read(f"org/gklshim/replacements/{name}")


def test_a_copy_of_the_jar_works_alone(jvm: Jvm, tmp_path: Path, agent_jar: Path) -> None:
    """The jar can be copied to any folder, even under a name with blanks."""
    folder = tmp_path / "a folder"
    folder.mkdir()
    copy = Path(shutil.copy(agent_jar, folder / "the shim.jar"))
    outcome = jvm("compute", {"regions": [REGION]}, swap="stock", options=[f"-javaagent:{copy}"])
    assert outcome.result["ours"]
