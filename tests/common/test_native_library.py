"""The native library: another file in its place, exceptions at its borders, and its symbols.

The library contains a C++ run-time library. If its symbols mixed with those of another one in the
process, one would unwind the exceptions of the other. This ends a JVM.
"""

from __future__ import annotations

import ctypes.util
import re
import subprocess
import zipfile
from pathlib import Path

import pytest

import gkl_shim
from gkl_shim import paths
from tests.cli.shim_command import REGIONS, doctor, one_error, run
from tests.conftest import HEADER_FOLDERS, ROOT, require_tool


def _compiled(folder: Path, source: str) -> Path:
    (folder / "other.c").write_text(source)
    library = folder / "other.so"
    command = [require_tool("cc"), "-shared", "-fPIC", folder / "other.c", "-o", library]
    subprocess.run(command, check=True)
    return library


def _other_version(folder: Path) -> Path:
    return _compiled(folder, 'const char *gkl_shim_version(void) { return "0.0.1"; }\n')


def _incomplete(folder: Path) -> Path:
    text = f'const char *gkl_shim_version(void) {{ return "{gkl_shim.__version__}"; }}\n'
    return _compiled(folder, text)


def _foreign(folder: Path) -> Path:
    found = ctypes.util.find_library("m")
    assert found is not None
    loaded = ctypes.CDLL(found)
    for line in Path("/proc/self/maps").read_text().splitlines():
        if Path(line.split()[-1]).name.startswith("libm"):
            return Path(line.split()[-1])
    pytest.skip(f"{loaded} lies in no file")


def _text(folder: Path) -> Path:
    (folder / "text.so").write_text("not a library\n" * 100)
    return folder / "text.so"


def _relative(folder: Path) -> Path:
    return Path(_text(folder).name)


def _absent(folder: Path) -> Path:
    return folder / "absent.so"


WRONG = {
    _absent: "is not a file",
    _relative: "is not an absolute path",
    _foreign: "is not a library of gkl-shim: it has no gkl_shim_version",
    _other_version: f"is of version 0.0.1; this is gkl-shim {gkl_shim.__version__}",
    _incomplete: "is another build of gkl-shim: it has no gkl_shim_",
    _text: "does not load: invalid ELF header",
}


@pytest.mark.parametrize("make", WRONG)
def test_a_file_that_is_not_our_library_is_named(tmp_path, make):
    library = make(tmp_path)
    (tmp_path / "a.in").write_bytes(REGIONS)
    # Without Java, which doctor would start.
    bare = dict.fromkeys(("PATH", "JAVA_HOME"), str(tmp_path))
    env = {"GKL_SHIM_LIBRARY": str(library), **bare}
    message = one_error(run(tmp_path, "pairhmm", "a.in", env=env))
    assert message.startswith(f"GKL_SHIM_LIBRARY names {library}, which {WRONG[make]}")
    assert doctor(tmp_path, **env)["native library"] == ("failed", message)


def test_a_copy_of_the_library_works(tmp_path):
    copy = tmp_path / "copy.so"
    copy.write_bytes(gkl_shim.paths.library().read_bytes())
    (tmp_path / "a.in").write_bytes(REGIONS)
    env = {"GKL_SHIM_LIBRARY": str(copy)}
    assert run(tmp_path, "pairhmm", "a.in", env=env).stdout == (
        run(tmp_path, "pairhmm", "a.in").stdout
    )


EXPECTED = """\
bad_alloc: 2, out of memory
length_error: 2, out of memory
system_error: 4, a failure within the library: lock: Resource temporarily unavailable
number: 4, a failure within the library
status: 3, no such build
loop: 4, a failure within the library: task 0
still running: 0; fewer than all begun: 1
loop: 4, a failure within the library: task 1
still running: 0; fewer than all begun: 1
loop: 4, a failure within the library: task 50
still running: 0; fewer than all begun: 1
loop: 0
begun: 200
"""


