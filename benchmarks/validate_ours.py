"""Validate gkl-shim on all the data there is, and write the tables of docs/equivalence.md.

    python -m benchmarks.validate_ours FOLDER --sequence chr17.fa.gz

The samples are NA12878's reads of chr20 and chr22, and those of benchmarks.common.run_samples. Each
is run as `gkl-shim validate` runs it. A validation that was interrupted goes on in the same FOLDER.
The tables are made of FOLDER/equivalence.json, where rows of samples and modes that are not run now
stay. With GKL_SHIM_BACKEND=cuda, the
modes that call PairHMM get separate rows, marked GPU.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click

from benchmarks.common import gatk_versions, options, report, run_samples, samples
from gkl_shim.common._output_files import atomic_output
from gkl_shim.gatk import data, fetch, run
from gkl_shim.validation import report as validation_report
from gkl_shim.validation import validation
from gkl_shim.validation.inputs import Inputs, check
from gkl_shim.validation.modes import MODES
from gkl_shim.validation.runner import Runner

_ROOT = Path(__file__).resolve().parents[1]
_PAGE = _ROOT / "docs" / "equivalence.md"
_START, _END = "<!-- tables: make validate-ours -->", "<!-- end of tables -->"
_KEPT = (
    "tool", "records", "identical", "differing", "near_ties", "other_differences",
    "calls_that_differ", "final_calls", "findings", "scores", "beside_stock", "pairs_on_gpu",
)  # fmt: skip
_GERMLINE = ("vcf", "gvcf", "dragen", "dragen378")


@dataclass(frozen=True)
class _Case:
    """A sample, and how it is validated."""

    title: str
    modes: tuple[str, ...]
    arguments: tuple[str, ...] = ()
    """More arguments for GATK."""
    sample: str | None = None
    """The sample of benchmarks.common.run_samples, if it has another name than the case."""


_CASES = {
    "na12878-chr20": _Case("NA12878, chr20, 565 reads", (*_GERMLINE, "mutect2")),
    "na12878-chr22": _Case("NA12878, chr22, 12 kb", (*_GERMLINE, "mutect2")),
    "300kb35x": _Case("simulated, 300 kb, 35x", _GERMLINE),
    "60kb-deletions": _Case(
        "simulated, 60 kb, 35x, deletions of 30 to 69 bases, small regions",
        _GERMLINE,
        ("--max-assembly-region-size", "100", "--min-assembly-region-size", "30"),
    ),
    "2mb35x": _Case("simulated, 2 Mb, 35x", _GERMLINE),
    "2mb35x-250": _Case("simulated, 2 Mb, 35x, 250-base reads", (*_GERMLINE, "mutect2")),
    "10mb35x": _Case("simulated, 10 Mb, 35x", (*_GERMLINE, "mutect2")),
    "amplicon": _Case("simulated panel, 4 kb, 1,500x", (*_GERMLINE, "mutect2")),
    "mitochondrion": _Case(
        "simulated mitochondrion, 2,000x", ("mutect2",), ("--mitochondria-mode",)
    ),
    "300kb-tumor": _Case("simulated tumor and normal, 300 kb", ("mutect2",), ("-normal", "normal")),
    "300kb-tumor-alone": _Case(
        "simulated tumor, 300 kb, mitochondria mode",
        ("mutect2",),
        ("--mitochondria-mode",),
        "300kb-tumor",
    ),
    "2mb-tumor": _Case("simulated tumor and normal, 2 Mb", ("mutect2",), ("-normal", "normal")),
}
_DEFAULT = tuple(name for name in _CASES if name != "10mb35x")


class _Steps:
    """Prints each stage of a validation."""

    def __init__(self, title: str) -> None:
        self._title = title

    def stage(self, title: str, total: int) -> None:
        click.echo(f"{self._title}: {title}: {total} runs", err=True)

    def done(self, name: str) -> None:
        pass


def inputs(
    name: str, folder: Path, sequences: Sequence[str], giab: Path | None, classpath: str
) -> Inputs:
    """Return the files of a sample. They are made, unless the folder has them."""
    case = _CASES[name]
    name, arguments = case.sample or name, case.arguments
    if name == "na12878-chr20":
        chr20 = samples.na12878_chr20(folder / name, classpath)
        return Inputs(chr20.reference, (chr20.reads,), arguments=arguments)
    if name == "na12878-chr22":
        chr22 = data.na12878_chr22(folder / name)
        truth = None if giab is None else giab_truth(giab, chr22, classpath)
        return Inputs(chr22.reference, (chr22.reads,), truth=truth, arguments=arguments)
    sample = run_samples.make(name, folder, sequences, classpath)
    reads = [sample.reads]
    if sample.normal and "-normal" in arguments:
        reads.append(sample.normal)
    if name not in run_samples.KNOWN:
        return Inputs(sample.reference, tuple(reads), arguments=arguments)
    run_samples.write_truth(sample, sequences, classpath)
    return Inputs(sample.reference, tuple(reads), (), sample.truth, sample.confident, arguments)


def giab_truth(source: Path, sample: data.Sample, classpath: str) -> Path:
    """Write Genome in a Bottle's variants with the header of this reference, and index them."""
    _, sequence = samples.read_fasta(sample.reference)
    lines = ["##fileformat=VCFv4.2", f"##contig=<ID=q,length={len(sequence)}>"]
    lines.append("#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO")
    for line in source.read_text().splitlines():
        if not line.startswith("#"):
            columns = line.split("\t")
            lines.append("\t".join([*columns[:5], ".", columns[6], "."]))
    target = sample.reads.parent / "truth.vcf"
    target.write_text("\n".join(lines) + "\n")
    done = run.gatk(["IndexFeatureFile", "-I", str(target)], classpath)
    if done.returncode != 0:
        raise click.ClickException(f"{target}: GATK could not index it: {done.complaint}")
    return target


