"""Copies of MUMmer 3's scripts, such as nucmer, that find matches with ``gkl-shim mem``.

The scripts call the program `mummer` that stands in their text. A copy calls a small script beside
it instead, which runs ``gkl-shim mem``.
"""

from __future__ import annotations

import contextlib
import os
import random
import re
import shlex
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from gkl_shim.bench.timing import shim_command
from gkl_shim.common._naming import naming
from gkl_shim.common._output_files import atomic_output, make_folder
from gkl_shim.errors import MissingComponent

_MATCHER = "mummer"
_MARK = b"# Made by gkl-shim."
_SECONDS = 120


def _perl(word: bytes) -> bytes:
    """Return a literal of Perl."""
    return b"'" + re.sub(rb"([\\'])", rb"\\\1", word) + b"'"


def _shell(word: bytes) -> bytes:
    return os.fsencode(shlex.quote(os.fsdecode(word)))


@dataclass(frozen=True)
class _Script:
    """A script of MUMmer, and where it calls another program."""

    calls: bytes
    """What is replaced, as a regular expression."""
    instead: Callable[[bytes], bytes]
    """Returns what replaces it, from the quoted path of the program for a shell."""
    program: str = _MATCHER
    """The program in the folder that is called instead."""


# The scripts of Perl also look whether these programs exist; that is left as it is.
_NUCMER = _Script(rb'"\$algo_path (?=\$algo )', lambda path: _perl(path) + b' . " ')
_RUN_MUMMER = _Script(rb"\$bindir/mummer(?=\s)", lambda path: path)
_DNADIFF = _Script(rb'"\$NUCMER (?=-)', _NUCMER.instead, "nucmer")
_SCRIPTS = {
    "nucmer": _NUCMER,
    "promer": _NUCMER,
    "run-mummer1": _RUN_MUMMER,
    "run-mummer3": _RUN_MUMMER,
    "dnadiff": _DNADIFF,
}

#: The scripts that can be copied.
NAMES = tuple(_SCRIPTS)


@dataclass(frozen=True)
class Copy:
    """A script and its copy."""

    original: Path
    path: Path
    """The copy."""
    fault: str
    """Why there is no copy, or an empty string."""


def copies(folder: Path) -> Iterator[Copy]:
    """Write copies of MUMmer's scripts on the PATH, and check that they write the same files.

    Parameters
    ----------
    folder
        The folder, which is created if necessary. It also gets a script ``mummer``.

    Yields
    ------
    Copy
        A script. Its copy writes the same files on a small input; otherwise it was removed.

    Raises
    ------
    MissingComponent
        If no script is on the PATH, or a file of this name that is not a copy is in the folder.
    OSError
        If a file cannot be written.
    """
    folder = folder.resolve()
    found = {name: path for name in NAMES if (path := _installed(name)) is not None}
    if not found:
        raise MissingComponent(
            "MUMmer's nucmer is not on the PATH (Debian: mummer 3.23); install it, or set PATH"
        )
    for name in (_MATCHER, *found):
        _check_own(folder / name)
    with _removing_on_failure(folder):
        make_folder(folder)
        matcher = os.fsencode(shlex.join(shim_command("mem")))
        _write(folder / _MATCHER, b'#!/bin/sh\n%s\nexec %s "$@"\n' % (_MARK, matcher))
        made = False
        for name, original in found.items():
            copy = folder / name
            fault = _made(_SCRIPTS[name], original, copy)
            with tempfile.TemporaryDirectory(prefix="gkl-shim-") as place:
                fault = fault or _tried(name, original, copy, Path(place))
            if fault:
                copy.unlink(missing_ok=True)
            made |= not fault
            yield Copy(original, copy, fault)
        if not made:
            (folder / _MATCHER).unlink()


def _installed(name: str) -> Path | None:
    """Return a script on the PATH that is no copy."""
    for place in os.get_exec_path():
        path = shutil.which(name, path=place)
        if path is not None and not _is_own(Path(path)):
            return Path(path).absolute()
    return None


def _is_own(path: Path) -> bool:
    return path.is_file() and _MARK in path.read_bytes()


def _check_own(path: Path) -> None:
    if os.path.lexists(path) and not _is_own(path):
        raise MissingComponent(f"{path} exists and is not of gkl-shim; name another folder")


@contextlib.contextmanager
def _removing_on_failure(folder: Path) -> Iterator[None]:
    """Remove the copies that are new, and the folder if it is, when an exception ends this."""
    before = {name for name in (_MATCHER, *NAMES) if os.path.lexists(folder / name)}
    existed = folder.exists()
    try:
        yield
    except BaseException:
        with contextlib.suppress(OSError):
            for name in {_MATCHER, *NAMES} - before:
                (folder / name).unlink(missing_ok=True)
            if not existed:
                folder.rmdir()
        raise


def _write(path: Path, text: bytes) -> None:
    with atomic_output(path) as file:
        file.write(text)
    path.chmod(0o755)


def _made(script: _Script, original: Path, copy: Path) -> str:
    """Write a copy, or return why there is none."""
    text = original.read_bytes()
    program = _shell(os.fsencode(copy.with_name(script.program)))
    if not text.startswith(b"#!"):
        return "it is no script; MUMmer 4's programs find matches themselves"
    first, _, rest = text.partition(b"\n")
    changed, count = re.subn(script.calls, lambda _: script.instead(program), rest)
    if count == 0:
        return f"it does not call {script.program} as MUMmer 3.23 does"
    _write(copy, b"\n".join([first, _MARK, changed]))
    return ""


def _tried(name: str, original: Path, copy: Path, folder: Path) -> str:
    """Run a script and its copy on small genomes. Return a fault, or an empty string."""
    letters = random.Random(1).choices("ACGT", k=3000)
    inputs = ["reference.fa", "query.fa"]
    for path in inputs:
        with naming(str(folder / path)):
            (folder / path).write_text(f">{path}\n{''.join(letters)}\n")
        letters[100::150] = "".join(letters[100::150]).translate(str.maketrans("ACGT", "TGCA"))
    arguments = [*inputs, "out"] if name.startswith("run-") else ["-p", "out", *inputs]
    found = []
    for program in (original, copy):
        try:
            done = subprocess.run(
                [program, *arguments],
                cwd=folder,
                # dnadiff's report is in the order of Perl's hashes, which differs from run to run.
                env={**os.environ, "PERL_HASH_SEED": "0", "PERL_PERTURB_KEYS": "0"},
                stdin=subprocess.DEVNULL,
                capture_output=True,
                timeout=_SECONDS,
                check=False,
            )
        except (OSError, subprocess.TimeoutExpired) as error:
            return f"{program} does not run: {error}"
        if done.returncode != 0:
            last = done.stderr.decode(errors="replace").strip().splitlines()[-1:]
            return f"{program} fails on a small input: {' '.join(last)}"
        files = {path.name: path.read_bytes() for path in folder.iterdir()}
        found.append({key: text for key, text in files.items() if key.startswith("out")})
        for key in found[-1]:
            (folder / key).unlink()
    if not found[0]:
        return f"{original} writes no file"
    return "" if found[0] == found[1] else f"{copy} writes other files than {original}"
