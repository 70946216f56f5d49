package org.broadinstitute.hellbender.utils.recalibration;

import org.broadinstitute.hellbender.utils.collections.NestedIntegerArray;

/** Part of GATK's class. */
public final class RecalibrationTables {
    public native NestedIntegerArray<RecalDatum> getReadGroupTable();

    public native NestedIntegerArray<RecalDatum> getQualityScoreTable();

    public native NestedIntegerArray<RecalDatum> getTable(int index);
}
