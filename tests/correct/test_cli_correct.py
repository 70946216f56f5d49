"""``gkl-shim correct``, which also compares the names of mates."""

from __future__ import annotations

import contextlib
import json
import os
import random
import subprocess
from pathlib import Path

import pytest

from gkl_shim import cli
from gkl_shim.formats import reads as reads_files
from tests.cli.shim_command import COMMAND, one_error, refused, run
from tests.conftest import require_package
from tests.correct import oracle
from tests.correct.test_correct import random_reads

READS, QUALITIES = (made[:360] for made in random_reads(11, genome=800, depth=25, length=60))
K, THRESHOLD = 15, 4
OPTIONS = ("-k", str(K), "--threshold", str(THRESHOLD))


def fastq(reads, qualities, newline="\n", first=0) -> str:
    return "".join(
        newline.join(
            [f"@read{first + k} of/{k}", read, "+", "".join(chr(33 + q) for q in quality), ""]
        )
        for k, (read, quality) in enumerate(zip(reads, qualities, strict=True))
    )


def _corrected(qualities, *options) -> tuple[list[str], list[int]]:
    counts = oracle.count(READS, K)
    solid = {kmer for kmer, count in counts.items() if count >= THRESHOLD}
    done = [
        oracle.correct(read, [33 + q for q in quality], solid, K, *(options or ("search",)))
        for read, quality in zip(READS, qualities, strict=True)
    ]
    return [read for read, _ in done], [state for _, state in done]


WANT, STATES = _corrected(QUALITIES)
TEXT, WANT_TEXT = fastq(READS, QUALITIES), fastq(WANT, QUALITIES)


def succeeded(done) -> str:
    assert done.returncode == 0, done.stderr
    return done.stderr.decode()


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def test_fastq_in_and_out(tmp_path: Path) -> None:
    (tmp_path / "r.fq").write_text(TEXT)
    message = succeeded(run(tmp_path, "correct", "r.fq", "-o", "out.fq", *OPTIONS))
    assert (tmp_path / "out.fq").read_text() == WANT_TEXT
    corrected, unsolved = STATES.count(oracle.CORRECTED), STATES.count(oracle.UNSOLVED)
    changed = sum(
        a != b for x, y in zip(READS, WANT, strict=True) for a, b in zip(x, y, strict=True)
    )
    assert f"{len(READS)} reads: {corrected} corrected, {unsolved} unsolved, {changed}" in message
    assert run(tmp_path, "correct", "r.fq", *OPTIONS).stdout.decode() == WANT_TEXT


@pytest.mark.parametrize(("newline", "last"), [("\r\n", True), ("\n", False)])
def test_ends_of_lines(tmp_path: Path, newline, last) -> None:
    text = fastq(READS, QUALITIES, newline).encode()
    (tmp_path / "r.fq").write_bytes(text if last else text[: -len(newline)])
    succeeded(run(tmp_path, "correct", "r.fq", "-o", "out.fq", *OPTIONS))
    want = fastq(WANT, QUALITIES, newline).encode()
    # A newline that is missing at the end is added, always as LF.
    assert (tmp_path / "out.fq").read_bytes() == (want if last else want[: -len(newline)] + b"\n")


@pytest.mark.parametrize("width", [1000, 17])
def test_fasta_keeps_its_lines(tmp_path: Path, width) -> None:
    def fasta(reads) -> str:
        return "".join(
            f">read{k}\n" + "".join(read[p : p + width] + "\n" for p in range(0, len(read), width))
            for k, read in enumerate(reads)
        )

    (tmp_path / "r.fa").write_text(fasta(READS))
    succeeded(run(tmp_path, "correct", "r.fa", "-o", "out.fa", *OPTIONS))
    want, _ = _corrected([[-33] * len(read) for read in READS])
    assert (tmp_path / "out.fa").read_text() == fasta(want)


