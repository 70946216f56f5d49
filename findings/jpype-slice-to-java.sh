#!/bin/sh
# JPype 1.7.1: a Java method that is given a slice of a Java array gets the whole array.
#
# A slice of a Java array is a view in Python: it has its own length and elements, and writes go to the array. One would
# expect a Java method to get these elements, in a copy, or an error, as Java has no views of arrays. But Python alone
# knows of the bounds, and hands Java the array behind the slice. So two bytes have the checksum of all, a string of
# two bytes is the whole text, and a method that fills the slice fills the array.
#
# Needs a JDK and Python with venv. Ends with 1 if JPype behaves otherwise.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv python
python/bin/pip install --quiet jpype1==1.7.1 >&2
cat > slices.py <<'PYTHON'
import zlib

import jpype

jpype.startJVM()
text = jpype.JArray(jpype.JByte)(b"hello")
part = text[1:3]
print("in Python:", len(part), bytes(part))
print("as a string of Java:", jpype.JClass("java.lang.String")(part))
checksum = jpype.JClass("java.util.zip.CRC32")()
checksum.update(part)
names = {zlib.crc32(b"el"): "el", zlib.crc32(b"hello"): "hello"}
print("its checksum belongs to:", names[checksum.getValue()])
numbers = jpype.JArray(jpype.JInt)([1, 2, 3, 4, 5])
jpype.JClass("java.util.Arrays").fill(numbers[1:3], 0)
print("the array whose elements 1 and 2 were filled with 0:", *numbers)
PYTHON
python/bin/python slices.py > found
cat found
[ "$(cat found)" = "in Python: 2 b'el'
as a string of Java: hello
its checksum belongs to: hello
the array whose elements 1 and 2 were filled with 0: 0 0 0 0 0" ]
