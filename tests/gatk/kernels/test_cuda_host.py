"""GATK's JVM uses a GPU engine that an embedded Python opens, or else the CPU engine.

CuPy and the driver are stand-ins. Their device leaves every pair to the CPU, unless a test sets
one result for all pairs. tests/pairhmm/cuda has tests with a real device.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path

import pytest

from gkl_shim.gatk import compare, data, kernel_times, run, swaps
from gkl_shim.pairhmm._cuda import Engine, first_batch
from tests.conftest import ROOT, require_tool
from tests.fakes import driver as fakes
from tests.gatk.conftest import QUICK, Gatk, command

pytestmark = pytest.mark.gatk

# The engine imports this as CuPy: stand-ins for CuPy and for the driver.
CUPY = """
import os, sys, time

sys.path.append({root!r})
from tests.fakes.cupy import install

print("queues:", os.environ.get("CUDA_DEVICE_MAX_CONNECTIONS"), file=sys.stderr)
time.sleep(float(os.environ["SECONDS_TO_START"]))
install(
    fail={{"cuLaunchKernel": int(os.environ["LAUNCHES"])}},
    result=float(os.environ.get("RESULT", "nan")),
)
"""


Shim = Callable[..., list[str]]


@pytest.fixture(scope="module")
def stand_in(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with a stand-in for CuPy.

    The stand-in driver is compiled here: a JVM waits ten seconds for its device.
    """
    fakes.library()
    folder = tmp_path_factory.mktemp("cupy")
    (folder / "cupy.py").write_text(CUPY.format(root=str(ROOT)))
    return folder


@pytest.fixture(name="shim", scope="module")
def _shim(
    gatk: Gatk, chr22: data.Sample, stand_in: Path, tmp_path_factory: pytest.TempPathFactory
) -> Shim:
    """Run HaplotypeCaller with the agent, and return our log lines.

    Unless the device gives all pairs the same result, the VCF must equal stock GATK's.
    """
    path = os.pathsep.join([str(stand_in), *filter(None, [os.environ.get("PYTHONPATH")])])

    def go(backend: str, *, python: str = sys.executable, start: float = 0, launches: int = 10**9,
           stand_in: bool = True, result: str = "nan",
           preload: Path | None = None, java_options: Sequence[str] = ()) -> list[str]:  # fmt: skip
        output = tmp_path_factory.mktemp("shim") / "shim.vcf"
        environment = {
            "GKL_SHIM_BACKEND": backend,
            "GKL_SHIM_PYTHON": python,
            "SECONDS_TO_START": str(start),
            "LAUNCHES": str(launches),
            "RESULT": result,
            **({"PYTHONPATH": path} if stand_in else {}),
            **({"LD_PRELOAD": str(preload)} if preload else {}),
        }
        done = run.gatk(
            command("HaplotypeCaller", chr22, output),
            gatk.classpath,
            swaps.agent(),
            environment=environment,
            java_options=(*QUICK, *java_options, "-Xcheck:jni"),
        )
        log = done.log.decode()
        assert done.returncode == 0, log[-3000:]
        assert "WARNING in native method" not in log
        assert "FATAL ERROR" not in log
        if result == "nan":
            stock = gatk("HaplotypeCaller", chr22, likelihoods=True)
            comparison = compare.compare(stock.vcf, output)
            assert comparison.identical, str(comparison)
        return [line for line in log.splitlines() if line.startswith(("[gkl-shim ", "queues: "))]

    return go


@pytest.fixture(scope="module", autouse=True)
def slow(shim: Shim) -> Iterator[Future[list[str]]]:
    """The lines of a run whose device takes a minute to start. It waits beside other tests."""
    with ThreadPoolExecutor() as pool:
        yield pool.submit(shim, "cuda", start=60)


