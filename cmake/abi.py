"""Write the Python module that knows the C interface, so that none has to parse the header later.

python abi.py HEADER OUTPUT
"""

from __future__ import annotations

import sys
from pathlib import Path

from cffi import FFI

_BEGIN, _END = "/* cffi: begin", "/* cffi: end"


def main(header: str, output: str) -> None:
    """Make it of the lines of the header between two marks."""
    text = Path(header).read_text(encoding="ascii")
    declarations = text.split(_BEGIN, 1)[1].split("\n", 1)[1].split(_END, 1)[0]
    ffi = FFI()
    ffi.cdef(declarations.replace("GKL_SHIM_API ", ""))
    ffi.set_source("gkl_shim._abi", None)
    ffi.emit_python_code(output)


if __name__ == "__main__":
    main(*sys.argv[1:])
