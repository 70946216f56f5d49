"""Build the libFuzzer program, and give every target random input: run.py SECONDS [TARGET]...

Prints a table, and ends with 1 if a target has a finding. The input that shows it is kept in
build/fuzz/findings/TARGET/. build/fuzz/corpus/ keeps what libFuzzer has learned for the next run.
"""

from __future__ import annotations

import os
import re
import resource
import shutil
import struct
import subprocess
import sys
from pathlib import Path

from gkl_shim import mem
from gkl_shim.correct import Spectrum

ROOT = Path(__file__).parents[2]
BUILD = ROOT / "build" / "fuzz"
TEXTS = ROOT / "tests" / "sanitizers" / "corpus"
FLAGS = (
    "-O1 -g1 -fno-omit-frame-pointer -fno-sanitize-recover=all "
    "-fsanitize=address,undefined,fuzzer-no-link"
)


def seeds() -> dict[str, list[bytes]]:
    """Return each target's seeds: small good files."""

    def text(*names: str) -> list[bytes]:
        return [(TEXTS / name).read_bytes() for name in names]

    index = mem.Index(["ACGTTGCATTACGACG" * 2, "GATTACANNGATTACA"], min_length=6, page_letters=30)
    spectrum = Spectrum.from_reads(["ACGTTGCATTACGACGTGATTACAGATTACAGG"] * 3, k=11)
    known = spectrum.native.information()
    head = struct.pack("=iiQ", known.k, known.threshold, known.size)
    aligned = b"ACGTTGCATTACGACGTGATTACAGATTACAGG"
    return {
        "alignable": text("alignable.tsv"),
        "candidates": text("candidates.tsv"),
        "fasta": text("sequences.fa"),
        "flagged": text("flagged.in"),
        "index": [b"".join(bytes(piece) for piece in index.native.pieces())],
        "pairs": text("pairs.tsv"),
        "reads": text("reads.fq", "reads.fa"),
        "regions": text("regions.in"),
        "spectrum": [head + known.slots.tobytes()],
        "pairhmm-builds": text("regions.in"),
        "pdhmm-builds": text("regions.in"),
        "prefilter-builds": [b"\x05" + each for each in text("pairs.tsv")],
        # Scores of 10, -15, -30 and -5; a shift; where the two sequences divide.
        "smithwaterman-builds": [
            struct.pack("4bBxBH", 10, -15, -30, -5, strategy, shift, 33) + aligned + aligned[3:]
            for strategy in range(4)
            for shift in (0, 8, 23)
        ],
    }


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


def fuzz(program: Path, target: str, given: list[bytes], seconds: int) -> bool:
    """Give a target random input, and print its row. Returns whether there is a finding."""
    corpus, findings = BUILD / "corpus" / target, BUILD / "findings" / target
    for folder in (corpus, findings):
        folder.mkdir(parents=True, exist_ok=True)
    for count, seed in enumerate(given):
        (corpus / f"seed-{count}").write_bytes(seed)
    options = [f"-max_total_time={seconds}", f"-artifact_prefix={findings}/"]
    options += ["-print_final_stats=1", "-timeout=60", "-rss_limit_mb=4096"]
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    log = findings / "log"
    with log.open("w") as file:
        done = subprocess.run([program, target, *options, corpus], stdout=file, stderr=file)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    text = log.read_text(errors="replace")
    executions = number("stat::number_of_executed_units:", text) or number(r"(?m)^#", text)
    row = (executions, number("cov:", text), cpu, int(done.returncode != 0))
    print("| {} | {:,} | {:,} | {:.0f} | {} |".format(target, *row), flush=True)
    if done.returncode:
        shown = re.findall(r"Test unit written to (.*)", text)
        print(f"{target}: {shown[-1] if shown else 'no input was written'}; see {log}", flush=True)
    return done.returncode != 0


def main() -> int:
    if not shutil.which("clang++"):
        missing = "fuzzing needs clang++ and its sanitizers, Debian's clang and libclang-rt-14-dev"
        print(missing, file=sys.stderr)
        return int(os.environ.get("CI") == "true")
    all_seeds = seeds()
    targets = sys.argv[2:] or list(all_seeds)
    program = build()
    print(
        "| target | executions | edges | CPU seconds | findings |\n| --- | --- | --- | --- | --- |"
    )
    found = [fuzz(program, target, all_seeds[target], int(sys.argv[1])) for target in targets]
    return int(any(found))


if __name__ == "__main__":
    sys.exit(main())
