"""CuPy and the CUDA driver for the prefilter, without a device: kernels run as host code."""

from __future__ import annotations

import ctypes
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from tests.gpu.null_cupy import NullCuPy
from tests.gpu.null_driver import NullDriver

_NAMESPACE = "gkl_shim::prefilter::"


class HostDriver(NullDriver):
    """Runs the kernels that it launches, of ``cuda_on_host.cpp``.

    Parameters
    ----------
    library
        What ``cuda_on_host.cpp`` was compiled to.
    **options
        As for :class:`NullDriver`.
    """

    def __init__(self, library: Path, **options: Any) -> None:
        super().__init__(**options)
        self._library = ctypes.CDLL(str(library))
        self.names: list[str] = []
        self.kernels: list[tuple[int, str]] = []
        """The device and the name of each kernel that was launched."""
        self.pinned: list[range] = []
        """The addresses of host memory that counts as pinned."""
        self.pageable: list[int] = []
        """The size of each transfer from memory that is not pinned."""

    def handle(self, kernel: str) -> int:
        """Return a new handle of a kernel."""
        self.names.append(kernel.removeprefix(_NAMESPACE))
        return len(self.names)

    def _cuPointerGetAttribute(self, value: Any, attribute: int, address: int) -> int:  # noqa: N802
        if not any(address in memory for memory in self.pinned):
            return super()._cuPointerGetAttribute(value, attribute, address)
        self._ffi.cast("uint32_t *", value)[0] = 1
        return 0

    def _cuMemcpyHtoDAsync_v2(self, to: int, at: Any, size: int, stream: Any) -> None:  # noqa: N802
        before = len(self.misused)
        super()._cuMemcpyHtoDAsync_v2(to, at, size, stream)
        if self.misused[before:] == [f"{size} bytes at {self._number(at):#x} are none of ours"]:
            self.pageable.append(size)
            self.misused.pop()

    def _within(self, address: int, size: int) -> None:
        if not any(address in memory for memory in self.pinned):
            super()._within(address, size)

    def _cuLaunchKernel(self, kernel: Any, *arguments: Any) -> None:  # noqa: N802
        name = self.names[self._number(kernel) - 1]
        blocks, threads, parameters = arguments[0], arguments[3], arguments[-2]
        assert threads == 128
        self.kernels.append((self.contexts[-1] - 1, name))
        address = ctypes.c_void_p(self._number(parameters))
        if self._library.launch(name.encode(), blocks, address) != 0:
            self.misused.append(f"there is no kernel {name}")


class FakeCuPy(NullCuPy):
    """``import cupy`` with a number of devices, whose kernels are a driver's."""

    def __init__(self, driver: HostDriver, devices: int) -> None:
        super().__init__(devices)
        self._driver = driver
        properties = self.cuda.runtime.getDeviceProperties
        self.cuda.runtime.getDeviceProperties = lambda number: {
            **properties(number),
            "name": f"fake {number}".encode(),
            "maxThreadsPerMultiProcessor": 2048,
        }
        self.cuda.driver.occupancyMaxActiveBlocksPerMultiprocessor = lambda *_: 8

    def RawModule(self, *, code: str, options: Any, name_expressions: tuple[str, ...]) -> Any:  # noqa: N802
        assert "__global__" in code
        kernel = SimpleNamespace(ptr=self._driver.handle(name_expressions[0]))
        return SimpleNamespace(get_function=lambda _: SimpleNamespace(num_regs=40, kernel=kernel))
