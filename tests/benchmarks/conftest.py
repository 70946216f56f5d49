"""Stand-ins for a GPU."""

from tests.prefilter.conftest import fake, host_kernels

__all__ = ["fake", "host_kernels"]
