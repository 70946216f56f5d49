"""The C ABI from C: what it refuses, and the library for aarch64 under emulation."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

import gkl_shim
from gkl_shim import _native
from gkl_shim.prefilter import edits
from tests.conftest import require_tool
from tests.prefilter import simulate

DRIVER = Path(__file__).parent / "driver.c"
CASES = [
    ("exact", "global", 0),
    ("exact", "global", 5),
    ("exact", "global", 40),
    ("exact", "global", 150),
    ("exact", "infix", 12),
    ("exact", "prefix", 7),
    ("gatekeeper", "global", 5),
]


def compiled(compiler: str, library: Path, folder: Path) -> Path:
    program = folder / "driver"
    include = gkl_shim.paths.header().parent
    flags = ["-std=c11", "-Wall", "-Wextra", "-Werror", "-O1", "-I", include]
    link = [library, f"-Wl,-rpath,{library.parent}", "-lm"]
    subprocess.run([compiler, *flags, DRIVER, "-o", program, *link], check=True)
    return program


@pytest.fixture(scope="module")
def native(tmp_path_factory) -> list[str]:
    folder = tmp_path_factory.mktemp("native")
    return [str(compiled(require_tool("cc"), gkl_shim.paths.library(), folder))]


@pytest.fixture(scope="module")
def aarch64(tmp_path_factory, aarch64_compiler, aarch64_emulator, aarch64_library) -> list[str]:
    """The driver with the library for aarch64, run by qemu."""
    folder = tmp_path_factory.mktemp("aarch64")
    return [*aarch64_emulator, str(compiled(aarch64_compiler, aarch64_library, folder))]


@pytest.fixture(scope="module")
def pairs(tmp_path_factory) -> tuple[Path, list[bytes], list[bytes]]:
    reads, segments = simulate.pairs(600, seed=7)
    reads[::50] = [read[:-1] + b"N" for read in reads[::50]]
    path = tmp_path_factory.mktemp("pairs") / "pairs.tsv"
    write(path, reads, segments)
    return path, reads, segments


def write(path: Path, reads: list[bytes], segments: list[bytes]) -> None:
    lines = (b"%s\t%s\n" % pair for pair in zip(reads, segments, strict=True))
    path.write_bytes(b"".join(lines))


def run(program: list[str], *arguments: object) -> list[int]:
    done = subprocess.run(
        [*program, *map(str, arguments)], check=True, capture_output=True, text=True
    )
    return [int(line) for line in done.stdout.splitlines()]


@pytest.mark.parametrize(("machine", "builds"), [
    ("native", _native.builds()),
    ("aarch64", ("neon", "portable")),
])  # fmt: skip
@pytest.mark.parametrize(("method", "mode", "max_edits"), CASES)
def test_every_build_gives_the_same_edits_from_c(
    pairs, tmp_path, request, machine, builds, method, mode, max_edits
):
    program = request.getfixturevalue(machine)
    path, reads, segments = pairs
    if method == "gatekeeper":
        segments = [(s * len(r))[: len(r)] for r, s in zip(reads, segments, strict=True)]
        path = tmp_path / "pairs.tsv"
        write(path, reads, segments)
    want = edits(reads, segments, max_edits, method=method, mode=mode).tolist()
    assert len(set(want)) > 2
    for build in builds:
        assert run(program, path, build, method, mode, max_edits, 2) == want


@pytest.mark.parametrize("machine", ["native", "aarch64"])
@pytest.mark.parametrize("mode", ["upward", "flush", "trap", "all"])
def test_the_floating_point_mode_does_not_change_edits(pairs, request, machine, mode):
    path, reads, segments = pairs
    want = edits(reads, segments, 5).tolist()
    program = request.getfixturevalue(machine)
    builds = ("neon", "portable") if machine == "aarch64" else _native.builds()
    for build in builds:
        assert run(program, path, build, "exact", "global", 5, 2, mode) == want


@pytest.mark.parametrize(
    ("text", "arguments", "message"),
    [
        (b"A\tC\n", ("abacus", "exact", "global", 5, 1), 'no build "abacus" here; this CPU can'),
        (b"A\tC\n", ("portable", "exact", "global", 256, 1), "max_edits is 256, not 0 to 255"),
        (b"A\tC\n", ("portable", "exact", "global", -1, 1), "max_edits is -1, not 0 to 255"),
        (b"A\tC\n", ("portable", "exact", "global", 5, -1), "threads is -1, less than 0"),
        (
            b"A\tC\n",
            ("portable", "gatekeeper", "infix", 5, 1),
            "GKL_SHIM_PREFILTER_GATEKEEPER has no mode",
        ),
        (b"A\tC\nAA\tC\n", ("portable", "gatekeeper", "global", 5, 1), "pair 1: GateKeeper needs"),
        (b"A\tC\nA\n", ("portable", "exact", "global", 5, 1), "expected a read, a TAB and a"),
    ],
)
def test_wrong_arguments_are_refused(native, tmp_path, text, arguments, message):
    (tmp_path / "x.tsv").write_bytes(text)
    done = subprocess.run(
        [*native, tmp_path / "x.tsv", *map(str, arguments)], capture_output=True, text=True
    )
    assert done.returncode == 1
    assert done.stderr.startswith(message)