@pytest.mark.parametrize(
    ("interleaved", "discard", "trim"),
    [(False, False, True), (False, True, False), (True, False, True), (True, True, True)],
)
def test_pairs_stay_together(tmp_path: Path, interleaved, discard, trim) -> None:
    reads, qualities, want, states = READS, QUALITIES, WANT, STATES
    options = [*OPTIONS, *(["--discard"] if discard else []), *(["--trim"] if trim else [])]
    options += ["--json", "report.json"]
    if interleaved:
        (tmp_path / "r.fq").write_text(fastq(reads, qualities))
        done = run(tmp_path, "correct", "r.fq", "-o", "o.fq", "--interleaved", *options)
        message = succeeded(done)
        lines = (tmp_path / "o.fq").read_text().splitlines()
        found = [lines[at : at + 4] for at in range(0, len(lines), 4)]
    else:
        for index in range(2):
            text = "".join(
                fastq([reads[k]], [qualities[k]], first=k) for k in range(index, len(reads), 2)
            )
            (tmp_path / f"r{index}.fq").write_text(text)
        outputs = ("-o", "o0.fq", "--output2", "o1.fq")
        message = succeeded(run(tmp_path, "correct", "r0.fq", "r1.fq", *outputs, *options))
        both = [(tmp_path / f"o{index}.fq").read_text().splitlines() for index in range(2)]
        assert len(both[0]) == len(both[1])
        found = [lines[at : at + 4] for at in range(0, len(both[0]), 4) for lines in both]
    kept = [
        k
        for k in range(len(reads))
        if not discard or oracle.UNSOLVED not in (states[k], states[k ^ 1])
    ]
    assert [record[0].split()[0] for record in found] == [f"@read{k}" for k in kept]
    assert not discard or len(kept) < len(reads)
    for k, record in zip(kept, found, strict=True):
        if trim and states[k] == oracle.UNSOLVED:
            assert record[1] in want[k]
            place = want[k].index(record[1])
            quality = "".join(chr(33 + q) for q in qualities[k])
            assert record[3] == quality[place : place + len(record[1])]
        else:
            assert record[1] == want[k]
        assert len(record[1]) == len(record[3])
    report = json.loads((tmp_path / "report.json").read_text())
    removed = set(range(len(reads))) - set(kept)
    cut = [
        len(reads[k]) - len(record[1])
        for k, record in zip(kept, found, strict=True)
        if len(record[1]) < len(reads[k])
    ]
    told = {
        "reads_written": len(kept),
        "bases_written": sum(len(record[1]) for record in found),
        "reads_discarded": len(removed),
        "reads_discarded_for_their_mates": sum(states[k] != oracle.UNSOLVED for k in removed),
        "bases_discarded": sum(len(reads[k]) for k in removed),
        "reads_trimmed": len(cut),
        "bases_trimmed": sum(cut),
    }
    assert {name: report[name] for name in told} == told
    assert bool(cut) == (trim and not discard)
    shares = f"{len(removed)} discarded ({len(removed) / len(reads):.1%}, "
    mates = f"{told['reads_discarded_for_their_mates']} of them for their mates)"
    assert (shares + mates in message) == discard
    assert (f"{len(cut)} trimmed by {sum(cut)} bases" in message) == trim


@pytest.mark.parametrize("newline", ["\n", "\r\n"])
def test_trimmed_records(tmp_path: Path, newline) -> None:
    """A trimmed sequence of several lines comes on one."""
    rnd = random.Random(4)
    genome, other = ("".join(rnd.choices("ACGT", k=size)) for size in (60, 30))
    scores = "".join(chr(40 + p % 40) for p in range(90))
    reads = "".join(f"@g{newline}{genome}{newline}+{newline}{scores[:60]}{newline}" * 3)

    def trimmed(text: str, bases: str) -> str:
        (tmp_path / "r").write_bytes(text.encode())
        succeeded(
            run(tmp_path, "correct", "r", "--spectrum", "s.npz", "--trim", "-o", "o", "--force")
        )
        found = (tmp_path / "o").read_bytes().decode()
        kept = found.split(newline)[1]
        assert kept.startswith(genome[:50]) and bases.startswith(kept[:-3]) and len(kept) < 70
        return found.replace(kept, "BASES").replace(scores[: len(kept)], "SCORES")

    (tmp_path / "r").write_bytes(reads.encode())
    options = ("-k", "15", "--threshold", "2", "--save-spectrum", "s.npz")
    succeeded(run(tmp_path, "correct", "r", "-o", "o", *options))
    read = genome + other
    text = newline.join(["@a b", read, "+c", scores, ""])
    assert trimmed(text, read) == newline.join(["@a b", "BASES", "+c", "SCORES", ""])
    text = newline.join([">a b", read[:20], read[20:70], read[70:], ""])
    assert trimmed(text, read) == newline.join([">a b", "BASES", ""])


