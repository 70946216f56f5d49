"""Prepare the batches of a stream: small regions together, in the order given."""

from __future__ import annotations

from collections.abc import Generator, Iterable, Iterator

from gkl_shim._batch import Batch, HaplotypeBatch, ReadBatch, concatenated, copied, work_of
from gkl_shim._convert import Quals, Region, haplotype_batch, read_batch
from gkl_shim.cuda import arrays

__all__ = ["bundled", "copies", "grouped"]

# A stream concatenates small regions up to this many cells. Batches of a few hundred regions are
# larger, so they are not copied.
_GROUP_CELLS = 1 << 27
# The bases of reads in one call to the devices. The host's work grows with them.
_DEVICE_CALL_BASES = 1 << 23


def copies(batches: Iterable[Batch]) -> Iterator[Batch]:
    """Copy each batch before requesting the next one, which may reuse the same arrays.

    If `batches` is a generator, it is closed at the end.
    """
    try:
        for batch in batches:
            yield copied(batch)
    finally:
        if isinstance(batches, Generator):
            batches.close()


def grouped(
    regions: Iterable[Region], gaps: tuple[Quals, ...], after_caller: arrays.After
) -> Iterator[Batch]:
    """Concatenate small regions. Copy the caller's arrays unless `regions` is a list or tuple."""
    listed = isinstance(regions, (list, tuple))
    group: list[Batch] = []
    work = 0
    try:
        for index, region in enumerate(regions):
            with after_caller:
                batch = _region_batch(region, gaps, index)
            if not listed and _has_arrays_of_the_caller(region):
                batch = copied(batch)
            more = work_of(batch)
            # A large region is not copied to join it with others.
            if group and work + more > _GROUP_CELLS:
                yield concatenated(group)
                group, work = [], 0
            group.append(batch)
            work += more
            if work >= _GROUP_CELLS:
                yield concatenated(group)
                group, work = [], 0
    except Exception:
        # First compute and return the regions before the error.
        if group:
            yield concatenated(group)
        raise
    if group:
        yield concatenated(group)


def bundled(batches: Iterable[Batch]) -> Iterator[list[Batch]]:
    """Collect batches into lists, one for each call to the devices."""
    iterator = iter(batches)
    bundle: list[Batch] = []
    bases = 0
    try:
        for batch in iterator:
            bundle.append(batch)
            bases += batch.reads.bases.size
            if bases >= _DEVICE_CALL_BASES:
                yield bundle
                bundle, bases = [], 0
    except Exception:
        # First compute and return the batches before the error.
        if bundle:
            yield bundle
        raise
    finally:
        if isinstance(iterator, Generator):
            iterator.close()
    if bundle:
        yield bundle


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
