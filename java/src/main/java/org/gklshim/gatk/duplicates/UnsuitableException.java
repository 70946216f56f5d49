package org.gklshim.gatk.duplicates;

/** Says why a run is left to Picard's own code. */
public final class UnsuitableException extends RuntimeException {
    private static final long serialVersionUID = 1;

    public UnsuitableException(String reason) {
        super(reason, null, false, false);
    }
}
