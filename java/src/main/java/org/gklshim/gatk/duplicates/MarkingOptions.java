package org.gklshim.gatk.duplicates;

import htsjdk.samtools.DuplicateScoringStrategy.ScoringStrategy;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import picard.sam.markduplicates.MarkDuplicates;
import picard.sam.markduplicates.util.OpticalDuplicateFinder;
import picard.sam.markduplicates.util.ReadEndsForMarkDuplicates;

/** What the threads need to know of the tool's options and of Picard's version. */
public final class MarkingOptions {
    /** How a read's place on the flow cell is found. */
    public enum Names { DEFAULT, ASK_PICARD, IGNORED }

    public final Names names;
    /** Whether the input is sorted or grouped by name, and not sorted by coordinate. */
    public final boolean isGrouped;
    public final boolean hasProgram;
    public final boolean scoresQualities;
    /** Up to Picard 3.4.0, x and y have 16 bits. */
    public final boolean hasShortPlaces;
    /** Up to Picard 3.1.1, mates may have different read groups. */
    public final boolean pairsWithinGroups;
    public final Barcodes barcodes;

    MarkingOptions(MarkDuplicates tool, boolean isGrouped) throws IOException {
        barcodes = new Barcodes(tool);
        if (tool.READ_NAME_REGEX == null) {
            names = Names.IGNORED;
        } else {
            names = tool.READ_NAME_REGEX.equals(OpticalDuplicateFinder.DEFAULT_READ_NAME_REGEX)
                    ? Names.DEFAULT : Names.ASK_PICARD;
        }
        this.isGrouped = isGrouped;
        hasProgram = tool.PROGRAM_RECORD_ID != null;
        scoresQualities =
                tool.DUPLICATE_SCORING_STRATEGY == ScoringStrategy.SUM_OF_BASE_QUALITIES;
        ReadEndsForMarkDuplicates probe = new ReadEndsForMarkDuplicates();
        probe.setX(1 << 16);
        hasShortPlaces = probe.getX() == 0;
        pairsWithinGroups = calls("()Lhtsjdk/samtools/SAMReadGroupRecord;");
    }

    /** Returns whether Picard's class calls a method of this type. */
    private static boolean calls(String descriptor) throws IOException {
        try (InputStream in = MarkDuplicates.class.getResourceAsStream("MarkDuplicates.class")) {
            ByteArrayOutputStream file = new ByteArrayOutputStream();
            byte[] part = new byte[1 << 14];
            for (int size; (size = in.read(part)) > 0;) {
                file.write(part, 0, size);
            }
            return new String(file.toByteArray(), StandardCharsets.ISO_8859_1)
                    .contains(descriptor);
        }
    }
}
