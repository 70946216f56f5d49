"""A base class for objects that a ``with`` block closes."""

from __future__ import annotations

from typing import TypeVar

_Self = TypeVar("_Self", bound="Closable")


class Closable:
    """A context manager that calls :meth:`close` on exit."""

    def close(self) -> None:
        """Release what the object holds."""
        raise NotImplementedError

    def __enter__(self: _Self) -> _Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
