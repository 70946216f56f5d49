"""The seeds of the fuzz targets: small inputs, in an archive for each header, seeds/HEADER.zip.

An archive has a folder for each target of the header. Most files are named after the input's hash.
The others show a fault that was mended, or are examples that tests damage.

To add inputs to an archive: zip tests/fuzz/seeds/HEADER.zip TARGET/FILE...
"""

from __future__ import annotations

import zipfile
from pathlib import Path

__all__ = ["TARGETS", "unpack"]

_ARCHIVES = [*Path(__file__).with_name("seeds").glob("*.zip")]
_FILES = {file: path for path in _ARCHIVES for file in zipfile.ZipFile(path).namelist()}
TARGETS = tuple(sorted({file.partition("/")[0] for file in _FILES}))
"""The targets that have seeds."""


def unpack(target: str, folder: Path) -> Path:
    """Write the seeds of a target to FOLDER/TARGET, and return that folder."""
    for file, path in _FILES.items():
        if file.startswith(f"{target}/"):
            with zipfile.ZipFile(path) as archive:
                archive.extract(file, folder)
    return folder / target
