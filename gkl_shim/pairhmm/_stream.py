"""Prepare the batches of a stream: small regions together, in the order given."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Iterator
from typing import NamedTuple

from gkl_shim.cuda import arrays
from gkl_shim.pairhmm._batch import Batch, work_of
from gkl_shim.pairhmm._convert import Quals, Region, haplotype_batch, read_batch
from gkl_shim.pairhmm._copies import concatenated, copied, copied_bytes
from gkl_shim.pairhmm._sequences import HaplotypeBatch, ReadBatch

MOST_CALLS = 3
"""The most calls to the devices that are in flight at once in a stream."""

# A stream concatenates small regions until they have this many cells. Batches of a few hundred
# regions are larger, so they are not copied.
_GROUP_CELLS = 1 << 27
# The bases of reads in one call to the devices. The host's work grows with them.
_DEVICE_CALL_BASES = 1 << 23
# A call with at least this many bases keeps all devices and all threads busy.
_LARGE_CALL_BASES = 1 << 25
# To copy more takes the host longer than it takes the devices to compute a batch.
_BORROWED_BYTES = 1 << 22


class Item(NamedTuple):
    """A batch of a stream."""

    batch: Batch
    is_borrowed: bool = False
    """Whether its source may change its arrays as soon as the next batch is requested."""


class Bundle(NamedTuple):
    """The batches of one call to the devices."""

    batches: list[Batch]
    is_borrowed: bool = False
    """As for an item. A borrowed batch has a call of its own."""

    @property
    def calls(self) -> int:
        """How many calls like this one to have in flight.

        Two large ones, so that one begins while the other ends. With three, their threads take
        memory bandwidth from each other: a stream was up to a quarter slower on an H100.
        """
        if self.is_borrowed:
            return 1
        bases = sum(batch.reads.bases.size for batch in self.batches)
        return 2 if bases >= _LARGE_CALL_BASES else MOST_CALLS


def items(batches: Iterable[Batch], borrows: bool) -> Iterator[Item]:
    """Yield the batches of a caller. Copy each unless `batches` is a list or tuple.

    If `batches` is a generator, it is closed at the end.

    Parameters
    ----------
    borrows
        Whether to lend large batches in place of copying them.
    """
    listed = isinstance(batches, (list, tuple))
    try:
        for batch in batches:
            yield Item(batch) if listed else _owned(batch, borrows)
    finally:
        if isinstance(batches, Generator):
            batches.close()


def grouped(
    regions: Iterable[Region], gaps: tuple[Quals, ...], after_caller: arrays.After, borrows: bool
) -> Iterator[Item]:
    """Concatenate small regions. Copy the caller's arrays unless `regions` is a list or tuple.

    Parameters
    ----------
    borrows
        As for :func:`items`.
    """
    listed = isinstance(regions, (list, tuple))

    def converted() -> Iterator[Item]:
        for index, region in enumerate(regions):
            with after_caller:
                batch = _region_batch(region, gaps, index)
            if not listed and _has_arrays_of_the_caller(region):
                yield _owned(batch, borrows)
            else:
                yield Item(batch)

    for group, is_borrowed in _collected(converted(), work_of, _GROUP_CELLS):
        yield Item(concatenated(group), is_borrowed)


def bundled(stream: Iterable[Item]) -> Iterator[Bundle]:
    """Collect batches, for one call to the devices each time."""
    return _collected(stream, lambda batch: batch.reads.bases.size, _DEVICE_CALL_BASES)


def _collected(
    stream: Iterable[Item], size: Callable[[Batch], int], enough: int
) -> Iterator[Bundle]:
    """Collect batches until their sizes add up to `enough`.

    A batch that is that large alone is not joined with others, nor is a borrowed one.
    """
    iterator = iter(stream)
    bundle: list[Batch] = []
    total = 0
    try:
        for batch, is_borrowed in iterator:
            more = size(batch)
            if bundle and (is_borrowed or more >= enough):
                yield Bundle(bundle)
                bundle, total = [], 0
            bundle.append(batch)
            total += more
            if is_borrowed or total >= enough:
                yield Bundle(bundle, is_borrowed)
                bundle, total = [], 0
    except Exception:
        # First compute and return the batches before the error.
        if bundle:
            yield Bundle(bundle)
        raise
    finally:
        if isinstance(iterator, Generator):
            iterator.close()
    if bundle:
        yield Bundle(bundle)


def _owned(batch: Batch, borrows: bool) -> Item:
    """Return a batch whose arrays nobody changes, or a large one that is borrowed."""
    if borrows and copied_bytes(batch) >= _BORROWED_BYTES:
        return Item(batch, is_borrowed=True)
    return Item(copied(batch))


def _region_batch(region: Region, gaps: tuple[Quals, ...], index: int) -> Batch:
    if isinstance(region, Batch):
        return region
    if not isinstance(region, tuple) or len(region) != 2:
        raise ValueError(f"regions[{index}]: expected (reads, haplotypes) or a Batch")
    try:
        return Batch(read_batch(region[0], gaps), haplotype_batch(region[1]))
    except ValueError as error:
        raise ValueError(f"regions[{index}]: {error}") from error


def _has_arrays_of_the_caller(region: Region) -> bool:
    """Return whether a region consists of the caller's arrays; lists of reads were copied."""
    return isinstance(region, Batch) or any(
        isinstance(part, (ReadBatch, HaplotypeBatch)) for part in region
    )
