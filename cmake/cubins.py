"""Compile the CUDA kernels with NVRTC. What it prints is a CMake list each.

python cubins.py sources
    The kernels' source files, relative to kernels/.
python cubins.py targets present|all
    The targets: this machine's GPUs, or every architecture and PTX for future ones.
python cubins.py nvrtc TARGET...
    The path of an NVRTC that supports these targets, or nothing if there is none.
python cubins.py plan TARGET...
    The files to compile, each FILE|TARGET|OUTPUT. OUTPUT is relative to the folder of kernels.
python cubins.py make NVRTC FILE TARGET OUTPUT
    Make one: machine code (TARGET sm_90), PTX (compute_80), or the JSON file of kernels' symbols
    (symbols). NVRTC is a file that holds the library's path.
"""

from __future__ import annotations

import contextlib
import ctypes
import json
import os
import shutil
import sys
import sysconfig
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

# The build environment lacks the packages that gkl_shim/__init__.py imports.
_PACKAGE = ModuleType("gkl_shim")
_PACKAGE.__path__ = [str(Path(__file__).resolve().parent.parent / "gkl_shim")]
sys.modules["gkl_shim"] = _PACKAGE
from gkl_shim.cuda import kernels  # noqa: E402

#: Earlier versions do not support Blackwell. CUDA 14 may remove functions that are used here.
_MAJOR_VERSIONS = (13, 12)


def sources() -> list[str]:
    """Return the kernels' files and the headers that they include."""
    found: list[str] = []

    def add(path: str) -> None:
        if path not in found:
            found.append(path)
            for header in kernels.included(path):
                add(header)

    for file in kernels.files():
        add(file)
    return found


def targets(which: str) -> list[str]:
    """Return the targets to compile for."""
    everything = [f"sm_{number}" for number in kernels.ARCHITECTURES]
    everything.append(f"compute_{kernels.PTX_ARCHITECTURE}")
    if which == "all":
        return everything
    # A device loads the first suitable target.
    wanted = {kernels.suitable(number)[0].partition(".")[0] for number in _devices()}
    return [target for target in everything if target in wanted]


def _devices() -> set[int]:
    """Return the compute capabilities, times 10, of this machine's supported GPUs."""
    try:
        driver = ctypes.CDLL("libcuda.so.1")
    except OSError:
        return set()
    count, value = ctypes.c_int(), ctypes.c_int()
    if driver.cuInit(0) or driver.cuDeviceGetCount(ctypes.byref(count)):
        return set()
    found = set()
    for device in range(count.value):
        capability = []
        for attribute in (75, 76):  # CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, _MINOR
            driver.cuDeviceGetAttribute(ctypes.byref(value), attribute, device)
            capability.append(value.value)
        found.add(10 * capability[0] + capability[1])
    return {number for number in found if kernels.suitable(number)}


def nvrtc(*wanted: str) -> list[str]:
    """Return the first NVRTC that supports all targets, from PyPI, a CUDA toolkit or conda."""
    for folder in _nvrtc_folders():
        for version in _MAJOR_VERSIONS:
            path = folder / f"libnvrtc.so.{version}"
            with contextlib.suppress(OSError):  # absent, or for another machine
                if set(wanted) <= _known(ctypes.CDLL(str(path))):
                    return [str(path)]
    return []


def _nvrtc_folders() -> Iterator[Path]:
    """Yield the folders that may hold an NVRTC."""
    # pip builds in a separate environment. The one that it installs into is searched after that.
    packages = [entry for entry in sys.path if entry]
    packages += [sysconfig.get_path(name) for name in ("platlib", "purelib")]
    for package in packages:
        yield from sorted(Path(package).glob("nvidia/*/lib"))
    compiler = shutil.which("nvcc")
    prefixes = [os.environ.get(name) for name in ("CUDA_HOME", "CUDA_PATH")]
    prefixes += [str(Path(compiler).resolve().parents[1])] if compiler else []
    prefixes += ["/usr/local/cuda", os.environ.get("PREFIX"), os.environ.get("CONDA_PREFIX")]
    for prefix in filter(None, [*prefixes, sys.prefix]):
        yield from (Path(prefix, name) for name in ("lib64", "lib"))
        yield from sorted(Path(prefix).glob("targets/*/lib"))


