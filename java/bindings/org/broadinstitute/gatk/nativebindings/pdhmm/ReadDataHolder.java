package org.broadinstitute.gatk.nativebindings.pdhmm;

/** One read of a region: five arrays of one length. */
public final class ReadDataHolder {
    public byte[] readBases;
    public byte[] readQuals;
    public byte[] insertionGOP;
    public byte[] deletionGOP;
    public byte[] overallGCP;
}
