"""Compile a CUDA kernel file for every architecture that is shipped, with NVRTC from PyPI.

python cubins.py NVRTC FILE FOLDER: writes FILE's name with .sm_XX.cubin for each to FOLDER.
"""

import ctypes
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
from gkl_shim.cuda import kernels

ARCHITECTURES = (75, 80, 86, 89, 90, 100, 120)


def compiled(nvrtc: ctypes.CDLL, code: bytes, architecture: int) -> bytes:
    """Return the machine code of a source for one architecture."""
    program, size = ctypes.c_void_p(), ctypes.c_size_t()
    if nvrtc.nvrtcCreateProgram(ctypes.byref(program), code, b"kernels.cu", 0, None, None):
        raise SystemExit("NVRTC does not start")
    options = [option.encode() for option in (*kernels.OPTIONS, f"-arch=sm_{architecture}")]
    array = (ctypes.c_char_p * len(options))(*options)
    if nvrtc.nvrtcCompileProgram(program, len(options), array):
        nvrtc.nvrtcGetProgramLogSize(program, ctypes.byref(size))
        log = ctypes.create_string_buffer(size.value)
        nvrtc.nvrtcGetProgramLog(program, log)
        raise SystemExit(log.value.decode())
    nvrtc.nvrtcGetCUBINSize(program, ctypes.byref(size))
    cubin = ctypes.create_string_buffer(size.value)
    nvrtc.nvrtcGetCUBIN(program, cubin)
    nvrtc.nvrtcDestroyProgram(ctypes.byref(program))
    return cubin.raw


def main(library: str, file: str, output: str) -> None:
    """Write one file an architecture."""
    nvrtc = ctypes.CDLL(library)
    code = kernels.source(file).encode()
    for architecture in ARCHITECTURES:
        name = Path(file).with_suffix(f".sm_{architecture}.cubin").name
        Path(output, name).write_bytes(compiled(nvrtc, code, architecture))


main(*sys.argv[1:])
