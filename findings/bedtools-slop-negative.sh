#!/bin/sh
# bedtools 2.30.0: slop with a negative number makes small features larger, and moves some of them.
#
# "slop -b -12" takes 12 bases off both ends, a usual way to keep the inner part of targets. One would expect a feature
# of 10 bases to be left out, or an error. But start and end pass each other, and slop swaps them: the 10 bases become
# 14. With -5 they should be empty, and become one base. With -10 they stay as they were. If only the end is moved, by
# more than the length, the feature becomes one before its old start. The exit code is 0, and there is no message.
#
# Needs Debian's apt-get, for the package. Ends with 1 if bedtools behaves otherwise.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
chmod 755 "$folder"
cd "$folder"
apt-get download -qq bedtools=2.30.0+dfsg-3 >&2
dpkg -x bedtools_2.30.0+dfsg-3_*.deb .
printf 'c\t1000\n' > sizes
printf 'c\t100\t110\tsmall\nc\t500\t600\tlarge\n' > targets.bed
for options in '-b -4' '-b -5' '-b -6' '-b -10' '-b -12' '-l 0 -r -20'; do
  # shellcheck disable=SC2086
  usr/bin/bedtools slop -i targets.bed -g sizes $options | while read -r _ start end name; do
    echo "$options: $name $start-$end, $((end - start)) bases"
  done
done > found
cat found
[ "$(cat found)" = "-b -4: small 104-106, 2 bases
-b -4: large 504-596, 92 bases
-b -5: small 105-106, 1 bases
-b -5: large 505-595, 90 bases
-b -6: small 104-106, 2 bases
-b -6: large 506-594, 88 bases
-b -10: small 100-110, 10 bases
-b -10: large 510-590, 80 bases
-b -12: small 98-112, 14 bases
-b -12: large 512-588, 76 bases
-l 0 -r -20: small 90-100, 10 bases
-l 0 -r -20: large 500-580, 80 bases" ]
