"""If ``GKL_SHIM_LIBRARY`` names another file, one line says what is wrong with it."""

from __future__ import annotations

import ctypes.util
import json
import subprocess
from pathlib import Path

import pytest

import gkl_shim
from tests.cli.shim_command import REGIONS, one_error, run
from tests.conftest import require_tool


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


WRONG = {
    _foreign: "is not a library of gkl-shim: it has no gkl_shim_version",
    _other_version: f"is of version 0.0.1; this is gkl-shim {gkl_shim.__version__}",
    _incomplete: "is another build of gkl-shim: it has no gkl_shim_",
    _text: "does not load: invalid ELF header",
}


@pytest.mark.parametrize("make", WRONG)
def test_a_file_that_is_not_our_library_is_named(tmp_path, make):
    library = make(tmp_path)
    (tmp_path / "a.in").write_bytes(REGIONS)
    env = {"GKL_SHIM_LIBRARY": str(library)}
    message = one_error(run(tmp_path, "pairhmm", "a.in", env=env))
    assert message.startswith(f"GKL_SHIM_LIBRARY names {library}, which {WRONG[make]}")
    done = run(tmp_path, "doctor", "--json", "-", env=env)
    assert (done.returncode, done.stderr) == (1, b"")
    finding = json.loads(done.stdout)["findings"][0]
    assert (finding["name"], finding["state"]) == ("native library", "failed")
    assert finding["detail"].startswith(f"GKL_SHIM_LIBRARY names {library}, which {WRONG[make]}")


def test_a_copy_of_the_library_works(tmp_path):
    copy = tmp_path / "copy.so"
    copy.write_bytes(gkl_shim.paths.library().read_bytes())
    (tmp_path / "a.in").write_bytes(REGIONS)
    env = {"GKL_SHIM_LIBRARY": str(copy)}
    assert run(tmp_path, "pairhmm", "a.in", env=env).stdout == (
        run(tmp_path, "pairhmm", "a.in").stdout
    )
