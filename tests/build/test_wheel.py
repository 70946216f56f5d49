"""The installed package contains no tests, no benchmarks and no sources that it does not need."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator
from importlib import metadata
from pathlib import Path, PurePosixPath

import pytest

import gkl_shim
from tests.conftest import ROOT

#: Beside Python files, by folder.
ALLOWED = {
    "gkl_shim": r"py\.typed",
    "gkl_shim/gatk/na12878_chr22": r"LICENSE|README\.md|NA12878\.ba[im]|q\.(dict|fa(\.fai)?)",
    "gkl_shim/include": r"gkl_shim\.h",
    "gkl_shim/java": r"gkl-shim(-classpath|-bench)?\.jar",
    "gkl_shim/lib": r"libgkl_shim\.so",
}
COMPILED = r"\w+\.[0-9a-f]{16}\.((sm|compute)_\d+\.(cubin|ptx)|symbols\.json)"
INCLUDE = re.compile(r'^\s*#\s*include "(.+)"', re.M)


def kernel_sources() -> set[str]:
    """Return the CUDA kernels and what they include, which CuPy compiles on other devices."""
    kernels = ROOT / "kernels"
    found: set[str] = set()
    left = [path.relative_to(kernels).as_posix() for path in kernels.rglob("*.cu")]
    while left:
        source = left.pop()
        found.add(source)
        left += set(INCLUDE.findall((kernels / source).read_text(encoding="utf-8"))) - found
    return {f"gkl_shim/kernels/{source}" for source in found}


def foreign(files: Iterable[str]) -> Iterator[str]:
    """Yield the installed files that do not belong to the package."""
    package = (path.relative_to(ROOT).as_posix() for path in (ROOT / "gkl_shim").rglob("*.py"))
    known = {*package, *kernel_sources(), "gkl_shim/_abi.py"}
    for file in files:
        path = PurePosixPath(file)
        folder = path.parent.as_posix()
        if (
            file in known
            or folder.partition("/")[0] == f"gkl_shim-{gkl_shim.__version__}.dist-info"
        ):
            continue
        allowed = COMPILED if folder.startswith("gkl_shim/kernels/") else ALLOWED.get(folder, "")
        if not re.fullmatch(allowed, path.name) and path.parts[-2:] != ("bin", "gkl-shim"):
            yield file


def installed() -> set[str]:
    """Return the files that pip installed."""
    distribution = metadata.distribution("gkl-shim")
    if Path(str(distribution.locate_file("gkl_shim"))) != Path(gkl_shim.__file__).parent:
        reason = "the package under test was not installed by pip"
        if os.environ.get("CI") == "true":
            pytest.fail(reason)
        pytest.skip(reason)
    files = (file.as_posix() for file in distribution.files or ())
    return {file for file in files if not file.endswith(".pyc")}


def test_no_other_file_is_installed() -> None:
    assert list(foreign(installed())) == []


def test_the_files_of_the_build_are_installed() -> None:
    kernels = {file for file in kernel_sources() if file.endswith(".cu")}
    files = installed()
    others = {"_abi.py", "include/gkl_shim.h", "lib/libgkl_shim.so", "py.typed"}
    assert {*kernels, *(f"gkl_shim/{other}" for other in others)} <= files


def test_foreign_files_are_recognized() -> None:
    assert kernel_sources() >= {
        "gkl_shim/kernels/hmm/cuda/kernels/kernels.cu",
        "gkl_shim/kernels/hmm/cuda/kernels/block_format.h",
        "gkl_shim/kernels/common/integers.h",
    }
    ours = [
        "../../../bin/gkl-shim",
        f"gkl_shim-{gkl_shim.__version__}.dist-info/licenses/LICENSE",
        "gkl_shim/cli/bench.py",
        "gkl_shim/kernels/hmm/cuda/kernels/kernels.cf87e7554ac8dd5a.sm_90.cubin",
        "gkl_shim/lib/libgkl_shim.so",
    ]
    others = [
        "benchmarks/__init__.py",
        "gkl_shim/absent.py",
        "gkl_shim/cli/notes.md",
        "gkl_shim/gatk/Other.java",
        "gkl_shim/kernels/hmm/cpu/build.h",
        "gkl_shim/kernels/hmm/cuda/engine/engine.cpp",
        "gkl_shim/lib/libother.so",
        "tests/conftest.py",
    ]
    assert list(foreign([*ours, *others])) == others