def test_the_report_and_the_spectrum(tmp_path: Path) -> None:
    (tmp_path / "r.fq").write_text(TEXT)
    files = ("--json", "r.json", "--save-spectrum", "s.npz")
    succeeded(run(tmp_path, "correct", "r.fq", "-o", "out.fq", *OPTIONS, *files))
    report = json.loads((tmp_path / "r.json").read_text())
    counts = oracle.count(READS, K)
    assert report["reads"] == report["reads_written"] == len(READS)
    assert report["bases"] == sum(map(len, READS))
    assert report["reads_by_state"]["unsolved"] == STATES.count(oracle.UNSOLVED)
    assert report["histogram"][:9] == [
        sum(count == c for count in counts.values()) for c in range(1, 10)
    ]
    assert report["solid_kmers"] == sum(count >= THRESHOLD for count in counts.values())
    assert (report["k"], report["threshold"], report["counting_passes"]) == (K, THRESHOLD, 1)
    assert 0 < report["false_positive_rate"] < 1e-5
    assert set(report["seconds"]) == {"count", "spectrum", "correct"}
    # The saved spectrum corrects other files, even a pipe.
    done = run(tmp_path, "correct", "-", "--spectrum", "s.npz", input=TEXT.encode())
    assert done.stdout.decode() == WANT_TEXT


def test_the_plot(tmp_path: Path) -> None:
    require_package("matplotlib")
    (tmp_path / "r.fq").write_text(TEXT)
    succeeded(run(tmp_path, "correct", "r.fq", "-o", "out.fq", *OPTIONS, "--plot", "h.svg"))
    assert b"<svg" in (tmp_path / "h.svg").read_bytes()
    # A threshold that is not in the histogram.
    drawn = ("--threshold", "300", "--plot", "far.png", "-o", "unchanged.fq")
    succeeded(run(tmp_path, "correct", "r.fq", "-k", str(K), *drawn))
    assert (tmp_path / "far.png").read_bytes().startswith(b"\x89PNG")
    assert (tmp_path / "unchanged.fq").read_text() == TEXT


def test_options_reach_the_engine(tmp_path: Path) -> None:
    (tmp_path / "r.fq").write_text(TEXT)
    for method, limit in (("voting", None), ("search", 1)):
        options = ["--method", method, *(["--max-changes", str(limit)] if limit else [])]
        done = run(tmp_path, "correct", "r.fq", *OPTIONS, *options, "--threads", "1")
        want, _ = _corrected(QUALITIES, method, limit)
        assert done.stdout.decode() == fastq(want, QUALITIES)
    given = ["--max-window-changes", "1", "--all-or-nothing"]
    done = run(tmp_path, "correct", "r.fq", *OPTIONS, *given)
    want, _ = _corrected(QUALITIES, "search", None, 1, True)
    assert want != WANT and done.stdout.decode() == fastq(want, QUALITIES)
    # The k for the reads would be 21.
    short = [read[:40] for read in READS]
    (tmp_path / "r.fq").write_text(fastq(short, [[30] * len(read) for read in short]))
    size = ("--genome-size", str(2**40), "--json", "r.json")
    succeeded(run(tmp_path, "correct", "r.fq", "-o", "o.fq", *size))
    assert json.loads((tmp_path / "r.json").read_text())["k"] == 25


@pytest.mark.parametrize("order", ["short first", "long first", "mates"])
def test_k_is_of_all_reads(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, order: str) -> None:
    """The files begin with reads of one length, and go on with others."""
    monkeypatch.setattr(reads_files, "_CHUNK", 5000)
    letters = "".join(READS)
    texts = [
        fastq([letters[k : k + length] for k in range(300)], [[30] * length] * 300)
        for length in (22, 88)
    ]
    if order == "long first":
        texts.reverse()
    inputs = [tmp_path / "r1.fq", tmp_path / "r2.fq"][: 2 if order == "mates" else 1]
    for path in inputs:
        path.write_text(texts.pop(0) if order == "mates" else "".join(texts))
    outputs = [str(path.with_suffix(".out")) for path in inputs]
    arguments = ["correct", *map(str, inputs), "-o", outputs[0], "--json", str(tmp_path / "j")]
    monkeypatch.setattr(
        "sys.argv", ["gkl-shim", *arguments, *[f"--output2={o}" for o in outputs[1:]]]
    )
    assert cli._run() == 0
    report = json.loads((tmp_path / "j").read_text())
    # Of 110 bases, 22 are in a read of 22 and 88 in one of 88: the mean is 74.8.
    assert report["k"] == 27
    assert report["counting_passes"] == (2 if order == "short first" else 1)


