"""The library is built with a distribution's compiler and flags, and installed for C users."""

from __future__ import annotations

import os
import re
import subprocess
from importlib import metadata
from pathlib import Path

import pytest

from tests.conftest import ROOT, require_tool
from tests.native_driver import DRIVER

# It builds the library, which takes longer than any other test.
pytestmark = pytest.mark.build

CXXFLAGS = "-O1 -g1 -D_FORTIFY_SOURCE=2 -fstack-protector-strong"
LDFLAGS = "-Wl,-z,relro -Wl,-z,now"


def output(*command: object, **options) -> str:
    done = subprocess.run(list(map(str, command)), capture_output=True, text=True, **options)
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
    return done.stdout


@pytest.fixture(scope="module")
def prefix(tmp_path_factory) -> Path:
    """Build with compilers that log their arguments, and install."""
    folder = tmp_path_factory.mktemp("package")
    environment = {**os.environ, "CXXFLAGS": CXXFLAGS, "LDFLAGS": LDFLAGS, "CFLAGS": "-O1"}
    for name, tool in (("CC", "cc"), ("CXX", "c++")):
        script = folder / tool
        script.write_text(
            f'#!/bin/sh\necho "$@" >>{folder}/{name}\nexec {require_tool(tool)} "$@"\n'
        )
        script.chmod(0o755)
        environment[name] = str(script)
    # A download would fail.
    environment |= dict.fromkeys(("http_proxy", "https_proxy"), "http://127.0.0.1:9")
    cmake, build, installed = require_tool("cmake"), folder / "build", folder / "prefix"
    output(
        *(cmake, "-S", ROOT, "-B", build, "-G", "Ninja", f"-DCMAKE_INSTALL_PREFIX={installed}"),
        *("-DCMAKE_BUILD_TYPE=None", f"-DCMAKE_MAKE_PROGRAM={require_tool('ninja')}"),
        *("-DGKL_SHIM_JAR=ON", "-DCMAKE_INSTALL_LIBDIR=lib", "-DGKL_SHIM_CPU_BUILDS=portable"),
        env=environment,
    )
    output(cmake, "--build", build, env=environment)
    output(cmake, "--install", build, env=environment)
    return installed


def test_the_compiler_and_flags_of_the_packager_are_used(prefix):
    commands = (prefix.parent / "CXX").read_text().splitlines()
    compiled = [line for line in commands if line.endswith((".cpp", ".cxx")) and str(ROOT) in line]
    assert len(compiled) > 20
    assert all(CXXFLAGS in line for line in compiled)
    # Only the kernels are compiled at another level.
    levels = {Path(line.split()[-1]).stem: re.findall(r"-O\S+", line)[-1] for line in compiled}
    raised = {name.rpartition("_")[2] for name, level in levels.items() if level != "-O1"}
    assert raised == {"portable"}
    link = next(line for line in commands if "-o libgkl_shim.so" in line)
    assert LDFLAGS in link
    found = output(require_tool("readelf"), "--dynamic", prefix / "lib/libgkl_shim.so")
    assert "BIND_NOW" in found
    assert "__stack_chk_fail" in output(require_tool("nm"), "-D", prefix / "lib/libgkl_shim.so")


def test_the_library_has_a_version(prefix):
    library = prefix / "lib" / "libgkl_shim.so"
    found = output(require_tool("readelf"), "--dynamic", library)
    assert re.search(r"\(SONAME\).*\[libgkl_shim\.so\.0\]", found)
    assert library.is_symlink()
    assert (prefix / "lib" / "libgkl_shim.so.0").resolve() == library.resolve()
    assert [path.name for path in (prefix / "share" / "java").iterdir()] == ["gkl-shim.jar"]


def test_a_program_is_built_with_pkg_config(prefix, native_driver, region_file, tmp_path):
    """A C program compiled with its flags gives the bits of the installed package."""
    settings = {**os.environ, "PKG_CONFIG_PATH": str(prefix / "lib" / "pkgconfig")}
    flags = output(require_tool("pkg-config"), "--cflags", "--libs", "gkl_shim", env=settings)
    program = tmp_path / "program"
    output(require_tool("cc"), DRIVER, "-o", program, *flags.split(), "-lm")
    library_path = {**os.environ, "LD_LIBRARY_PATH": str(prefix / "lib")}
    for precision in ("single", "double"):
        arguments = (region_file, "portable", precision, 1)
        expected = output(*native_driver, *arguments)
        assert output(program, *arguments, env=library_path) == expected


def test_a_program_is_built_with_the_cmake_package(prefix, region_file, native_driver, tmp_path):
    (tmp_path / "CMakeLists.txt").write_text(
        "cmake_minimum_required(VERSION 3.22)\n"
        "project(user LANGUAGES C)\n"
        f"find_package(gkl_shim {metadata.version('gkl-shim')} REQUIRED)\n"
        f"add_executable(program {DRIVER})\n"
        "target_link_libraries(program gkl_shim::gkl_shim m)\n"
    )
    cmake = require_tool("cmake")
    output(cmake, "-S", tmp_path, "-B", tmp_path / "b", f"-DCMAKE_PREFIX_PATH={prefix}")
    output(cmake, "--build", tmp_path / "b")
    arguments = (region_file, "portable", "single", 1)
    assert output(tmp_path / "b/program", *arguments) == output(*native_driver, *arguments)
