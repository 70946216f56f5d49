"""GATK's Smith-Waterman in plain Python: the whole matrix, and gap lengths as Java keeps them."""

from __future__ import annotations

LOWEST = -100_000_000
NO_GAP = -(2**30)


def int32(value: int) -> int:
    """What Java's int makes of a sum."""
    return (value + 2**31) % 2**32 - 2**31


def align(
    reference: bytes, alternative: bytes, parameters: tuple[int, int, int, int], overhang: str
) -> tuple[int, str]:
    """The offset and the CIGAR."""
    if overhang in ("softclip", "ignore"):
        found = reference.rfind(alternative)
        if found >= 0:
            return found, f"{len(alternative)}M"
    scores, back = matrix(reference, alternative, parameters, overhang)
    return path(scores, back, overhang)


def matrix(
    reference: bytes, alternative: bytes, parameters: tuple[int, int, int, int], overhang: str
) -> tuple[list[list[int]], list[list[int]]]:
    """Scores, and steps back: 0 diagonal, -k a gap of k to the left, k a gap of k upwards."""
    match, mismatch, gap_open, gap_extend = parameters
    rows, columns = len(reference) + 1, len(alternative) + 1
    scores = [[0] * columns for _ in range(rows)]
    back = [[0] * columns for _ in range(rows)]
    if overhang in ("indel", "leading_indel"):
        for k in range(1, columns):
            scores[0][k] = int32(gap_open + (k - 1) * gap_extend)
        for k in range(1, rows):
            scores[k][0] = int32(gap_open + (k - 1) * gap_extend)
    down, down_length = [NO_GAP] * columns, [0] * columns
    for i in range(1, rows):
        right, right_length = NO_GAP, 0
        for j in range(1, columns):
            same = reference[i - 1] == alternative[j - 1]
            diagonal = int32(scores[i - 1][j - 1] + (match if same else mismatch))
            opened, down[j] = int32(scores[i - 1][j] + gap_open), int32(down[j] + gap_extend)
            if opened > down[j]:
                down[j], down_length[j] = opened, 1
            else:
                down_length[j] += 1
            opened, right = int32(scores[i][j - 1] + gap_open), int32(right + gap_extend)
            if opened > right:
                right, right_length = opened, 1
            else:
                right_length += 1
            if diagonal >= down[j] and diagonal >= right:
                best = diagonal
            elif right >= down[j]:
                best, back[i][j] = right, -right_length
            else:
                best, back[i][j] = down[j], down_length[j]
            scores[i][j] = max(LOWEST, best)
    return scores, back


def path(scores: list[list[int]], back: list[list[int]], overhang: str) -> tuple[int, str]:
    n, m = len(scores) - 1, len(scores[0]) - 1
    i, j, after = n, m, 0
    if overhang != "indel":
        best = max(scores[k][m] for k in range(1, n + 1))
        i = max(k for k in range(1, n + 1) if scores[k][m] == best)
        if overhang != "leading_indel":
            for k in range(1, m + 1):
                score = scores[n][k]
                if score > best or (score == best and abs(n - k) < abs(i - j)):
                    i, j, best, after = n, k, score, m - k
    letters: list[str] = []  # of the alignment, from its end
    clip = overhang == "softclip"
    if after:
        letters += ("S" if clip else "M") * after
    while True:
        step = back[i][j]
        letters += ("D" if step > 0 else "I" if step < 0 else "M") * max(abs(step), 1)
        if step >= 0:
            i -= max(step, 1)
        if step <= 0:
            j -= max(-step, 1)
        if i <= 0 or j <= 0:
            break
    offset = 0
    if clip:
        letters += "S" * j
        offset = i
    elif overhang == "ignore":
        # What is left over joins the last element, whatever that is.
        letters += letters[-1] * j
        offset = i - j
    else:
        letters += "D" * i + "I" * j
    return offset, cigar(letters[::-1])


def cigar(letters: list[str]) -> str:
    text, count = "", 0
    for k, letter in enumerate(letters):
        count += 1
        if k + 1 == len(letters) or letters[k + 1] != letter:
            text += f"{count}{letter}"
            count = 0
    return text
