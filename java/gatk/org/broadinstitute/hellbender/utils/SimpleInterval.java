package org.broadinstitute.hellbender.utils;

import htsjdk.samtools.util.Locatable;

/** Part of GATK's class. */
public final class SimpleInterval implements Locatable {
    public SimpleInterval(String contig, int start, int end) {}

    @Override
    public native String getContig();

    @Override
    public native int getStart();

    @Override
    public native int getEnd();

    public native int size();

    public boolean overlapsWithMargin(Locatable other, int margin) {
        throw new UnsupportedOperationException();
    }
}