def test_a_plot_needs_matplotlib(tmp_path: Path) -> None:
    """The message comes before any work is done."""
    (tmp_path / "r.fq").write_text(TEXT)
    without = tmp_path / "without" / "matplotlib"
    without.mkdir(parents=True)
    (without / "__init__.py").write_text("raise ImportError('not here')")
    path = f"{without.parent}:{os.environ.get('PYTHONPATH', '')}"
    arguments = ("correct", "r.fq", "-o", "o.fq", "--plot", "h.svg")
    done = run(tmp_path, *arguments, env={"PYTHONPATH": path})
    assert one_error(done) == "--plot needs matplotlib: pip install 'gkl-shim[plot]'"
    assert names(tmp_path) == ["r.fq", "without"]


def test_a_small_memory_changes_nothing(tmp_path: Path) -> None:
    reads, qualities = random_reads(12, genome=30_000, depth=10, length=80)
    (tmp_path / "r.fq").write_text(fastq(reads, qualities))
    succeeded(run(tmp_path, "correct", "r.fq", "-o", "a.fq", "--json", "a.json"))
    options = ("--memory", "0.001", "--json", "b.json")
    succeeded(run(tmp_path, "correct", "r.fq", "-o", "b.fq", *options))
    assert (tmp_path / "a.fq").read_bytes() == (tmp_path / "b.fq").read_bytes()
    passes = [
        json.loads((tmp_path / name).read_text())["counting_passes"]
        for name in ("a.json", "b.json")
    ]
    assert passes[0] == 1 < passes[1]


def many(text: str, name: int) -> str:
    """Repeat reads `COPIES` times, with names of at least `name` letters."""
    return text.replace(" of/", f" of{'x' * name}/") * COPIES


COPIES = 100


def test_files_larger_than_a_piece(tmp_path: Path) -> None:
    """Records that are divided between pieces, and one that is longer than a piece."""
    long = "A" * 9_000_000
    record = f"@long\n{long}\n+\n{'?' * len(long)}\n"
    text = many(TEXT, 120) + record
    assert len(text) > 3 * 8_388_608
    (tmp_path / "r.fq").write_text(text)
    options = ("-k", str(K), "--threshold", str(THRESHOLD * COPIES))
    succeeded(run(tmp_path, "correct", "r.fq", "-o", "out.fq", *options))
    assert (tmp_path / "out.fq").read_text() == many(WANT_TEXT, 120) + record
    (tmp_path / "r.fq").write_text(text + "@bad\nAX\n+\nII\n")
    done = run(tmp_path, "correct", "r.fq", "-o", "none.fq", *options)
    number = len(READS) * COPIES + 2
    assert one_error(done) == f'r.fq: record {number} (bad): letter 2 is "X", not one of ACGTN'


@pytest.mark.parametrize("interleaved", [False, True])
def test_pairs_larger_than_a_piece(tmp_path: Path, interleaved) -> None:
    """Pieces of two files have different numbers of reads; a piece of one ends within a pair."""
    given, want = ([many(text, name) for name in (240, 260)] for text in (TEXT, WANT_TEXT))
    assert min(map(len, given)) > 1.5 * 8_388_608
    files = 1 if interleaved else 2
    for k in range(files):
        (tmp_path / f"r{k}.fq").write_text(given[k])
    options = ["-k", str(K), "--threshold", str(THRESHOLD * COPIES * files)]
    options += ["--json", "report.json"]
    options += ["r0.fq", "--interleaved"] if interleaved else ["r0.fq", "r1.fq", "--output2", "o1"]
    succeeded(run(tmp_path, "correct", "-o", "o0", *options))
    assert [(tmp_path / f"o{k}").read_text() for k in range(files)] == want[:files]
    report = json.loads((tmp_path / "report.json").read_text())
    assert report["reads"] == report["reads_written"] == len(READS) * COPIES * files
    assert report["bases"] == sum(map(len, READS)) * COPIES * files


