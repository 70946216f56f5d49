"""The library starts Python inside another program, and runs only code that can be trusted."""

from __future__ import annotations

import os
import re
import shutil
import stat
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

import gkl_shim
from tests.conftest import HEADER_FOLDERS, ROOT, is_running, require_tool

SOURCE = Path(__file__).parent / "python_host.c"

#: The stand-in for CuPy says this, so that a test sees how far the library came.
REACHED = "the stand-in for CuPy"
ADVICE = "set GKL_SHIM_PYTHON to the absolute path of the Python that has gkl-shim and CuPy"


@pytest.fixture(scope="module")
def program(compile_c) -> Path:
    return compile_c(require_tool("cc"), SOURCE, gkl_shim.paths.library())


@pytest.fixture(scope="module")
def likelihood(program: Path) -> str:
    return subprocess.run(
        [program, "cpu"], capture_output=True, text=True, check=True
    ).stdout.split("\n")[0]


@pytest.fixture
def stand_in(tmp_path: Path) -> Path:
    """A folder for PYTHONPATH whose CuPy does not load. Like CuPy, it imports `signal`."""
    folder = tmp_path / "stand-in"
    folder.mkdir()
    (folder / "cupy.py").write_text(f"import signal\nraise ImportError({REACHED!r})\n")
    return folder


class Host:
    """Runs the program. Each run must give the CPU's result and leave no child process and no
    handler of a signal."""

    def __init__(self, program: Path, likelihood: str, stand_in: Path) -> None:
        self._program, self._likelihood = program, likelihood
        inherited = os.environ.get("PYTHONPATH")
        self.python_path = ":".join([str(stand_in), *([inherited] if inherited else [])])
        self.warnings: list[str] = []

    def __call__(
        self, environment: dict[str, str | None], *, backend: str = "cuda", cwd: Path | None = None
    ) -> str:
        """Return what the library reports about the GPU engine."""
        variables = {**os.environ, "PYTHONPATH": self.python_path, **environment}
        done = subprocess.run(
            [self._program, backend],
            env={name: value for name, value in variables.items() if value is not None},
            cwd=cwd,
            capture_output=True,
            text=True,
            timeout=60,
            check=True,
        )
        computed, state, *left = done.stdout.splitlines()
        assert (computed, left) == (self._likelihood, ["no child", "no handler"])
        self.warnings = done.stderr.splitlines()
        return state


@pytest.fixture
def host(program: Path, likelihood: str, stand_in: Path) -> Host:
    return Host(program, likelihood, stand_in)


def write_program(path: Path, text: str) -> Path:
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o755)
    return path


# Tests that nothing comes from the working directory.


class Trap:
    """A folder of files that Python and the dynamic linker look for. Each leaves a mark."""

    MODULES = (
        "cupy",
        "encodings",
        "gkl_shim",
        "io",
        "numpy",
        "os",
        "site",
        "sitecustomize",
        "sysconfig",
        "usercustomize",
    )

    def __init__(self, folder: Path, compiler: str) -> None:
        self.folder = folder
        self._mark = folder / "mark"
        python = f"with open({str(self._mark)!r}, 'a') as mark: mark.write(__file__ + ' ')\n"
        minor = f"python3.{sys.version_info.minor}"
        for name in (".", f"lib/{minor}", f".local/lib/{minor}/site-packages", "sub"):
            (folder / name).mkdir(parents=True, exist_ok=True)
            for module in self.MODULES:
                (folder / name / f"{module}.py").write_text(python)
        (folder / "bin").mkdir()
        for name in ("python3", "bin/python3", "sub/python3"):
            write_program(folder / name, f'echo "$0" >> {self._mark}')
        library = folder / "library.c"
        library.write_text(
            "#include <stdio.h>\n"
            "__attribute__((constructor)) static void mark(void) {\n"
            f'    FILE *file = fopen("{self._mark}", "a");\n'
            '    if (file) fputs("library ", file);\n'
            "}\n"
        )
        for name in ("libcuda.so.1", f"lib{minor}.so.1.0"):
            command = [compiler, "-shared", "-fPIC", str(library), "-o", str(folder / name)]
            subprocess.run(command, check=True)

    @property
    def caught(self) -> str:
        return self._mark.read_text() if self._mark.exists() else ""

    def clear(self) -> None:
        """Remove the marks."""
        self._mark.unlink(missing_ok=True)


