"""Regions and the driver behind the installed library, as in tests/engine."""

from __future__ import annotations

from tests.engine.conftest import compile_c, native_driver, region_file, regions

__all__ = ["compile_c", "native_driver", "region_file", "regions"]