def _rows(name: str, version: str, facts: Mapping[str, Any]) -> dict[str, Any]:
    """Return what the tables need of a report, by the name of the row."""
    rows = {}
    for mode, found in facts["modes"].items():
        cpu = [found["runs"][variant]["cpu_seconds"] for variant in ("stock", "gkl-shim")]
        rows[f"{version}/{name}/{mode}" + "/gpu" * bool(found["pairs_on_gpu"])] = {
            "gatk": version,
            "sample": name,
            "mode": mode,
            **{key: found[key] for key in _KEPT},
            "cpu_seconds": dict(zip(("stock", "gkl-shim"), cpu, strict=True)),
            "sha256": {Path(file).name: sum for file, sum in facts["sha256"].items()},
            "gkl_shim": facts["gkl_shim"],
            "gkl_shim_jar_sha256": facts["gkl_shim_jar_sha256"],
            "versions": facts["versions"],
            "machine": facts["machine"],
        }
    for row in rows.values():
        for finding in row["findings"]:
            del finding["commands"]  # they name folders of this machine
    return rows


def _version(row: Mapping[str, Any]) -> str:
    """Return GATK's version, marked if a GPU computed PairHMM. Old rows lack `pairs_on_gpu`."""
    return f"{row['gatk']}, GPU" if row.get("pairs_on_gpu") else str(row["gatk"])


def tables(rows: Mapping[str, Any]) -> str:
    """Return the tables of docs/equivalence.md."""
    order = list(_CASES)
    modes = list(MODES)
    ordered = sorted(
        rows.values(),
        key=lambda row: (order.index(row["sample"]), modes.index(row["mode"]), row["gatk"]),
    )
    records = sum(row["records"] for row in ordered)
    calls = sum(row["calls_that_differ"] for row in ordered)
    ties = sum(row["near_ties"] for row in ordered)
    other = sum(row["other_differences"] for row in ordered)
    exact = sum(_is_double(finding) for row in ordered for finding in row["findings"])
    lines = [
        f"In all, {records:,} records were compared. Calls that differ: {calls}. "
        f"Near ties: {ties}. Other differences: {other}.",
        f"In {exact} of the records that differ, gkl-shim has the values of stock GATK in double "
        "precision.",
        "",
        "| sample | mode | GATK | records | identical | near ties | other differences "
        "| calls that differ | final calls that differ |",
        "| --- | --- | --- | ---: | ---: | ---: | ---: | ---: | ---: |",
    ]
    cells = []
    for row in ordered:
        final = row["final_calls"]
        shown = "" if final is None else (
            f"{len(final['calls_that_differ'])} of {final['records']:,}"
        )  # fmt: skip
        counts = ("records", "identical", "near_ties", "other_differences", "calls_that_differ")
        cells.append((row, " | ".join([*(f"{row[count]:,}" for count in counts), shown])))
    lines += _lines(cells)
    parts = (lines, _score_table(ordered), _equivalence_table(ordered), _difference_table(ordered))
    return "\n\n".join("\n".join(part) for part in parts)