@pytest.fixture
def traps(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Modules in the working directory, none of which may run."""
    folder, mark = tmp_path / "working", tmp_path / "mark"
    folder.mkdir()
    for name in ("cupy", "gkl_shim", "numpy", "os", "site", "sitecustomize", "sysconfig"):
        (folder / f"{name}.py").write_text(f"open({str(mark)!r}, 'a').write(__file__)\n")
    monkeypatch.chdir(folder)
    yield
    assert not mark.exists()


def warnings(lines: list[str]) -> list[str]:
    return [line for line in lines if "warning" in line]


def closing(lines: list[str]) -> str:
    """Return the last line about PairHMM."""
    return [line for line in lines if " PairHMM: " in line][-1]


def figure(lines: list[str], pattern: str) -> int:
    match = re.search(pattern, closing(lines))
    assert match, lines
    return int(match[1])


def on_device(lines: list[str]) -> int:
    return figure(lines, r"; (\d+) pairs on fake 0$") if "fake 0" in closing(lines) else 0


def pairs(lines: list[str]) -> int:
    return figure(lines, r"(\d+) pairs, ")


def again(lines: list[str]) -> int:
    return figure(lines, r"; (\d+) pairs computed again in double precision")


def test_the_cpu_completes_pairs_that_the_device_cannot_hold(
    shim: Shim, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It cannot hold them in either precision, so the CPU computes all pairs."""
    monkeypatch.setenv("CUDA_DEVICE_MAX_CONNECTIONS", "4")
    lines = shim("cuda")
    assert warnings(lines) == []
    assert again(lines) == pairs(lines) > 0
    assert on_device(lines) == 0
    assert "queues: 4" in lines


def test_every_pair_is_computed_on_the_device(
    shim: Shim, traps: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The driver gets one queue, because the user chooses no other number."""
    monkeypatch.delenv("CUDA_DEVICE_MAX_CONNECTIONS", raising=False)
    lines = shim("cuda", result="-5")
    assert warnings(lines) == []
    assert on_device(lines) == pairs(lines) > 0
    assert again(lines) == 0
    assert "queues: 1" in lines
    # What `gkl-shim validate` reads of the log.
    log = "\n".join(lines).encode()
    assert kernel_times.goes_to_gpu(log)
    assert kernel_times.pairs_on_gpu(log) == {"fake 0": pairs(lines)}


@pytest.fixture
def launches_at_start(fake_gpus) -> int:
    """The kernels that the first batch launches."""
    driver = fake_gpus()
    Engine(as_gkl=True).compute(first_batch())
    return driver.launches[0]


def test_the_cpu_takes_over_from_a_lost_device(shim: Shim, launches_at_start: int) -> None:
    lines = shim("cuda", launches=launches_at_start + 4)
    assert len(warnings(lines)) == 1
    # Another thread's copy may fail before the launch is told of.
    assert re.search(r"no GPU \(cu\w+: CUDA_ERROR_LAUNCH_FAILED", warnings(lines)[0])
    assert "the CPU engine computes" in warnings(lines)[0]
    assert 0 < again(lines) < pairs(lines)
    assert on_device(lines) == 0


def test_the_cpu_computes_if_the_device_fails_at_the_start(shim: Shim) -> None:
    lines = shim("cuda", launches=3)
    assert len(warnings(lines)) == 1
    assert "CUDA_ERROR_LAUNCH_FAILED" in warnings(lines)[0]
    assert on_device(lines) == 0
    assert again(lines) < pairs(lines)


def test_one_warning_says_why_there_is_no_gpu(shim: Shim) -> None:
    lines = shim("cuda", stand_in=False)
    assert len(warnings(lines)) == 1
    assert re.search(r"CUDA needs CuPy|no CUDA device", warnings(lines)[0])
    assert on_device(lines) == 0


@pytest.fixture(name="driver")
def _driver(tmp_path: Path) -> Path:
    """A library to preload. With it, the file by which we know an NVIDIA driver exists."""
    source, library = tmp_path / "driver.c", tmp_path / "driver.so"
    source.write_text(DRIVER)
    subprocess.run(
        [require_tool("cc"), "-shared", "-fPIC", str(source), "-o", str(library)], check=True
    )
    return library


DRIVER = """
#define _GNU_SOURCE
#include <dlfcn.h>
#include <string.h>
int access(const char *path, int mode) {
    int (*next)(const char *, int) = (int (*)(const char *, int))dlsym(RTLD_NEXT, "access");
    return strcmp(path, "/dev/nvidiactl") == 0 ? 0 : next(path, mode);
}
"""


def test_auto_uses_a_device(shim: Shim, traps: None, driver: Path) -> None:
    # The CPU computes until the device is open. Without a compiler the run is long enough for that.
    lines = shim("auto", result="-5", preload=driver, java_options=["-Xint"])
    assert warnings(lines) == []
    assert on_device(lines) > 0


def test_auto_warns_of_a_device_that_cannot_be_opened(shim: Shim, driver: Path) -> None:
    lines = shim("auto", python="/nonexistent/python", preload=driver)
    assert len(warnings(lines)) == 1
    assert "GKL_SHIM_PYTHON=/nonexistent/python: No such file" in warnings(lines)[0]


def test_auto_says_nothing_where_there_is_no_device(shim: Shim) -> None:
    if Path("/dev/nvidiactl").exists():
        pytest.skip("there is an NVIDIA driver here")
    assert warnings(shim("auto", python="/nonexistent/python")) == []


def test_the_cpu_computes_if_the_device_is_not_ready_in_time(slow: Future[list[str]]) -> None:
    lines = slow.result()
    assert ["it was not ready within 10 seconds" in line for line in warnings(lines)] == [True]
    assert on_device(lines) == 0
