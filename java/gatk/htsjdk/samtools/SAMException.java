package htsjdk.samtools;

/** Part of htsjdk's class. */
@SuppressWarnings("serial")
public class SAMException extends RuntimeException {
    public SAMException(String message, Throwable cause) {
        super(message, cause);
    }
}
