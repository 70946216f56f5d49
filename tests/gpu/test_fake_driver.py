"""The stand-in driver notices when it is used wrongly."""

from __future__ import annotations

import ctypes

import numpy as np
import pytest

from tests.fakes import driver as fakes

AROUND = "the bytes around an allocation have been changed"
SIZE = 1000


class Calls:
    """Calls of a driver with two devices, as native code makes them."""

    def __init__(self, *, slow: bool = False) -> None:
        self.driver = fakes.Driver(2, slow=slow)
        self._library = ctypes.CDLL(str(fakes.library()))
        self.push(0)
        self.stream = self.made("cuStreamCreate", ctypes.c_uint32(0))
        self.device = self.made("cuMemAlloc_v2", ctypes.c_size_t(SIZE))
        self.pinned = self.made("cuMemHostAlloc", ctypes.c_size_t(SIZE), ctypes.c_uint32(1))

    def __call__(self, name: str, *arguments: object) -> int:
        return int(getattr(self._library, name)(*arguments))

    def made(self, name: str, *arguments: object) -> ctypes.c_void_p:
        place = ctypes.c_void_p()
        assert self(name, ctypes.byref(place), *arguments) == 0
        return place

    def push(self, device: int) -> None:
        assert self("cuCtxPushCurrent_v2", ctypes.c_void_p(self.driver.context(device))) == 0

    def pop(self) -> None:
        self.made("cuCtxPopCurrent_v2")

    def send(self, to: int = 0, size: int = SIZE, at: int = 0) -> None:
        self("cuMemcpyHtoDAsync_v2", moved(self.device, to), moved(self.pinned, at),
             ctypes.c_size_t(size), self.stream)  # fmt: skip

    def fetch(self, to: int = 0, size: int = SIZE, at: int = 0) -> None:
        self("cuMemcpyDtoHAsync_v2", moved(self.pinned, to), moved(self.device, at),
             ctypes.c_size_t(size), self.stream)  # fmt: skip


def moved(address: ctypes.c_void_p, by: int) -> ctypes.c_void_p:
    assert address.value is not None
    return ctypes.c_void_p(address.value + by)


@pytest.fixture(params=[False, True])
def calls(request):
    made = Calls(slow=request.param)
    yield made
    made.pop()


def test_right_use(calls):
    ctypes.memset(calls.pinned, 7, SIZE)
    calls.send()
    calls("cuMemsetD8Async", moved(calls.device, 10), 9, ctypes.c_size_t(5), calls.stream)
    calls("cuStreamSynchronize", calls.stream)
    calls.fetch()
    calls("cuStreamSynchronize", calls.stream)
    want = np.full(SIZE, 7, np.uint8)
    want[10:15] = 9
    assert ctypes.string_at(calls.pinned, SIZE) == want.tobytes()
    assert sorted(calls.driver.live) == ["device memory", "pinned memory", "stream"]
    calls("cuMemFree_v2", calls.device)
    calls("cuMemFreeHost", calls.pinned)
    calls("cuStreamDestroy_v2", calls.stream)
    assert calls.driver.live == []
    assert calls.driver.misused == []


@pytest.mark.parametrize(
    ("copy", "told"),
    [
        (lambda calls: calls.send(to=1), "a copy to the device: 1000 bytes"),
        (lambda calls: calls.send(to=-1, size=1), "a copy to the device: 1 bytes"),
        (lambda calls: calls.fetch(at=1), "a copy from the device: 1000 bytes"),
        (lambda calls: calls.fetch(at=SIZE, size=1), "a copy from the device: 1 bytes"),
    ],
)
def test_a_copy_out_of_range(calls, copy, told):
    copy(calls)
    assert calls.driver.misused == [f"{told} are not in the device's memory"]


def test_host_memory_out_of_range_is_not_pinned(calls):
    calls.send(at=1)
    assert calls.driver.pageable == [SIZE]


def test_a_fill_out_of_range(calls):
    calls("cuMemsetD8Async", calls.device, 0, ctypes.c_size_t(SIZE + 1), calls.stream)
    calls("cuStreamSynchronize", calls.stream)
    assert calls.driver.misused == ["a fill: 1001 bytes are not in the device's memory"]


@pytest.mark.parametrize("at", [-1, SIZE])
@pytest.mark.parametrize("memory", ["device", "pinned"])
def test_bytes_around_an_allocation(calls, memory, at):
    address = getattr(calls, memory)
    ctypes.memset(moved(address, at), 0, 1)
    calls.send()
    assert AROUND in calls.driver.misused
    found = len(calls.driver.misused)
    calls("cuMemFree_v2" if memory == "device" else "cuMemFreeHost", address)
    assert AROUND in calls.driver.misused[found:]


def test_memory_of_another_device(calls):
    calls.push(1)
    calls.send()
    calls("cuStreamSynchronize", calls.stream)
    calls.pop()
    assert "a copy to the device: 1000 bytes are not in the device's memory" in (
        calls.driver.misused
    )


@pytest.mark.parametrize("name", ["cuMemFree_v2", "cuMemFreeHost", "cuStreamDestroy_v2"])
def test_freed_twice(calls, name):
    what = {"cuMemFree_v2": calls.device, "cuMemFreeHost": calls.pinned}.get(name, calls.stream)
    calls(name, what)
    assert calls.driver.misused == []
    calls(name, what)
    assert calls.driver.misused == [f"{name}: this is not to be freed"]


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("cuMemFree_v2", "cuMemFree_v2: work in flight uses the memory"),
        ("cuMemFreeHost", "cuMemFreeHost: work in flight uses the memory"),
        ("cuStreamDestroy_v2", "a stream is destroyed with work in flight"),
    ],
)
def test_freed_in_flight(name, told):
    calls = Calls(slow=True)
    calls.send()
    assert calls.driver.in_flight == 1
    what = {"cuMemFree_v2": calls.device, "cuMemFreeHost": calls.pinned}.get(name, calls.stream)
    calls(name, what)
    assert calls.driver.misused == [told]
    calls.pop()


def test_without_a_context():
    calls = Calls()
    calls.pop()
    assert calls("cuStreamSynchronize", calls.stream) == 201
    assert calls.driver.misused == ["cuStreamSynchronize is called without a context"]
