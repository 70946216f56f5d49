"""``gkl-shim env --archive``: a class-data archive, with which the JVM starts GATK sooner."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest

from gkl_shim import paths
from gkl_shim.gatk import archive, compare, data, programs, run, swaps
from tests.cli.shim_command import COMMAND, one_error
from tests.cli.shim_command import run as gkl_shim
from tests.gatk.conftest import Gatk, command


def variables(folder: Path, *arguments: str, **environment: str) -> dict[str, str]:
    """Return what ``gkl-shim env`` prints."""
    done = gkl_shim(folder, "env", "--json", "-", *arguments, env=environment)
    assert done.returncode == 0, done.stderr.decode()
    answer: dict[str, str] = json.loads(done.stdout)["environment"]
    return answer


@pytest.fixture(scope="module")
def made(classpath: str, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An archive of GATK, and nothing else in its folder."""
    folder = tmp_path_factory.mktemp("with a blank")
    options = variables(folder, "--archive", ".", "--classpath", classpath)["JAVA_TOOL_OPTIONS"]
    (found,) = folder.iterdir()
    assert f"'-XX:SharedArchiveFile={found}'" in options
    return found


@pytest.mark.gatk
def test_gatk_takes_its_classes_from_the_archive(
    made: Path, classpath: str, gatk: Gatk, chr20: data.Sample, tmp_path: Path
) -> None:
    before = made.stat()
    environment = variables(tmp_path, "--archive", str(made.parent), "--classpath", classpath)
    assert made.stat().st_mtime_ns == before.st_mtime_ns, "an archive that fits is kept"
    classes, vcf = tmp_path / "classes", tmp_path / "out.vcf"
    java = [programs.java(), "-XX:TieredStopAtLevel=1", f"-Xlog:class+load:file={classes}"]
    java += ["-cp", classpath, run.MAIN_CLASS, *command("HaplotypeCaller", chr20, vcf)]
    done = subprocess.run(
        java,
        capture_output=True,
        text=True,
        env={**os.environ, **environment},
    )
    assert done.returncode == 0, done.stderr[-3000:]
    assert "Intel GKL replaced (agent" in done.stderr
    assert compare.compare(gatk("HaplotypeCaller", chr20).vcf, vcf).identical
    loaded = [line for line in classes.read_text().splitlines() if " source: " in line]
    of_gatk = [line for line in loaded if "org.broadinstitute.hellbender" in line]
    archived = [line for line in of_gatk if "source: shared objects file (top)" in line]
    # The classes that the agent changes, and those that extend them, are not in an archive. The
    # search for a tool loads many of these.
    assert len(archived) > 0.8 * len(of_gatk) > 500


@pytest.mark.gatk
def test_an_archive_that_does_not_fit_is_ignored(
    made: Path, classpath: str, tmp_path: Path
) -> None:
    """GATK's results may be on standard output, so a warning is never there."""
    garbage, absent = tmp_path / swaps.ARCHIVE_NAME, tmp_path / "none" / swaps.ARCHIVE_NAME
    garbage.write_bytes(bytes(range(256)) * 1000)
    other_jar = Path(shutil.copy(paths.agent_jar(), tmp_path / "other.jar"))

    def start(jars: str, swap: swaps.Swap) -> subprocess.CompletedProcess[bytes]:
        java = [programs.java(), "--dry-run", "-cp", jars, run.MAIN_CLASS]
        return subprocess.run(java, capture_output=True, env=swap.environment(os.environ))

    for file, jars in (
        (garbage, classpath),
        (absent, classpath),
        (made, f"{other_jar}:{classpath}"),
    ):
        done = start(jars, swaps.Swap("archive", archive=file))
        assert (done.returncode, done.stdout) == (0, b""), done.stderr.decode()
        # The first line is every JVM's about JAVA_TOOL_OPTIONS.
        assert len(done.stderr.splitlines()) <= 2, done.stderr
        assert not archive._fits(file, jars)


