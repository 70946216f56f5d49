"""Prepare the batches of a stream: small regions together, in the order given."""

from __future__ import annotations

from collections.abc import Generator, Iterable, Iterator
from typing import NamedTuple

from gkl_shim.cuda import arrays
from gkl_shim.pairhmm._batch import (
    Batch,
    HaplotypeBatch,
    ReadBatch,
    concatenated,
    copied,
    copied_bytes,
    work_of,
)
from gkl_shim.pairhmm._convert import Quals, Region, haplotype_batch, read_batch

MOST_CALLS = 3
"""The most calls to the devices that are in flight at once in a stream."""

# A stream concatenates small regions up to this many cells. Batches of a few hundred regions are
# larger, so they are not copied.
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
    group: list[Batch] = []
    work = 0
    try:
        for index, region in enumerate(regions):
            with after_caller:
                batch = _region_batch(region, gaps, index)
            item = Item(batch)
            if not listed and _has_arrays_of_the_caller(region):
                item = _owned(batch, borrows)
            more = work_of(batch)
            # A large region is not copied to join it with others.
            if group and (work + more > _GROUP_CELLS or item.is_borrowed):
                yield Item(concatenated(group))
                group, work = [], 0
            if item.is_borrowed:
                yield item
                continue
            group.append(item.batch)
            work += more
            if work >= _GROUP_CELLS:
                yield Item(concatenated(group))
                group, work = [], 0
    except Exception:
        # First compute and return the regions before the error.
        if group:
            yield Item(concatenated(group))
        raise
    if group:
        yield Item(concatenated(group))


def bundled(stream: Iterable[Item]) -> Iterator[Bundle]:
    """Collect batches, for one call to the devices each time."""
    iterator = iter(stream)
    bundle: list[Batch] = []
    bases = 0
    try:
        for batch, is_borrowed in iterator:
            if is_borrowed:
                if bundle:
                    yield Bundle(bundle)
                    bundle, bases = [], 0
                yield Bundle([batch], is_borrowed=True)
                continue
            bundle.append(batch)
            bases += batch.reads.bases.size
            if bases >= _DEVICE_CALL_BASES:
                yield Bundle(bundle)
                bundle, bases = [], 0
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
