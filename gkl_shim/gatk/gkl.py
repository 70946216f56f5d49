"""Find the GKL to measure beside."""

from __future__ import annotations

from gkl_shim.errors import MissingComponent
from gkl_shim.gatk import fetch, programs, replay, swaps


def classpath(given: str | None, version: str = fetch.GKL_VERSION) -> tuple[str | None, str | None]:
    """Return the class path of this version of GKL, or why GKL is not measured.

    Parameters
    ----------
    given
        A class path that the user names, or None for the one in the cache.
    version
        The version to look for in the cache.
    """
    if (absent := replay.no_gkl()) is not None:
        return None, absent
    if named := swaps.named_classpath("--gkl", given):
        return named, None
    fetched = version == fetch.GKL_VERSION  # `gkl-shim demo` fetches it
    try:
        kept = fetch.complete(f"gkl-{version}")
        if kept is None and fetched:
            kept = fetch.complete(fetch.gatk_name())
        if kept is None:
            how = "run `gkl-shim demo` to fetch it, or give --gkl" if fetched else "give --gkl"
            return None, f"GKL {version} is not in the cache; {how}"
        replay.stock_and_shim(kept)
        programs.java()
    except MissingComponent as error:
        return None, str(error)
    return kept, None
