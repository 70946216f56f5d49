"""Our classes in several class loaders of one JVM, as of a notebook or a server of applications."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from gkl_shim import paths
from gkl_shim.gatk import fetch, programs
from tests.conftest import require_tool
from tests.java.conftest import skip_unless_served


@pytest.fixture(scope="module")
def classpath(tmp_path_factory: pytest.TempPathFactory) -> str:
    """Compile the program, and return its class path, on which our classes are before GKL's."""
    require_tool("mvn")
    folder = tmp_path_factory.mktemp("classes")
    libraries = f"{paths.classpath_jar()}:{fetch.gkl_classpath('0.9.1')}"
    source = str(Path(__file__).with_name("DroppedLoaders.java"))
    subprocess.run([require_tool("javac"), "-cp", libraries, "-d", folder, source], check=True)
    return f"{folder}:{libraries}"


def loaders(
    classpath: str, count: int, variables: dict[str, str] | None = None
) -> subprocess.CompletedProcess[str]:
    """Load our classes in new class loaders, compute with them, and drop the loaders."""
    command = [programs.java(), "-Xmx256m", "-cp", classpath, "DroppedLoaders"]
    return subprocess.run(
        [*command, classpath, str(count)],
        env={**os.environ, **(variables or {})},
        capture_output=True,
        text=True,
        check=False,
    )


def test_each_loader_computes_and_can_be_collected(classpath: str) -> None:
    """Although the thread that computed in it lives on."""
    done = loaders(classpath, 6)
    assert done.returncode == 0, done.stderr
    assert done.stderr.count("Intel GKL replaced (class path)") == 6
    assert "warning" not in done.stderr
    # The JVM may hold the latest one a little longer.
    assert int(done.stdout) <= 1


def test_the_users_library_serves_one_loader_at_a_time(classpath: str, tmp_path: Path) -> None:
    skip_unless_served("stock")
    library = tmp_path / "libgkl_shim.so"
    library.write_bytes(paths.library().read_bytes())
    # Nothing collects the first loader before the second one loads.
    messages = loaders(classpath, 2, {"GKL_SHIM_LIBRARY": str(library)}).stderr
    assert messages.count("Intel GKL replaced (class path)") == 1
    expected = f"Intel GKL is used: GKL_SHIM_LIBRARY names {library}, which does not load: "
    assert messages.count(expected) == 1
    assert "already loaded in another classloader" in messages


def test_the_error_says_that_there_are_too_many_loaders(classpath: str) -> None:
    # The least room for copies of the library. By default, there is room for about 28.
    done = loaders(classpath, 40, {"GLIBC_TUNABLES": "glibc.rtld.optional_static_tls=0"})
    assert done.returncode == 1
    assert "Intel GKL is used: too many class loaders of this JVM have loaded" in done.stderr
