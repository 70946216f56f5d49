"""The seeds of the fuzz targets: an archive of small inputs for each, seeds/TARGET.zip.

Most files in an archive are named after the input's hash. The others show a fault that was mended,
or are examples that tests damage.

To add inputs to an archive: zip --junk-paths tests/fuzz/seeds/TARGET.zip FILE...
"""

from __future__ import annotations

import zipfile
from pathlib import Path

__all__ = ["TARGETS", "unpack"]

_ARCHIVES = Path(__file__).parent / "seeds"
TARGETS = tuple(sorted(path.stem for path in _ARCHIVES.glob("*.zip")))
"""The targets that have seeds."""


def unpack(target: str, folder: Path) -> Path:
    """Write the seeds of a target to FOLDER/TARGET, and return that folder."""
    own = folder / target
    with zipfile.ZipFile(_ARCHIVES / f"{target}.zip") as archive:
        archive.extractall(own)
    return own