@pytest.fixture(scope="module")
def built_trap(tmp_path_factory: pytest.TempPathFactory) -> Trap:
    return Trap(tmp_path_factory.mktemp("trap"), require_tool("cc"))


@pytest.fixture
def trap(built_trap: Trap) -> Trap:
    built_trap.clear()
    return built_trap


def test_the_trap_notices_code_of_the_working_directory(trap: Trap) -> None:
    for command in (
        [sys.executable, "-S", "-c", "import sysconfig"],
        ["./python3"],
        [sys.executable, "-c", "import ctypes; ctypes.CDLL('./libcuda.so.1')"],
    ):
        before = trap.caught
        subprocess.run(command, cwd=trap.folder, check=False, capture_output=True)
        assert trap.caught != before, command


def find_interpreters() -> Iterator[str]:
    """Return this Python, and installed ones of other versions."""
    yield sys.executable
    for minor in range(10, 20):
        found = shutil.which(f"python3.{minor}")
        if found is None or minor == sys.version_info.minor:
            continue
        done = subprocess.run([found, "-I", "-c", ""], capture_output=True, check=False)
        if done.returncode == 0:
            yield found


INTERPRETERS = list(find_interpreters())
BIN = str(Path(sys.executable).parent)


@pytest.mark.parametrize("backend", ["cuda", "auto"])
@pytest.mark.parametrize("python", INTERPRETERS)
def test_no_module_of_the_working_directory_is_imported(
    host: Host, trap: Trap, python: str, backend: str
) -> None:
    state = host({"GKL_SHIM_PYTHON": python}, backend=backend, cwd=trap.folder)
    assert trap.caught == ""
    if backend == "cuda" and python == sys.executable:
        assert REACHED in state


@pytest.mark.parametrize("python", INTERPRETERS)
@pytest.mark.parametrize(
    "setting",
    [
        {"PYTHONPATH": "::.:sub:./lib:"},
        {"PYTHONHOME": "."},
        {"HOME": "."},
        {"HOME": "", "PYTHONUSERBASE": ".local"},
        {"PYTHONSTARTUP": "os.py", "PYTHONPLATLIBDIR": "."},
    ],
    ids=str,
)
def test_no_module_is_imported_by_a_relative_setting(
    host: Host, trap: Trap, python: str, setting: dict[str, str]
) -> None:
    # The other entries of PYTHONPATH still count.
    if "PYTHONPATH" in setting:
        setting = {"PYTHONPATH": f"{setting['PYTHONPATH']}:{host.python_path}"}
    state = host({"GKL_SHIM_PYTHON": python, **setting}, cwd=trap.folder)
    assert trap.caught == ""
    if python == sys.executable:
        assert REACHED in state


@pytest.mark.parametrize("python", [None, "", "python3"])
def test_no_program_is_run_from_a_relative_entry_of_the_path(
    host: Host, trap: Trap, python: str | None
) -> None:
    path = f":.:./:bin:sub/../bin:{BIN}:{os.environ['PATH']}"
    setting = {"PATH": path, "GKL_SHIM_PYTHON": python}
    state = host(setting, cwd=trap.folder)
    assert trap.caught == ""
    assert REACHED in state


@pytest.mark.parametrize("path", ["", ".", None])
def test_no_program_is_run_without_a_path(host: Host, trap: Trap, path: str | None) -> None:
    host({"PATH": path, "GKL_SHIM_PYTHON": None}, cwd=trap.folder)
    assert trap.caught == ""
    assert len(host.warnings) == 1


