"""The versions of GATK that Maven Central has, and the choice of a Java."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from gkl_shim.errors import MissingComponent
from gkl_shim.gatk import fetch, swaps

VERSIONS = ("4.3.0.0", "4.4.0.0", "4.5.0.0", "4.6.0.0", fetch.GATK_VERSION, "4.7.0.0")
"""It does not have 4.2.6. Its GKL, 0.8.8, is in 4.3.0.0 too."""

# Maven Central no longer has the versions of these that GATK asks for. Only Spark tools use them.
_ABSENT = (
    "org.apache.orc:orc",
    "com.fasterxml.jackson.module:jackson-module-scala_2.11",
    "com.fasterxml.jackson.module:jackson-module-scala_2.13",
)
# What GATK's own build chooses, and Maven does not.
_JACKSON = fetch.Artifact("com.fasterxml.jackson.core", "jackson-databind", "2.13.4")
_FORCED = {"4.3.0.0": (_JACKSON,), "4.4.0.0": (_JACKSON,)}
_REPLACED_IN_470 = re.compile(r"/(gatk|gkl|gatk-native-bindings)-[\d.]+\.jar$")


def classpath(version: str, progress: fetch.Progress | None = None) -> str:
    """Return the class path of a version of GATK. It is downloaded if it is not in the cache.

    GATK 4.7.0.0 gets the libraries of 4.6.2.0, except GKL and its bindings: Maven Central does not
    have its htsjdk.
    """
    if version == fetch.GATK_VERSION:
        return fetch.gatk_classpath(progress)
    name = f"gatk-{version}"
    if version != "4.7.0.0":
        gatk = fetch.Artifact("org.broadinstitute", "gatk", version, without=_ABSENT)
        return fetch.classpath(name, [gatk, *_FORCED.get(version, ())], progress)
    own = [
        fetch.Artifact("org.broadinstitute", "gatk", version, without=("*:*",)),
        fetch.Artifact("com.intel.gkl", "gkl", "0.9.1", without=("*:*",)),
        fetch.Artifact("org.broadinstitute", "gatk-native-bindings", "1.1.0"),
    ]
    newer = fetch.classpath(f"{name}-alone", own, progress)
    older = fetch.gatk_classpath(progress).split(":")
    return ":".join([newer, *(jar for jar in older if not _REPLACED_IN_470.search(jar))])


def gkl_version(classpath: str) -> str:
    """Return the version of GKL on a class path."""
    for jar in swaps.jars(classpath):
        if match := re.fullmatch(r"gkl-([\d.]+)\.jar", jar.name):
            return match[1]
    return "none"


@contextmanager
def java_home(home: Path | None) -> Iterator[None]:
    """Use the Java of a folder, or the default one if it is None."""
    before = os.environ.get("JAVA_HOME")
    if home is not None:
        if not (home / "bin" / "java").is_file():
            raise MissingComponent(f"{home}: no Java there: bin/java is missing")
        os.environ["JAVA_HOME"] = str(home)
    try:
        yield
    finally:
        if before is None:
            os.environ.pop("JAVA_HOME", None)
        else:
            os.environ["JAVA_HOME"] = before
