"""Iterate in a background thread."""

from __future__ import annotations

import contextlib
from collections.abc import Generator, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar, cast

__all__ = ["ahead", "background"]

_T = TypeVar("_T")


def ahead(items: Iterable[_T]) -> Generator[_T, None, None]:
    """Iterate in a background thread, one item ahead of the caller.

    Closing it waits for the item under way and closes `items` where that is a generator, so that
    the caller may then close what `items` reads from. An interrupt or exit waits for nothing.
    """
    iterator = iter(items)
    end = object()
    with background(1, iterator) as pool:
        pending = pool.submit(next, iterator, end)
        while (item := pending.result()) is not end:
            pending = pool.submit(next, iterator, end)
            yield cast(_T, item)


@contextlib.contextmanager
def background(count: int, items: Iterator[_T]) -> Iterator[ThreadPoolExecutor]:
    """Background threads that iterate, as :func:`ahead` says, and do other things besides."""
    pool = ThreadPoolExecutor(count, thread_name_prefix="gkl-shim")
    wait = True
    try:
        yield pool
    except (KeyboardInterrupt, SystemExit):
        wait = False
        raise
    finally:
        pool.shutdown(wait=wait)
        if wait and isinstance(items, Generator):
            items.close()
