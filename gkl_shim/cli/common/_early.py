"""Starts to open the GPUs before the subcommand is imported."""

from __future__ import annotations

import contextlib
from collections.abc import Sequence

import click

from gkl_shim.cli.common import _options


@click.command(
    add_help_option=False,
    context_settings={"ignore_unknown_options": True, "allow_extra_args": True},
)
@_options.backend
@_options.devices
def _chosen(**_: object) -> None:
    """Take the options that choose devices, and ignore all others."""


def wake_devices(arguments: Sequence[str]) -> None:
    """Start to create the contexts of devices if a subcommand's arguments ask for CUDA.

    NumPy is not imported. The subcommand reports what is wrong with the options.
    """
    with contextlib.suppress(click.UsageError):
        options = _chosen.make_context(None, list(arguments)).params
        if options["backend"] == "cuda":
            from gkl_shim.cuda import driver

            driver.wake(options["devices"])
