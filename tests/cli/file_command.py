"""A use of a command that computes a file."""

from __future__ import annotations

from typing import NamedTuple


class FileCommand(NamedTuple):
    """A command line without its input and output, with small files for it."""

    options: str
    """The command and its options."""
    name: str
    """The name of the input."""
    files: dict[str, bytes]
    """The input and other files, by name."""
    has_builds: bool = True
    """Whether there is a build for each instruction set, and so ``--build``."""
