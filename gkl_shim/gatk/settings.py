"""The settings of gkl-shim that environment variables and Java's properties make.

Java's classes, ``kernels/jni/settings/settings.cpp`` and the package's own code read them. The
agent's jar lists those of the parts of GATK.
"""

from __future__ import annotations

import difflib
import os
import re
import shutil
import zipfile
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

from gkl_shim import paths
from gkl_shim.common import _native
from gkl_shim.common._arguments import device_numbers
from gkl_shim.errors import MissingComponent
from gkl_shim.gatk import programs, swaps

_PREFIX = "GKL_SHIM_"
_PROPERTY = re.compile(r"-Dgkl\.shim\.(\w+)=(.*)", re.S)
_MOST_THREADS = 1024  # as in Threads.java
_MOST = 2**63 - 1


class Fault(NamedTuple):
    """A setting that has no effect."""

    name: str
    """The environment variable, or the property of Java."""
    known: bool
    """Whether there is such a setting, and only its value is wrong."""
    detail: str


class _Values(NamedTuple):
    """The values of a setting."""

    wanted: str
    are: Callable[[str], bool]


def _words(*words: str) -> _Values:
    *most, last = words
    return _Values(f"{', '.join(most)} or {last}", words.__contains__)


def _whole(text: str, most: int = _MOST) -> bool:
    return re.fullmatch(r"\+?[0-9]{1,19}", text) is not None and 1 <= int(text) <= most


def _is_program(text: str) -> bool:
    if "/" in text:
        return Path(text).is_absolute() and os.access(text, os.X_OK)
    return shutil.which(text, path=programs.environment()["PATH"]) is not None


def _are_devices(text: str) -> bool:
    try:
        device_numbers(map(int, text.split(",")))
    except ValueError:
        return False
    return True


def _can_be_written(text: str) -> bool:
    path = Path(text)
    return path.parent.is_dir() and not path.is_dir() and not text.endswith("/")


def _is_build(text: str) -> bool:
    try:
        return text in _native.builds()
    except MissingComponent:  # another finding says so
        return True


_SWITCH = _words("on", "off")
_THREADS = _Values(
    f"a whole number from 1 to {_MOST_THREADS}", lambda text: _whole(text, _MOST_THREADS)
)
_WHOLE = _Values("a whole number of 1 or more", _whole)
_OUTPUT = _Values("a file in a folder that exists", _can_be_written)
_ANY = _Values("", lambda _: True)

_WITH_PROPERTY = {
    "BACKEND": _words("auto", "cpu", "cuda", "off"),
    "BUILD": _Values("a build that this CPU can run", _is_build),
    "LIBRARY": _ANY,  # checked when it is loaded
    "LOG": _words("quiet", "info", "debug"),
    "PAIRHMM": _SWITCH,
    "PDHMM": _SWITCH,
    "RECORD": _OUTPUT,
    "RECORD_SMITHWATERMAN": _OUTPUT,
    "SMITHWATERMAN": _SWITCH,
    "THREADS": _THREADS,
    "VERIFY": _WHOLE,
}
_WITHOUT_PROPERTY = {
    "CACHE": _Values("an absolute path", lambda text: Path(text).is_absolute()),
    "DEVICES": _Values("different device numbers, separated by commas", _are_devices),
    "DEVICE_MEMORY": _Values(
        "a whole number of MiB above 0, of at most 12 digits",
        lambda text: re.fullmatch("[0-9]{1,12}", text) is not None and int(text) > 0,
    ),
    "PYTHON": _Values("a program: an absolute path or a name on the PATH", _is_program),
    "RELEASE": _ANY,  # read when gkl-shim is built
}
#: The folder and the setting of each part: java/gatk/PartList.java writes it.
_PARTS = "org/gklshim/gatk/parts"


def of_parts() -> dict[str, _Values]:
    """Return the settings of the parts of GATK that the agent makes faster."""
    try:
        with zipfile.ZipFile(paths.agent_jar()) as jar:
            lines = jar.read(_PARTS).decode().splitlines()
    except (MissingComponent, OSError, zipfile.BadZipFile, KeyError):  # another finding says so
        return {}
    return {name.upper(): _SWITCH for _, name in map(str.split, lines)}


def known() -> dict[str, _Values]:
    """Return the names of all settings, without the prefix, and their values."""
    return {**_WITH_PROPERTY, **of_parts(), **_WITHOUT_PROPERTY}


def faults(environment: Mapping[str, str]) -> Iterator[Fault]:
    """Yield the settings in an environment that are unknown or have a wrong value.

    Java's properties are those in the variables that a JVM reads. An empty value is no setting.
    """
    with_property = {**_WITH_PROPERTY, **of_parts()}
    all_settings = known()
    for name, value in sorted(environment.items()):
        if name.startswith(_PREFIX) and value:
            yield from _fault(name, name.removeprefix(_PREFIX), value, all_settings, _PREFIX + "{}")
    for option in swaps.options(environment):
        if found := _PROPERTY.fullmatch(option):
            name, value = found.groups()
            given = f"gkl.shim.{name}"
            key = name.upper() if name == name.lower() else name
            yield from _fault(given, key, value, with_property, "gkl.shim.{}")


def _fault(
    given: str, key: str, value: str, known: Mapping[str, _Values], form: str
) -> Iterator[Fault]:
    values = known.get(key)
    if values is None:
        near = difflib.get_close_matches(key.upper(), known, 1)
        lower = form.islower()
        meant = [form.format(name.lower() if lower else name) for name in near]
        hint = f"; did you mean {meant[0]}?" if meant else ""
        yield Fault(given, False, f"gkl-shim has no such setting{hint}")
    elif value and not values.are(value):
        yield Fault(given, True, f"{value}: it must be {values.wanted}")