@pytest.mark.gatk
def test_an_archive_that_was_cut_short_does_not_fit(
    made: Path, classpath: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The JVM does not survive it, and would leave a report in the working directory."""
    monkeypatch.chdir(tmp_path)
    cut = Path(shutil.copy(made, tmp_path / swaps.ARCHIVE_NAME))
    assert archive._fits(cut, classpath)
    os.truncate(cut, 1_000_000)
    assert not archive._fits(cut, classpath)
    assert list(tmp_path.iterdir()) == [cut]


def fake_java(folder: Path, version: str, rest: str) -> dict[str, str]:
    """Install a Java that says it has this version. Return the environment that chooses it."""
    java = folder / "java" / "bin" / "java"
    java.parent.mkdir(parents=True)
    java.write_text(
        f"#!/bin/sh\n"
        f"case $1 in -version) echo 'openjdk version \"{version}\"' >&2; exit;; esac\n{rest}\n"
    )
    java.chmod(0o755)
    return {"JAVA_HOME": str(folder / "java")}


@pytest.mark.parametrize(
    ("version", "rest", "message"),
    [
        ("11.0.13", "", "Java 11.0.13 cannot archive the classes of a run; use Java 13"),
        ("1.8.0_392", "", "Java 1.8.0_392 cannot archive the classes of a run; use Java 13"),
        ("17.0.1", "echo 'Error: no class' >&2; exit 3", "Error: no class (exit code 3)"),
        ("17.0.1", "", "it wrote no archive; run"),
        # It writes a file that it cannot use.
        (
            "17.0.1",
            'for a; do case $a in -XX:Archive*) echo x >"${a#*=}";; esac; done',
            "Java 17.0.1 cannot use an archive of its classes",
        ),
    ],
)
def test_no_archive_is_one_error(tmp_path: Path, version: str, rest: str, message: str) -> None:
    environment = fake_java(tmp_path, version, rest)
    jar, folder = tmp_path / "gatk.jar", tmp_path / "archive"
    jar.touch()
    done = gkl_shim(
        tmp_path, "env", "--archive", str(folder), "--classpath", str(jar), env=environment
    )
    assert done.returncode == 1
    assert message in one_error(done)
    assert done.stdout == b""
    assert not folder.exists() or not list(folder.iterdir())


@pytest.mark.parametrize(
    "arguments",
    [
        ("--archive", "x", "--swap", "library-path", "--output", "y"),
        ("--classpath", "x"),
        ("--output", "x"),
    ],
)
def test_options_for_another_way_are_refused(tmp_path: Path, arguments: tuple[str, ...]) -> None:
    done = gkl_shim(tmp_path, "env", *arguments)
    assert done.returncode == 2
    one_error(done)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("before", ["", "-Xlog:disable", "-XX:SharedArchiveFile=/mine.jsa -Xmx4g"])
def test_the_archive_is_added_to_or_removed_from_the_environment(before: str) -> None:
    with_archive = swaps.Swap("archive", archive=Path("/a") / swaps.ARCHIVE_NAME)
    option = f"-XX:SharedArchiveFile=/a/{swaps.ARCHIVE_NAME}"
    environment = {"JAVA_TOOL_OPTIONS": before}
    for _ in range(2):
        environment = with_archive.environment(environment)
        options = environment["JAVA_TOOL_OPTIONS"].split()
        assert set(before.split()) <= set(options)
        assert options.count(option) == options.count("-Xlog:disable") == 1
    assert option not in swaps.STOCK.environment(environment)["JAVA_TOOL_OPTIONS"]


def test_env_finds_the_jar_beside_the_launcher(tmp_path: Path) -> None:
    """GATK's own launcher runs the newest one, from wherever it is linked to the PATH."""
    folder, links = tmp_path / "gatk-4.6.2.0", tmp_path / "bin"
    folder.mkdir()
    links.mkdir()
    (folder / "gatk").write_text("#!/bin/sh\n")
    (folder / "gatk").chmod(0o755)
    (links / "gatk").symlink_to(folder / "gatk")
    for name, age in (("gatk-package-1-local.jar", 9), ("gatk-package-2-local.jar", 5)):
        (folder / name).touch()
        os.utime(folder / name, (10**9 - age, 10**9 - age))
    (folder / "gatk-package-2-spark.jar").touch()
    environment = fake_java(tmp_path, "17.0.1", 'echo "Error: $*" >&2; exit 1')
    environment |= {
        "PATH": f"{links}:{os.environ['PATH']}",
        "GATK_LOCAL_JAR": "",
        "GATK_CLASSPATH": "",
    }
    done = gkl_shim(tmp_path, "env", "--archive", "x", env=environment)
    assert f"-cp {folder}/gatk-package-2-local.jar org.broadinstitute" in one_error(done)


@pytest.mark.parametrize(
    ("locale", "warns"),
    [({"LC_ALL": "C"}, True), ({"LC_ALL": "", "LANG": "", "LC_CTYPE": ""}, True),
     ({"LC_ALL": "C.UTF-8"}, False)],
)  # fmt: skip
def test_env_warns_of_a_jar_that_java_does_not_find(
    tmp_path: Path, locale: dict[str, str], warns: bool
) -> None:
    """Java itself shows whether it finds the jar."""
    package = tmp_path / "größer" / "gkl_shim"
    shutil.copytree(paths.agent_jar().parents[1], package, ignore=shutil.ignore_patterns("*.cubin"))
    environment = {**os.environ, **locale, "PYTHONPATH": str(package.parent)}
    environment.pop("PYTHONUTF8", None)
    done = subprocess.run([COMMAND, "env", "--json", "-"], capture_output=True, env=environment)
    exported = json.loads(done.stdout)["environment"]["JAVA_TOOL_OPTIONS"]
    assert str(package) in exported
    java = subprocess.run(
        [programs.java(), "-version"],
        capture_output=True,
        env={**os.environ, **locale, "JAVA_TOOL_OPTIONS": exported},
    )
    assert (java.returncode != 0) == warns
    lines = done.stderr.decode().splitlines()
    assert len(lines) == warns
    if warns:
        assert lines[0].startswith(f"gkl-shim: warning: {package}/java/gkl-shim.jar: ")
        assert "LC_ALL=C.UTF-8" in lines[0]
