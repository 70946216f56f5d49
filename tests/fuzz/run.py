"""Build the libFuzzer program, and give every target random input.

Prints a table, and ends with 1 if a target has a finding. The input that shows it is kept in
FOLDER/findings/TARGET/. FOLDER/corpus/TARGET/ keeps what libFuzzer has learned for the next run. It
starts with the inputs of tests/fuzz/seeds, which tests/sanitizers replays, too.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import NamedTuple

sys.path.append(str(Path(__file__).resolve().parents[2]))
from benchmarks.common import report
from tests.fuzz import seeds

ROOT = Path(__file__).resolve().parents[2]
BUILD = ROOT / "build" / "fuzz"
FLAGS = (
    "-O1 -g1 -fno-omit-frame-pointer -fno-sanitize-recover=all "
    "-fsanitize=address,undefined,fuzzer-no-link"
)
HEADER = (
    "| target | executions | edges | features | CPU seconds | inputs kept | findings |\n"
    "| --- | --- | --- | --- | --- | --- | --- |"
)


class Row(NamedTuple):
    """What became of one target: in one run, or in all runs together."""

    executions: int
    edges: int
    features: int
    cpu_seconds: float
    inputs_kept: int
    findings: int

    def line(self, target: str) -> str:
        """Return a line of the table."""
        return (
            f"| {target} | {self.executions:,} | {self.edges:,} | {self.features:,} | "
            f"{self.cpu_seconds:,.0f} | {self.inputs_kept:,} | {self.findings} |"
        )

    def after(self, earlier: Row) -> Row:
        """Return the totals, and the most edges and features that a run has reached.

        The corpus of the newest run is the one there is.
        """
        return self._replace(
            executions=earlier.executions + self.executions,
            edges=max(earlier.edges, self.edges),
            features=max(earlier.features, self.features),
            cpu_seconds=round(earlier.cpu_seconds + self.cpu_seconds, 1),
            findings=earlier.findings + self.findings,
        )


def build() -> Path:
    """Compile the program, and return its path."""
    environment = {**os.environ, "CC": "clang", "CXX": "clang++"}
    environment |= {"CFLAGS": FLAGS, "CXXFLAGS": FLAGS}
    tools = Path(sys.executable).parent
    configure = ["-G", "Ninja", f"-DCMAKE_MAKE_PROGRAM={tools / 'ninja'}", "-DGKL_SHIM_FUZZ=ON"]
    configure += ["-DCMAKE_BUILD_TYPE=Debug", "-DCMAKE_CXX_FLAGS_DEBUG=", "-DGKL_SHIM_JAR=OFF"]
    for command in (
        [*configure, "-DGKL_SHIM_CUBINS=OFF", "-S", ROOT, "-B", BUILD],
        ["--build", BUILD, "--target", "fuzz"],
    ):
        done = subprocess.run(
            [tools / "cmake", *command], env=environment, capture_output=True, text=True
        )
        if done.returncode:
            sys.exit(done.stdout[-5000:] + done.stderr)
    return BUILD / "fuzz"


def number(pattern: str, text: str) -> int:
    """Return the last number that follows a pattern, or 0."""
    return int([0, *re.findall(pattern + r"\s*(\d+)", text)][-1])


def fuzz(program: Path, target: str, seconds: int, folder: Path) -> Row:
    """Give a target random input, and return its row."""
    corpus, findings = folder / "corpus" / target, folder / "findings" / target
    for each in (corpus, findings):
        each.mkdir(parents=True, exist_ok=True)
    options = [f"-max_total_time={seconds}", f"-artifact_prefix={findings}/"]
    options += ["-print_final_stats=1", "-timeout=60", "-rss_limit_mb=4096"]
    log = findings / "log"
    with log.open("w") as file:
        command = [program, target, *options, corpus, seeds.unpack(target, folder / "seeds")]
        process = subprocess.Popen(command, stdout=file, stderr=file)
        _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    text = log.read_text(errors="replace")
    if process.returncode:
        shown = re.findall(r"Test unit written to (.*)", text)
        print(f"{target}: {shown[-1] if shown else 'no input was written'}; see {log}", flush=True)
    return Row(
        number("stat::number_of_executed_units:", text) or number(r"(?m)^#", text),
        number("cov:", text),
        number("ft:", text),
        round(used.ru_utime + used.ru_stime, 1),
        len(list(corpus.iterdir())),
        int(process.returncode != 0),
    )


def record(path: Path, target: str, row: Row) -> None:
    """Add a row to the totals of a JSON file. It names the commit and machine of the last run."""
    earlier = json.loads(path.read_text())["rows"] if path.is_file() else []
    rows = {each.pop("target"): Row(**each) for each in earlier}
    rows[target] = row.after(rows.get(target, Row(0, 0, 0, 0, 0, 0)))
    totals = [{"target": name, **rows[name]._asdict()} for name in sorted(rows)]
    report.write_json(str(path), {**report.about(), "rows": totals})


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("seconds", type=int, help="for each target")
    parser.add_argument("targets", nargs="*", help="all if none is given")
    parser.add_argument("--jobs", type=int, default=1, help="targets at a time")
    parser.add_argument("--folder", type=Path, default=BUILD, help="for corpus/ and findings/")
    parser.add_argument("--record", type=Path, help="a JSON file with totals, which this run joins")
    given = parser.parse_args()
    if not shutil.which("clang++"):
        missing = "fuzzing needs clang++ and its sanitizers, Debian's clang and libclang-rt-14-dev"
        print(missing, file=sys.stderr)
        return 1
    program = build()
    print(HEADER)
    targets = given.targets or seeds.TARGETS
    findings = 0
    with ThreadPoolExecutor(given.jobs) as pool:
        rows = pool.map(lambda each: fuzz(program, each, given.seconds, given.folder), targets)
        for target, row in zip(targets, rows, strict=True):
            print(row.line(target), flush=True)
            if given.record:
                record(given.record, target, row)
            findings += row.findings
    return int(findings > 0)


if __name__ == "__main__":
    sys.exit(main())