@pytest.mark.parametrize("name", ["empty.fq", "short.fq"])
def test_nothing_to_correct(tmp_path: Path, name) -> None:
    text = "" if name == "empty.fq" else fastq(["ACGT", ""], [[30] * 4, []])
    (tmp_path / name).write_text(text)
    succeeded(run(tmp_path, "correct", name, "-o", "out.fq"))
    assert (tmp_path / "out.fq").read_text() == text


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("ACGT\n", "r.fq: record 1: it starts with neither @ (FASTQ) nor > (FASTA)"),
        ("@a\nAC\n+\nII\n@b\nAC\n+\nI\n", "r.fq: record 2 (b) has 2 bases but 1 qualities"),
        ("@a\nAC\n+\nII\n@b\nAC\n", "r.fq: record 2 (b) is cut off: it has 2 of 4 lines"),
        ("@a\nAC\n+\nII\nb\n", "r.fq: record 2: its first line does not start with @"),
        ("@a\nAC\nII\n@b\n", "r.fq: record 1 (a): its third line does not start with +"),
        ("@a\nAC\n+\nII\n@b\nAX\n+\nII\n", 'r.fq: record 2 (b): letter 2 is "X", not one of ACGTN'),
        (">a\nACGT\n>b\nAC.T\n", 'r.fq: record 2 (b): letter 3 is ".", not one of ACGTN'),
        (
            ">a x\rACGT\r>b\rACGT\r",
            "r.fq: its lines end with CR alone; they must end with LF or CR LF",
        ),
        (
            ">a\nA\n>b\r\r\nACGT\n",
            "r.fq: record 2 (b): its first line has a carriage return; end lines with LF or CR LF",
        ),
        (">a\nAC\rG\nACGT\n>b\n", r'r.fq: record 1 (a): letter 3 is "\x0d", not one of ACGTN'),
        (">a\nAC\nG\r\r\n>b\nA\nC\n", r'r.fq: record 1 (a): letter 4 is "\x0d", not one of ACGTN'),
    ],
)
def test_malformed_records(tmp_path: Path, text, message) -> None:
    (tmp_path / "r.fq").write_text(text)
    assert refused(tmp_path, "correct", "r.fq", "-o", "out.fq") == (1, message)
    assert names(tmp_path) == ["r.fq"]


