package org.gklshim.gatk.duplicates.reading;

import htsjdk.samtools.SAMFileHeader;
import htsjdk.samtools.SamFileHeaderMerger;
import htsjdk.samtools.SamReader;
import java.io.File;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import org.gklshim.gatk.Members;
import org.gklshim.gatk.duplicates.UnsuitableException;
import org.gklshim.gatk.records.BamReader;
import picard.sam.markduplicates.MarkDuplicates;
import picard.sam.markduplicates.util.AbstractMarkDuplicatesCommandLineProgram.SamHeaderAndIterator;

/** The input files and their headers, merged if there are several. */
public final class Inputs {
    public final List<File> files = new ArrayList<>();
    /** The header of all records. */
    public final SAMFileHeader header;
    final List<SAMFileHeader> fileHeaders = new ArrayList<>();
    /** Null if there is one file. */
    private final SamFileHeaderMerger merger;

    /** Reads the headers as Picard does. */
    @SuppressWarnings("unchecked")
    public Inputs(MarkDuplicates tool) throws IOException {
        for (String name : tool.INPUT) {
            files.add(new File(name));
            if (!BamReader.isCompressed(files.get(files.size() - 1))) {
                throw new UnsuitableException("input that is no BAM file");
            }
        }
        SamHeaderAndIterator opened =
                (SamHeaderAndIterator) Members.call(tool, "openInputs", false);
        header = opened.header;
        if (files.size() == 1) {
            merger = null;
            fileHeaders.add(header);
        } else {
            merger = (SamFileHeaderMerger) Members.get(opened.iterator, "samHeaderMerger");
            for (SamReader reader :
                    (Collection<SamReader>) Members.get(opened.iterator, "readers")) {
                fileHeaders.add(reader.getFileHeader());
            }
            if (merger.hasMergedSequenceDictionary()) {
                throw new UnsuitableException("inputs with different sequences");
            }
        }
        opened.iterator.close();
    }

    /** Returns the read group that takes the place of a file's own. Null if it has no such one. */
    String group(int file, String id) {
        if (fileHeaders.get(file).getReadGroup(id) == null) {
            return null;
        }
        return renamesGroups() ? merger.getReadGroupId(fileHeaders.get(file), id) : id;
    }

    public boolean renamesGroups() {
        return merger != null && merger.hasReadGroupCollisions();
    }

    /** Returns the program that takes the place of a file's own, or null. */
    public String program(int file, String id) {
        return renamesPrograms() && id != null
                ? merger.getProgramGroupId(fileHeaders.get(file), id) : id;
    }

    public boolean renamesPrograms() {
        return merger != null && merger.hasProgramGroupCollisions();
    }
}
