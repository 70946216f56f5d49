#!/bin/sh
# gzip 1.12: a member that follows zeros is dropped, though zeros and further members are both allowed.
#
# A gzip file may have several members, as after `cat a.gz b.gz`, and gzip ignores zeros at the end, as a tape
# or a block device leaves them. One would expect both together: two padded files that are joined hold the text
# of both. gzip writes the text of the first one, calls the rest trailing garbage, and ends with 2, its code for
# a warning. A script that looks at the output alone, or takes 2 for success, loses the second file.
# Python's gzip module reads the same bytes as the text of both.
#
# Needs Debian's apt-get, for the package, and Python. Ends with 1 if gzip behaves otherwise.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
chmod 755 "$folder"
cd "$folder"
apt-get download -qq gzip=1.12-1 >&2
dpkg -x gzip_1.12-1_*.deb .
gzip=$(find . -type f -name gzip -perm -u+x | head -n 1)
echo first | "$gzip" -c > a.gz
echo second | "$gzip" -c > b.gz
head -c 512 /dev/zero > zeros
cat a.gz b.gz > joined.gz
cat a.gz zeros > padded.gz
cat a.gz zeros b.gz zeros > both.gz
for file in joined padded both; do
  code=0
  "$gzip" -dc < "$file.gz" > "$file" 2> "$file.errors" || code=$?
  echo "$file: $(tr '\n' ' ' < "$file")exit code $code"
done > found
python=$(python3 -c 'import gzip; print(*gzip.open("both.gz", "rt").read().split())')
echo "Python, both: $python" >> found
cat found
grep -q 'trailing garbage ignored' both.errors
[ "$(cat found)" = "joined: first second exit code 0
padded: first exit code 0
both: first exit code 2
Python, both: first second" ]
