"""Downloads from Maven Central, and the messages if they fail."""

from __future__ import annotations

import hashlib
import os
import shutil
import stat
import subprocess
import sys
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from gkl_shim.errors import MissingComponent
from gkl_shim.gatk import fetch, run, swaps
from tests.conftest import require_tool


@pytest.fixture
def empty_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("GKL_SHIM_CACHE", str(tmp_path / "cache"))
    monkeypatch.delenv("JAVA_HOME", raising=False)
    return tmp_path / "cache"


def test_the_cache_folder_follows_the_environment(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.delenv("GKL_SHIM_CACHE", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert fetch.cache() == tmp_path / "gkl-shim"
    monkeypatch.delenv("XDG_CACHE_HOME")
    assert fetch.cache() == Path.home() / ".cache" / "gkl-shim"


@pytest.mark.gatk
def test_a_complete_cache_needs_no_network(
    classpath: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.delenv("JAVA_HOME", raising=False)
    assert fetch.gatk_classpath() == classpath


@pytest.mark.parametrize(("there", "missing"), [((), "mvn"), (("mvn",), "java")])
def test_a_missing_tool_is_named(
    empty_cache: Path,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    there: tuple[str, ...],
    missing: str,
) -> None:
    for name in there:
        _script(tmp_path / name, "exit 0")
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(MissingComponent, match=f"{missing}: not found on the PATH; install"):
        fetch.gatk_classpath()


def test_a_cache_that_cannot_be_written_is_refused(
    empty_cache: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """It is said before anything is downloaded."""
    empty_cache.mkdir()
    for tool in ("java", "mvn"):
        _script(tmp_path / tool, f"touch {tmp_path}/called")
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    # Permissions do not stop root, who may run the tests.
    monkeypatch.setattr(os, "access", _access_but_of(empty_cache))
    with pytest.raises(MissingComponent, match=f"^{empty_cache}: cannot be written; set GKL_SHIM"):
        fetch.gatk_classpath()
    assert not (tmp_path / "called").exists()


def _access_but_of(folder: Path) -> Callable[[Path, int], bool]:
    access = os.access
    return lambda path, mode: Path(path) != folder and access(path, mode)


def test_a_failed_download_is_explained(
    empty_cache: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Maven takes no options from folders above the cache. In /tmp, another user may have made a
    folder .mvn."""
    _script(tmp_path / "java", "exit 0")
    _script(tmp_path / "mvn", 'echo "[ERROR] no route from $MAVEN_BASEDIR"; exit 1')
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    said = r"could not fetch it: no route from / .*run the command again"
    with pytest.raises(MissingComponent, match=said):
        fetch.gatk_classpath()
    assert not list(empty_cache.iterdir())


@pytest.mark.gatk
def test_a_jar_with_another_checksum_is_refused(
    classpath: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    # Maven finds its plugins in the cache, so it needs no network.
    cache, central = tmp_path / "cache", tmp_path / "central"
    (cache / "maven").mkdir(parents=True)
    for folder in (fetch.cache() / "maven").iterdir():
        (cache / "maven" / folder.name).symlink_to(folder)
    monkeypatch.setenv("GKL_SHIM_CACHE", str(cache))
    version = central / "gklshimtest" / "changed" / "1"
    version.mkdir(parents=True)
    jar = _zip(version / "changed-1.jar")
    pom = version / "changed-1.pom"
    pom.write_text(
        "<project><modelVersion>4.0.0</modelVersion><groupId>gklshimtest</groupId>"
        "<artifactId>changed</artifactId><version>1</version></project>"
    )
    for file in (jar, pom):
        file.with_name(f"{file.name}.sha1").write_text(hashlib.sha1(file.read_bytes()).hexdigest())
    (tmp_path / ".m2").mkdir()
    (tmp_path / ".m2" / "settings.xml").write_text(
        "<settings><activeProfiles><activeProfile>test</activeProfile></activeProfiles><profiles>"
        "<profile><id>test</id><repositories><repository><id>test</id>"
        f"<url>{central.as_uri()}</url></repository></repositories></profile></profiles></settings>"
    )
    monkeypatch.setenv("MAVEN_OPTS", f"-Duser.home={tmp_path}")
    artifacts = [fetch.Artifact("gklshimtest", "changed", "1")]
    assert Path(fetch.classpath("right", artifacts)).read_bytes() == jar.read_bytes()
    shutil.rmtree(cache / "maven" / "gklshimtest")
    _zip(jar, "changed")
    with pytest.raises(MissingComponent, match="Checksum validation failed"):
        fetch.classpath("changed", artifacts)


def test_progress_reports_each_file(
    empty_cache: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    jar = _zip(tmp_path / "some.jar")
    _script(tmp_path / "java", "exit 0")
    line = "[INFO] Downloaded from central: https://x/some.jar (1.5 MB at 3 MB/s)"
    find_output = "for a; do case $a in -Dmdep.outputFile=*) out=${a#*=};; esac; done"
    _script(tmp_path / "mvn", f'{find_output}; echo "{line}"; printf %s {jar} >"$out"')
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    seen: list[tuple[str, float]] = []
    progress = lambda name, size: seen.append((name, size))  # noqa: E731
    assert fetch.gatk_classpath(progress) == str(jar)
    assert seen == [("some.jar", 1.5e6)]
    # If a file is deleted, the class path is no longer complete.
    jar.unlink()
    assert fetch.complete(fetch.gatk_name()) is None


def _zip(path: Path, content: str = "content") -> Path:
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("some/file", content * 1000)
    return path


def _damaged(path: Path, size: int) -> None:
    path.write_bytes(path.read_bytes()[:size])


@pytest.fixture
def cached(empty_cache: Path) -> Path:
    """Make a class path of GATK in the cache, and return its second jar."""
    jars = [_zip(empty_cache.parent / f"{name}.jar") for name in ("a", "b", "c")]
    empty_cache.mkdir()
    (empty_cache / f"{fetch.gatk_name()}.classpath").write_text(":".join(map(str, jars)) + "\n")
    return jars[1]


def test_a_damaged_jar_is_downloaded_again(
    cached: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Maven trusts every file that exists, so a damaged one must be deleted first."""
    classpath = fetch.gatk_classpath()
    good = _zip(tmp_path / "good")
    _damaged(cached, 100)
    _script(tmp_path / "java", "exit 0")
    find_output = "for a; do case $a in -Dmdep.outputFile=*) out=${a#*=};; esac; done"
    _script(
        tmp_path / "mvn",
        f'{find_output}; test -e {cached} || cp {good} {cached}; printf %s {classpath} >"$out"',
    )
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    assert fetch.gatk_classpath() == classpath
    assert cached.read_bytes() == good.read_bytes()


def test_a_listing_that_is_not_text_is_incomplete(cached: Path, empty_cache: Path) -> None:
    (empty_cache / f"{fetch.gatk_name()}.classpath").write_bytes(bytes(range(256)))
    assert fetch.complete(fetch.gatk_name()) is None


@pytest.mark.parametrize("content", [b"", b"no zip file"])
def test_a_file_that_is_not_a_jar_is_refused(tmp_path: Path, content: bytes) -> None:
    jar = tmp_path / "gatk.jar"
    jar.write_bytes(content)
    with pytest.raises(MissingComponent, match=f"^{jar}: not a jar, or a damaged one"):
        swaps.library_folder(str(jar), tmp_path / "folder")


def test_a_full_disk_leaves_no_library_folder(tmp_path: Path) -> None:
    """A limit on the size of files is an error at the same place."""
    jar = tmp_path / "gatk.jar"
    with zipfile.ZipFile(jar, "w") as archive:
        archive.writestr("com/intel/gkl/native/libgkl_utils.so", "")
    code = (
        "import sys; from pathlib import Path; from gkl_shim.gatk import swaps\n"
        "try: swaps.library_folder(sys.argv[1], Path(sys.argv[2]))\n"
        "except OSError as error: print(error.filename, error.strerror)"
    )
    folder = tmp_path / "folder"
    command = [require_tool("prlimit"), "--fsize=4", sys.executable, "-c", code, jar, folder]
    told = subprocess.run(command, capture_output=True, text=True, check=True, cwd=tmp_path).stdout
    assert told == f"{folder / 'libgkl_pairhmm.so'} File too large\n"
    assert list(tmp_path.iterdir()) == [jar]


def test_the_error_without_gatk_says_what_to_do(
    empty_cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("GATK_CLASSPATH", "GATK_LOCAL_JAR"):
        monkeypatch.delenv(name, raising=False)
    with pytest.raises(MissingComponent, match=r"no GATK found: .*GATK_LOCAL_JAR.*gkl-shim demo"):
        run.find_classpath()


def test_gatk_is_found_in_the_documented_order(
    empty_cache: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    jars = [tmp_path / f"{name}.jar" for name in ("given", "classpath", "local")]
    for jar in jars:
        jar.touch()
    given, classpath, local = map(str, jars)
    monkeypatch.setenv("GATK_LOCAL_JAR", local)
    monkeypatch.delenv("GATK_CLASSPATH", raising=False)
    assert run.find_classpath() == local
    monkeypatch.setenv("GATK_CLASSPATH", f"{classpath}:{tmp_path}/*")
    assert run.find_classpath() == f"{classpath}:{tmp_path}/*"
    assert run.find_classpath(given) == given
    with pytest.raises(MissingComponent, match=r"--classpath: /nowhere\.jar: no such file"):
        run.find_classpath("/nowhere.jar")


def _script(path: Path, body: str) -> None:
    path.write_text(f"#!/bin/sh\n{body}\n")
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
