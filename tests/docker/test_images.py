"""GATK runs in our images as it does in its own, and is accelerated."""

from __future__ import annotations

import json
import re
import tarfile
from collections.abc import Callable
from pathlib import Path

import pytest

import gkl_shim
from gkl_shim.gatk import compare, data
from tests.docker.conftest import FOLDER, ROOT, Image, build

Images = Callable[[str], Image]

# A user that the image does not know, with a file system that cannot be written.
HARDENED = {"user": 4321, "read_only": True}
USERS = {"root": {}, "another user": {"user": 4321}, "another user, read-only": HARDENED}


@pytest.fixture(scope="session", autouse=True)
def _sample(image: Images) -> None:
    data.na12878_chr22(image("stock").data)


def haplotype_caller(image: Image, name: str, *arguments: str, **how: object) -> str:
    """Call variants in the image, and return GATK's log."""
    output = image.data / f"{name}.vcf"
    command = ["gatk", *arguments, "HaplotypeCaller", "-R", "/data/q.fa"]
    command += ["-I", "/data/NA12878.bam", "-O", f"/data/{output.name}"]
    done = image.run(*command, **how)
    assert done.returncode == 0, done.stderr[-3000:]
    return done.stderr


@pytest.fixture(scope="session")
def stock(image: Images) -> Path:
    """The VCF of the image that ours is built on."""
    log = haplotype_caller(image("stock"), "stock")
    assert "gkl-shim" not in log
    return image("stock").data / "stock.vcf"


@pytest.mark.parametrize("target", ["agent", "cpu"])
@pytest.mark.parametrize("user", USERS)
def test_gatk_is_accelerated(image: Images, stock: Path, target: str, user: str) -> None:
    name = f"{target}.{list(USERS).index(user)}"
    log = haplotype_caller(image(target), name, **USERS[user])
    for kernel in ("PairHMM", "Smith-Waterman"):
        assert re.search(rf"\[gkl-shim .*\] {kernel}: .*Intel GKL replaced \(agent\)", log)
    assert "[gkl-shim" not in "".join(re.findall(".*warning.*", log))
    found = compare.compare(stock, stock.with_name(f"{name}.vcf"))
    assert found.identical, str(found)
    assert found.records[0] == 18


def test_off_turns_it_off(image: Images, stock: Path) -> None:
    log = haplotype_caller(image("cpu"), "off", GKL_SHIM_BACKEND="off")
    assert "replaced (agent)" not in log
    assert compare.compare(stock, stock.with_name("off.vcf")).identical


def test_without_a_gpu_the_cpu_computes(image: Images, stock: Path) -> None:
    log = haplotype_caller(image("cuda"), "cuda", **HARDENED)
    warnings = re.findall(r"\[gkl-shim .*warning.*", log)
    assert len(warnings) == 1, warnings
    assert "no GPU" in warnings[0]
    assert compare.compare(stock, stock.with_name("cuda.vcf")).identical


def test_the_launcher_uses_the_archive(image: Images) -> None:
    haplotype_caller(
        image("cpu"), "archive", "--java-options", "-Xlog:class+load:file=/data/classes"
    )
    classes = (image("cpu").data / "classes").read_text().splitlines()
    of_gatk = [line for line in classes if "org.broadinstitute.hellbender" in line]
    archived = [line for line in of_gatk if "shared objects file (top)" in line]
    assert len(archived) > 0.9 * len(of_gatk) > 500


@pytest.mark.parametrize("target", ["cpu", "cuda"])
def test_the_command_works(image: Images, target: str) -> None:
    done = image(target).run("gkl-shim", "doctor", "--json", "-", **HARDENED)
    assert done.returncode == 0, done.stderr
    report = json.loads(done.stdout)
    assert report["ok"]
    states = {finding["name"]: finding["state"] for finding in report["findings"]}
    assert states["CuPy"] == ("ok" if target == "cuda" else "missing")
    # GATK's tools still find GATK's Python.
    python = image(target).run("sh", "-c", "command -v python3").stdout.strip()
    assert python == "/opt/miniconda/envs/gatk/bin/python3"


def test_the_cpu_image_adds_little(image: Images, tmp_path: Path) -> None:
    """An image is stored and sent compressed."""
    packed = tmp_path / "added.tar.gz"
    with tarfile.open(packed, "w:gz") as archive:
        archive.add(image("cpu").files / "opt" / "gkl-shim")
    print(f"the cpu image adds {packed.stat().st_size / 1e6:.0f} MB, compressed")
    assert packed.stat().st_size < 60e6


def test_labels_and_bill_of_materials(image: Images) -> None:
    labels = image("cpu").labels
    assert labels["org.opencontainers.image.version"] == gkl_shim.__version__
    assert labels["org.opencontainers.image.base.name"] == image("stock").name
    bill = json.loads((image("cpu").files / "opt/gkl-shim/sbom.cdx.json").read_text())
    versions = {part["name"]: part["version"] for part in bill["components"]}
    assert versions["gkl-shim"] == gkl_shim.__version__
    assert {"numpy", "click", "cffi"} <= set(versions)


@pytest.mark.parametrize(
    ("programs", "messages"),
    [
        ({}, ["error: BASE_IMAGE has no gatk on its PATH"]),
        (
            {"gatk": "echo 'The Genome Analysis Toolkit (GATK) v4.2.6.1'"},
            [
                "warning: BASE_IMAGE has GATK 4.2.6.1; tested are 4.3.0.0 4.4.0.0 ",
                "error: BASE_IMAGE has no Python at python3",
            ],
        ),
        (
            {
                "gatk": "echo 'x (GATK) v4.6.2.0'",
                "python3": "case $2 in *print*) echo 3.6;; *) exit 1;; esac",
            },
            ["error: BASE_IMAGE has Python 3.6 at python3, and gkl-shim needs 3.10 or newer"],
        ),
    ],
)
def test_the_build_names_what_the_base_image_lacks(
    debian: str, programs: dict[str, str], messages: list[str]
) -> None:
    lines = [f"FROM {debian}", "COPY docker/install /tmp/"]
    for name, text in programs.items():
        script = f"#!/bin/sh\\n{text}\\n".replace("'", "'\\''")
        lines.append(f"RUN printf '{script}' >/usr/bin/{name} && chmod +x /usr/bin/{name}")
    lines.append("RUN sh /tmp/install command python3 none.whl")
    dockerfile = FOLDER / "Dockerfile.bad"
    dockerfile.write_text("\n".join(lines) + "\n")
    printed = build("localhost/bad", dockerfile, ROOT, check=False)
    told = [line for line in printed.splitlines() if line.startswith("gkl-shim: ")]
    assert len(told) == len(messages), printed
    for line, message in zip(told, messages, strict=True):
        assert line.startswith(f"gkl-shim: {message}")
