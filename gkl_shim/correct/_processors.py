"""What counts k-mers and corrects reads: the CPU or devices, chosen for each call."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Literal, TypeAlias, TypeVar

from gkl_shim.common import _auto
from gkl_shim.common._arguments import INT32_MAX, check_choice, whole_number
from gkl_shim.correct._native_correct import Counter

if TYPE_CHECKING:
    from gkl_shim.correct import _cuda as cuda

Backend: TypeAlias = Literal["auto", "cpu", "cuda"]

_T = TypeVar("_T")


class Processors:
    """What counts and corrects: the CPU, or devices for calls that they finish sooner.

    Parameters
    ----------
    backend
        ``"cpu"``, ``"cuda"`` or ``"auto"``.
    devices
        The numbers of the CUDA devices to use. The default is all devices.
    threads
        The most CPU threads to use; 0 means all that the process may use.

    Raises
    ------
    BackendUnavailable
        If `backend` is ``"cuda"`` and there is no device that can be used.
    ValueError
        If an argument is wrong.
    """

    def __init__(
        self, backend: Backend = "auto", devices: Iterable[int] | None = None, threads: int = 0
    ) -> None:
        check_choice("backend", backend, Backend)
        self.threads = whole_number("threads", threads, 0, INT32_MAX)
        self._devices: _auto.Devices[cuda.Engine] = _auto.Devices(
            "correct", backend, devices, self.threads
        )
        self._told = False  # that a spectrum does not fit
        self.bases = {"cpu": 0, "cuda": 0}
        """The bases that each engine was given to correct."""

    def counter(self, k: int, threshold: int | None, memory_bytes: int = 0) -> Counter:
        """Return a counter for a threshold: on the devices if they are open."""
        if threshold == 0:
            raise ValueError("threshold is 0, not 2 to 2047")
        wanted = 0 if threshold is None else whole_number("threshold", threshold, 0, INT32_MAX)
        return Counter(k, self.threads, memory_bytes, self._devices.engine, wanted)

    def correct(
        self,
        spectrum_bytes: int,
        bases: int,
        call: Callable[[cuda.Engine | None], _T],
    ) -> _T:
        """Return ``call(engine)`` with the engine to correct with; None is the CPU."""
        with self._devices.for_call(
            lambda: _auto.estimate("correct", bases, self.threads)
        ) as engine:
            if engine is None:
                self.bases["cpu"] += bases
                return call(None)
            if spectrum_bytes > engine.memory_bytes and not self._told:
                self._told = True
                warnings.warn(
                    f"gkl-shim: the spectrum takes {spectrum_bytes} bytes, more than the "
                    f"{engine.memory_bytes} that it may take of a GPU; GPUs read it from the "
                    "host's memory, which is slower",
                    RuntimeWarning,
                    stacklevel=3,
                )
            self.bases["cuda"] += bases
            result = call(engine)
            engine.tell_of_losses()
            if not engine.devices:
                self._devices.close()
            return result

    def close(self) -> None:
        """Release the devices. The CPU computes from now on."""
        self._devices.close()
