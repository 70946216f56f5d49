"""The exceptions that this package defines.

A wrong argument raises a plain :class:`ValueError`. Its message names the argument and the index.
"""

from __future__ import annotations

__all__ = ["BackendUnavailable", "FormatError", "MissingComponent", "PairError", "WrongSetting"]


class MissingComponent(RuntimeError):  # noqa: N818 - the name states the fault
    """A required component is not installed; the message says how to get it."""


class BackendUnavailable(RuntimeError):  # noqa: N818 - the name states the fault
    """The requested backend or engine build cannot run on this machine."""


class WrongSetting(BackendUnavailable):
    """An environment variable has a value with which the backend cannot run."""


class FormatError(ValueError):
    """A file does not follow its format.

    Parameters
    ----------
    path
        The path that the caller gave.
    line
        The number of the wrong line, counted from 1, or None if it is unknown.
    message
        What is wrong and, if known, what the format expects.

    Notes
    -----
    ``str()`` returns ``FILE:LINE: message``, or ``FILE: message`` without a line.
    """

    def __init__(self, path: str, line: int | None, message: str) -> None:
        super().__init__(path, line, message)
        self.path = path
        self.line = line
        self.message = message

    def __str__(self) -> str:
        place = self.path if self.line is None else f"{self.path}:{self.line}"
        return f"{place}: {self.message}"


class PairError(ValueError):
    """A pair that cannot be computed.

    Parameters
    ----------
    index
        The pair's index, counted from 0.
    message
        What is wrong with the pair.
    """

    def __init__(self, index: int, message: str) -> None:
        super().__init__(index, message)
        self.index = index
        self.message = message

    def __str__(self) -> str:
        return f"pair {self.index}: {self.message}"