def test_unequal_pairs(tmp_path: Path) -> None:
    (tmp_path / "r1.fq").write_text(TEXT)
    (tmp_path / "r2.fq").write_text(fastq(READS[:-3], QUALITIES[:-3]))
    message = f"r2.fq: it ends after {len(READS) - 3} reads, but its mate file does not"
    arguments = ("correct", "r1.fq", "r2.fq", "-o", "a", "--output2", "b")
    assert refused(tmp_path, *arguments) == (1, message)
    records = (fastq([READS[k]], [QUALITIES[k]], first=k // 2) for k in range(5))
    (tmp_path / "odd.fq").write_text("".join(records))
    message = "odd.fq: read 5, the last one, has no mate"
    assert refused(tmp_path, "correct", "odd.fq", "-o", "a", "--interleaved") == (1, message)
    assert names(tmp_path) == ["odd.fq", "r1.fq", "r2.fq"]


def test_mates_of_other_lengths_do_not_pile_up(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The file with the smaller records is read on only when they are used up."""
    size = 20_000
    monkeypatch.setattr(reads_files, "_CHUNK", size)
    pairs = [("A" * length, [30] * length) for length in (30, 250)]
    paths = []
    for number, (read, quality) in enumerate(pairs):
        paths.append(tmp_path / f"r{number}.fq")
        paths[-1].write_text(fastq([read] * 3000, [quality] * 3000))
    with contextlib.ExitStack() as stack:
        files = [stack.enter_context(reads_files.ReadsFile(path, 1)) for path in paths]
        records, longest = 0, 0
        for chunks in reads_files.pairs_of(files, False):
            assert chunks[0].records == chunks[1].records
            records += chunks[0].records
            longest = max(longest, *(len(chunk.text) for chunk in chunks))
        assert records == 3000
        assert longest < 2 * size


def test_pieces_of_another_format(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """FASTA after FASTQ, where a piece of the file begins and elsewhere."""
    record = "@a\nACGT\n+\nIIII\n"
    message = "r: record 3: its first line does not start with @"
    for size in (2 * len(record), 2 * len(record) + 3):
        monkeypatch.setattr(reads_files, "_CHUNK", size)
        (tmp_path / "r").write_text(2 * record + ">a\nACGT\n>b\nACGT\n")
        assert refused(tmp_path, "correct", "r", "-o", "o") == (1, message)


@pytest.mark.parametrize("size", [60, 100, 150, 1000])
def test_interleaved_reads_of_any_size(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, size: int
) -> None:
    """A piece of the file may have a single read."""
    monkeypatch.setattr(reads_files, "_CHUNK", size)
    path = tmp_path / "r.fq"
    path.write_text(fastq(READS[:40], QUALITIES[:40]))
    with reads_files.ReadsFile(path, 1) as file:
        records = [chunks[0].records for chunks in reads_files.pairs_of([file], True)]
    assert sum(records) == 40
    assert not any(count % 2 for count in records)


def test_outputs_that_are_refused(tmp_path: Path) -> None:
    (tmp_path / "r.fq").write_text(TEXT)
    message = "r.fq: it is also an input; name another output"
    assert refused(tmp_path, "correct", "r.fq", "-o", "r.fq", "--force") == (2, message)
    for arguments, message in (
        (["r.fq", "r.fq", "-o", "a", "--output2", "b"],
         "r.fq: it is given twice; name another file"),
        (["r.fq", "--spectrum", "r.fq", "-o", "a"], "r.fq: it is given twice; name another file"),
    ):  # fmt: skip
        assert refused(tmp_path, "correct", *arguments) == (2, message)
    assert names(tmp_path) == ["r.fq"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["r.fq", "r2.fq"], "give MATES and --output2 together"),
        (["r.fq", "--output2", "x"], "give MATES and --output2 together"),
        (["r.fq", "r2.fq", "--output2", "x", "--interleaved"], "--interleaved is for one file"),
        (["r.fq", "--spectrum", "s", "-k", "15"], "a --spectrum has its own k and threshold"),
        (["r.fq", "--genome-size", "9", "-k", "15"], "--genome-size chooses k; do not give both"),
        (["-", "-", "--output2", "x"], "standard input is given twice; name a file instead of -"),
        (["r.fq", "--plot", "h.pdf"], "Invalid value for --plot: h.pdf ends with neither .svg nor"),
    ],
)
def test_wrong_usage(tmp_path: Path, arguments, message) -> None:
    code, told = refused(tmp_path, "correct", *arguments)
    assert (code, told[: len(message)]) == (2, message)


@pytest.mark.parametrize(("name", "kind"), [("-", "pipe"), ("/dev/fd/0", "file")])
def test_standard_input_needs_a_spectrum(tmp_path: Path, name: str, kind: str) -> None:
    """Even if it is a file: where the first pass has ended, the second would begin."""
    (tmp_path / "r.fq").write_text(TEXT)
    command = [COMMAND, "correct", name, "-o", "out.fq", *OPTIONS]
    with (tmp_path / "r.fq").open() as file:
        given = {"stdin": file} if kind == "file" else {"input": TEXT.encode()}
        done = subprocess.run(
            command, cwd=tmp_path, capture_output=True, check=False, timeout=300, **given
        )
    shown = "stdin" if name == "-" else name
    assert one_error(done) == (
        f"{shown}: it is read twice, so it must be a file with a name (or give --spectrum)"
    )
    assert names(tmp_path) == ["r.fq"]


@pytest.mark.parametrize("fault", ["mates", "output"])
def test_an_error_does_not_wait_for_input(tmp_path: Path, fault: str) -> None:
    """It occurs while a thread waits for more reads."""
    (tmp_path / "r.fq").write_text(TEXT)
    succeeded(run(tmp_path, "correct", "r.fq", "-o", "o", *OPTIONS, "--save-spectrum", "s"))
    (tmp_path / "bad.fq").write_text("@b\nAX\n+\nII\n")
    os.mkfifo(tmp_path / "idle.fq")
    if fault == "mates":
        arguments = ["bad.fq", "-o", "a", "--output2", "b"]
        message = 'bad.fq: record 1 (b): letter 2 is "X", not one of ACGTN'
    else:
        arguments, message = ["-o", "/dev/full"], "/dev/full: No space left on device"
    process = subprocess.Popen(
        [COMMAND, "correct", "idle.fq", *arguments, "--spectrum", "s"],
        cwd=tmp_path,
        stderr=subprocess.PIPE,
    )
    try:
        with (tmp_path / "idle.fq").open("wb", buffering=0) as file:
            with contextlib.suppress(BrokenPipeError):
                # More than two pieces: the output fails while the second one is corrected.
                file.write(many(TEXT, 400).encode())
            _, told = process.communicate(timeout=120)
    finally:
        process.kill()
    assert (process.returncode, told.decode()) == (1, f"gkl-shim: error: {message}\n")


PAIRS = 200
WARNING = "gkl-shim: warning: "

#: The first and the second name of a pair, as programs write them.
STYLES = {
    "slash": ("r{0}/1", "r{0}/2"),
    "Casava": ("M0:1:{0} 1:N:0:ACGT", "M0:1:{0} 2:N:0:ACGT"),
    "SRA": ("SRR1.{0} {0} length=20", "SRR1.{0} {0} length=20"),
    "SRA with numbers": ("SRR1.{0}.1 {0} length=20", "SRR1.{0}.2 {0} length=20"),
    "equal": ("r{0}", "r{0}"),
    "tab": ("r{0}\t1", "r{0}\t2"),
    "underscore": ("r{0}_1", "r{0}_2"),
}


def record(name: str) -> str:
    return f"@{name}\nACGTACGTTGCATGCAACGT\n+\n{'I' * 20}\n"


def told(folder: Path, first: list[str], second: list[str], interleaved: bool) -> list[str]:
    """Correct pairs with these names, and return the warnings."""
    if interleaved:
        together = [name for pair in zip(first, second, strict=True) for name in pair]
        (folder / "r.fq").write_text("".join(map(record, together)))
        arguments = ["r.fq", "--interleaved"]
    else:
        for name, names in (("r1.fq", first), ("r2.fq", second)):
            (folder / name).write_text("".join(map(record, names)))
        arguments = ["r1.fq", "r2.fq", "--output2", "o2"]
    done = run(folder, "correct", *arguments, "-o", "o", "--force", "--discard")
    assert done.returncode == 0, done.stderr
    *warnings, summary = done.stderr.decode().splitlines()
    assert summary.startswith(f"{2 * PAIRS} reads: ")
    return warnings


@pytest.mark.parametrize("interleaved", [False, True])
def test_names_of_mates(tmp_path: Path, interleaved: bool) -> None:
    """One pair has each style, so that one run tries all."""
    styles = list(STYLES.values())
    pairs = [styles[k % len(styles)] for k in range(PAIRS)]
    first, second = ([pair[side].format(k) for k, pair in enumerate(pairs)] for side in (0, 1))
    assert told(tmp_path, first, second, interleaved) == []
    # A read is missing, and everything after it is out of order.
    late = second[:150] + second[151:] + second[150:151]
    files = "r.fq" if interleaved else "r1.fq and r2.fq"
    names = f"{first[150].split()[0]} and {second[151].split()[0]}"
    assert told(tmp_path, first, late, interleaved) == [
        f"{WARNING}{files}: mates have different names (pair 151: {names}); if one is missing or "
        "out of order, --discard leaves out the wrong mates"
    ]


@pytest.mark.parametrize("interleaved", [False, True])
@pytest.mark.parametrize("separator", "/._-")
def test_the_order_of_mates(tmp_path: Path, separator: str, interleaved: bool) -> None:
    """It is the same in all pairs, so reads x.1 and x.2 that are swapped are no mates."""
    first, second = ([f"r{k}{separator}{end}" for k in range(PAIRS)] for end in "12")
    assert told(tmp_path, first, second, interleaved) == []
    assert told(tmp_path, second, first, interleaved) == []
    swapped = [second[0], *first[1:]], [first[0], *second[1:]]
    names = f"r1{separator}1 and r1{separator}2"
    (warning,) = told(tmp_path, *swapped, interleaved)
    assert f"(pair 2: {names}, in another order than before); if one is" in warning
    # Equal names that end with the number of the read.
    names = [f"x{separator}{k + 1}" for k in range(PAIRS)]
    assert told(tmp_path, names, names, interleaved) == []
    (warning,) = told(tmp_path, names, [names[1], names[0], *names[2:]], interleaved)
    assert f"(pair 2: {names[1]} and {names[0]}, in another order" in warning


@pytest.mark.parametrize(
    "pair",
    [("r1", "r2"), ("a/1", "b/2"), ("a/1", "a/3"), ("a", "a/2"), ("a/1x", "a/2x"), ("a:1", "a:2")],
)
def test_names_of_other_reads(tmp_path: Path, pair: tuple[str, str]) -> None:
    first, second = ([name] * PAIRS for name in pair)
    (warning,) = told(tmp_path, first, second, False)
    assert f"(pair 1: {pair[0]} and {pair[1]})" in warning
