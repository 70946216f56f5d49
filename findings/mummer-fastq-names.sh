#!/bin/sh
# mummer 3.23: in FASTQ, a quality of 29 becomes the name of a sequence, and the exit code is 0.
#
# mummer reads FASTA. It has no error for FASTQ: a ">" begins a description wherever it stands, also within a
# line, and ">" is the quality 29 of FASTQ. What follows it in the quality line is the name of a sequence, which
# has the next lines up to the next ">", and the first sequence has all letters before its name as well.
# One would expect an error, as there is one without any ">", because no sequence is found then. With one,
# matches come out under names such as IIIIIIII, and names and qualities count in their positions.
#
# Needs Debian's apt-get, for the package. Ends with 1 if mummer behaves otherwise.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
chmod 755 "$folder"
cd "$folder"
apt-get download -qq mummer=3.23+dfsg-8 >&2
dpkg -x mummer_3.23+dfsg-8_*.deb .
mummer=$(find . -type f -name mummer -perm -u+x | head -n 1)
one=ACGTACGTAAGGTTCCAACCGGTTAACC two=GGATTACAGGATTACATTTTGGGGCCCC
printf '>ref\nTTT%sTTT%sAAA\n' $one $two > reference.fa
printf '@one\n%s\n+\nIIII>IIIIIIIIIIIIIIIIIIIIIII\n@two\n%s\n+\nIIIIIIIIIIIIIIIIIIIIIIII>III\n' $one $two \
  > reads.fq
tr '>' 'I' < reads.fq > high.fq
code=0
"$mummer" -maxmatch -l 20 reference.fa reads.fq 2> errors | sed 's/  */ /g' > found
"$mummer" -maxmatch -l 20 reference.fa high.fq > none 2> errors || code=$?
cat found
echo "without >: exit code $code"
# The second read begins behind @one, the first read, + and IIII, and @two: 41 letters.
[ "$(cat found)" = "> IIIIIIIIIIIIIIIIIIIIIII
 4 5 28
 35 42 28
> III" ] || exit 1
[ "$code" -ne 0 ]
