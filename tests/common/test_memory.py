"""The memory that this process may use (gkl_shim/common/_memory.py), with made control groups."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from gkl_shim.common._memory import usable_memory

PHYSICAL = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
UNLIMITED = "9223372036854771712"
"""What version 1 says where there is no limit."""
MIB = 1 << 20


@pytest.mark.parametrize(
    ("own", "files", "limit"),
    [
        ("", {}, None),
        ("0::/\n", {"memory.max": "max\n"}, None),
        # In a container, its group is the root.
        ("0::/\n", {"memory.max": f"{8 * MIB}\n"}, 8),
        ("0::/kubepods/pod1\n", {"memory.max": f"{8 * MIB}\n"}, 8),
        # The lowest limit of the group and its parents counts.
        (
            "0::/slice/job/step\n",
            {
                "slice/memory.max": f"{4 * MIB}\n",
                "slice/job/memory.max": f"{16 * MIB}\n",
                "slice/job/step/memory.max": "max\n",
                "other/memory.max": f"{MIB}\n",
            },
            4,
        ),
        ("0::/a:b\n", {"a:b/memory.max": f"{2 * MIB}\n"}, 2),
        # Outside the namespace of the process.
        ("0::/../other\n", {"other/memory.max": f"{MIB}\n"}, None),
        ("4:memory:/docker/1\n", {"memory/memory.limit_in_bytes": f"{UNLIMITED}\n"}, None),
        (
            "5:cpu,cpuacct:/x\n4:hugetlb,memory:/docker/1\n0::/\n",
            {
                "memory/docker/1/memory.limit_in_bytes": f"{8 * MIB}\n",
                "memory/docker/memory.limit_in_bytes": f"{6 * MIB}\n",
                "memory/x/memory.limit_in_bytes": f"{MIB}\n",
            },
            6,
        ),
        ("no group\n", {"memory.max": "no number\n"}, None),
    ],
)
def test_the_lowest_limit(
    tmp_path: Path, own: str, files: dict[str, str], limit: int | None
) -> None:
    groups, list_of_groups = tmp_path / "cgroup", tmp_path / "own"
    list_of_groups.write_text(own)
    for name, text in files.items():
        (groups / name).parent.mkdir(parents=True, exist_ok=True)
        (groups / name).write_text(text)
    expected = PHYSICAL if limit is None else limit * MIB
    assert usable_memory(groups, list_of_groups) == expected


def test_a_system_without_control_groups(tmp_path: Path) -> None:
    assert usable_memory(tmp_path / "absent", tmp_path / "absent") == PHYSICAL


def test_this_process() -> None:
    assert 0 < usable_memory() <= PHYSICAL
