"""Stand-ins for a GPU."""

from tests.prefilter.conftest import fake

__all__ = ["fake"]