@pytest.mark.parametrize("python", ["bin/python3", "~/python3"])
def test_a_relative_program_is_refused(host: Host, trap: Trap, python: str) -> None:
    host({"GKL_SHIM_PYTHON": python}, cwd=trap.folder)
    assert trap.caught == ""
    assert len(host.warnings) == 1
    assert f"GKL_SHIM_PYTHON={python}: it is not an absolute path" in host.warnings[0]
    assert ADVICE in host.warnings[0]


@pytest.mark.parametrize("python", [os.path.realpath(python) for python in INTERPRETERS])
def test_packages_of_the_user_are_imported(host: Host, tmp_path: Path, python: str) -> None:
    """They are imported as in any Python, although most of its variables are ignored."""
    setting = {"PYTHONUSERBASE": str(tmp_path / "base"), "GKL_SHIM_PYTHON": python}
    ask = "import site; print(site.getusersitepackages())"
    done = subprocess.run(
        [python, "-c", ask],
        env={**os.environ, **setting},
        capture_output=True,
        text=True,
        check=True,
    )
    packages, mark = Path(done.stdout.strip()), tmp_path / "mark"
    packages.mkdir(parents=True)
    (packages / "usercustomize.py").write_text(f"open({str(mark)!r}, 'w').close()\n")
    host({**setting, "PYTHONNOUSERSITE": "1"})
    assert not mark.exists()
    host({**setting, "PYTHONNOUSERSITE": None})
    assert mark.exists()


def test_start_up_files_on_the_python_path_are_run(host: Host, stand_in: Path) -> None:
    """They are run as in any Python. One that exits does not end the process."""
    customize = stand_in / "sitecustomize.py"
    customize.write_text(f"import builtins; builtins.mark = {REACHED!r}\n")
    (stand_in / "cupy.py").write_text("raise ImportError(mark)\n")
    assert REACHED in host({"GKL_SHIM_PYTHON": sys.executable})
    customize.write_text("raise SystemExit\n")
    host({"GKL_SHIM_PYTHON": sys.executable})
    assert len(host.warnings) == 1
    assert f"no GPU (GKL_SHIM_PYTHON={sys.executable}: SystemExit; {ADVICE})" in host.warnings[0]


# Tests that nothing is used that others can change; test_safe_file.py has all ways to change it.


def writable(path: Path, mode: int = 0o002) -> None:
    path.chmod(stat.S_IMODE(path.stat().st_mode) | mode)


def test_a_program_that_others_can_write_to_is_refused(host: Host, tmp_path: Path) -> None:
    mark = tmp_path / "mark"
    python = write_program(tmp_path / "python", f"touch {mark}")
    writable(python)
    host({"GKL_SHIM_PYTHON": str(python)})
    assert f"GKL_SHIM_PYTHON={python}: others can write to {python}" in host.warnings[0]
    python.rename(tmp_path / "python3")
    host({"GKL_SHIM_PYTHON": None, "PATH": f"{tmp_path}:{os.environ['PATH']}"})
    assert f"others can write to {tmp_path}/python3" in host.warnings[0]
    assert not mark.exists()


# What the program prints is checked before it is used.

LIBRARY = "libpython3.so"


