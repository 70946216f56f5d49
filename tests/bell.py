"""Signals at chosen places of native calls."""

from __future__ import annotations

import signal

import pytest

from gkl_shim.common import _native

__all__ = ["Bell"]


class Bell:
    """Raises SIGALRM in native calls, where these ask whether they shall end.

    They ask after each task of the calling thread.
    """

    def __init__(self, patch: pytest.MonkeyPatch) -> None:
        self.questions = 0
        """How often native calls have asked."""
        self._at = -1
        ffi, _ = _native.library()
        self._function = ffi.callback(
            "int32_t(void)", self._ask, error=1, onerror=lambda _, e, __: _native._raised.append(e)
        )
        patch.setattr(_native, "_interrupt", lambda: self._function)
        patch.setattr(_native, "INTERVAL", 0)

    def ring(self, after: int = 0) -> None:
        """Raise the signal at a later question: at the next one, or after `after` others."""
        self._at = self.questions + after

    def _ask(self) -> int:
        self.questions += 1
        if self._at == self.questions - 1:
            signal.raise_signal(signal.SIGALRM)
        return 0
