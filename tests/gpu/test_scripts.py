"""The scripts that need a GPU start without one, and say what they need."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from gkl_shim.pairhmm import _cuda as cuda
from tests.gpu import sanitize


@pytest.mark.parametrize(
    ("script", "message"),
    [
        ("record.py", "the GPU tests need a CUDA device: "),
        ("sanitize.py", "compute-sanitizer wants a CUDA device: "),
    ],
)
def test_without_a_gpu_a_script_ends_with_one_line(
    script: str, message: str, tmp_path: Path
) -> None:
    record = tmp_path / "record.json"
    done = subprocess.run(
        [sys.executable, Path(__file__).with_name(script), record],
        env={**os.environ, "CUDA_VISIBLE_DEVICES": ""},
        capture_output=True,
        text=True,
    )
    assert (done.returncode, done.stdout, record.exists()) == (1, "", False)
    (line,) = done.stderr.splitlines()
    assert line.startswith(message)


def test_every_kernel_of_pairhmm_is_run_under_the_sanitizers(fake_gpus):
    host = fake_gpus(kernels="pairhmm")
    sanitize.pairhmm()
    engine = cuda.Engine()
    assert {name for _, name in host.launched} == set(engine._devices[0].functions)
    engine.close()
