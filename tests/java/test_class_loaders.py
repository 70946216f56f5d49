"""Our classes in several class loaders of one JVM, as of a notebook or a server of applications."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks import long_runs
from gkl_shim import paths
from gkl_shim.errors import MissingComponent
from tests.conftest import require_tool
from tests.java.conftest import skip_unless_served


@pytest.fixture(scope="module")
def classpath(tmp_path_factory: pytest.TempPathFactory) -> str:
    require_tool("javac")
    require_tool("mvn")
    return long_runs.compiled(tmp_path_factory.mktemp("classes"))


def test_each_loader_computes_and_can_be_collected(classpath: str) -> None:
    """Although the thread that computed in it lives on."""
    phases, messages = long_runs.loaders(classpath, 6, 2)
    assert messages.count("Intel GKL replaced (class path)") == 6
    assert "warning" not in messages
    assert phases[-1]["loaders"] == 6
    # The JVM may hold the latest one a little longer.
    assert phases[-1]["alive"] <= 1


def test_the_users_library_serves_one_loader_at_a_time(classpath: str, tmp_path: Path) -> None:
    skip_unless_served("stock")
    library = tmp_path / "libgkl_shim.so"
    library.write_bytes(paths.library().read_bytes())
    # In one phase, nothing collects the first loader before the second loads.
    _, messages = long_runs.loaders(classpath, 2, 1, {"GKL_SHIM_LIBRARY": str(library)})
    assert messages.count("Intel GKL replaced (class path)") == 1
    expected = f"Intel GKL is used: GKL_SHIM_LIBRARY names {library}, which does not load: "
    assert messages.count(expected) == 1
    assert "already loaded in another classloader" in messages


def test_the_error_says_that_there_are_too_many_loaders(classpath: str) -> None:
    # The least room for copies of the library. By default, there is room for about 28.
    little = {"GLIBC_TUNABLES": "glibc.rtld.optional_static_tls=0"}
    with pytest.raises(MissingComponent) as failed:
        long_runs.loaders(classpath, 40, 1, little)
    assert "Intel GKL is used: too many class loaders of this JVM have loaded" in str(failed.value)
