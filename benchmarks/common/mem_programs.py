"""The commands that find the exact matches of a workload."""

from __future__ import annotations

from pathlib import Path

from gkl_shim.bench.genomes import Shape
from gkl_shim.bench.timing import shim_command

__all__ = ["programs"]

# The least length that copMEM2 serves.
_COPMEM_FROM = 50


def programs(
    shape: Shape, files: list[str], threads: int, mummer: str | None, copmem2: str | None
) -> dict[str, list[str]]:
    """Return the commands of gkl-shim and of those of mummer and copMEM2 that are given.

    copMEM2 must serve the length, too. It writes its output beside the first of the files.
    """
    options = [*shape.options, *files]
    found = {"gkl-shim": shim_command("mem", "-threads", str(threads), *options)}
    if mummer is not None:
        found["mummer"] = [mummer, *options]
    if copmem2 is not None and shape.min_length >= _COPMEM_FROM:
        strands = ["-b"] if shape.both_strands else []
        found["copMEM2"] = [
            copmem2, *strands, "-l", str(shape.min_length), "-t", str(threads),
            "-o", str(Path(files[0]).with_name("copmem2.txt")), *files,
        ]  # fmt: skip
    return found
