package org.broadinstitute.hellbender.utils.read;

import htsjdk.samtools.CigarElement;
import htsjdk.samtools.SAMRecord;
import java.util.List;

/** Part of GATK's class. */
public class SAMRecordToGATKReadAdapter implements GATKRead {
    public SAMRecordToGATKReadAdapter(SAMRecord record) {}

    public native SAMRecord getEncapsulatedSamRecord();

    @Override
    public native String getName();

    @Override
    public native String getContig();

    @Override
    public native int getStart();

    @Override
    public native int getEnd();

    @Override
    public native int getLength();

    @Override
    public native byte[] getBases();

    @Override
    public native byte[] getBaseQualities();

    @Override
    public native List<CigarElement> getCigarElements();

    @Override
    public native String getReadGroup();

    @Override
    public native int getAdaptorBoundary();

    @Override
    public native int getFragmentLength();

    @Override
    public native boolean isReverseStrand();

    @Override
    public native Object getTransientAttribute(Object key);

    @Override
    public native boolean hasAttribute(String name);

    @Override
    public native GATKRead copy();
}
