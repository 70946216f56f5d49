"""``gkl-shim editdistance``: compute the edit distance of pairs of sequences."""

from __future__ import annotations

from pathlib import Path

import click

from gkl_shim._files import atomic_output
from gkl_shim.cli import _options
from gkl_shim.editdistance import distances
from gkl_shim.errors import FormatError


@click.command(name="editdistance", epilog="Example: gkl-shim editdistance pairs.tsv")
@click.argument("source", metavar="PAIRS.tsv")
@_options.output
@_options.threads
def command(source: str, output: str, threads: int) -> None:
    """Compute the edit distance of the pairs in PAIRS.tsv.

    Each line is a sequence, a TAB and a sequence. OUT gets one number a line.
    """
    with atomic_output(output) as file:
        pairs = []
        for number, line in enumerate(Path(source).read_bytes().splitlines(), 1):
            fields = line.split(b"\t")
            if len(fields) != 2:
                raise FormatError(source, number, "expected a sequence, a TAB and a sequence")
            pairs.append(fields)
        values = distances([pair[0] for pair in pairs], [pair[1] for pair in pairs],
                           threads=threads)  # fmt: skip
        file.write(b"".join(b"%d\n" % value for value in values.tolist()))
