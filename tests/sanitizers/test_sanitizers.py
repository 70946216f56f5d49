"""The library under sanitizers: the C programs of the other tests, with several threads."""

from __future__ import annotations

import functools
import os
import struct
import subprocess
from pathlib import Path

import pytest

from gkl_shim import mem, paths
from gkl_shim.common import _native
from gkl_shim.correct import Spectrum
from tests.conftest import DATA, HEADER_FOLDERS, ROOT, alone, require_tool
from tests.correct.test_correct import random_reads
from tests.fuzz import seeds
from tests.mem.sequences import fasta
from tests.mem.test_find import related, with_checksum
from tests.native_driver import write_regions
from tests.prefilter import simulate
from tests.smithwaterman.pairs import Pair, pairs

pytestmark = pytest.mark.sanitizers

FLAGS = {
    "address": "-fsanitize=address,undefined -fno-sanitize-recover=all",
    "thread": "-fsanitize=thread",
}
#: GCC takes four times as long to compile the unrolled kernels with these checks at -O1.
LEVEL = {"address": "-O0", "thread": "-O1"}
HERE = Path(__file__).parent
#: For each reader of text, small files that were written for this test.
TEXTS = [
    ("alignable", "alignable.tsv"),
    ("candidates", "candidates.tsv"),
    ("flagged", "flagged.in"),
    ("pairs", "pairs.tsv"),
    ("reads", "reads.fa"),
    ("reads", "reads.fq"),
    ("records", "paired"),
    ("regions", "regions.in"),
    ("fasta", "sequences.fa"),
]
#: The CPU kernels to compile: the widest that this machine runs, and the portable ones. Whether
#: threads race does not depend on the instruction set.
BUILDS = {"address": (*dict.fromkeys([_native.builds()[0], "portable"]),), "thread": ("portable",)}

#: Each must be found: use of freed memory, signed overflow, a race of two threads.
FAULTS = {
    "address": """
        #include <stdlib.h>
        int main(int n, char **v) {
            (void)v;
            char *volatile p = malloc(n);
            free(p);
            return p[0];
        }""",
    "undefined": """
        int main(int n, char **v) {
            (void)v;
            volatile int most = 0x7fffffff;
            return most + n;
        }""",
    "thread": """
        #include <pthread.h>
        static int count;
        static void *add(void *p) {
            for (int i = 0; i < 100000; i++) count++;
            return p;
        }
        int main(void) {
            pthread_t t;
            pthread_create(&t, 0, add, 0);
            add(0);
            return pthread_join(t, 0);
        }""",
}


def run(*command: object) -> subprocess.CompletedProcess[str]:
    # Some kernels place memory where the thread sanitizer does not expect it.
    fixed = [require_tool("setarch"), "--addr-no-randomize"]
    # ThreadSanitizer would sleep for a second at the end.
    environment = {**os.environ, "TSAN_OPTIONS": "atexit_sleep_ms=0"}
    return subprocess.run(
        list(map(str, [*fixed, *command])), capture_output=True, text=True, env=environment
    )


def clean(*command: object) -> str:
    """Return what a program prints. No sanitizer may find anything."""
    done = run(*command)
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout


@functools.cache
def built(sanitizer: str, target: str = "gkl_shim") -> Path:
    """The folder in build/ with the library, or a program, compiled for the sanitizer."""
    folder = ROOT / "build" / "tests" / f"{sanitizer}-sanitizer"
    flags = f"{LEVEL[sanitizer]} -g1 -fno-omit-frame-pointer {FLAGS[sanitizer]}"
    environment = {**os.environ, "CFLAGS": flags, "CXXFLAGS": flags, "LDFLAGS": FLAGS[sanitizer]}
    cmake = require_tool("cmake")
    options = ["-DCMAKE_BUILD_TYPE=Debug", "-DCMAKE_CXX_FLAGS_DEBUG=", "-DGKL_SHIM_JAR=OFF"]
    options += [f"-DCMAKE_MAKE_PROGRAM={require_tool('ninja')}", "-G", "Ninja"]
    options += ["-DGKL_SHIM_FUZZ=ON", f"-DGKL_SHIM_CPU_BUILDS={';'.join(BUILDS[sanitizer])}"]
    build = ["--build", folder, "--target", target]
    with alone(folder):
        for command in ([*options, "-S", ROOT, "-B", folder], build):
            done = subprocess.run(
                [cmake, *command], env=environment, capture_output=True, text=True
            )
            assert done.returncode == 0, done.stdout[-5000:] + done.stderr[-5000:]
    return folder


def compiled(source: Path, sanitizer: str, folder: Path) -> Path:
    """Compile a program in C or C++, and the library, for a sanitizer."""
    library = built(sanitizer) / "libgkl_shim.so"
    compiler, standard = ("cc", "gnu11") if source.suffix == ".c" else ("c++", "gnu++17")
    flags = [f"-std={standard}", "-O1", "-g", *FLAGS[sanitizer].split()]
    flags += [f"-I{headers}" for headers in HEADER_FOLDERS]
    link = [library, f"-Wl,-rpath,{library.parent}", "-lm", "-lpthread"]
    path = folder / "program"
    subprocess.run([require_tool(compiler), *flags, source, "-o", path, *link], check=True)
    return path


