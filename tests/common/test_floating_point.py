"""Results do not depend on the floating-point mode of the caller's thread, and do not change it.

Each run is a new process that sets the mode before it first calls the library, because the first
call makes tables and starts threads.
"""

from __future__ import annotations

import ctypes
import random
import subprocess
import sys
from pathlib import Path

import pytest

from gkl_shim.formats import pairhmm_in
from gkl_shim.pairhmm import PairHMM, Read
from tests.conftest import ROOT, require_tool
from tests.native_driver import make_region, run, write_regions

MODES = ("upward", "pending", "all")
PRECISIONS = ("single", "double")


def alike(bases: bytes, *quals: int) -> Read:
    return Read(bases, *(bytes([qual]) * len(bases) for qual in quals))


@pytest.fixture(scope="module")
def region_file(tmp_path_factory) -> Path:
    """Regions of every kind, and pairs that single or double precision does not hold."""
    rnd = random.Random(5)
    regions = [make_region(rnd) for _ in range(25)]
    long = "".join(rnd.choice("ACGT") for _ in range(1100)).encode()
    regions += [
        ([alike(long, 30, 45, 45, 10), alike(long[:1030], 35, 45, 45, 10)], [long, long[40:]]),
        ([alike(b"ACGT" * quarter, 3, 45, 45, 10) for quarter in (150, 90)], [b"TGCA" * 40]),
        ([alike(b"ACGT" * quarter, 40, 60, 60, 40) for quarter in (150, 100)], [b"TTTT" * 40]),
        # From likelihoods at which double precision begins to lose bits to those that it cannot
        # hold.
        ([alike(b"A" * length, 60, 90, 90, 60) for length in range(80, 120)], [b"C" * 110]),
    ]
    path = tmp_path_factory.mktemp("modes") / "regions.in"
    write_regions(path, regions)
    return path


def test_the_regions_need_rescue_and_rescaling(region_file):
    pairhmm = PairHMM(backend="cpu", precision="single")
    with pairhmm_in.Reader(region_file) as reader:
        for batch in reader:
            pairhmm.compute(batch)
    statistics = pairhmm.statistics
    assert statistics.pairs > statistics.rescued_pairs > statistics.rescaled_pairs > 0


@pytest.fixture(scope="module")
def expected(native_driver, region_file) -> dict[str, str]:
    return {
        precision: run(native_driver, region_file, "portable", precision, 1)
        for precision in PRECISIONS
    }


@pytest.mark.parametrize("mode", MODES)
def test_the_mode_does_not_change_results_on_aarch64(aarch64_driver, region_file, expected, mode):
    for precision, threads in zip(PRECISIONS, (2, 1), strict=True):
        printed = run(aarch64_driver, region_file, "neon", precision, threads, "cpu", mode)
        assert printed == expected[precision]


@pytest.fixture(scope="module")
def modes(tmp_path_factory) -> Path:
    """A shared library that enters and leaves modes."""
    library = tmp_path_factory.mktemp("modes") / "floating_point_mode.so"
    source = Path(__file__).with_name("floating_point_mode.c")
    subprocess.run(
        [require_tool("cc"), "-std=c11", "-Wall", "-Werror", "-O1", "-fPIC", "-shared",
         source, "-o", library, "-lm"],
        check=True,
    )  # fmt: skip
    return library


def test_a_changed_mode_is_noticed(modes):
    library = ctypes.CDLL(str(modes))
    for mode in MODES:
        library.enter_mode(mode.encode())
        changed = library.leave_mode(b"upward" if mode != "upward" else b"all")
        library.enter_mode(mode.encode())
        unchanged = library.leave_mode(mode.encode())
        assert (changed, unchanged) == (0, 1)


PREAMBLE = """
import ctypes, sys
sys.path.append("ROOT")  # behind the installed package
import numpy as np
from gkl_shim.common import _native
from gkl_shim.pairhmm import _native_pairhmm

modes, mode = ctypes.CDLL(sys.argv[1]), sys.argv[2].encode()
ffi, native = _native.library()

class InMode:
    # The native library, each of whose functions is called in the mode.
    def __getattr__(self, name):
        value = getattr(native, name)
        if not callable(value):
            return value

        def call(*arguments):
            modes.enter_mode(mode)
            result = value(*arguments)
            assert modes.leave_mode(mode) or mode == b"usual", f"{name} changes the mode"
            return result

        return call

_native._loaded = ffi, InMode()
""".replace("ROOT", str(ROOT))

