package org.gklshim.gatk.duplicates;

/** Says why a run is left to Picard's own code. */
public final class Unsuitable extends RuntimeException {
    private static final long serialVersionUID = 1;

    public Unsuitable(String reason) {
        super(reason, null, false, false);
    }
}
