"""The ``--gkl`` option of the benchmarks, and where GKL is found without it."""

from __future__ import annotations

from pathlib import Path

import click

from gkl_shim.errors import MissingComponent
from gkl_shim.gatk import fetch, replay

option = click.option(
    "--gkl",
    metavar="CLASSPATH",
    help="The jars of GKL and of GATK's native bindings, or a GATK package jar. Default: the GATK "
    "that `gkl-shim demo` has fetched.",
)


def classpath(given: str | None) -> tuple[str | None, str | None]:
    """Return GKL's class path, or why GKL is not measured."""
    if given is not None:
        for entry in given.split(":"):
            if not Path(entry.removesuffix("*")).exists():
                raise MissingComponent(f"--gkl: {entry}: no such file or folder")
        return given, None
    try:
        kept = fetch.complete(f"gkl-{fetch.GKL_VERSION}") or fetch.complete(fetch.gatk_name())
        if kept is None:
            return None, "it is not in the cache; run `gkl-shim demo` to fetch it, or give --gkl"
        replay.stock_and_shim(kept)
        fetch.java()
    except MissingComponent as error:
        return None, str(error)
    return kept, None
