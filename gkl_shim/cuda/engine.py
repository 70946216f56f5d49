"""What the CUDA engines have in common. CuPy makes contexts and loads kernels for native code."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple, TypeVar

from gkl_shim.common import _native
from gkl_shim.cuda import devices as cuda_devices
from gkl_shim.cuda import driver, kernels
from gkl_shim.errors import BackendUnavailable

_Device = TypeVar("_Device", bound="Device")


class Device:
    """A device, and the kernels of one file on it. The kernels live as long as this object.

    Parameters
    ----------
    cupy
        The imported CuPy package.
    number
        The number of the device.
    source
        The kernel file, as in :func:`gkl_shim.cuda.kernels.source`.
    most_memory
        The most bytes for buffers if the user sets no limit. None: half of what is free.
    """

    def __init__(self, cupy: Any, number: int, source: str, most_memory: int | None = None) -> None:
        self.number = number
        self.properties: dict[str, Any] = cupy.cuda.runtime.getDeviceProperties(number)
        self.name: str = self.properties["name"].decode()
        self._cupy = cupy
        self._source = source
        #: The kernels that are in use, by name.
        self.functions: dict[str, Any] = {}
        with self.current() as device:
            self._module = kernels.Kernels(cupy, source, device.compute_capability)
            #: The bytes that an engine's buffers may take.
            self.memory_bytes = cuda_devices.buffer_bytes(cupy, most_memory)
            ffi, _ = _native.library()
            #: The fields of the engine's record of the device, by name.
            self.record: dict[str, Any] = {
                "number": number,
                "context": ffi.cast("void *", cupy.cuda.driver.ctxGetCurrent()),
            }

    def current(self) -> Any:
        """Make the device current in a ``with`` block."""
        return self._cupy.cuda.Device(self.number)

    def function(self, name: str) -> Any:
        """Load a kernel and return its ``void *``. The device must be current."""
        kernel = self.functions[name] = self._module.get_function(name)
        return _native.library()[0].cast("void *", kernel.kernel.ptr)

    def all_functions(self) -> dict[str, Any]:
        """Load all kernels of the file, and return the ``void *`` of each by its short name."""
        with self.current():
            names = kernels.expressions(self._source)
            return {name.rpartition("::")[2]: self.function(name) for name in names}


class Opened(NamedTuple):
    """What a native engine opens with."""

    devices: Sequence[Device]
    options: Any
    """The ``gkl_shim_<algorithm>_cuda_options *``, or what contains it."""
    owners: Any
    """What owns the memory that the options point to, beside the devices."""


class DeviceEngine:
    """A native engine on devices. A derived class opens both."""

    #: The word in the name of the native open function: ``gkl_shim_NAME_open``.
    _NAME: str
    _engine: Any
    _devices: Sequence[Device]

    def _open(self, opened: Opened) -> None:
        """Open the native engine, which uses the kernels of the devices."""
        self._devices = opened.devices
        self._engine = _native.opened(
            "cuda_engine", opened.options, by=f"{self._NAME}_open", used=self._devices
        )

    @property
    def devices(self) -> tuple[str, ...]:
        """The names of the devices in use."""
        uses = _native.library()[1].gkl_shim_cuda_engine_uses
        return tuple(device.name for device in self._devices if uses(self._engine, device.number))

    @property
    def pointer(self) -> Any:
        """The engine's pointer, for native code.

        Raises
        ------
        ValueError
            If the engine is closed.
        """
        if self._engine is None:
            raise ValueError("the engine is closed")
        return self._engine

    def tell_of_losses(self) -> None:
        """Warn of each device that has failed since the last call."""
        ffi, lib = _native.library()
        number = ffi.new("int32_t *")
        while reason := lib.gkl_shim_cuda_engine_next_loss(self.pointer, number):
            name = next(device.name for device in self._devices if device.number == number[0])
            warnings.warn(
                f"gkl-shim: GPU {number[0]} ({name}) is no longer used: "
                f"{ffi.string(reason).decode(errors='replace')}; "
                "other devices or the CPU compute its work",
                RuntimeWarning,
                stacklevel=2,
            )

    def close(self) -> None:
        """Free all memory. No call may be running, and none may follow."""
        if self._engine is not None:
            # The native engine uses the kernels of the devices, so it is closed first.
            _native.library()[0].release(self._engine)
            self._engine = None
            self._devices = []


def with_options(name: str, devices: Sequence[Device], driver: Any, **fields: Any) -> Opened:
    """Return what a native engine opens with.

    Parameters
    ----------
    name
        The word in ``gkl_shim_<name>_options``.
    devices
        The devices, with their records.
    driver
        The ``gkl_shim_cuda_driver *``.
    fields
        The other fields of the options.
    """
    ffi, _ = _native.library()
    records = ffi.new(f"gkl_shim_{name}_device[]", [device.record for device in devices])
    made = {"device_count": len(devices), "devices": records, "driver": driver, **fields}
    return Opened(devices, ffi.new(f"gkl_shim_{name}_options *", made), (driver, records))


def open_devices(
    devices: Iterable[int] | None, open_device: Callable[[Any, int], _Device]
) -> tuple[list[_Device], Any]:
    """Open devices for an engine.

    Parameters
    ----------
    devices
        Device numbers, or None for all devices.
    open_device
        Opens one device, given CuPy and the number.

    Returns
    -------
    list
        The devices.
    cdata
        The driver's functions, a ``gkl_shim_cuda_driver *``.

    Raises
    ------
    BackendUnavailable
        If CuPy or a driver is missing, or a device cannot be used.
    ValueError
        If a device number is wrong.
    """
    numbers = cuda_devices.chosen(devices)
    cupy = cuda_devices.import_cupy()
    try:
        return [open_device(cupy, number) for number in numbers], driver.functions()
    except BackendUnavailable:
        raise
    except Exception as error:
        text = " ".join(str(error).split())[:200]
        what = f"{type(error).__name__}: {text}" if text else type(error).__name__
        raise BackendUnavailable(f"CUDA cannot be used: {what}") from error