@pytest.fixture(params=FLAGS)
def sanitizer(request) -> str:
    return request.param


def driver_of(algorithm: str, sanitizer: str, folder: Path) -> Path:
    return compiled(ROOT / "tests" / algorithm / "driver.c", sanitizer, folder)


@pytest.fixture(scope="module")
def plain(compile_c):
    """Return a function that compiles an algorithm's driver with the installed library."""

    @functools.cache
    def compile_driver(algorithm: str) -> Path:
        source = ROOT / "tests" / algorithm / "driver.c"
        return compile_c(require_tool("cc"), source, paths.library())

    return compile_driver


@pytest.fixture(scope="module")
def replay():
    """The program that gives a target files."""
    return built("address", "replay") / "replay"


@pytest.mark.parametrize("fault", FAULTS)
def test_the_sanitizers_find_planted_faults(tmp_path, fault):
    (tmp_path / "fault.c").write_text(FAULTS[fault])
    flags = FLAGS["thread" if fault == "thread" else "address"].split()
    command = [require_tool("cc"), "-O1", *flags, tmp_path / "fault.c", "-lpthread"]
    subprocess.run([*command, "-o", tmp_path / "fault"], check=True)
    done = run(tmp_path / "fault")
    assert done.returncode != 0
    assert {"address": "heap-use-after-free", "undefined": "signed integer overflow",
            "thread": "data race"}[fault] in done.stderr  # fmt: skip


def test_pairhmm_runs_clean(sanitizer, plain, regions, tmp_path):
    driver = driver_of("pairhmm", sanitizer, tmp_path)
    file = tmp_path / "regions.in"
    write_regions(file, [*regions[:25], regions[-1]])  # of every shape; all would take a minute
    for precision in ("single", "double"):
        expected = run(plain("pairhmm"), file, "portable", precision, 1).stdout
        assert len(expected) > 1000
        for build in BUILDS[sanitizer]:
            assert clean(driver, file, build, precision, 4) == expected


def test_the_prefilter_runs_clean(sanitizer, plain, tmp_path):
    driver = driver_of("prefilter", sanitizer, tmp_path)
    reads, segments = simulate.pairs(600, seed=7)
    alike = [(s * len(r))[: len(r)] for r, s in zip(reads, segments, strict=True)]
    path = tmp_path / "pairs.tsv"
    for method, mode, edits in (
        ("exact", "global", 5),
        ("exact", "global", 150),
        ("exact", "infix", 12),
        ("gatekeeper", "global", 5),
    ):
        pairs = zip(reads, segments if method == "exact" else alike, strict=True)
        path.write_bytes(b"".join(b"%s\t%s\n" % pair for pair in pairs))
        expected = run(plain("prefilter"), path, "portable", method, mode, edits, 1).stdout
        assert len(expected.splitlines()) == len(reads)
        for build in BUILDS[sanitizer]:
            assert clean(driver, path, build, method, mode, edits, 4) == expected


def test_smithwaterman_runs_clean(sanitizer, plain, tmp_path):
    driver = driver_of("smithwaterman", sanitizer, tmp_path)
    sample = pairs(400, seed=12, longest=200)
    # Sorted, so that there are batches. The last pair is computed in parts.
    sample.sort(key=lambda pair: (pair.parameters, pair.overhang))
    sample.append(Pair(b"ACGTA" * 1300, b"ACGTTA" * 1100, (10, -15, -30, -5), "softclip"))
    path = tmp_path / "pairs.tsv"
    path.write_bytes(b"".join(pair.line() for pair in sample))
    expected = run(plain("smithwaterman"), path, "portable", 1).stdout
    assert len(expected.splitlines()) == len(sample)
    for build in BUILDS[sanitizer]:
        assert clean(driver, path, build, 4) == expected


def test_mem_runs_clean(sanitizer, tmp_path):
    driver = driver_of("mem", sanitizer, tmp_path)
    reference, queries = related(41, 3000, 20)
    # One query is divided into parts that threads search, and one bucket has many seeds.
    (tmp_path / "ref.fa").write_bytes(fasta([reference, "NNNNACGT" * 9, "A" * 2000]))
    long = (reference + "A" * 40) * 60
    (tmp_path / "q.fa").write_bytes(fasta([*queries, "NNNNACGT" * 5, long], "q"))
    files = [tmp_path / "ref.fa", tmp_path / "q.fa"]
    printed = {}
    for kind, page, memory in ((0, 0, 0), (0, 700, 0), (1, 700, 1), (2, 700, 1)):
        found = clean(driver, *files, 12, kind, page, memory, 4)
        assert len(found.splitlines()) > 40
        assert printed.setdefault(kind, found) == found