def _lines(cells: Iterable[tuple[Mapping[str, Any], str]]) -> list[str]:
    """Return the lines of a table: sample, mode, version, and the given cells of each row.

    Lines that differ in the version alone become one, and then those that differ in the mode alone.
    """
    versions: dict[tuple[str, str, str], list[str]] = {}
    for row, text in cells:
        key = (_CASES[row["sample"]].title, row["mode"], text)
        versions.setdefault(key, []).append(_version(row))
    modes: dict[tuple[str, str, str], list[str]] = {}
    for (title, mode, text), found in versions.items():
        modes.setdefault((title, "; ".join(found), text), []).append(mode)
    return [
        f"| {title} | {', '.join(found)} | {version} | {text} |"
        for (title, version, text), found in modes.items()
    ]


def _is_double(finding: Mapping[str, Any]) -> bool:
    """Return whether gkl-shim's fields are those of stock GATK in double precision."""
    return all(values["shim"] == values["stock_double"] for values in finding["fields"].values())


def _score_table(rows: Sequence[Mapping[str, Any]]) -> list[str]:
    """Return the scores that are not the same for all three callsets."""
    shown, count = [], 0
    for row in rows:
        for kind in ("SNP", "INDEL"):
            same: dict[str, list[str]] = {}
            for variant, kinds in sorted(row["scores"].items()):
                score = kinds[kind]
                shares = (score["recall"], score["precision"], score["f1"])
                counts = ("true_positives", "false_positives", "false_negatives")
                cells = [f"{score[name]:,}" for name in counts]
                cells += ["" if share is None else f"{share:.4f}" for share in shares]
                same.setdefault(" | ".join(cells), []).append(variant)
            count += bool(same)
            if len(same) > 1:
                for text, variants in same.items():
                    shown.append((row, f"{kind} | {', '.join(variants)} | {text}"))
    return [
        "## Beside the truth",
        "",
        f"Calls of one type were compared with the true ones {count} times. Stock GATK, gkl-shim, "
        "and stock GATK",
        "in double precision had the same recall and precision, except in these rows:",
        "",
        "| sample | mode | GATK | type | calls of | true positives | false positives "
        "| false negatives | recall | precision | F1 |",
        "| --- | --- | --- | --- | --- | ---: | ---: | ---: | ---: | ---: | ---: |",
        *_lines(shown),
    ]


def _equivalence_table(rows: Sequence[Mapping[str, Any]]) -> list[str]:
    """Return the discordances that are not 0."""
    shown, count, same = [], 0, 0
    for row in rows:
        for kind in ("SNP", "INDEL"):
            beside = {variant: kinds[kind] for variant, kinds in row["beside_stock"].items()}
            if not any(score["true_positives"] for score in beside.values()):
                continue
            count += 1
            same += not beside["gkl-shim"]["discordance"]
            if any(score["discordance"] for score in beside.values()):
                cells = [
                    f"{beside[variant]['discordance']:.6f}" if variant in beside else ""
                    for variant in ("gkl-shim", "stock-double")
                ]
                shown.append((row, f"{kind} | {cells[0]} | {cells[1]}"))
    lines = [
        "## Functional equivalence",
        "",
        f"There are {count} pairs of callsets of stock GATK and gkl-shim, of one type each, with "
        "at least one call.",
        f"The discordance is 0 in {same} of them.",
    ]
    if shown:
        lines += [
            "In these rows it is not 0, or stock GATK's single and double precision lead to "
            "different calls:",
            "",
            "| sample | mode | GATK | type | stock and gkl-shim | stock's two precisions |",
            "| --- | --- | --- | --- | ---: | ---: |",
            *_lines(shown),
        ]
    return lines


