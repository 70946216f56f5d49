"""Read an iterable ahead of its consumer, in a background thread."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Generator, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar, cast

_T = TypeVar("_T")


def read_ahead(items: Iterable[_T]) -> Generator[_T, None, None]:
    """Iterate in a background thread, one item ahead of the caller. The first item is read at once.

    Closing the generator waits until the current item is complete, and then closes `items` if that
    is a generator too. The caller may then close the file that `items` reads. KeyboardInterrupt and
    SystemExit do not wait.
    """
    ahead = _read_ahead(iter(items))
    next(ahead)  # starts the thread
    return cast(Generator[_T, None, None], ahead)


def _read_ahead(iterator: Iterator[_T]) -> Generator[_T | None, None, None]:
    """Yield None once the thread has started, and then the items."""
    end = object()
    with background(1, iterator) as pool:
        pending = pool.submit(next, iterator, end)
        yield None
        while (item := pending.result()) is not end:
            pending = pool.submit(next, iterator, end)
            yield cast(_T, item)


@contextlib.contextmanager
def background(count: int, items: Iterator[_T] | None = None) -> Iterator[ThreadPoolExecutor]:
    """Run a thread pool that may iterate over `items`, and shut it down like :func:`read_ahead`."""
    own: set[int] = set()
    pool = ThreadPoolExecutor(count, "gkl-shim", initializer=lambda: own.add(threading.get_ident()))
    wait = True
    try:
        yield pool
    except (KeyboardInterrupt, SystemExit):
        wait = False
        raise
    finally:
        # If the caller drops a reader, this may run in a thread of the pool, which holds the last
        # reference to it. A thread cannot wait for itself.
        wait = wait and threading.get_ident() not in own
        pool.shutdown(wait=wait)
        if wait and isinstance(items, Generator):
            items.close()