def test_pdhmm_runs_clean(sanitizer, tmp_path):
    driver = driver_of("pdhmm", sanitizer, tmp_path)
    printed = set()
    for build in BUILDS[sanitizer]:
        found = clean(driver, DATA / "chr22_dragen.pdhmm.in", build, 4)
        assert len(found.splitlines()) == 440
        printed.add(found)
    assert len(printed) == 1


def test_reading_and_writing_text_runs_clean(sanitizer, region_file, tmp_path):
    numbers = tmp_path / "numbers"
    numbers.write_bytes(bytes(range(256)) * 400)
    program = compiled(ROOT / "tests" / "formats" / "text.c", sanitizer, tmp_path)
    found = clean(program, region_file, numbers, 4)
    assert found.startswith(region_file.read_text())


def test_correction_runs_clean(sanitizer, plain, tmp_path):
    driver = driver_of("correct", sanitizer, tmp_path)
    reads, _ = random_reads(22, genome=20_000, depth=30, length=100)
    path = tmp_path / "reads.txt"
    path.write_text("".join(f"{read}\n" for read in reads if read))
    for method, memory in ((0, 0), (1, 300_000)):
        expected = run(plain("correct"), path, 17, 0, method, 1, 0).stdout
        assert len(expected.splitlines()) == sum(map(bool, reads))
        assert clean(driver, path, 17, 0, method, 4, memory) == expected


def parse(replay: Path, target: str, mode: str, *files: Path) -> tuple[int, int]:
    """Return how many inputs were accepted and how many were refused."""
    accepted, refused = map(int, clean(replay, target, mode, *files).split())
    return accepted, refused


def test_every_target_has_seeds(replay):
    targets = run(replay).stderr.split(": ")[-1].split()
    assert sorted(targets) == list(seeds.TARGETS)


@pytest.mark.parametrize("target", seeds.TARGETS)
def test_the_seeds_of_fuzzing_run_clean(replay, target, tmp_path):
    """Also inputs that once showed a fault."""
    accepted, _ = parse(replay, target, "given", *sorted(seeds.unpack(target, tmp_path).iterdir()))
    assert accepted > 0


@pytest.mark.parametrize(("target", "name"), TEXTS)
def test_damaged_text_is_read_clean(replay, target, name, tmp_path):
    file = seeds.unpack(target, tmp_path) / name
    assert parse(replay, target, "given", file) == (1, 0)
    accepted, refused = parse(replay, target, "damaged", file)
    assert accepted > 50
    # mummer takes any text for FASTA.
    assert refused > 50 or target == "fasta"
    beyond = run(replay, target, "beyond", file)
    assert beyond.returncode != 0
    assert "heap-buffer-overflow" in beyond.stderr


def test_damaged_indexes_are_read_clean(replay, tmp_path):
    """Also those with a checksum that fits."""
    index = mem.Index(["ACGTTGCATTACGACG" * 2, "GATTACANNGATTACA"], min_length=6, page_letters=30)
    pieces = [bytes(piece) for piece in index._open().pieces()]
    whole = tmp_path / "whole"
    whole.write_bytes(b"".join(pieces))
    assert parse(replay, "index", "given", whole) == (1, 0)
    accepted, refused = parse(replay, "index", "damaged", whole)
    assert accepted < refused
    crafted = []
    for number, piece in enumerate(pieces):
        width = 8 if number < 3 else 4
        for at in range(0, len(piece) - width + 1, width):
            for value in (0, 1, 2, 7, 1000, 2**31 - 1, 2**32 - 1):
                changed = bytearray(piece)
                changed[at : at + width] = value.to_bytes(width, "little")
                # Tables of gigabytes would be made before a search.
                if (number, at) not in ((0, 8 * 8), (0, 9 * 8)) or value < 8:
                    crafted.append(
                        with_checksum([*pieces[:number], bytes(changed), *pieces[number + 1 :]])
                    )
    files = [tmp_path / str(number) for number in range(len(crafted))]
    for file, content in zip(files, crafted, strict=True):
        file.write_bytes(content)
    accepted, refused = parse(replay, "index", "given", *files)
    assert accepted > 50
    assert refused > 50


def test_damaged_spectra_are_read_clean(replay, tmp_path):
    spectrum = Spectrum.from_reads(["ACGTTGCATTACGACGTGATTACAGATTACAGG"] * 3, k=11)
    known = spectrum._open().information()
    file = tmp_path / "spectrum"
    head = struct.pack("=iiQ", known.k, known.threshold, known.size)
    file.write_bytes(head + known.slots.tobytes())
    assert parse(replay, "spectrum", "given", file) == (1, 0)
    accepted, refused = parse(replay, "spectrum", "damaged", file)
    assert accepted > 50
    assert refused > 50


def test_threads_may_share_handles(tmp_path):
    threads = compiled(HERE / "threads.cpp", "thread", tmp_path)
    assert int(clean(threads, 8)) == 4 * 8 * 8
    planted = run(threads, 1, "planted")
    assert planted.returncode != 0
    assert "data race" in planted.stderr
