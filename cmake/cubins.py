"""Compile the CUDA kernels for every architecture that is shipped, with NVRTC from PyPI.

python cubins.py find
    Print where NVRTC 13.0 is; nothing where it is not. (A driver of CUDA 13.0 may refuse the PTX of
    later ones.)
python cubins.py plan
    Print what there is to make, a CMake list: FILE|TARGET|OUTPUT, where OUTPUT is relative to the
    folder of kernels.
python cubins.py make NVRTC FILE TARGET OUTPUT
    Make one: machine code (TARGET sm_90), PTX (compute_80), or the JSON file of kernels' symbols
    (symbols). NVRTC is a file that holds the library's path.
"""

from __future__ import annotations

import ctypes
import importlib.util
import json
import sys
from pathlib import Path
from types import ModuleType

# The build has none of what importing the package itself takes.
_PACKAGE = ModuleType("gkl_shim")
_PACKAGE.__path__ = [str(Path(__file__).resolve().parent.parent / "gkl_shim")]
sys.modules["gkl_shim"] = _PACKAGE
from gkl_shim.cuda import kernels  # noqa: E402

_VERSION = (13, 0)


def find() -> str:
    """Return the path of PyPI's NVRTC."""
    package = importlib.util.find_spec("nvidia")
    for folder in (package.submodule_search_locations or ()) if package else ():
        for path in sorted(Path(folder).glob(f"*/lib/libnvrtc.so.{_VERSION[0]}")):
            major, minor = ctypes.c_int(), ctypes.c_int()
            ctypes.CDLL(str(path)).nvrtcVersion(ctypes.byref(major), ctypes.byref(minor))
            if (major.value, minor.value) == _VERSION:
                return str(path)
    return ""


def plan() -> str:
    """Return what there is to make."""
    targets = {f"sm_{number}": f"sm_{number}.cubin" for number in kernels.ARCHITECTURES}
    targets[f"compute_{kernels.PTX_ARCHITECTURE}"] = f"compute_{kernels.PTX_ARCHITECTURE}.ptx"
    targets["symbols"] = "symbols.json"
    return ";".join(
        f"{file}|{target}|{Path(file).with_suffix('')}.{kernels.fingerprint(file)}.{ending}"
        for file in kernels.EXPRESSIONS
        for target, ending in targets.items()
    )


def make(nvrtc: str, file: str, target: str, output: str) -> None:
    """Make one file, whole or not at all."""
    library = Path(Path(nvrtc).read_text(encoding="utf-8"))
    expressions = kernels.EXPRESSIONS[file]
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
    # NVRTC looks for its second library where the loader looks, which a wheel's folder is not.
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


if __name__ == "__main__":
    if sys.argv[1:] == ["find"]:
        print(find())
    elif sys.argv[1:] == ["plan"]:
        print(plan())
    elif sys.argv[1:2] == ["make"] and len(sys.argv) == 6:
        make(*sys.argv[2:])
    else:
        sys.exit(__doc__)
