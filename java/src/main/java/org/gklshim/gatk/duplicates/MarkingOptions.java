package org.gklshim.gatk.duplicates;

import htsjdk.samtools.DuplicateScoringStrategy.ScoringStrategy;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import org.gklshim.NativeLibrary;
import picard.sam.markduplicates.MarkDuplicates;
import picard.sam.markduplicates.util.OpticalDuplicateFinder;
import picard.sam.markduplicates.util.ReadEndsForMarkDuplicates;

/** What the threads need to know of the tool's options and of Picard's version. */
public final class MarkingOptions {
    /** How a read's place on the flow cell is found. */
    public enum Names { DEFAULT, ASK_PICARD, IGNORED }

    /** These get other values on the way from the input to the output. */
    private static final List<String> CHANGING = Arrays.asList("RG", "PG", "DT", "CG");

    public final Names names;
    /** Whether the input is sorted or grouped by name, and not sorted by coordinate. */
    public final boolean isGrouped;
    public final boolean hasProgram;
    public final boolean scoresQualities;
    /** Up to Picard 3.4.0, x and y have 16 bits. */
    public final boolean hasShortPlaces;
    /** Up to Picard 3.1.1, mates may have different read groups. */
    public final boolean pairsWithinGroups;
    /** Whether reads with different barcodes are no duplicates. */
    public final boolean hasBarcodes;
    final boolean hasDuplexBarcodes;
    /** The barcode of both mates, of the first, of the second, and the molecule. Null for none. */
    final List<String> tags;

    MarkingOptions(MarkDuplicates tool, boolean isGrouped) throws IOException {
        tags = Arrays.asList(tool.BARCODE_TAG, tool.READ_ONE_BARCODE_TAG,
                tool.READ_TWO_BARCODE_TAG,
                tool.BARCODE_TAG == null ? null : tool.MOLECULAR_IDENTIFIER_TAG);
        for (String tag : tags) {
            if (tag != null && (!tag.matches("[A-Za-z][A-Za-z0-9]") || CHANGING.contains(tag))) {
                throw new UnsuitableException("a barcode or a molecule in the tag " + tag);
            }
        }
        hasBarcodes = tags.stream().anyMatch(Objects::nonNull);
        hasDuplexBarcodes = tool.DUPLEX_UMI;
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
            return new String(NativeLibrary.readAll(in), StandardCharsets.ISO_8859_1)
                    .contains(descriptor);
        }
    }
}