def _known(library: ctypes.CDLL) -> set[str]:
    """Return the targets that an NVRTC supports."""
    count = ctypes.c_int()
    library.nvrtcGetNumSupportedArchs(ctypes.byref(count))
    numbers = (ctypes.c_int * count.value)()
    library.nvrtcGetSupportedArchs(numbers)
    return {f"{kind}_{number}" for kind in ("sm", "compute") for number in numbers}


def plan(*wanted: str) -> list[str]:
    """Return the files to compile."""
    endings = {"sm": "cubin", "compute": "ptx"}
    names = {target: f"{target}.{endings[target.partition('_')[0]]}" for target in wanted}
    names["symbols"] = "symbols.json"
    return [
        f"{file}|{target}|{Path(file).with_suffix('')}.{kernels.fingerprint(file)}.{name}"
        for file in kernels.files()
        for target, name in names.items()
    ]


def make(nvrtc: str, file: str, target: str, output: str) -> None:
    """Compile one file. Write it completely or not at all."""
    library = Path(Path(nvrtc).read_text(encoding="utf-8"))
    expressions = kernels.expressions(file)
    if target == "symbols":
        # Symbols do not depend on the architecture.
        target = f"compute_{kernels.PTX_ARCHITECTURE}"
        names = _compile(library, file, target, expressions)[1] if expressions else {}
        made = json.dumps(names, indent=2).encode()
    else:
        made = _compile(library, file, target, expressions)[0]
    part = Path(output).with_suffix(".part")
    part.write_bytes(made)
    part.replace(output)


def _compile(
    nvrtc_path: Path, file: str, target: str, expressions: tuple[str, ...]
) -> tuple[bytes, dict[str, str]]:
    """Return the code for a target, and the symbols of the kernels that have C++ names."""
    # NVRTC loads a second library by name. The loader does not search a wheel's folder for it.
    for other in nvrtc_path.parent.glob("libnvrtc-builtins.so.*"):
        ctypes.CDLL(str(other))
    nvrtc = ctypes.CDLL(str(nvrtc_path))
    program, size = ctypes.c_void_p(), ctypes.c_size_t()
    code = kernels.source(file).encode()
    if nvrtc.nvrtcCreateProgram(ctypes.byref(program), code, file.encode(), 0, None, None):
        raise SystemExit("NVRTC does not start")
    for expression in expressions:
        nvrtc.nvrtcAddNameExpression(program, expression.encode())
    options = [option.encode() for option in (*kernels.OPTIONS, f"-arch={target}")]
    failed = nvrtc.nvrtcCompileProgram(
        program, len(options), (ctypes.c_char_p * len(options))(*options)
    )
    nvrtc.nvrtcGetProgramLogSize(program, ctypes.byref(size))
    log = ctypes.create_string_buffer(size.value)
    nvrtc.nvrtcGetProgramLog(program, log)
    if failed:
        raise SystemExit(f"{file}, {target}: NVRTC's error {failed}\n{log.value.decode()}")
    kind = "CUBIN" if target.startswith("sm_") else "PTX"
    getattr(nvrtc, f"nvrtcGet{kind}Size")(program, ctypes.byref(size))
    result = ctypes.create_string_buffer(size.value)
    getattr(nvrtc, f"nvrtcGet{kind}")(program, result)
    symbols = {}
    for expression in expressions:
        symbol = ctypes.c_char_p()
        nvrtc.nvrtcGetLoweredName(program, expression.encode(), ctypes.byref(symbol))
        symbols[expression] = (symbol.value or b"").decode()
    nvrtc.nvrtcDestroyProgram(ctypes.byref(program))
    return result.raw, symbols


def main(name: str = "", *arguments: str) -> None:
    """Run the command line."""
    printed = {"sources": sources, "targets": targets, "nvrtc": nvrtc, "plan": plan}
    if name in printed:
        print(";".join(printed[name](*arguments)))
    elif name == "make" and len(arguments) == 4:
        make(*arguments)
    else:
        sys.exit(__doc__)


if __name__ == "__main__":
    main(*sys.argv[1:])
