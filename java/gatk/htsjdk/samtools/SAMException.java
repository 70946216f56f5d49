package htsjdk.samtools;

/** Part of htsjdk's class. */
public class SAMException extends RuntimeException {
    private static final long serialVersionUID = 1;

    public SAMException(String message, Throwable cause) {
        super(message, cause);
    }
}
