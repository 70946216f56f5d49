#!/bin/sh
# JPype 1.7.1: where a numpy array does not fit a Java array, the Java array has other numbers, and there is no error.
#
# JPype checks what goes into a Java array: a list with 2**40 + 1 or with 1.9 is an error for an array of int. One would
# expect the same of a numpy array, as JPype's guide says that a type which is not compatible raises TypeError. But
# numpy arrays go another way, which casts each value as C does: 2**40 + 1 becomes 1, 1.9 becomes 1, and 200 becomes
# -56 in an array of byte. So the int64 and float64 that numpy makes of Python's numbers go into arrays of int and
# byte, and nothing tells that values were lost.
#
# Needs a JDK and Python with venv. Ends with 1 if JPype behaves otherwise.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv python
python/bin/pip install --quiet jpype1==1.7.1 numpy==2.2.6 >&2
cat > arrays.py <<'PYTHON'
import jpype
import numpy as np

jpype.startJVM()


def new_array(java_type, values):
    return list(jpype.JArray(java_type)(values))


def whole_slice(java_type, values):
    array = jpype.JArray(java_type)(len(values))
    array[:] = values
    return list(array)


def tried(fill, java_type, values):
    try:
        return fill(java_type, values)
    except (OverflowError, TypeError) as error:
        return type(error).__name__


for name, values in ("JInt", [2**40 + 1, 5]), ("JInt", [1.9, -1.9]), ("JByte", [200, 300]):
    for fill in new_array, whole_slice:
        results = [tried(fill, getattr(jpype, name), source) for source in (values, np.array(values))]
        print(name, values, fill.__name__ + ": from a list", results[0], "from numpy", results[1])
PYTHON
python/bin/python arrays.py > found
cat found
[ "$(cat found)" = "JInt [1099511627777, 5] new_array: from a list OverflowError from numpy [1, 5]
JInt [1099511627777, 5] whole_slice: from a list OverflowError from numpy [1, 5]
JInt [1.9, -1.9] new_array: from a list TypeError from numpy [1, -1]
JInt [1.9, -1.9] whole_slice: from a list TypeError from numpy [1, -1]
JByte [200, 300] new_array: from a list OverflowError from numpy [-56, 44]
JByte [200, 300] whole_slice: from a list OverflowError from numpy [-56, 44]" ]
