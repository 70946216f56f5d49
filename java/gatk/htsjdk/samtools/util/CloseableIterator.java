package htsjdk.samtools.util;

import java.util.Iterator;

/** Part of htsjdk's class. */
public interface CloseableIterator<T> extends Iterator<T> {
    void close();
}
