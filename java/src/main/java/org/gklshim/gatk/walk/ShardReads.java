package org.gklshim.gatk.walk;

import java.util.ArrayDeque;
import java.util.Iterator;
import java.util.NoSuchElementException;
import java.util.Queue;
import org.broadinstitute.hellbender.utils.read.GATKRead;

/**
 * The reads of a shard, which regions get once the walk along positions has taken them. As in GATK,
 * the next read is fetched as soon as one is taken: the downsampler, which this fetches from, draws
 * random numbers.
 */
final class ShardReads {
    private final Iterator<GATKRead> reads;
    private final Queue<GATKRead> taken = new ArrayDeque<>();
    private GATKRead next;

    ShardReads(Iterator<GATKRead> reads) {
        this.reads = reads;
        fetch();
    }

    private void fetch() {
        next = reads.hasNext() ? reads.next() : null;
        if (next != null) {
            taken.add(next);
        }
    }

    /** Returns the next read without taking it, or null after the last one. */
    GATKRead peek() {
        return next;
    }

    /** Takes the next read. */
    GATKRead take() {
        if (next == null) {
            throw new NoSuchElementException();
        }
        GATKRead read = next;
        fetch();
        return read;
    }

    /** Returns the reads that no region has got yet. */
    Queue<GATKRead> taken() {
        return taken;
    }
}
