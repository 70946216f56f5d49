"""What the library shows to the process that loads it, and what it takes from there.

Its own C++ run-time library is inside it. Where one of these symbols met those of another C++
library in the process, an exception of one would be unwound by the other: a JVM dies of that.
"""

from __future__ import annotations

import re
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from gkl_shim import paths
from tests.conftest import HEADER_FOLDERS, require_tool

JNI = {
    "JNI_OnLoad",
    "Java_com_intel_gkl_pairhmm_IntelPairHmm_computeLikelihoodsNative",
    "Java_com_intel_gkl_pairhmm_IntelPairHmm_doneNative",
    "Java_com_intel_gkl_pairhmm_IntelPairHmm_initNative",
    "Java_org_gklshim_pairhmm_NativePairHmm_compute",
    "Java_org_gklshim_pairhmm_NativePairHmm_initialize",
    "Java_org_gklshim_pdhmm_NativePdhmm_compute",
    "Java_org_gklshim_pdhmm_NativePdhmm_initialize",
}
#: What belongs to a C++ run-time library; its first three names also exist in the C library.
CPP = re.compile(r"(?!__cxa_(atexit|finalize|thread_atexit_impl)$)(_Z|__cxa_|__gxx_|_Unwind_)")

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="reads ELF files")


def libraries(folder: Path) -> list[Path]:
    """The package's library, and those of the jar."""
    with zipfile.ZipFile(paths.agent_jar()) as jar:
        names = [name for name in jar.namelist() if name.endswith("/libgkl_shim.so")]
        assert names
        return [paths.library(), *(Path(jar.extract(name, folder)) for name in names)]


def symbols(library: Path, which: str) -> dict[str, str]:
    """Names, and nm's letter for each."""
    done = subprocess.run(
        [require_tool("nm"), "--dynamic", which, "--format=posix", library],
        check=True,
        capture_output=True,
        text=True,
    )
    lines = (line.split() for line in done.stdout.splitlines())
    return {name.split("@")[0]: letter for name, letter, *_ in lines}


def test_the_c_interface_and_jni_are_all_that_is_exported(tmp_path):
    header = "".join(path.read_text() for folder in HEADER_FOLDERS for path in folder.iterdir())
    functions = set(re.findall(r"^GKL_SHIM_API [^(]*?(\w+)\(", header, re.MULTILINE))
    assert len(functions) == header.count("\nGKL_SHIM_API ")
    for library in libraries(tmp_path):
        assert symbols(library, "--defined-only").keys() == functions | JNI, library


def test_nothing_of_cpp_comes_from_the_process(tmp_path):
    for library in libraries(tmp_path):
        found = symbols(library, "--undefined-only")
        assert "malloc" in found
        # Of what is weak the library needs none.
        needed = [name for name, letter in found.items() if letter == "U" and CPP.match(name)]
        assert needed == [], library


def test_the_library_is_never_unloaded(tmp_path):
    """A JVM drops a library with its class loader; its threads would be left asleep in it."""
    for library in libraries(tmp_path):
        done = subprocess.run(
            [require_tool("readelf"), "--dynamic", library],
            check=True,
            capture_output=True,
            text=True,
        )
        assert re.search(r"\(FLAGS_1\).*\bNODELETE\b", done.stdout), library