#: The CPU engine; the parts of the CUDA engine that run on the host, which are planning, statistics
#: and completion by the CPU; and the prefilter.
ENGINES = """
import io
from gkl_shim.formats import pairhmm_in, prefilter_text
from gkl_shim.pairhmm import PairHMM, _cuda
from gkl_shim.prefilter import Prefilter, _native_prefilter
from tests.fakes.cupy import install

# A function that needs no floating-point numbers starts the threads.
letters = np.full(1 << 26, ord("A"), np.uint8)
_native_prefilter.encode(letters, *np.empty((3, 1 << 21), np.uint32), 2)
install(2)
for precision in ("single", "double"):
    pairhmm = PairHMM(backend="cpu", precision=precision, threads=2)
    engine = _cuda.Engine(precision=precision, threads=2)
    with pairhmm_in.Reader(sys.argv[3]) as reader:
        for batch, values in pairhmm.stream_batches(reader):
            print(values.tobytes().hex())
            print(engine.compute(batch).tobytes().hex())
    print(pairhmm.statistics.rescaled_pairs, engine.statistics()["rescued_pairs"])
    engine.close()
    code = _native_pairhmm.precision_code(precision)
    conventions = _native_pairhmm.conventions_code(False)
    size = native.gkl_shim_pairhmm_cuda_tables(code, conventions, ffi.NULL)
    tables = ffi.new("uint8_t[]", size)
    _native.library()[1].gkl_shim_pairhmm_cuda_tables(code, conventions, tables)
    print(bytes(tables).hex())

rnd = np.random.default_rng(1)
text = bytes(rnd.choice(list(b"ACGT"), 200_000))
places = [int(place) for place in rnd.integers(0, 100_000, 20_000)]
reads = [text[place : place + 100] for place in places]
names = [f"contig {number}" for number in range(700)]
lines = b"".join(
    b"%d\\tcontig %d\\t%d\\n" % (read, 1 if read % 7 else 0, place)
    for read, place in enumerate(places)
)
with Prefilter(5, threads=2, backend="cpu") as prefilter:
    resident = prefilter.resident(reads, [text[:150_000], text, *[b"ACGT"] * 698])
    lengths = np.array([150_000, 200_000, *[4] * 698])
    with prefilter_text.TextReader(io.BytesIO(lines), "lines", threads=2) as reader:
        for found in reader.candidates(np.full(len(reads), 100), names, lengths):
            edits = resident.edits(found.reads, found.positions, found.contigs)
            print(edits.tobytes().hex())
    print(prefilter.edits(reads, [text[place + 1 : place + 101] for place in places]).sum())
"""


def test_no_function_depends_on_the_mode_or_changes_it(region_file, modes, tmp_path):
    command = [sys.executable, "-c", PREAMBLE + ENGINES, modes]
    expected = run(command, "usual", region_file, cwd=tmp_path)
    assert len(expected) > 1000
    for mode in MODES:
        assert run(command, mode, region_file, cwd=tmp_path) == expected, mode


JNI = """
import ctypes, os, sys
sys.path.append("ROOT")  # behind the installed package
from tests.common.memory import scarce

modes = ctypes.CDLL(sys.argv[1])

def call_in_mode(address, *arguments):
    function = scarce.scarce_ffi.cast("void *", address)
    numbers = scarce.scarce_ffi.new("int64_t[12]", arguments)
    modes.enter_mode(mode)
    result = scarce.scarce.scarce_call(function, numbers)
    assert modes.leave_mode(mode), "the mode has changed"
    return result

scarce.call_address = call_in_mode
part = scarce.PARTS[sys.argv[2]]()
for name in sys.argv[3:]:
    mode = name.encode()
    process = os.fork()
    if process == 0:
        part()
        os._exit(0)
    assert os.waitpid(process, 0)[1] == 0, name
print("computed")
""".replace("ROOT", str(ROOT))


@pytest.mark.parametrize("part", ["ownclasses", "gklclasses"])
def test_no_jni_function_depends_on_the_mode_or_changes_it(
    preloaded, modes, tmp_path, monkeypatch, part
):
    """Loading and initializing too: the likelihoods are right to 1e-5."""
    monkeypatch.setenv("LD_PRELOAD", str(preloaded))
    assert run([sys.executable, "-c", JNI, modes, part, *MODES], cwd=tmp_path) == "computed\n"
