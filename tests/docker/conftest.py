"""Images of ``docker/Dockerfile``, built by buildah on a stand-in for GATK's image.

``make test-docker`` runs these tests. They need root, some GB of disk, and many minutes at first.
buildah needs no daemon. What it builds is kept in ``build/docker``.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import zipfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from gkl_shim.gatk import fetch
from tests.conftest import ROOT, alone, require_tool

FOLDER = ROOT / "build" / "docker"
HERE = Path(__file__).parent

# pip uses the same settings in a container as here. Debian's package ca-certificates adds the
# certificates in this folder to its own.
_OF_THE_HOST = {
    "/etc/pip.conf": "/etc/pip.conf",
    "/etc/ssl/certs/ca-certificates.crt": "/usr/local/share/ca-certificates/host.crt",
}

# Run a command in a file system. /data is a folder of the host. /tmp is empty and noexec.
_IN_CONTAINER = """
mount --bind "$ROOT" "$ROOT"
mount --bind "$DATA" "$ROOT/data"
mount --rbind /dev "$ROOT/dev"
mount -t proc proc "$ROOT/proc"
mount -t tmpfs -o noexec,nosuid,nodev,mode=1777 tmpfs "$ROOT/tmp"
mount -o "remount,bind,$ACCESS" "$ROOT"
exec chroot --userspec="$USER_ID:$USER_ID" "$ROOT" "$@"
"""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    if os.environ.get("GKL_SHIM_TEST_DOCKER") != "1":
        for item in items:
            if HERE in item.path.parents:
                item.add_marker(pytest.mark.skip(reason="`make test-docker` runs it"))


def buildah(*arguments: object, check: bool = True) -> subprocess.CompletedProcess[str]:
    stores = ["--root", FOLDER / "storage", "--runroot", FOLDER / "run"]
    command = [require_tool("buildah"), *stores, *arguments]
    done = subprocess.run(
        list(map(str, command)), stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    )
    assert done.returncode == 0 or not check, done.stdout[-5000:]
    return done


def build(
    name: str, dockerfile: Path, context: Path, *options: object, check: bool = True, **args: str
) -> str:
    """Build an image, and return what the build printed."""
    shared = [
        f"--volume={file}:{inside}:ro"
        for file, inside in _OF_THE_HOST.items()
        if Path(file).exists()
    ]
    given = [f"--build-arg={key}={value}" for key, value in args.items()]
    command = ["bud", "--isolation=chroot", "--network=host", "--layers", *shared, *given, *options]
    return buildah(*command, "--tag", name, "--file", dockerfile, context, check=check).stdout


def has_image(name: str) -> bool:
    return buildah("inspect", "--type=image", name, check=False).returncode == 0


@pytest.fixture(scope="session")
def debian() -> Iterator[str]:
    """A small Debian. No registry is asked for it."""
    name = "localhost/debian:bookworm"
    with alone(FOLDER):
        if not has_image(name):
            tree = FOLDER / "debian"
            shutil.rmtree(tree, ignore_errors=True)
            debootstrap = [require_tool("debootstrap"), "--variant=minbase", "bookworm", tree]
            subprocess.run(debootstrap, check=True, stdout=subprocess.DEVNULL)
            subprocess.run(["tar", "-C", tree, "-cf", FOLDER / "debian.tar", "."], check=True)
            (FOLDER / "Dockerfile").write_text("FROM scratch\nADD debian.tar /\n")
            build(name, FOLDER / "Dockerfile", FOLDER)
            shutil.rmtree(tree)
            (FOLDER / "debian.tar").unlink()
        yield name


@pytest.fixture(scope="session")
def gatk_image(debian: str) -> str:
    """A stand-in for GATK's image, with GATK from Maven Central."""
    require_tool("mvn")
    name = f"localhost/gatk:{fetch.GATK_VERSION}"
    jars = list(map(Path, fetch.gatk_classpath().split(":")))
    context = FOLDER / "gatk"
    if not context.exists():
        (context / "lib").mkdir(parents=True)
        for jar in jars:
            shutil.copy2(jar, context / "lib")
        _write_package_jar(context / f"gatk-package-{fetch.GATK_VERSION}-local.jar", jars)
    shutil.copy2(HERE / "gatk", context)
    build(name, HERE / "Dockerfile", context, DEBIAN=debian)
    return name


def _write_package_jar(path: Path, jars: list[Path]) -> None:
    """Write a jar that only names others: GATK's manifest with their class path."""
    gatk = next(jar for jar in jars if jar.name == f"gatk-{fetch.GATK_VERSION}.jar")
    with zipfile.ZipFile(gatk) as archive:
        manifest = archive.read("META-INF/MANIFEST.MF").decode().rstrip()
    line = "Class-Path: " + " ".join(f"lib/{jar.name}" for jar in jars)
    # A line of a manifest has at most 72 bytes.
    folded = [line[:70], *(line[start : start + 69] for start in range(70, len(line), 69))]
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("META-INF/MANIFEST.MF", f"{manifest}\r\n" + "\r\n ".join(folded) + "\r\n")


@dataclass(frozen=True)
class Image:
    """An image, whose commands see the folder `data` as /data."""

    name: str
    files: Path
    data: Path

    def run(
        self, *command: str, user: int = 0, read_only: bool = False, **environment: str
    ) -> subprocess.CompletedProcess[str]:
        config = json.loads(buildah("inspect", "--type=image", self.name).stdout)["OCIv1"]["config"]
        variables = [*config["Env"], *(f"{key}={value}" for key, value in environment.items())]
        outside = {
            **os.environ,
            "ROOT": str(self.files),
            "DATA": str(self.data),
            "ACCESS": "ro" if read_only else "rw",
            "USER_ID": str(user),
        }
        shell = ["unshare", "--mount", "--pid", "--fork", "sh", "-ec", _IN_CONTAINER, "sh"]
        return subprocess.run(
            [*shell, "/usr/bin/env", "-i", *variables, *command],
            capture_output=True,
            text=True,
            env=outside,
        )

    @property
    def labels(self) -> dict[str, str]:
        config = json.loads(buildah("inspect", "--type=image", self.name).stdout)["OCIv1"]["config"]
        labels: dict[str, str] = config["Labels"]
        return labels


@pytest.fixture(scope="session")
def image(
    debian: str, gatk_image: str, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Callable[[str], Image]]:
    """Return an image of a target of our Dockerfile, or the one that it is built on ("stock")."""
    data = tmp_path_factory.mktemp("data")
    data.chmod(0o777)
    containers: dict[str, str] = {}
    images: dict[str, Image] = {}

    def get(target: str) -> Image:
        if target not in images:
            name = gatk_image if target == "stock" else build_target(target, debian, gatk_image)
            containers[target] = buildah("from", name).stdout.split()[-1]
            files = Path(buildah("mount", containers[target]).stdout.strip())
            (files / "data").mkdir()
            images[target] = Image(name, files, data)
        return images[target]

    yield get
    for container in containers.values():
        buildah("rm", container)


def build_target(target: str, debian: str, base: str) -> str:
    """Build a target of our Dockerfile, and return the name of the image."""
    name = f"localhost/gkl-shim:{target}"
    options = ["--target", target]
    if wheels := os.environ.get("GKL_SHIM_TEST_WHEELS"):
        options += ["--build-context", f"wheel={wheels}"]
    dockerfile = ROOT / "docker" / "Dockerfile"
    build(name, dockerfile, ROOT, *options, BASE_IMAGE=base, BUILD_IMAGE=debian)
    return name
