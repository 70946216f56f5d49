package htsjdk.samtools;

import java.util.List;

/** Part of htsjdk's class. */
public final class SAMUtils {
    public static native void processValidationErrors(List<SAMValidationError> errors,
            long recordIndex, ValidationStringency stringency);
}
