"""GKL's class paths, the two swaps, and JVMs to run scenarios in."""

from __future__ import annotations

import os
import pickle
import platform
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from gkl_shim import paths
from gkl_shim.gatk import fetch, swaps
from tests.conftest import require_tool
from tests.java import regions

ROOT = Path(__file__).parents[2]
GKL_VERSIONS = ("0.8.11", "0.9.0")

SWAPS = ("agent", "library-path")


@dataclass(frozen=True)
class Outcome:
    """The scenario's result, and what its process logged."""

    result: Any
    log: str

    @property
    def ours(self) -> list[str]:
        """The lines that the shim wrote."""
        return [line for line in self.log.splitlines() if line.startswith("[gkl-shim ")]

    def line(self, text: str) -> str:
        """Return the only line of ours that contains a text."""
        found = [line for line in self.ours if text in line]
        assert len(found) == 1, f"{text!r} in {len(found)} lines:\n{self.log[-3000:]}"
        return found[0]


class Jvm:
    """Run scenarios, each in a new JVM, with a temporary folder."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self.temporary = folder / "tmp"
        self.temporary.mkdir()

    def __call__(
        self,
        scenario: str,
        argument: Any,
        *,
        swap: str = "agent",
        gkl: str = GKL_VERSIONS[0],
        options: Sequence[str] = (),
        environment: Mapping[str, str] | None = None,
        cpus: set[int] | None = None,
        module: str = "tests.java.scenarios",
    ) -> Outcome:
        chosen = self._swap(swap, gkl)
        given, result = self._folder / "argument", self._folder / "result"
        given.write_bytes(pickle.dumps(argument))
        result.unlink(missing_ok=True)
        command = [sys.executable, "-m", module, scenario, str(given), str(result)]
        command.append(gkl_classpath(gkl))
        # On the command line, because the JVM logs JAVA_TOOL_OPTIONS.
        command += [] if chosen.agent is None else [f"-javaagent:{chosen.agent}"]
        # The first compiler alone: these runs end before the second pays.
        command += [f"-Djava.io.tmpdir={self.temporary}", "-XX:TieredStopAtLevel=1", *options]
        variables = {**os.environ, **(environment or {})}
        if chosen.libraries is not None:
            command.append(f"-Djava.library.path={chosen.libraries}")
            variables["USE_LIBRARY_PATH"] = "1"

        def limit() -> None:
            if cpus is not None:
                os.sched_setaffinity(0, cpus)

        process = subprocess.run(
            command,
            env=variables,
            cwd=ROOT,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=300,
            check=False,
            preexec_fn=limit,
        )
        assert process.returncode == 0, process.stdout[-5000:]
        return Outcome(pickle.loads(result.read_bytes()), process.stdout)

    def _swap(self, name: str, gkl: str) -> swaps.Swap:
        if name == "stock":
            return swaps.STOCK
        if name == "agent":
            return swaps.agent()
        folder = self._folder / f"libraries-{gkl}"
        if not folder.is_dir():
            swaps.library_folder(gkl_classpath(gkl), folder)
        return swaps.library_path(folder)


def gkl_classpath(version: str) -> str:
    require_tool("java")
    require_tool("mvn")
    return fetch.gkl_classpath(version)


def compile_java(classpath: str, folder: Path, sources: list[Path]) -> None:
    # The first compiler alone: javac ends before the second pays.
    command = [require_tool("javac"), "-J-XX:TieredStopAtLevel=1", "-nowarn", "-cp", classpath]
    subprocess.run([*command, "-d", str(folder), *map(str, sources)], check=True)


def stock_serves() -> bool:
    """Return whether GKL runs on this CPU. The library-path swap needs it too."""
    if platform.machine() != "x86_64":
        return False
    return " avx " in Path("/proc/cpuinfo").read_text()


def skip_unless_served(swap: str) -> None:
    if swap in ("stock", "library-path") and not stock_serves():
        pytest.skip("GKL's own gate asks for x86-64 with AVX")


@pytest.fixture(autouse=True, scope="session")
def _no_shim_around() -> None:
    """Refuse to run with our settings in the environment, because they would change the tests."""
    harmless = ("GKL_SHIM_CACHE", "GKL_SHIM_RELEASE")
    names = [name for name in os.environ if name.startswith("GKL_SHIM_") and name not in harmless]
    assert not names, f"unset {' '.join(names)}"


@pytest.fixture
def jvm(tmp_path: Path) -> Jvm:
    return Jvm(tmp_path)


@pytest.fixture(scope="session")
def agent_jar() -> Path:
    return paths.agent_jar()


@pytest.fixture(autouse=True)
def _served(request: pytest.FixtureRequest) -> None:
    """Skip a test of a swap that this machine does not serve."""
    if "swap" in request.fixturenames:
        skip_unless_served(request.getfixturevalue("swap"))


@pytest.fixture(scope="module")
def sample() -> list[regions.Region]:
    return [*regions.odd(), *(regions.typical(seed) for seed in range(5))]
