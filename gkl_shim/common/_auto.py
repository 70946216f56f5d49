"""Backends: ``"cpu"``, ``"cuda"``, and ``"auto"``, which chooses between the two for each call."""

from __future__ import annotations

import contextlib
import importlib
import threading
import time
import warnings
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any, Generic, TypeVar

from gkl_shim.common import _native
from gkl_shim.common._arguments import device_numbers
from gkl_shim.errors import BackendUnavailable, WrongSetting

_Engine = TypeVar("_Engine")

# With "auto", the CPU first computes for this time in calls that the devices are expected to finish
# sooner. Loading CUDA takes a second or two, so it would not pay for less work.
_WARM_UP_NANOSECONDS = 1_000_000_000
# One of these exists if there is an NVIDIA driver.
_DRIVERS = (Path("/dev/nvidiactl"), Path("/dev/dxg"))


class CallCosts:
    """What calls of one kind cost on the CPU and on the devices, learned from the calls."""

    def __init__(self) -> None:
        _, self._lib = _native.library()
        self._costs = _native.opened("call_costs")

    def prefer_gpu(self, call: Any) -> bool:
        """Return whether a ``gkl_shim_call_estimate *`` is expected to be faster on the devices."""
        return bool(self._lib.gkl_shim_call_costs_prefer_gpu(self._costs, call))

    def add(self, call: Any, on_gpu: bool, nanoseconds: int) -> None:
        """Record how long a call took that :meth:`prefer_gpu` had before."""
        self._lib.gkl_shim_call_costs_add(self._costs, call, on_gpu, nanoseconds)


def estimate(algorithm: str, *facts: Any) -> Any:
    """Return the ``gkl_shim_call_estimate *`` of a call.

    Parameters
    ----------
    algorithm, facts
        The word in ``gkl_shim_<algorithm>_estimate``, and the arguments of that function.

    Raises
    ------
    ValueError
        If the library refuses the facts, with its message.
    """
    ffi, lib = _native.library()
    call = ffi.new("gkl_shim_call_estimate *")
    _native.check(getattr(lib, f"gkl_shim_{algorithm}_estimate")(*facts, call) or 0)
    return call


class Devices(Generic[_Engine]):
    """The device engine of a backend: open from the start, opened when it pays, or never.

    Parameters
    ----------
    algorithm
        The engine is the class ``Engine`` of the module ``_cuda`` in the algorithm's folder.
    backend
        ``"cpu"``, ``"cuda"`` or ``"auto"``.
    devices
        The numbers of the devices that the user chose, or None for all devices.
    *options
        Further arguments of the engine, after the devices.

    Raises
    ------
    ValueError
        If `devices` is wrong, or is given for the backend ``"cpu"``.
    """

    def __init__(
        self, algorithm: str, backend: str, devices: Iterable[int] | None, *options: Any
    ) -> None:
        numbers = device_numbers(devices)
        if backend == "cpu" and numbers is not None:
            raise ValueError(
                "devices: the backend cpu uses no CUDA devices; choose cuda or auto, or name none"
            )

        def open_engine() -> _Engine:
            # Imported late, because CuPy is optional and takes a second to load.
            module = importlib.import_module(f"gkl_shim.{algorithm}._cuda")
            engine: _Engine = module.Engine(numbers, *options)
            return engine

        self.engine: _Engine | None = open_engine() if backend == "cuda" else None
        """The engine, or None while it is not open."""
        self.always = backend == "cuda"
        self.costs = CallCosts()
        self._open_engine = open_engine
        self._may_open = backend == "auto" and any(driver.exists() for driver in _DRIVERS)
        self._nanoseconds_left = _WARM_UP_NANOSECONDS
        self._lock = threading.Lock()
        self._closed = False

    @property
    def absent(self) -> bool:
        """Whether only the CPU computes, now and later."""
        return not self.always and not self._may_open and self.engine is None

    @contextlib.contextmanager
    def for_call(
        self, estimate: Callable[[], Any], costs: CallCosts | None = None
    ) -> Iterator[_Engine | None]:
        """Choose the engine for a call, and learn from the time that the ``with`` block takes.

        Parameters
        ----------
        estimate
            Returns a ``gkl_shim_call_estimate *`` for the call.
        costs
            What calls of this kind cost, if they cost something else than others of their size.

        Yields
        ------
        engine or None
            The device engine, or None if the CPU is to compute.
        """
        if self.always or self.absent:
            yield self.engine
            return
        call, costs = estimate(), costs or self.costs
        preferred = costs.prefer_gpu(call)
        engine = self.engine if preferred else None
        start = time.perf_counter_ns()
        yield engine
        spent = time.perf_counter_ns() - start
        costs.add(call, engine is not None, spent)
        if preferred and engine is None:
            self._warm_up(spent)

    def never_open(self) -> None:
        """Do not open the engine later, as ``"auto"`` would.

        This is for functions that make an engine and call it once, because the devices are opened
        only after calls on the CPU.
        """
        self._may_open = False

    def close(self) -> _Engine | None:
        """Drop the engine and return it. It is never opened again."""
        with self._lock:
            self._closed = True
            self._may_open = self.always = False
            engine, self.engine = self.engine, None
            return engine

    def _warm_up(self, nanoseconds: int) -> None:
        with self._lock:
            self._nanoseconds_left -= nanoseconds
            start = self._may_open and self._nanoseconds_left < 0
            if start:
                self._may_open = False
        if start:
            threading.Thread(target=self._open, name="gkl-shim-cuda", daemon=True).start()

    def _open(self) -> None:
        try:
            engine = self._open_engine()
        except (ValueError, WrongSetting) as error:  # such as a device that does not exist
            warnings.warn(f"gkl-shim: no GPU is used: {error}", RuntimeWarning, stacklevel=1)
            return
        except BackendUnavailable:
            return  # without CUDA or CuPy, the CPU computes everything
        with self._lock:
            if not self._closed:
                self.engine = engine
