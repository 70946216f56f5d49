"""Check the files of a release without installing them: python check_wheels.py FOLDER.

It needs the dependency group `release`, and what any build needs.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
MACHINES = ("x86_64", "aarch64")
#: The newest C library that a wheel may need, which is the one of RHEL 8.
GLIBC = (2, 28)
#: What each CUDA kernel is compiled for: Turing to Blackwell, and later ones.
TARGETS = (
    *(f"sm_{number}.cubin" for number in (75, 80, 86, 89, 90, 100, 120)), "compute_80.ptx"
)  # fmt: skip
COMPILED = re.compile(r"\.(cubin|ptx|symbols\.json)$")


def main(folder: Path) -> None:
    """Check everything in the folder of a release."""
    wheels = {machine: only(folder, f"*_{machine}.whl") for machine in MACHINES}
    archive = only(folder, "*.tar.gz")
    run(sys.executable, "-m", "twine", "check", "--strict", *wheels.values(), archive)
    for machine, wheel in wheels.items():
        check_tag(wheel, machine)
        check_contents(wheel, machine)
    check_source_archive(archive, wheels["x86_64"])


def check_tag(wheel: Path, machine: str) -> None:
    """The wheel runs where its name says, by auditwheel's word."""
    tag = re.search(r"-py3-none-manylinux_(\d+)_(\d+)_(\w+)\.whl$", wheel.name)
    shown = " ".join(run(sys.executable, "-m", "auditwheel", "show", wheel).split())
    found = re.search(r'platform tag: "manylinux_(\d+)_(\d+)_(\w+)"', shown)
    if tag is None or found is None:
        sys.exit(f"{wheel}: this is no manylinux wheel. auditwheel says: {shown}")
    named, needed = ((int(match[1]), int(match[2])) for match in (tag, found))
    if not needed <= named <= GLIBC or {tag[3], found[3]} != {machine}:
        sys.exit(f"{wheel}: the name is wrong. auditwheel says: {found[0]}")
    print(f"{wheel.name}: auditwheel says {found[0]}")


def check_contents(wheel: Path, machine: str) -> None:
    """The wheel holds every cubin, and a jar that runs on both machines."""
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
        library = archive.read("gkl_shim/lib/libgkl_shim.so")
        with (
            archive.open("gkl_shim/java/gkl-shim.jar") as file,
            zipfile.ZipFile(file) as jar,
        ):
            jars = {
                machine: jar.read(name)
                for machine in MACHINES
                if (name := f"native/linux-{machine}/libgkl_shim.so") in jar.namelist()
            }
    if library != jars.get(machine) or len(set(jars.values())) != len(MACHINES):
        sys.exit(f"{wheel}: the libraries of the package and of the jar do not fit")
    for source in (ROOT / "kernels").rglob("*.cu"):
        kernel = f"gkl_shim/kernels/{source.relative_to(ROOT / 'kernels').with_suffix('')}"
        for target in TARGETS:
            if not any(re.fullmatch(rf"{kernel}\.\w+\.{target}", name) for name in names):
                sys.exit(f"{wheel}: {kernel} is not compiled for {target}")
    cubins = sum(name.endswith(".cubin") for name in names)
    print(f"{wheel.name}: {wheel.stat().st_size / 1e6:.1f} MB, {cubins} cubins")


def check_source_archive(archive: Path, wheel: Path) -> None:
    """A wheel built from the source archive holds what the released wheel holds."""
    # Only names are compared, so the compiler need not optimize.
    debug = "--config-settings=cmake.build-type=Debug"
    with tempfile.TemporaryDirectory() as folder:
        run(
            sys.executable, "-m", "pip", "wheel", "--no-deps", debug, "--wheel-dir", folder, archive
        )
        built = files(only(Path(folder), "*.whl"))
    if built != files(wheel):
        sys.exit(f"{archive}: a wheel built from it differs in {sorted(built ^ files(wheel))}")
    print(f"{archive.name}: {archive.stat().st_size / 1e6:.1f} MB, and a wheel is built from it")


def files(wheel: Path) -> set[str]:
    """Return the names of a wheel's files, without the compiled kernels."""
    with zipfile.ZipFile(wheel) as archive:
        return {name for name in archive.namelist() if not COMPILED.search(name)}


def only(folder: Path, pattern: str) -> Path:
    """Return the file of this name."""
    found = sorted(folder.glob(pattern))
    if len(found) != 1:
        sys.exit(f"{folder} has {len(found)} files {pattern} and not one: run `make wheels`")
    return found[0]


def run(*command: object) -> str:
    """Return what a command prints."""
    words = list(map(str, command))
    # The wheel of the source archive is built as a user builds it.
    env = {name: value for name, value in os.environ.items() if name != "GKL_SHIM_RELEASE"}
    done = subprocess.run(
        words, env=env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    )
    if done.returncode:
        sys.exit(f"{' '.join(words)} failed:\n{done.stdout}")
    return done.stdout


if __name__ == "__main__":
    main(Path(sys.argv[1]))