@pytest.fixture
def answer(tmp_path: Path) -> Path:
    """Return a file with the name of a Python library."""
    library = tmp_path / LIBRARY
    library.write_text("no library\n")
    return library


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "it printed nothing"),
        ("exec >&- 2>&-; exec sleep 1000", "it printed nothing"),
        ("echo no such module >&2; exit 3", "no such module"),
        ("printf {library}", "no path of a Python library"),
        ("echo /bin/sh; echo /bin/sh", "no path of a Python library: /bin/sh"),
        ("printf '\\033[2J\\n\\033]0;x\\007\\n'", "no path of a Python library"),
        ("head -c 3000 /bin/sh", "no path of a Python library"),
        ("while :; do echo {library}; done", "it printed more than 8192 bytes"),
        ("echo libpython3.so; echo /bin/sh", "cannot be used: it is not an absolute path"),
        ("printf '{library}\\001\\n/bin/sh\\n'", "cannot be used: No such file"),
        ("echo {library}; echo {folder}", "program {folder} cannot be used: it is not a file"),
        ("echo {library}; echo /bin/sh", "invalid ELF header|file too short"),
        ("echo a module was loaded; echo {library}; echo /bin/sh", "invalid ELF|file too short"),
    ],
)
def test_a_wrong_answer_of_the_program_is_one_warning(
    host: Host, answer: Path, tmp_path: Path, text: str, words: str
) -> None:
    text, words = (
        said.replace("{library}", str(answer)).replace("{folder}", str(tmp_path))
        for said in (text, words)
    )
    python = write_program(tmp_path / "python", text)
    started = time.monotonic()
    host({"GKL_SHIM_PYTHON": str(python)}, cwd=tmp_path)
    assert time.monotonic() - started < 20
    assert len(host.warnings) == 1, host.warnings
    (warning,) = host.warnings
    assert f"no GPU (GKL_SHIM_PYTHON={python}: " in warning
    assert re.search(words, warning), warning
    assert ADVICE in warning
    assert "the CPU engine computes" in warning
    assert warning.isprintable()
    assert len(warning) < 1000


@pytest.mark.parametrize("name", ["/bin/true", "/", "/nonexistent/python"])
def test_what_is_not_python_is_one_warning(host: Host, name: str) -> None:
    host({"GKL_SHIM_PYTHON": name})
    assert len(host.warnings) == 1
    assert f"no GPU (GKL_SHIM_PYTHON={name}: " in host.warnings[0]
    assert ADVICE in host.warnings[0]


def test_a_library_that_is_not_python_is_refused(host: Host, tmp_path: Path) -> None:
    library = tmp_path / LIBRARY
    shutil.copy(gkl_shim.paths.library(), library)
    python = write_program(tmp_path / "python", f"echo {library}; echo /bin/sh")
    host({"GKL_SHIM_PYTHON": str(python)})
    assert f"{library} lacks Py" in host.warnings[0]
    assert ADVICE in host.warnings[0]


def test_a_library_that_others_can_write_to_is_refused(
    host: Host, answer: Path, tmp_path: Path
) -> None:
    writable(answer)
    python = write_program(tmp_path / "python", f"echo {answer}; echo /bin/sh")
    host({"GKL_SHIM_PYTHON": str(python)})
    assert f"others can write to {answer}" in host.warnings[0]


@pytest.mark.parametrize("waits", [True, False])
def test_a_program_that_never_ends_is_killed(
    program: Path, likelihood: str, stand_in: Path, tmp_path: Path, waits: bool
) -> None:
    """So is everything that it has started, even if it or our process ends first."""

    def run(number: int, last: str) -> None:
        pids = f"{tmp_path}/pids{number}"
        text = f"sleep 1000 & echo $$ $! > {pids}; {last}"
        setting = {"GKL_SHIM_PYTHON": str(write_program(tmp_path / f"python{number}", text))}
        if waits:
            host = Host(program, likelihood, stand_in)
            host(setting)
            assert "it did not end within 8 seconds" in host.warnings[0]
        else:
            subprocess.run([program, "cuda", "end"], env={**os.environ, **setting}, check=True)

    programs = ("wait", f"echo {tmp_path / LIBRARY}; echo /bin/sh")
    with ThreadPoolExecutor() as pool:
        list(pool.map(run, range(2), programs[: 1 + waits]))
    started = [int(pid) for path in tmp_path.glob("pids*") for pid in path.read_text().split()]
    assert len(started) == 2 + 2 * waits
    deadline = time.monotonic() + 60
    while any(map(is_running, started)):
        assert time.monotonic() < deadline
        time.sleep(0.1)


