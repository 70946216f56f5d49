"""The exceptions of this package beyond Python's own.

A wrong argument is a plain :class:`ValueError` whose message names the argument and the index.
"""

from __future__ import annotations

__all__ = ["BackendUnavailable", "FormatError", "MissingComponent", "PairError"]


class MissingComponent(RuntimeError):  # noqa: N818 - named for what is wrong
    """A part that this call needs is not installed; the message says how to get it."""


class BackendUnavailable(RuntimeError):  # noqa: N818 - likewise
    """The backend or engine build asked for cannot run here."""


class FormatError(ValueError):
    """A file does not follow its format.

    Parameters
    ----------
    path
        The file, as the caller named it.
    line
        The line at fault, counted from 1; None where it is not known.
    message
        What is wrong and, where that is known, what would be right.

    Notes
    -----
    ``str()`` gives ``FILE:LINE: message``, or ``FILE: message``.
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
        Which one, counted from 0.
    message
        What is wrong with it.
    """

    def __init__(self, index: int, message: str) -> None:
        super().__init__(index, message)
        self.index = index
        self.message = message

    def __str__(self) -> str:
        return f"pair {self.index}: {self.message}"
