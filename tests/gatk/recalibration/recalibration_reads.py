"""Reads with everything that base quality score recalibration looks at, and known sites."""

from __future__ import annotations

import random
from pathlib import Path

import pysam

from benchmarks.common.samples import write_reference
from gkl_shim.gatk.data import Sample

_CONTIGS = {"one": 9000, "two": 3000, "three": 400}
#: ID, PU, share of the reads. Two read groups with one PU are one for GATK.
_GROUPS = (("r1", "unit", 5), ("r2", None, 3), ("r3", "unit", 2), ("r4", "other", 2), ("", "", 0.1))
_MIDDLES = (
    ("100M",),
    ("100M",),
    ("60M",),
    ("30M", "4I", "40M"),
    ("30M", "1D", "40M"),
    ("20M", "25D", "20M"),
    ("15=", "1X", "30="),
    ("1M", "2I", "1M", "2D", "50M"),
    ("1M", "2D", "30M"),
    ("5I", "40M"),
    ("40M", "6I"),
    ("20M", "1D", "1M", "1D", "1M", "1I", "20M"),
    ("1M",),
)
_UNUSUAL = (
    ("12M", "60N", "30M"),
    ("25M", "3I", "2D", "25M"),
    ("25M", "2D", "3I", "25M"),
    ("10M", "2P", "3I", "40M"),
    ("30M", "0D", "5I", "0M", "30M"),
    ("20M", "20M"),
    ("3D", "40M"),
    ("40M", "3D"),
    ("20I",),
)
_CLIPS = ("", "", "", "5S", "1S", "7H", "3H4S")
_TAGS = (
    "NM:i:3",
    "NM:i:255",
    "XI:i:70000",
    "Xi:i:-70000",
    "Xu:i:4000000000",
    "MD:Z:10A5^AC6",
    "XF:f:1.5",
    "XA:A:c",
    "XA:A:d",
    "ZB:B:c,-1,2",
    "ZC:B:S,1,65535",
    "ZF:B:f,1.5,2",
    "ZH:H:1AE301",
    "ZE:Z:",
    "aa:Z:lower",
    "OQ:Z:{1}",
    "BI:Z:{0}",
    "BD:Z:{0}",
)


def write(folder: Path, seed: int, *, count: int = 2500, unusual: bool = True) -> Sample:
    """Write a reference, reads, and known sites in `sites.vcf` and `sites.bed`.

    Parameters
    ----------
    folder
        The output folder.
    seed
        The seed of all random choices.
    count
        The number of reads.
    unusual
        Whether some reads are so that our code leaves them to GATK.
    """
    folder.mkdir(exist_ok=True)
    choice = random.Random(seed)
    contigs = {name: _sequence(choice, length) for name, length in _CONTIGS.items()}
    reference = folder / "reads.fa"
    write_reference(reference, contigs)
    lines = ["@HD\tVN:1.6", *(f"@SQ\tSN:{n}\tLN:{len(s)}" for n, s in contigs.items())]
    for name, unit, _ in _GROUPS[:-1]:
        lines.append(f"@RG\tID:{name}\tSM:s\tPL:ILLUMINA\tLB:1" + (f"\tPU:{unit}" if unit else ""))
    lines += [_read(choice, number, contigs, unusual) for number in range(count)]
    text = folder / "reads.sam"
    text.write_text("\n".join(lines) + "\n")
    reads = folder / "reads.bam"
    pysam.sort("-o", str(reads), str(text))
    pysam.index(str(reads))
    _write_sites(choice, folder, contigs)
    return Sample("reads", "reads for recalibration", reference, reads)


def write_groups(folder: Path, *, groups: int, count: int, length: int) -> Sample:
    """Write reads of many read groups, with 30 qualities, and known sites in `sites.vcf`.

    Their names are long, so that few reads are work for several threads.
    """
    folder.mkdir(exist_ok=True)
    choice = random.Random(1)
    contigs = {"one": _sequence(choice, 20_000)}
    sequence = contigs["one"].upper().replace("R", "A").replace("N", "A")
    write_reference(folder / "reads.fa", contigs)
    lines = ["@HD\tVN:1.6\tSO:coordinate", f"@SQ\tSN:one\tLN:{len(sequence)}"]
    lines += [f"@RG\tID:{group}\tSM:s\tPL:ILLUMINA" for group in range(groups)]
    name = "q" * 240
    for start in sorted(choice.randrange(len(sequence) - length) for _ in range(count)):
        bases = sequence[start : start + length - 1] + "A"
        qualities = "".join(chr(43 + choice.randrange(30)) for _ in bases)
        place = f"{name}\t{choice.choice((0, 16))}\tone\t{start + 1}\t60\t{length}M\t*\t0\t0"
        lines.append(f"{place}\t{bases}\t{qualities}\tRG:Z:{choice.randrange(groups)}")
    reads = folder / "reads.bam"
    (folder / "reads.sam").write_text("\n".join(lines) + "\n")
    pysam.sort("-o", str(reads), str(folder / "reads.sam"))
    pysam.index(str(reads))
    _write_sites(choice, folder, contigs)
    return Sample("groups", "reads of many read groups", folder / "reads.fa", reads)


