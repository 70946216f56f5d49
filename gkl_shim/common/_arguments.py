"""Check arguments that several functions have. This module imports no NumPy, which takes long."""

from __future__ import annotations

import operator
from collections.abc import Iterable
from typing import Any, get_args

INT32_MAX = 2**31 - 1


def check_choice(name: str, value: Any, allowed: Any) -> None:
    """Raise ValueError if an argument is none of the words of a ``Literal``."""
    if value not in get_args(allowed):
        raise ValueError(f"{name} is {value!r}, not one of {', '.join(get_args(allowed))}")


def truth(name: str, value: Any) -> bool:
    """Return a truth value as a bool, or refuse the value."""
    if value not in (True, False):
        raise ValueError(f"{name} is {value!r}, not True or False")
    return bool(value)


def whole_number(name: str, value: Any, least: int = 0, most: int = 2**63 - 1) -> int:
    """Return a number of this range, or refuse the value."""
    try:
        number = least - 1 if isinstance(value, bool) else operator.index(value)
    except TypeError:
        number = least - 1
    if number < least:
        raise ValueError(f"{name} is {value!r}, not a whole number from {least} on")
    if number > most:
        raise ValueError(f"{name} is {value}, more than {most}")
    return number


def device_numbers(devices: Any) -> list[int] | None:
    """Return the numbers of the devices that a caller chose, or None for all devices.

    Whether the devices exist is not checked.

    Raises
    ------
    ValueError
        If `devices` is no sequence of numbers, is empty, or has a wrong number or one twice.
    """
    if devices is None:
        return None
    if isinstance(devices, (str, bytes)) or not isinstance(devices, Iterable):
        raise ValueError(f"devices: expected a sequence of numbers such as [0, 1], not {devices!r}")
    numbers: list[int] = []
    for index, device in enumerate(devices):
        number = whole_number(f"devices[{index}]", device)
        if number in numbers:
            raise ValueError(f"devices: {number} is given twice")
        numbers.append(number)
    if not numbers:
        raise ValueError("devices: none given")
    return numbers
