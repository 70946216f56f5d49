package htsjdk.samtools.util;

import htsjdk.samtools.SAMException;

/** Part of htsjdk's class. */
public class RuntimeIOException extends SAMException {
    private static final long serialVersionUID = 1;

    public RuntimeIOException(String message, Throwable cause) {
        super(message, cause);
    }
}
