"""The CUDA engine without a device: its kernels run on the host, each lane of a warp a fiber.

test_on_gpu.py has the real thing.
"""

from __future__ import annotations

import json
import random
import warnings

import numpy as np
import pytest
from click.testing import CliRunner
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from gkl_shim.cli.correct import command
from gkl_shim.common._ragged import ragged
from gkl_shim.correct import CORRECTED, SHORT, SOLID, UNSOLVED, Spectrum
from gkl_shim.correct._cuda import Engine
from gkl_shim.correct._native_correct import Counter, Options
from gkl_shim.correct._processors import Processors
from tests.correct.test_correct import METHODS, random_reads, strains
from tests.correct.test_memory import partition


@pytest.fixture
def host(fake_gpus):
    return fake_gpus(kernels="correct")


#: The most changes of a read, the most in a window, and whether unsolved reads stay as they are.
USUAL = (0, 0, False)
LIMITS = (USUAL, (1, 0, False), (0, 1, False), (0, 2, True))


def counted(reads, k: int, threshold: int | None, engine: Engine, memory: int = 0, step: int = 500):
    """Make a spectrum on devices. Return it, and the number of passes."""
    counter = Counter(k, 0, memory, engine)
    passes, complete = 0, False
    while not complete:
        for begin in range(0, len(reads), step):
            counter.count(ragged(reads[begin : begin + step], "reads"))
        complete = counter.end_pass()
        passes += 1
    spectrum = Spectrum._from_counter(counter, threshold, Processors())
    return spectrum, passes


def same_spectrum(one: Spectrum, other: Spectrum) -> None:
    assert (one.k, one.threshold, one.kmers) == (other.k, other.threshold, other.kmers)
    assert (one.histogram == other.histogram).all()
    assert (one._open().information().slots == other._open().information().slots).all()


def corrected(spectrum: Spectrum, reads, qualities, method: str, limits, engine=None, threads=0):
    letters, offsets = ragged(reads, "reads")
    letters = letters[: offsets[-1]]
    count = len(offsets) - 1
    out = [np.zeros_like(letters), np.full(count, 9, np.uint8)]
    out += [np.full(count, -1, np.int32), np.full(count, -1, np.int32)]
    options = Options(threads, method, *limits)
    spectrum._open().correct((letters, offsets), qualities, options, *out, engine)
    return out


def same_reads(spectrum: Spectrum, reads, qualities, method: str, limits, engine) -> np.ndarray:
    """Compare all results of the two engines. Return the states."""
    want = corrected(spectrum, reads, qualities, method, limits)
    found = corrected(spectrum, reads, qualities, method, limits, engine)
    for one, other in zip(want, found, strict=True):
        assert one.tolist() == other.tolist()
    return want[1]


def qualities_of(qualities) -> np.ndarray:
    return np.array([q for read in qualities for q in read], np.uint8)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("k", [11, 16, 19, 31])
def test_as_the_cpu(host, method, k) -> None:
    engine = Engine()
    clean, _ = random_reads(1, genome=150, rate=0, depth=20)
    states = []
    for rate in (0.02, 0.1):
        reads, qualities = random_reads(1, genome=150, depth=10, rate=rate)
        spectrum, passes = counted(clean, k, 3, engine)
        assert passes == 1
        same_spectrum(spectrum, Spectrum.from_reads(clean, k=k, threshold=3, backend="cpu"))
        for values in (None, qualities_of(qualities)):
            for limits in LIMITS:
                states += same_reads(spectrum, reads, values, method, limits, engine).tolist()
    assert {SOLID, CORRECTED, UNSOLVED, SHORT} == set(states)
    engine.close()
    assert host.live == []


@pytest.mark.parametrize("method", METHODS)
def test_kmers_that_are_repeated(host, method) -> None:
    engine = Engine()
    reads, qualities, _ = strains(15)
    spectrum, _ = counted(reads, 15, None, engine)
    same_spectrum(spectrum, Spectrum.from_reads(reads, k=15, backend="cpu"))
    some = slice(3150, 3250)  # of both strains
    values = qualities_of(qualities[some])
    states = same_reads(spectrum, reads[some], values, method, USUAL, engine)
    assert {SOLID, CORRECTED, UNSOLVED} == set(states.tolist())
    engine.close()


