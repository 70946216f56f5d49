"""Runs of GATK, and their results, which are kept for the next `gkl-shim validate`.

The folder of a job is complete if it exists. Its ``job.json`` says what was run. A job is run again
if an input, a version or an argument has changed.
"""

from __future__ import annotations

import fcntl
import json
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from gkl_shim.common._naming import naming
from gkl_shim.common._take_name import move_folder
from gkl_shim.errors import MissingComponent
from gkl_shim.gatk import swaps

FOLDER = "{folder}"
"""Stands for the folder of a job in its arguments."""

_DESCRIPTION = "job.json"


@dataclass(frozen=True)
class Job:
    """A run of GATK."""

    name: str
    folder: Path
    """Where its results are kept."""
    arguments: tuple[str, ...]
    """The tool and its arguments. `FOLDER` stands for the folder."""
    inputs: tuple[str, ...] = ()
    """The checksums of its inputs, or the keys of the jobs that make them."""
    swap: swaps.Swap = swaps.STOCK
    inside: bool = False
    """Whether GATK runs in the folder, and has its temporary files beside it. Arguments then name
    outputs without the folder, so a command line that an output holds is the same in each run."""

    def file(self, name: str) -> Path:
        """Return a file of its results."""
        return self.folder / name

    @property
    def log(self) -> Path:
        """The log, also of a run that failed."""
        return self.folder.with_name(self.folder.name + ".log")

    def forget(self) -> None:
        """Let the next call of `Runner.run` run it again."""
        self.file(_DESCRIPTION).unlink(missing_ok=True)


@dataclass(frozen=True)
class Result:
    """What a run took and said."""

    key: str
    """The SHA-256 of all that its results depend on."""
    arguments: list[str]
    seconds: float
    cpu_seconds: float
    """User and system time of the whole JVM."""
    peak_mib: float
    """The most memory that was resident."""
    kernel_seconds: dict[str, float]
    """By the clock that counts all threads: see `gkl_shim.gatk.run.Run.kernel_seconds`."""
    aligns_in_java: bool
    """Whether Smith-Waterman was GATK's Java code: see `gkl_shim.gatk.kernel_times`."""
    said: list[str]
    """The lines of gkl-shim in the log."""
    versions: list[str]
    """The lines of the log that name versions."""
    sizes: dict[str, int]
    """The bytes of each file."""

    @property
    def log(self) -> bytes:
        """The lines of gkl-shim, as they are in the log."""
        return "\n".join(self.said).encode()


def kept_result(job: Job, key: str) -> Result | None:
    """Return the result of a finished job, or None if there is none of this key."""
    try:
        text: dict[str, Any] = json.loads((job.folder / _DESCRIPTION).read_text())
        result = Result(**text)
        return result if result.key == key and sizes(job.folder) == result.sizes else None
    except (OSError, ValueError, TypeError):
        return None


def sizes(folder: Path) -> dict[str, int]:
    """Return the bytes of each file of a job's results."""
    return {
        path.name: path.stat().st_size
        for path in sorted(folder.iterdir())
        if path.name != _DESCRIPTION
    }


def keep(folder: Path, target: Path, result: Result) -> None:
    """Write the description of a finished run, and give its folder the job's name.

    The folder is in a temporary folder, which stays if that is not possible.
    """
    with naming(str(target)):
        (folder / _DESCRIPTION).write_text(json.dumps(asdict(result), indent=1))
        if target.exists():
            shutil.rmtree(target)
        move_folder(folder, folder.parent, target)


@contextmanager
def alone(folder: Path) -> Iterator[None]:
    """Refuse a folder that another command writes to."""
    with (folder / ".lock").open("w") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise MissingComponent(
                f"{folder}: another gkl-shim validate writes there; give another --output"
            ) from None
        except OSError:  # a file system without locks
            pass
        yield
