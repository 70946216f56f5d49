package org.broadinstitute.gatk.nativebindings.pdhmm;

/** GATK's options for a native PDHMM. */
public class PDHMMNativeArguments {
    public int maxNumberOfThreads;
}
