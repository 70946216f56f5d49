"""Scripts that make the figures in the README, in docs/ and in results/; see README.md.

Run a script from the root of the repository, for example::

    python -m benchmarks.pairhmm_gatk --help

The scripts measure the installed package, not the source folder beside them.
"""

import sys
from pathlib import Path

_ROOT = Path(__file__).resolve().parent.parent

# `python -m` puts the repository first on the path, where the folder gkl_shim hides the package.
sys.path[:] = [entry for entry in sys.path if Path(entry).resolve() != _ROOT] + [str(_ROOT)]