def test_every_exception_is_a_status(tmp_path: Path) -> None:
    kernels, program = ROOT / "kernels", tmp_path / "exceptions"
    names = ("api.cpp", "cpu.cpp", "interrupt.cpp", "memory/copy.cpp", "thread_pool.cpp")
    sources = [kernels / "common" / name for name in names]
    flags = ["-std=c++17", "-Wall", "-Wextra", "-Werror", "-pthread", '-DGKL_SHIM_VERSION=""']
    include = [f"-I{folder}" for folder in (kernels, *HEADER_FOLDERS)]
    test = Path(__file__).with_name("exceptions.cpp")
    command = [require_tool("c++"), *flags, *include, test, *sources, "-o", program]
    subprocess.run(command, check=True)
    done = subprocess.run([program], capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    assert done.stdout == EXPECTED


JAVA = ROOT / "java" / "src" / "main" / "java"
#: What a JVM calls: the native methods of our classes, and of Intel's, which have no source here.
JNI = {
    "JNI_OnLoad",
    "Java_com_intel_gkl_pairhmm_IntelPairHmm_computeLikelihoodsNative",
    "Java_com_intel_gkl_pairhmm_IntelPairHmm_doneNative",
    "Java_com_intel_gkl_pairhmm_IntelPairHmm_initNative",
    *(
        f"Java_{'_'.join(path.relative_to(JAVA).with_suffix('').parts)}_{method}"
        for path in JAVA.rglob("*.java")
        for method in re.findall(r"^    public native \S+ (\w+)\(", path.read_text(), re.MULTILINE)
    ),
}
#: What the copies of the library in one process share.
SHARED = {"gkl_shim_python_mutex"}
#: What belongs to a C++ run-time library; its first three names also exist in the C library.
CPP = re.compile(r"(?!__cxa_(atexit|finalize|thread_atexit_impl)$)(_Z|__cxa_|__gxx_|_Unwind_)")


def libraries(folder: Path) -> list[Path]:
    """Return the library of the package and those of the jar."""
    with zipfile.ZipFile(paths.agent_jar()) as jar:
        names = [name for name in jar.namelist() if name.endswith("/libgkl_shim.so")]
        assert names
        return [paths.library(), *(Path(jar.extract(name, folder)) for name in names)]


def symbols(library: Path, which: str) -> dict[str, str]:
    """Return the names of symbols, each with nm's letter."""
    done = subprocess.run(
        [require_tool("nm"), "--dynamic", which, "--format=posix", library],
        check=True,
        capture_output=True,
        text=True,
    )
    lines = (line.split() for line in done.stdout.splitlines())
    return {name.split("@")[0]: letter for name, letter, *_ in lines}


def test_only_the_c_interface_and_jni_are_exported(tmp_path):
    files = [path for folder in HEADER_FOLDERS for path in folder.iterdir()]
    headers = {path.name: path.read_text() for path in files}
    functions = {
        name: set(re.findall(r"^GKL_SHIM_API [^(]*?(\w+)\(", text, re.MULTILINE))
        for name, text in headers.items()
    }
    assert all(len(functions[name]) == headers[name].count("\nGKL_SHIM_API ") for name in headers)
    everywhere = set().union(JNI, SHARED, *functions.values())
    for library in libraries(tmp_path):
        found = symbols(library, "--defined-only").keys()
        assert found == everywhere, library


def test_copies_of_the_library_share_one_mutex(tmp_path: Path) -> None:
    for library in libraries(tmp_path):
        found = symbols(library, "--defined-only")
        assert {name: found[name] for name in SHARED} == dict.fromkeys(SHARED, "u"), library


def test_no_cpp_symbol_comes_from_the_process(tmp_path):
    for library in libraries(tmp_path):
        found = symbols(library, "--undefined-only")
        assert "malloc" in found
        # The library does not need its weak symbols.
        needed = [name for name, letter in found.items() if letter == "U" and CPP.match(name)]
        assert needed == [], library


def test_the_library_is_never_unloaded(tmp_path):
    """A JVM unloads a library with its class loader, but its threads would still sleep in it."""
    for library in libraries(tmp_path):
        done = subprocess.run(
            [require_tool("readelf"), "--dynamic", library],
            check=True,
            capture_output=True,
            text=True,
        )
        assert re.search(r"\(FLAGS_1\).*\bNODELETE\b", done.stdout), library
