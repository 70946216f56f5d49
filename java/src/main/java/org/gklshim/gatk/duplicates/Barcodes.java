package org.gklshim.gatk.duplicates;

import htsjdk.samtools.SAMRecord;
import java.util.Arrays;
import java.util.List;
import org.gklshim.gatk.Members;
import picard.sam.markduplicates.MarkDuplicates;

/** The tags of reads that have barcodes, and the tag that names a read's molecule. */
public final class Barcodes {
    private static final String PICARDS = "picard.sam.markduplicates.UmiUtil";
    /** These get other values on the way from the input to the output. */
    private static final List<String> CHANGING = Arrays.asList("RG", "PG", "DT", "CG");

    /** Whether reads with other barcodes are no duplicates. */
    public final boolean areUsed;
    public final boolean isDuplex;
    /** The names of the tags, for native code: 16 bits each, the first name in the lowest. */
    final long tags;
    /** Null if molecules are not named. */
    private final String moleculeTag;

    Barcodes(MarkDuplicates tool) {
        String[] names = {tool.BARCODE_TAG, tool.READ_ONE_BARCODE_TAG, tool.READ_TWO_BARCODE_TAG};
        areUsed = !Arrays.equals(names, new String[names.length]);
        isDuplex = tool.DUPLEX_UMI;
        moleculeTag = tool.BARCODE_TAG == null ? null : tool.MOLECULAR_IDENTIFIER_TAG;
        long packed = number(moleculeTag) << 16 * names.length;
        for (int k = 0; k < names.length; k++) {
            packed |= number(names[k]) << 16 * k;
        }
        tags = packed;
    }

    private static long number(String tag) {
        if (tag == null) {
            return 0;
        }
        if (!tag.matches("[A-Za-z][A-Za-z0-9]") || CHANGING.contains(tag)) {
            throw new Unsuitable("a barcode or a molecule in the tag " + tag);
        }
        return tag.charAt(0) | tag.charAt(1) << 8;
    }

    /** Has Picard name the molecule of a read. */
    public void setMolecule(SAMRecord record) {
        if (moleculeTag != null) {
            Members.callStatic(MarkDuplicates.class.getClassLoader(), PICARDS,
                    "setMolecularIdentifier", record, "", moleculeTag, isDuplex);
        }
    }
}
