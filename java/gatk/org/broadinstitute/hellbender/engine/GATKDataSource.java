package org.broadinstitute.hellbender.engine;

import java.util.Iterator;
import org.broadinstitute.hellbender.utils.SimpleInterval;

/** GATK's interface. */
public interface GATKDataSource<T> extends Iterable<T> {
    Iterator<T> query(SimpleInterval interval);
}
