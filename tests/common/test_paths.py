"""The parts of the installation, which are named if they are missing."""

from __future__ import annotations

from pathlib import Path

import pytest

import gkl_shim
from gkl_shim import paths
from gkl_shim.errors import MissingComponent


@pytest.mark.parametrize("name", ["library", "binding", "header", "agent_jar", "classpath_jar"])
def test_a_missing_part_is_named(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("GKL_SHIM_LIBRARY", raising=False)
    monkeypatch.setattr(paths, "_PACKAGE", tmp_path)
    monkeypatch.setattr(gkl_shim, "__path__", [str(tmp_path)])
    monkeypatch.setattr(paths, "_SOURCE_HEADER", tmp_path / "absent.h")
    with pytest.raises(MissingComponent, match=r"is missing: .* does not exist; reinstall"):
        getattr(paths, name)()


def test_a_source_checkout_is_recognized(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    header = tmp_path / "gkl_shim.h"
    header.touch()
    monkeypatch.setattr(paths, "_PACKAGE", tmp_path)
    monkeypatch.setattr(gkl_shim, "__path__", [str(tmp_path)])
    monkeypatch.setattr(paths, "_SOURCE_HEADER", header)
    with pytest.raises(MissingComponent, match=r"is a source checkout .* `make setup`"):
        paths.agent_jar()


@pytest.mark.parametrize("name", ["library", "binding", "header", "agent_jar", "classpath_jar"])
def test_an_editable_install_has_its_modules_elsewhere(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """scikit-build-core puts both folders into the path of the package."""
    checkout = tmp_path / "checkout"
    monkeypatch.setattr(paths, "_SOURCE_HEADER", tmp_path / "absent.h")
    installed = getattr(paths, name)()
    monkeypatch.setattr(paths, "_PACKAGE", checkout)
    monkeypatch.setattr(gkl_shim, "__path__", [*gkl_shim.__path__, str(checkout)])
    assert getattr(paths, name)() == installed


def test_a_foreign_package_named_kernels_is_ignored(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "kernels").mkdir()
    monkeypatch.setattr(paths, "_PACKAGE", tmp_path / "gkl_shim")
    monkeypatch.setattr(paths, "_SOURCE_HEADER", tmp_path / "kernels" / "include" / "gkl_shim.h")
    assert paths.kernels() == tmp_path / "gkl_shim" / "kernels"
