#!/bin/sh
# htsjdk 4.2.0: where a tag of a BAM record repeats the tag just before it, later tags of the record are lost.
#
# One would expect that one of the two values is found, and that all other tags stay. htsjdk keeps the tags as a list in
# the order of their names, and remembers its last element. A tag that repeats the last element replaces it in the list,
# but the old element is still remembered as the last one. Tags that come later and are greater in htsjdk's order (the
# second letter first) are appended to the old element, so nobody finds them. With XA twice before RG, the read has no
# read group, and GATK's filters drop it without an error.
#
# Needs a JDK and Maven. Ends with 1 if htsjdk behaves otherwise.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
cat > Tags.java <<'JAVA'
import htsjdk.samtools.DefaultSAMRecordFactory;
import htsjdk.samtools.SAMFileHeader;
import htsjdk.samtools.SAMRecord;
import java.nio.charset.StandardCharsets;

public class Tags {
    public static void main(String[] arguments) {
        // An unmapped read without bases: its name, and its tags.
        for (String tags : new String[] {"XAAcRGZa\0", "XAAcXAAdRGZa\0", "XAAcRGZa\0XAAd"}) {
            byte[] data = ("r\0" + tags).getBytes(StandardCharsets.US_ASCII);
            SAMRecord record = DefaultSAMRecordFactory.getInstance().createBAMRecord(
                    new SAMFileHeader(), -1, 0, (short) 2, (short) 0, 0, 0, 4, 0, -1, 0, 0, data);
            System.out.print(record.getAttribute("XA") + ":" + record.getAttribute("RG") + " ");
        }
    }
}
JAVA
for artifact in com.github.samtools:htsjdk:4.2.0 commons-logging:commons-logging:1.3.0; do
  mvn -q -B org.apache.maven.plugins:maven-dependency-plugin:3.8.1:copy \
    -Dartifact="$artifact" -DoutputDirectory="$folder/jars" -Dmdep.useBaseVersion=true >&2
done
javac -cp "jars/*" -d . Tags.java
found=$(java -cp "jars/*:." Tags)
echo "XA and RG, XA twice before RG, XA around RG: $found"
[ "$found" = "c:a d:null d:a " ]
