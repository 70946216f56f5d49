"""Write the headers' declarations as a Python module, so that the package does not parse them.

python abi.py HEADER... OUTPUT
"""

from __future__ import annotations

import sys
from pathlib import Path

from cffi import FFI

_BEGIN, _END = "/* cffi: begin", "/* cffi: end"


def declarations(header: str) -> str:
    """Return the lines of a header between its two markers."""
    text = Path(header).read_text(encoding="ascii")
    marked = text.split(_BEGIN, 1)[1].split("\n", 1)[1].split(_END, 1)[0]
    return marked.replace("GKL_SHIM_API ", "")


def main(headers: list[str], output: str) -> None:
    """Write the module."""
    ffi = FFI()
    for header in headers:
        ffi.cdef(declarations(header))
    ffi.set_source("gkl_shim._abi", None)
    ffi.emit_python_code(output)


if __name__ == "__main__":
    main(sys.argv[1:-1], sys.argv[-1])
