"""The symbols that the library exports to its process, and those that it imports.

The library contains a C++ run-time library. If its symbols mixed with those of another one in the
process, one would unwind the exceptions of the other. This ends a JVM.
"""

from __future__ import annotations

import re
import subprocess
import zipfile
from pathlib import Path

from gkl_shim import paths
from tests.conftest import HEADER_FOLDERS, ROOT, require_tool

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
