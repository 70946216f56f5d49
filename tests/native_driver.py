"""Regions of extreme shapes and qualities, made from a seed, and a C program that computes them.

tests/conftest.py offers these fixtures to all tests.
"""

from __future__ import annotations

import random
import subprocess
from collections.abc import Sequence
from pathlib import Path

import pytest

import gkl_shim
from gkl_shim.pairhmm import Read
from tests.conftest import HEADER_FOLDERS, ROOT, require_tool

DRIVER = Path(__file__).parent / "pairhmm" / "driver.c"

Region = tuple[list[Read], list[bytes]]

#: Ways to draw the qualities of a read.
QUALITIES = {
    "constant": lambda rnd, n: bytes([rnd.randint(20, 40)]) * n,
    "any": lambda rnd, n: bytes(rnd.randint(0, 127) for _ in range(n)),
    "extreme": lambda rnd, n: bytes(rnd.choice([0, 2, 10, 45, 127]) for _ in range(n)),
    "ordinary": lambda rnd, n: bytes(rnd.randint(6, 45) for _ in range(n)),
}


def _letters(rnd: random.Random, template: str, change: float) -> bytes:
    return "".join(c if rnd.random() > change else rnd.choice("ACGTN") for c in template).encode()


def make_region(rnd: random.Random) -> Region:
    """Return reads of mixed lengths, so that lanes are padded, and haplotypes that share parts."""
    n = rnd.choice([1, 2, 5, 31, 33, 64, 120])
    template = "".join(rnd.choice("ACGT") for _ in range(n + 40))
    haplotypes = [_letters(rnd, template[:n], 0)]
    for _ in range(rnd.choice([0, 1, 2, 8])):
        length = rnd.randint(1, n) if rnd.random() < 0.3 else n
        haplotypes.append(_letters(rnd, template[:length], rnd.choice([0, 2 / n, 0.3])))
    draw = [QUALITIES[rnd.choice(list(QUALITIES))] for _ in range(4)]
    reads = []
    for _ in range(rnd.choice([1, 2, 3, 8, 9, 17, 33])):
        m = rnd.choice([1, 2, 3, 4, 7, 16, 17, 50, 90])
        start = rnd.randrange(n)
        bases = _letters(rnd, (template * 8)[start : start + m], rnd.choice([0.01, 0.5]))
        reads.append(Read(bases, *(quals(rnd, m) for quals in draw)))
    return reads, haplotypes


def make_deep_region(rnd: random.Random) -> Region:
    """Haplotypes that differ in few places near one end, so that they are not cut in the middle."""
    template = "".join(rnd.choice("ACGT") for _ in range(150))
    first = rnd.choice([0, 100])
    haplotypes = []
    for _ in range(20):
        letters = list(template)
        for place in range(first, first + 50, 7):
            letters[place] = rnd.choice(["A", "C", "", letters[place] * 2])
        haplotypes.append("".join(letters).encode())
    starts = [rnd.randrange(100) for _ in range(20)]
    tracks = [bytes([quality]) * 40 for quality in (30, 45, 45, 10)]
    return [Read(rnd.choice(haplotypes)[k : k + 40], *tracks) for k in starts], haplotypes


@pytest.fixture(scope="session")
def regions() -> list[Region]:
    rnd = random.Random(20)
    return [make_region(rnd) for _ in range(80)] + [make_deep_region(rnd) for _ in range(4)]


def write_regions(path: Path, regions: list[Region]) -> None:
    """Write regions in the .in format. Qualities above 93 cannot be printed and become 93."""
    tracks = ("quals", "insertion_quals", "deletion_quals", "continuation_quals")
    with path.open("w") as file:
        for reads, haplotypes in regions:
            print(len(reads), len(haplotypes), file=file)
            for read in reads:
                printed = (bytes(min(q, 93) + 33 for q in getattr(read, track)) for track in tracks)
                print(read.bases.decode(), *(p.decode() for p in printed), file=file)
            for haplotype in haplotypes:
                print(haplotype.decode(), file=file)


@pytest.fixture(scope="session")
def region_file(regions: list[Region], tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("regions") / "regions.in"
    write_regions(path, regions)
    return path


@pytest.fixture(scope="session")
def compile_c(tmp_path_factory: pytest.TempPathFactory):
    """Return a function that compiles a C program with a copy of the library."""

    def compile_program(
        compiler: str, source: Path, library: Path, headers: Sequence[Path] = HEADER_FOLDERS
    ) -> Path:
        program = tmp_path_factory.mktemp("c") / "program"
        flags = ["-std=c11", "-Wall", "-Wextra", "-Werror", "-O1"]
        flags += [f"-I{folder}" for folder in headers]
        link = [library, f"-Wl,-rpath,{library.parent}", "-lm"]
        subprocess.run([compiler, *flags, source, "-o", program, *link], check=True)
        return program

    return compile_program


def run(program: list[object], *arguments: object, cwd: Path | None = None) -> str:
    """Return what a program prints."""
    command = list(map(str, [*program, *arguments]))
    done = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True, cwd=cwd)
    return done.stdout


@pytest.fixture(scope="session")
def native_driver(compile_c) -> list[object]:
    return [compile_c(require_tool("cc"), DRIVER, gkl_shim.paths.library())]


@pytest.fixture(scope="session")
def aarch64_driver(compile_c, aarch64_compiler, aarch64_emulator, aarch64_library) -> list[object]:
    """The driver with the library for aarch64, run by qemu."""
    return [*aarch64_emulator, compile_c(aarch64_compiler, DRIVER, aarch64_library)]


@pytest.fixture(scope="session")
def preloaded(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A library that makes requests for memory and threads fail, and that acts as a JVM."""
    library = tmp_path_factory.mktemp("scarce") / "scarce.so"
    sources = [ROOT / "tests" / name for name in ("common/memory/scarce.c", "fakes/jvm.c")]
    jdk = Path(require_tool("javac")).resolve().parents[1] / "include"
    flags = ["-std=gnu11", "-Wall", "-Wextra", "-Werror", "-O1", "-shared", "-fPIC"]
    flags += [f"-I{folder}" for folder in (*HEADER_FOLDERS, jdk, jdk / "linux")]
    subprocess.run([require_tool("cc"), *flags, *sources, "-o", library, "-ldl"], check=True)
    return library


@pytest.fixture(scope="module")
def native(request: pytest.FixtureRequest, compile_c) -> list[str]:
    """The driver.c beside the tests, compiled with the installed header and library."""
    source, headers = request.path.with_name("driver.c"), [gkl_shim.paths.header().parent]
    return [str(compile_c(require_tool("cc"), source, gkl_shim.paths.library(), headers))]


@pytest.fixture(scope="module")
def aarch64(
    request: pytest.FixtureRequest,
    compile_c,
    aarch64_compiler: str,
    aarch64_emulator: list[str],
    aarch64_library: Path,
) -> list[str]:
    """The same with the library for aarch64, run by qemu."""
    source, headers = request.path.with_name("driver.c"), [gkl_shim.paths.header().parent]
    return [*aarch64_emulator, str(compile_c(aarch64_compiler, source, aarch64_library, headers))]