@settings(
    max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(
    st.lists(st.text("ACGTNacgtn", max_size=70), max_size=8),
    st.sampled_from([11, 12, 14]),
    st.sampled_from(METHODS),
    st.data(),
)
def test_any_reads(host, reads, k, method, data) -> None:
    copies = data.draw(st.lists(st.sampled_from(reads), max_size=8)) if reads else []
    every = reads + copies
    engine = Engine(chunk_bases=data.draw(st.sampled_from([0, 1, 100])))
    spectrum, _ = counted(every, k, 2, engine)
    same_spectrum(spectrum, Spectrum.from_reads(every, k=k, threshold=2, backend="cpu"))
    same_reads(spectrum, every, None, method, USUAL, engine)
    engine.close()


def compare_long_reads(engine: Engine, method: str, sizes) -> None:
    """Compare reads of these sizes, with errors, from the beginning of a genome."""
    rnd = random.Random(3)
    genome = "".join(rnd.choices("ACGT", k=max(sizes)))
    spectrum = Spectrum.from_reads([genome] * 3, k=21, threshold=2, backend="cpu")
    reads, qualities = [], []
    for size in sizes:
        read = list(genome[:size])
        for _ in range(size // 100):
            read[rnd.randrange(size)] = rnd.choice("ACGTN")
        reads.append("".join(read))
        qualities.append([rnd.choice([2, 20, 37]) for _ in range(size)])
    states = same_reads(spectrum, reads, qualities_of(qualities), method, USUAL, engine)
    assert CORRECTED in states


@pytest.mark.parametrize("method", METHODS)
def test_reads_that_do_not_fit_into_shared_memory(host, method) -> None:
    engine = Engine()
    compare_long_reads(engine, method, (511, 512, 513, 1300, 20, 700))
    engine.close()


def test_slots_in_pinned_memory(fake_gpus) -> None:
    """The memory that counting leaves holds the slots of one spectrum at a time."""
    fake_gpus(2, kernels="correct")
    engine = Engine(chunk_bases=6000)
    one, others = (random_reads(seed, genome=100, depth=9, rate=0)[0] for seed in (1, 2))
    first, second = (counted(reads, 11, 3, engine)[0] for reads in (one, others))
    many = [read[:12] for read in one] * (1100 // len(one))  # more than a block of reads
    same_reads(second, many, None, "search", USUAL, engine)
    same_reads(first, one[:1], None, "search", USUAL, engine)  # on one device
    counted(others, 11, 3, engine)
    same_reads(first, many, None, "search", USUAL, engine)
    engine.close()


def test_signals_in_long_calls(host, bell, handle) -> None:
    """Their handlers may use the engine: nothing is in flight, and counting has the lock alone."""

    class AlarmError(Exception):
        pass

    def at_rest() -> None:
        assert host.in_flight == host.pushed == 0
        bell.ring()

    def end() -> None:
        raise AlarmError

    engine = Engine(threads=1, chunk_bases=500)
    reads, _ = random_reads(1, genome=150, depth=60, rate=0.02)
    handle(at_rest)
    bell.ring()
    spectrum, _ = counted(reads, 16, 3, engine)
    begin = bell.questions
    corrected(spectrum, reads, None, "search", USUAL, engine, threads=1)
    assert bell.questions > begin + 8
    handle(end)
    begin = bell.questions
    bell.ring(after=3)
    with pytest.raises(AlarmError):
        corrected(spectrum, reads, None, "search", USUAL, engine, threads=1)
    assert bell.questions <= begin + 5  # the thread pool asks again
    same_reads(spectrum, reads, None, "search", USUAL, engine)
    engine.close()
    assert host.live == []


@pytest.mark.parametrize(("k", "counted_to"), [(21, 2800), (30, 2710), (31, 2047)])
def test_a_kmer_that_occurs_often(host, k, counted_to) -> None:
    """Its count stops at the largest one. The threshold of deep reads is 1/64 of it."""
    reads = ["A" * 300] * 10 + ["ACGT" * 10] * 20
    engine = Engine()
    for threshold in (None, 2047):
        spectrum, _ = counted(reads, k, threshold, engine)
        want = Spectrum.from_reads(reads, k=k, threshold=threshold, backend="cpu")
        same_spectrum(spectrum, want)
        assert spectrum.threshold == (threshold or counted_to // 64)
    assert spectrum.kmers == 1
    engine.close()


@pytest.mark.parametrize("slow", [False, True])
@pytest.mark.parametrize("devices", [1, 2, 3])
def test_devices_share_the_work(fake_gpus, devices: int, slow: bool) -> None:
    driver = fake_gpus(devices, kernels="correct", slow=slow)
    reads, qualities = random_reads(5, genome=400, depth=10)
    engine = Engine(chunk_bases=500)
    spectrum, passes = counted(reads, 15, 2, engine)
    assert passes == 1
    assert set(driver.launches) == set(range(devices))
    same_spectrum(spectrum, Spectrum.from_reads(reads, k=15, threshold=2, backend="cpu"))
    for method in METHODS:
        same_reads(spectrum, reads, qualities_of(qualities), method, USUAL, engine)
    engine.close()
    assert driver.live == []


def test_tables_grow_and_are_dropped(host) -> None:
    """Small memory needs several passes, and changes nothing."""
    reads, _ = random_reads(6, genome=3000, depth=3)
    want = Spectrum.from_reads(reads, k=21, threshold=2, backend="cpu")
    engine = Engine()
    numbers = []
    for memory in (0, 130_000, 40_000):
        spectrum, passes = counted(reads, 21, 2, engine, memory)
        same_spectrum(spectrum, want)
        numbers.append(passes)
    assert numbers[0] == 1 < numbers[1] < numbers[2]
    assert any(name.endswith("move_entries") for _, name in host.launched)
    engine.close()
    assert host.live == []


def kmers_of_a_partition(k: int, wanted: int, count: int) -> list[str]:
    rnd = random.Random(4)
    found = set()
    while len(found) < count:
        kmer = "".join(rnd.choices("ACTG", k=k))
        if partition(kmer) == wanted:
            found.add(kmer)
    return sorted(found)


@pytest.mark.parametrize("wanted", [0, 511])
def test_a_table_that_overflows_is_counted_in_another_pass(host, wanted) -> None:
    """K-mers are not divided evenly among the partitions."""
    usual, _ = random_reads(7, genome=300, depth=10)
    reads = kmers_of_a_partition(15, wanted, 250) * 2 + usual
    engine = Engine()
    spectrum, passes = counted(reads, 15, 2, engine, step=len(reads))
    assert passes == 2
    same_spectrum(spectrum, Spectrum.from_reads(reads, k=15, threshold=2, backend="cpu"))
    engine.close()


@pytest.mark.parametrize("method", METHODS)
def test_n_has_no_quality(host, method) -> None:
    """Qualities decide which changes are made, and the file gives N high ones here."""
    clean, _ = random_reads(13, genome=300, rate=0)
    spectrum = Spectrum.from_reads(clean, k=13, threshold=3, backend="cpu")
    rnd = random.Random(13)
    reads, qualities = [], []
    for read in clean:
        letters = [rnd.choice("NNACGT") if rnd.random() < 0.15 else letter for letter in read]
        reads.append("".join(letters))
        qualities.append([60 if letter == "N" else rnd.choice([9, 10, 11]) for letter in letters])
    engine = Engine()
    states = same_reads(spectrum, reads, qualities_of(qualities), method, (9, 0, False), engine)
    assert {CORRECTED, UNSOLVED} <= set(states)
    engine.close()


@pytest.mark.parametrize(
    ("function", "after", "slow"),
    [
        ("cuMemAlloc_v2", 0, True),
        ("cuLaunchKernel", 2, False),
        ("cuStreamSynchronize", 2, True),
        ("cuMemcpyHtoDAsync_v2", 2, True),
    ],
)
@pytest.mark.parametrize("failing", [1, None])
def test_a_device_that_fails_while_it_counts(fake_gpus, function, after, failing, slow) -> None:
    """Another device counts its part in another pass, or the CPU counts everything."""
    driver = fake_gpus(2, kernels="correct", slow=slow)
    reads, _ = random_reads(8, genome=300, depth=10)
    want = Spectrum.from_reads(reads, k=15, threshold=2, backend="cpu")
    engine = Engine()
    # A device that is not lost still does what is in flight.
    driver.fail(function, after, failing, loses=not slow or function == "cuStreamSynchronize")
    with pytest.warns(RuntimeWarning) as warned:
        spectrum, passes = counted(reads, 15, 2, engine, step=30)
        engine.tell_of_losses()
    same_spectrum(spectrum, want)
    texts = [str(each.message) for each in warned]
    assert any("is no longer used: " in text for text in texts)
    assert any("the CPU counts" in text for text in texts) == (failing is None)
    assert engine.devices == (() if failing is None else (engine._devices[0].name,))
    assert passes <= 3
    engine.close()


# A second stream allocates pinned memory only if it finds a chunk to take.
@pytest.mark.parametrize(
    ("function", "after"),
    [("cuMemAlloc_v2", 1), ("cuLaunchKernel", 0), ("cuLaunchKernel", 1), ("cuMemHostAlloc", 0)],
)
@pytest.mark.parametrize("failing", [1, None])
def test_a_device_that_fails_while_it_corrects(fake_gpus, function, after, failing) -> None:
    driver = fake_gpus(2, kernels="correct", slow=True)
    reads, qualities = random_reads(8, genome=300, depth=10)
    spectrum = Spectrum.from_reads(reads, k=15, threshold=2, backend="cpu")
    engine = Engine(chunk_bases=400)
    driver.fail(function, after, failing, loses=False)
    same_reads(spectrum, reads, qualities_of(qualities), "search", USUAL, engine)
    assert driver.failed == {function}
    with pytest.warns(RuntimeWarning, match="is no longer used: "):
        engine.tell_of_losses()
    engine.close()


def large_spectrum():
    """Return a spectrum of more than 1 MiB, and reads that it corrects."""
    genome = "".join(random.Random(2).choices("ACGT", k=130_000))
    clean, _ = random_reads(9, genome=200, depth=20, rate=0)
    spectrum = Spectrum.from_reads([genome] * 3 + clean, k=21, threshold=2, backend="cpu")
    return spectrum, *random_reads(9, genome=200, depth=8)


@pytest.mark.parametrize("memory", [2**20, 100])
def test_each_call_has_its_own_spectrum(fake_gpus, monkeypatch, memory: int) -> None:
    """Whether it is on the devices or, for lack of memory, on the host."""
    monkeypatch.setattr("gkl_shim.cuda.devices.buffer_bytes", lambda *_: memory)
    driver = fake_gpus(2, kernels="correct")
    engine = Engine(chunk_bases=500)
    made = []
    for seed, k in ((21, 13), (22, 13), (23, 17)):
        clean, _ = random_reads(seed, genome=200, rate=0)
        spectrum = Spectrum.from_reads(clean, k=k, threshold=2, backend="cpu")
        made.append((spectrum, *random_reads(seed, genome=200, depth=8)))
    for spectrum, reads, qualities in (*made, *made):
        values = qualities_of(qualities)
        states = same_reads(spectrum, reads, values, "search", USUAL, engine)
        assert {SOLID, CORRECTED} <= set(states)
    engine.close()
    assert driver.live == []


@pytest.mark.parametrize("devices", [1, 2])
def test_a_spectrum_that_is_too_large_for_a_device(fake_gpus, monkeypatch, devices) -> None:
    """It stays in the host's memory, once for all devices."""
    monkeypatch.setenv("GKL_SHIM_DEVICE_MEMORY", "1")
    driver = fake_gpus(devices, kernels="correct")
    spectrum, reads, qualities = large_spectrum()
    assert spectrum.bytes > 1 << 20
    engine = Engine(chunk_bases=500)
    for method in METHODS:
        states = same_reads(spectrum, reads, qualities_of(qualities), method, USUAL, engine)
        assert {SOLID, CORRECTED} <= set(states.tolist())
    assert set(driver.launches) == set(range(devices))
    assert max(driver.most_memory) < 1 << 20
    assert spectrum.bytes < driver.most_pinned < spectrum.bytes + (1 << 20) * devices * 4
    engine.close()
    assert driver.live == []


def test_a_failed_device_lets_go_of_a_spectrum_in_host_memory(fake_gpus, monkeypatch) -> None:
    """The spectrum of a later call takes its place, and the first device has allocated both."""
    monkeypatch.setenv("GKL_SHIM_DEVICE_MEMORY", "1")
    driver = fake_gpus(2, kernels="correct")
    spectrum, reads, qualities = large_spectrum()
    other, _, _ = large_spectrum()
    engine = Engine(chunk_bases=500)
    same_reads(spectrum, reads, qualities_of(qualities), "search", USUAL, engine)
    driver.fail("cuLaunchKernel", 0, 1)
    same_reads(spectrum, reads, qualities_of(qualities), "search", USUAL, engine)
    assert driver.failed == {"cuLaunchKernel"}
    same_reads(other, reads, qualities_of(qualities), "search", USUAL, engine)
    assert driver.most_pinned < 2 * spectrum.bytes
    with pytest.warns(RuntimeWarning, match="is no longer used: "):
        engine.tell_of_losses()
    engine.close()


def test_a_warning_tells_of_a_spectrum_in_host_memory(fake_gpus) -> None:
    driver = fake_gpus(kernels="correct")
    reads, _ = random_reads(9, genome=200, depth=10)
    want = Spectrum.from_reads(reads, k=15, threshold=2, backend="cpu").correct(reads)
    spectrum = Spectrum.from_reads(reads, k=15, threshold=2, backend="cuda")
    spectrum._processors._devices.engine.memory_bytes = 100
    driver.forget_calls()
    with pytest.warns(RuntimeWarning, match="more than the 100 that it may take of a GPU; GPUs re"):
        assert (spectrum.correct(reads).letters == want.letters).all()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert (spectrum.correct(reads).letters == want.letters).all()
    assert driver.launches


@pytest.mark.parametrize("devices", [1, 2])
def test_pinned_memory_lacks_for_a_spectrum(fake_gpus, monkeypatch, devices) -> None:
    monkeypatch.setenv("GKL_SHIM_DEVICE_MEMORY", "1")
    driver = fake_gpus(devices, kernels="correct")
    spectrum, reads, qualities = large_spectrum()
    engine = Engine(chunk_bases=500)
    driver.fail("cuMemHostAlloc", 0)
    same_reads(spectrum, reads, qualities_of(qualities), "search", USUAL, engine)
    assert driver.failed == {"cuMemHostAlloc"}
    with pytest.warns(RuntimeWarning, match="is no longer used: "):
        engine.tell_of_losses()
    engine.close()
    assert driver.live == []


def test_the_command_counts_and_corrects_on_devices(fake_gpus, tmp_path) -> None:
    driver = fake_gpus(2, kernels="correct")
    reads, qualities = random_reads(12, genome=300, depth=10)
    text = "".join(
        f"@r{k}\n{read}\n+\n{''.join(chr(33 + q) for q in quality)}\n"
        for k, (read, quality) in enumerate(zip(reads, qualities, strict=True))
    )
    (tmp_path / "r.fq").write_text(text)
    reports, outputs = [], []
    for backend in ("cpu", "cuda"):
        out, report = tmp_path / f"{backend}.fq", tmp_path / f"{backend}.json"
        options = ["-o", str(out), "--json", str(report), "--backend", backend, "-k", "15"]
        done = CliRunner().invoke(command, [str(tmp_path / "r.fq"), *options])
        assert done.exit_code == 0, done.output
        outputs.append(out.read_text())
        reports.append(json.loads(report.read_text()))
    assert outputs[0] == outputs[1] != text
    bases = sum(map(len, reads))
    assert [report["counted_by"] for report in reports] == ["cpu", "cuda"]
    assert reports[0]["bases_corrected_by"] == {"cpu": bases, "cuda": 0}
    assert reports[1]["bases_corrected_by"] == {"cpu": 0, "cuda": bases}
    assert set(driver.launches) == {0, 1}
    driver.forget_calls()
    options = ["-o", str(tmp_path / "one.fq"), "--backend", "cuda", "-k", "15", "--devices"]
    done = CliRunner().invoke(command, [str(tmp_path / "r.fq"), *options, "1"])
    assert (done.exit_code, (tmp_path / "one.fq").read_text()) == (0, outputs[1]), done.output
    assert set(driver.launches) == {1}
    done = CliRunner().invoke(command, [str(tmp_path / "r.fq"), *options, "7", "--force"])
    assert done.exit_code == 2
    assert "devices: there is no CUDA device 7; there are 2" in done.output