def test_python_starts_with_closed_standard_streams(program: Path, host: Host) -> None:
    done = subprocess.run(
        ["sh", "-c", 'exec "$0" cuda <&- 2>&-', program],
        env={**os.environ, "PYTHONPATH": host.python_path, "GKL_SHIM_PYTHON": sys.executable},
        capture_output=True,
        text=True,
        check=True,
    )
    assert REACHED in done.stdout.splitlines()[1]


def test_a_folder_that_every_user_can_change_is_no_place_for_packages(
    host: Host, stand_in: Path
) -> None:
    stand_in.chmod(0o1777)
    assert REACHED not in host({"GKL_SHIM_PYTHON": sys.executable})
    stand_in.chmod(0o775)
    assert REACHED in host({"GKL_SHIM_PYTHON": sys.executable})


def test_a_python_program_may_end_while_its_gpu_starts(stand_in: Path, tmp_path: Path) -> None:
    # The stand-in ends after the program's last line, and needs the GIL often after that.
    (stand_in / "cupy.py").write_text(
        "import threading, time\n"
        "threading.main_thread().join()\n"
        "for _ in range(10000): time.sleep(0)\n"
    )
    program = """\
import sys, time
from gkl_shim.common import _native

ffi, lib = _native.library()
options = ffi.new("gkl_shim_pairhmm_options *", {"backend": lib.GKL_SHIM_CUDA})
handle = ffi.new("gkl_shim_pairhmm **")
assert lib.gkl_shim_pairhmm_open(options, handle) == 0
while "cupy" not in sys.modules:
    time.sleep(0.01)
"""
    done = subprocess.run(
        [sys.executable, "-c", program],
        env={**os.environ, "PYTHONPATH": str(stand_in)},
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert done.returncode == 0, done.stderr


def test_the_gpu_starts_with_the_jvm_s_engine(
    preloaded: Path, stand_in: Path, tmp_path: Path
) -> None:
    """Not with the first region. The program acts as a JVM."""
    program = f"""\
import sys, time
sys.path.append({str(ROOT)!r})
from gkl_shim.common import _native
from tests.common.memory.kept_buffers import Own

sys.path.insert(0, {str(stand_in)!r})
Own()  # initializes an engine
ffi, lib = _native.library()
while (state := ffi.string(lib.gkl_shim_pairhmm_cuda_state()).decode()) == "starting":
    time.sleep(0.01)
print(state)
"""
    settings = {"GKL_SHIM_BACKEND": "cuda", "GKL_SHIM_LOG": "quiet", "LD_PRELOAD": str(preloaded)}
    done = subprocess.run(
        [sys.executable, "-c", program],
        env={**os.environ, **settings},
        cwd=tmp_path,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    assert REACHED in done.stdout


# A process with several copies of the library.


def test_two_copies_of_the_library_use_one_python(host: Host, tmp_path: Path) -> None:
    """Each asks for a GPU before the other has started Python."""
    program, source = tmp_path / "program", SOURCE.with_name("python_host_copies.c")
    headers = [f"-I{folder}" for folder in HEADER_FOLDERS]
    command = [require_tool("cc"), "-std=c11", "-Wall", "-Wextra", "-Werror", *headers, source]
    subprocess.run([*command, "-o", program, "-ldl", "-pthread"], check=True)
    copies = [tmp_path / f"copy{number}.so" for number in range(2)]
    for copy in copies:
        shutil.copy(gkl_shim.paths.library(), copy)
    done = subprocess.run(
        [program, *copies],
        env={**os.environ, "PYTHONPATH": host.python_path, "GKL_SHIM_PYTHON": sys.executable},
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert done.returncode == 0, done.stderr
    states = done.stdout.splitlines()
    assert [REACHED in state for state in states] == [True, True], states
