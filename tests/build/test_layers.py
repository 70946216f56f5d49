"""What files of ``kernels/`` may include, and those of ``gkl_shim/`` import.

docs/internals.md has the rules. They keep the algorithms apart: a change to one, or to one engine,
is compiled into no other.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.conftest import ROOT

#: The folders that files of a folder may include, beside its own. All others are algorithms.
SHARED = {
    "common": set(),
    "gpu": {"common"},
    "python_host": {"common"},
    "records": {"common"},
    "jni": {"common", "hmm"},
    "include": set(),
    "internal": {"include"},
}
ALGORITHM = {"common", "gpu", "python_host", "records"}
#: The algorithms of one folder. The C ABI has their names.
MODELS = {"pairhmm", "pdhmm"}
#: The same for modules of ``gkl_shim/``; "" is ``gkl_shim/`` itself. Programs import everything,
#: and parsers of text everything but programs.
PYTHON_SHARED = {
    "": {"common"},
    "common": {"", "cuda"},
    "cuda": {"", "common"},
    # PairHMM's method, for haplotypes with flags.
    "pdhmm": {"", "common", "cuda", "formats", "pairhmm"},
}
PYTHON_ALGORITHM = {"", "common", "cuda", "formats"}
PARSERS = "formats"
PROGRAMS = {"bench", "cli", "gatk", "validation"}
#: The C ABI's headers are included without a folder, from everywhere.
HEADERS = ("include", "internal")

INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*(["<])([^">]+)[">]', re.MULTILINE)


def included(kernels: Path) -> dict[Path, list[Path]]:
    """Return what each source file includes of ``kernels/``. All paths are relative to it."""
    folders = [kernels, *(kernels / name for name in HEADERS)]
    found: dict[Path, list[Path]] = {}
    for path in sorted(kernels.rglob("*")):
        if path.suffix not in {".h", ".c", ".cpp", ".cu", ".inc"}:
            continue
        headers = found[path.relative_to(kernels)] = []
        for quote, name in INCLUDE.findall(path.read_text(encoding="utf-8")):
            places = [folder / name for folder in (path.parent, *folders)]
            header = next((place.resolve() for place in places if place.is_file()), None)
            assert header or quote == "<", f"{path} includes {name}, which is not in kernels/"
            if header:
                headers.append(header.relative_to(kernels.resolve()))
    return found


def engine(path: Path) -> str | None:
    """Return whether a file belongs to a CPU engine or to a CUDA engine, or to neither."""
    return next((part for part in path.parts[:-1] if part in ("cpu", "cuda")), None)


def reached(path: Path, files: dict[Path, list[Path]]) -> set[Path]:
    """Return all files that a file includes, also through others."""
    found: set[Path] = set()
    left = [path]
    while left:
        new = set(files[left.pop()]) - found
        found |= new
        left += new
    return found


def mistakes(kernels: Path) -> Iterator[str]:
    """Yield what breaks the rules, a line each."""
    files = included(kernels)
    for path, headers in files.items():
        allowed = {path.parts[0], *HEADERS, *SHARED.get(path.parts[0], ALGORITHM)}
        for header in headers:
            if header.parts[0] not in allowed:
                yield f"{path} includes {header}"
        other = {"cpu": "cuda", "cuda": "cpu"}.get(engine(path) or "")
        for header in sorted(reached(path, files)):
            if other and engine(header) == other:
                yield f"{path} includes {header}, perhaps through another file"
    algorithms = sorted(({path.parts[0] for path in files} - SHARED.keys()) | MODELS)
    named = re.compile(rf"\bgkl_shim_({'|'.join(algorithms)})_|\b({'|'.join(algorithms)})(::|/)")
    for path in files:
        if path.parts[0] in {"common", "gpu"}:
            for match in named.finditer((kernels / path).read_text(encoding="utf-8")):
                yield f"{path} names {match[0]}"


def test_the_library_keeps_the_rules():
    files = included(ROOT / "kernels")
    # Both engines are found, and what they include.
    assert {engine(path) for path in files} == {"cpu", "cuda", None}
    assert Path("hmm/letters.h") in reached(Path("hmm/cuda/engine/engine.cpp"), files)
    assert list(mistakes(ROOT / "kernels")) == []


def imported(package: Path) -> Iterator[tuple[str, str]]:
    """Yield each module of ``gkl_shim/``, and the folder of each module that it imports."""
    folders = {path.parent.name for path in package.glob("*/__init__.py")}
    for path in sorted(package.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            names: list[str] = []
            if isinstance(node, ast.Import):
                names = [alias.name for alias in node.names]
            elif isinstance(node, ast.ImportFrom):
                assert not node.level, f"{path} has a relative import"
                names = [f"{node.module}.{alias.name}" for alias in node.names]
            for name in names:
                package_name, *parts = name.split(".")
                if package_name == "gkl_shim":
                    folder = parts[0] if parts and parts[0] in folders else ""
                    yield path.relative_to(package).as_posix(), folder


def wrong_imports(package: Path) -> Iterator[str]:
    """Yield the imports that break the rules, a line each."""
    for module, folder in imported(package):
        own = module.split("/")[0] if "/" in module else ""
        if own in PROGRAMS or own == folder:
            continue
        if own == PARSERS:
            wrong = folder in PROGRAMS
        else:
            wrong = folder not in PYTHON_SHARED.get(own, PYTHON_ALGORITHM)
        if wrong:
            yield f"{module} imports {folder}"


def test_the_python_package_keeps_the_rules() -> None:
    package = ROOT / "gkl_shim"
    assert ("pdhmm/_batch.py", "pairhmm") in imported(package)
    # The package imports algorithms on first use.
    algorithms = {path.parent.name for path in package.glob("*/_native_*.py")}
    assert set(wrong_imports(package)) == {f"__init__.py imports {name}" for name in algorithms}


@pytest.mark.parametrize(
    ("module", "line", "mistake"),
    [
        ("one", "from gkl_shim.mem import Index", "correct/_one.py imports mem"),
        ("one", "from gkl_shim import pairhmm", "correct/_one.py imports pairhmm"),
        ("one", "def f():\n    import gkl_shim.cli.env", "correct/_one.py imports cli"),
        ("two", "from gkl_shim import correct", "common/_two.py imports correct"),
        ("one", "from gkl_shim.common import _native\nfrom gkl_shim import paths", None),
    ],
)
def test_a_wrong_import_is_found(tmp_path, module, line, mistake):
    for name in ("correct", "common", "mem", "pairhmm", "cli"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "__init__.py").touch()
    folder = {"one": "correct", "two": "common"}[module]
    (tmp_path / folder / f"_{module}.py").write_text(line + "\n")
    assert list(wrong_imports(tmp_path)) == ([mistake] if mistake else [])


@pytest.fixture
def kernels(tmp_path: Path) -> Path:
    """A small tree that keeps the rules."""
    files = {
        "common/error.h": "#include <string>\n",
        "gpu/call.h": '#include "common/error.h"\n',
        "python_host/host.h": '#include "common/error.h"\n',
        "include/gkl_shim.h": "",
        "one/api.cpp": '#include "gkl_shim.h"\n#include "one/cpu/build.h"\n',
        "one/cpu/build.h": '#include "one/model.h"\n',
        "one/cuda/work.h": '#include "gpu/call.h"\n#include "one/model.h"\n',
        "one/cuda/engine.cpp": '#include "work.h"\n',
        "one/model.h": '#include "python_host/host.h"\n',
        "two/model.h": "",
    }
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    return tmp_path


def test_a_tree_that_keeps_the_rules_has_no_mistakes(kernels):
    assert list(mistakes(kernels)) == []


@pytest.mark.parametrize(
    ("file", "line", "mistake"),
    [
        ("one/model.h", '#include "two/model.h"', "one/model.h includes two/model.h"),
        ("one/model.h", "#  include <two/model.h>", "one/model.h includes two/model.h"),
        ("one/cuda/work.h", '#include "one/cpu/build.h"', "work.h includes one/cpu/build.h"),
        ("one/cpu/build.h", '#include "../cuda/work.h"', "build.h includes one/cuda/work.h"),
        # Through a file of the folder above.
        ("one/model.h", '#include "one/cpu/build.h"', "engine.cpp includes one/cpu/build.h"),
        ("python_host/host.h", '#include "two/model.h"', "host.h includes two/model.h"),
        ("gpu/call.h", '#include "python_host/host.h"', "gpu/call.h includes python_host/host.h"),
        ("common/error.h", '#include "gpu/call.h"', "common/error.h includes gpu/call.h"),
        ("common/error.h", "struct gkl_shim_two_info;", "common/error.h names gkl_shim_two_"),
        ("gpu/call.h", "// as two/model.h says", "gpu/call.h names two/"),
    ],
)
def test_a_mistake_is_found(kernels, file, line, mistake):
    with (kernels / file).open("a") as stream:
        stream.write(line + "\n")
    assert any(mistake in each for each in mistakes(kernels))


def test_a_header_that_is_missing_is_found(kernels):
    (kernels / "one/model.h").write_text('#include "common/absent.h"\n')
    with pytest.raises(AssertionError, match=r"common/absent\.h"):
        list(mistakes(kernels))