def _sequence(choice: random.Random, length: int) -> str:
    letters = [choice.choice("ACGT") for _ in range(length)]
    for _ in range(length // 300):
        start = choice.randrange(length)
        for k in range(start, min(length, start + choice.randrange(1, 12))):
            letters[k] = choice.choice(("N", "R", letters[k].lower()))
    return "".join(letters)


def _read(choice: random.Random, number: int, contigs: dict[str, str], unusual: bool) -> str:
    if unusual and choice.random() < 0.02:
        return _unmapped(choice, number)
    name = choice.choice(list(contigs))
    contig = contigs[name]
    middle = choice.choice(_UNUSUAL if unusual and choice.random() < 0.05 else _MIDDLES)
    cigar = [*_parts(choice.choice(_CLIPS)), *middle, *_parts(choice.choice(_CLIPS))[::-1]]
    start = choice.randrange(max(1, len(contig) - 130))
    bases, position = [], start
    for element in cigar:
        size, operator = int(element[:-1]), element[-1]
        if operator in "M=X":
            bases += [b if b in "ACGT" else "A" for b in contig[position : position + size].upper()]
            bases += ["A"] * (size - len(contig[position : position + size]))
        elif operator in "IS":
            bases += [choice.choice("ACGT") for _ in range(size)]
        position += size if operator in "M=XDN" else 0
    if choice.random() < 0.5:
        rate = choice.choice((0.01, 0.2))
        bases = [choice.choice("ACGTNR") if choice.random() < rate else b for b in bases]
    flag, mate, insert = _mate(choice, start + 1, position, name, contigs)
    quality = choice.choice((0, 255, 1, 29, 60, 60, 60, 60, 60, 60))
    fields = [f"q{number}", str(flag), name, str(start + 1), str(quality), "".join(cigar), *mate]
    fields += [str(insert), "".join(bases), _qualities(choice, len(bases)), *_tags(choice, bases)]
    if unusual and choice.random() < 0.01:
        fields[choice.choice((9, 10))] = "*"
        fields[10] = "*"
    return "\t".join(fields)


def _parts(clip: str) -> list[str]:
    return [clip[k : k + 2] for k in range(0, len(clip), 2)]


def _mate(
    choice: random.Random, start: int, end: int, name: str, contigs: dict[str, str]
) -> tuple[int, list[str], int]:
    """Return the flag, the mate's contig and place, and the insert size: often, the read goes
    beyond its mate's start."""
    flag = choice.choice((0, 0, 0x10, 0x10, 0x400, 0x200, 0x100, 0x800, 0x810))
    if choice.random() < 0.15:
        return flag, ["*", "0"], 0
    flag |= 1 | choice.choice((0x40, 0x80)) | choice.choice((0, 8, 0x20, 0x20, 0x20))
    if flag & 0x10:
        flag ^= choice.choice((0, 0x20))
    other = choice.choice(("=", "=", "=", "=", choice.choice(list(contigs))))
    place = choice.choice((start, choice.randrange(1, 300), choice.randrange(start, end + 2)))
    place = max(1, min(place, len(contigs[name if other == "=" else other])))
    insert = choice.choice((0, end - place, place - end, choice.randrange(-150, 150)))
    return flag, [other, str(place)], insert


def _qualities(choice: random.Random, length: int) -> str:
    levels = choice.choice(((2, 11, 25, 37), (0, 1, 5, 6, 37, 93), (25,), (2,)))
    qualities = [choice.choice(levels) for _ in range(length)]
    for k in range(choice.choice((0, 0, 0, 3))):
        if k < length:
            qualities[k] = qualities[-1 - k] = 2
    return "".join(chr(33 + q) for q in qualities)


def _tags(choice: random.Random, bases: list[str]) -> list[str]:
    tags = choice.sample(_TAGS, choice.randrange(6))
    groups = [name for name, _, _ in _GROUPS]
    group = choice.choices(groups, [share for _, _, share in _GROUPS])[0]
    if group:
        tags.insert(choice.randrange(len(tags) + 1), f"RG:Z:{group}")
    text = "".join(chr(choice.randrange(35, 75)) for _ in bases)
    original = choice.choice((text, text, text, ""))
    return [tag.format(text, original) for tag in tags]


def _unmapped(choice: random.Random, number: int) -> str:
    bases = [choice.choice("ACGTN") for _ in range(50)]
    place = choice.choice((["*", "0"], ["one", "77"]))
    fields = [f"q{number}", "4", *place, "0", "*", "*", "0", "0", "".join(bases)]
    return "\t".join([*fields, _qualities(choice, 50), *_tags(choice, bases)])


def _write_sites(choice: random.Random, folder: Path, contigs: dict[str, str]) -> None:
    """Write known sites: SNPs, insertions, deletions, a symbolic one, and intervals."""
    lines = ["##fileformat=VCFv4.2", '##INFO=<ID=END,Number=1,Type=Integer,Description="End">']
    lines += [f"##contig=<ID={name},length={len(s)}>" for name, s in contigs.items()]
    lines += ["#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO"]
    intervals = []
    for name, sequence in contigs.items():
        for place in range(1, len(sequence) - 40):
            if choice.random() < 0.02:
                size = choice.choice((1, 1, 1, 3, 30))
                letters = "".join(b if b in "ACGT" else "N" for b in sequence.upper())
                reference = letters[place - 1 : place - 1 + size]
                other = choice.choice(("<DEL>", "A", "GATTACA"))
                end = f"END={place + size - 1}" if other == "<DEL>" else "."
                reference = reference[0] if other == "<DEL>" else reference
                lines.append(f"{name}\t{place}\t.\t{reference}\t{other}\t.\tlow\t{end}")
            if choice.random() < 0.002:
                intervals.append(f"{name}\t{place}\t{place + choice.randrange(1, 40)}")
    lines = [
        line for line in lines if line.split("\t")[3:4] != line.split("\t")[4:5] or "#" in line
    ]
    (folder / "sites.vcf").write_text("\n".join(lines) + "\n")
    (folder / "sites.bed").write_text("\n".join(intervals) + "\n")
