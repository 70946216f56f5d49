"""Escape text for a terminal."""

from __future__ import annotations


def printable(text: str) -> str:
    """Escape every character that is not printable, including newlines."""
    return "".join(
        character if character.isprintable() else _escape(character) for character in text
    )


def _escape(character: str) -> str:
    if "\udc80" <= character <= "\udcff":  # a byte of a file name that is not UTF-8
        return f"\\x{ord(character) - 0xDC00:02x}"
    return character.encode("unicode_escape").decode("ascii")