def _difference_table(rows: Sequence[Mapping[str, Any]]) -> list[str]:
    lines = ["## Records that differ", ""]
    found = [(row, finding) for row in rows for finding in row["findings"]]
    if not found:
        return [*lines, "None."]
    lines += [
        "| sample | mode | GATK | record | class | field | stock | gkl-shim "
        "| stock in double precision | gkl-shim in double precision |",
        "| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |",
    ]
    shown = []
    for row, finding in found:
        for field, values in finding["fields"].items():
            texts = [values[name] for name in ("stock", "shim", "stock_double", "shim_double")]
            cells = " | ".join("" if text is None else f"`{text}`" for text in texts)
            difference = f"{finding['record'][:60]} | {finding['kind']} | {field} | {cells}"
            shown.append((row, difference.replace("`|`", "`\\|`")))
    return [*lines, *_lines(shown)]


def _text(figures: Mapping[str, Any]) -> str:
    """Return figures as JSON, with one line for each row."""
    about = {name: value for name, value in figures.items() if name != "rows"}
    rows = ",\n".join(
        f"  {json.dumps(name)}: {json.dumps(row, sort_keys=True)}"
        for name, row in sorted(figures["rows"].items())
    )
    return f'{json.dumps(about, indent=1)[:-2]},\n "rows": {{\n{rows}\n }}\n}}\n'


def _write(rows: Mapping[str, Any], results: Path) -> None:
    with atomic_output(results) as stream:
        stream.write(_text({**report.about(), "rows": rows}).encode())
    text = _PAGE.read_text()
    before, rest = text.split(_START)
    after = rest.split(_END)[1]
    with atomic_output(_PAGE) as stream:
        stream.write(f"{before}{_START}\n\n{tables(rows)}\n\n{_END}{after}".encode())


@click.command(name="validate_ours")
@click.argument("folder", type=click.Path(file_okay=False, path_type=Path))
@options.repeatable(
    "--sample",
    "names",
    choices=_CASES,
    default=_DEFAULT,
    help="A sample, all but 10mb35x by default",
)
@options.repeatable(
    "--mode", "chosen", choices=MODES, help="A mode, all that the sample is for by default"
)
@options.gatk(fetch.GATK_VERSION)
@click.option(
    "--samples",
    "made",
    type=click.Path(file_okay=False, path_type=Path),
    help="The folder of samples. Default: FOLDER/samples.",
)
@options.sequence
@click.option("--giab", type=options.FILE, help="Genome in a Bottle's VCF of the reads of chr22.")
@click.option(
    "--jobs", type=click.IntRange(1), default=1, show_default=True, help="Runs of GATK at a time."
)
def command(
    folder: Path,
    names: tuple[str, ...],
    chosen: tuple[str, ...],
    versions: tuple[str, ...],
    made: Path | None,
    files: tuple[Path, ...],
    giab: Path | None,
    jobs: int,
) -> None:
    """Validate gkl-shim on all samples. FOLDER keeps runs and samples."""
    os.environ.pop("JAVA_TOOL_OPTIONS", None)
    own = fetch.gatk_classpath()
    sequences = options.real_sequences(files)
    results = folder / "equivalence.json"
    rows = json.loads(results.read_text())["rows"] if results.exists() else {}
    for name in names:
        given = inputs(name, (made or folder / "samples").absolute(), sequences, giab, own)
        check(given)
        for version in versions:
            for mode in chosen or _CASES[name].modes:
                if mode not in _CASES[name].modes:
                    continue
                runner = Runner(
                    gatk_versions.classpath(version), ["-Xmx4g"], jobs, _Steps(f"{name}, {version}")
                )
                output = (folder / version / name).absolute()
                output.mkdir(parents=True, exist_ok=True)
                shards = validation.shard_count(given, cpus=2)
                result = validation.validate(given, [MODES[mode]], output, shards, runner)
                rows.update(_rows(name, version, validation_report.document(result)))
                _write(rows, results)


if __name__ == "__main__":
    report.run(command)
