package org.gklshim.gatk.recalibration;

import htsjdk.samtools.DefaultSAMRecordFactory;
import htsjdk.samtools.SAMFileHeader;
import org.broadinstitute.hellbender.engine.ReadWalker;
import org.broadinstitute.hellbender.tools.walkers.bqsr.ApplyBQSR;
import org.broadinstitute.hellbender.transformers.BQSRReadTransformer;
import org.broadinstitute.hellbender.utils.read.GATKRead;
import org.broadinstitute.hellbender.utils.read.SAMRecordToGATKReadAdapter;
import org.gklshim.gatk.Members;
import org.gklshim.gatk.records.BamFormat;
import org.gklshim.gatk.records.BamRecord;
import org.gklshim.gatk.records.RecordTask;
import org.gklshim.gatk.records.RecordTool;
import org.gklshim.gatk.records.Records;

/**
 * ApplyBQSR's work. The new qualities come from a table. A record is not decoded: its bytes are
 * written again as htsjdk would write them. GATK's transformer gets the reads that
 * are unusual.
 */
public final class QualityRecalibration implements RecordTool {
    private final ReadWalker walker;
    private final BQSRReadTransformer transformer;
    private final SAMFileHeader readsHeader;
    private final ReadHeader header;
    private final QualityTable table;
    private final boolean emitsOriginal;
    private final boolean usesOriginal;
    /** Why GATK's transformer gets all reads, or null. */
    private final String reason;

    /** Reads the tables of the recalibration. */
    private QualityRecalibration(ReadWalker walker) {
        this.walker = walker;
        transformer = (BQSRReadTransformer) walker.makePostReadFilterTransformer();
        readsHeader = walker.getHeaderForReads();
        header = new ReadHeader(readsHeader);
        table = new QualityTable(transformer, header);
        emitsOriginal = (boolean) Members.get(transformer, "emitOriginalQuals");
        usesOriginal = (boolean) Members.get(transformer, "useOriginalBaseQualities");
        reason = table.isUnsuitable() ? "unusual contexts, cycles or qualities" : null;
        if (reason != null) {
            Part.INSTANCE.fallBack(reason);
        }
    }

    /** Returns our way to do the work, or null if it is another tool. */
    public static QualityRecalibration of(ReadWalker walker) {
        return walker instanceof ApplyBQSR ? new QualityRecalibration(walker) : null;
    }

    @Override
    public int threads() {
        return RecalibrationThreads.count(reason);
    }

    @Override
    public Worker worker() {
        return new Worker();
    }

    @Override
    public void accept(RecordTask task) {
        for (GATKRead read : task.results) {
            walker.apply(read, null, null);
        }
    }

    /** Recalibrates the reads of one thread. */
    private final class Worker extends SequencingOrder implements RecordTool.Worker {
        private final ReadArrays arrays = new ReadArrays(header, usesOriginal);
        private final TagWriter tags = new TagWriter();
        private final DefaultSAMRecordFactory factory = new DefaultSAMRecordFactory();
        /** Where the new qualities of a read go to, from a place on. */
        private byte[] target;
        private int targetStart;

        Worker() {
            super(table.contextSize, table.tailQuality);
        }

        @Override
        public void work(Records records, RecordTask task) {
            boolean isUsual = reason == null && records.isUsual() && arrays.take(records.record())
                    && arrays.hasPlainQualities(0, arrays.length, tailQuality)
                    && arrays.length <= table.maximumCycle && table.has(arrays.readGroup);
            task.results.add(isUsual ? rewritten() : process(records));
        }

        private GATKRead rewritten() {
            BamRecord record = arrays.record;
            byte[] data = tags.rewrite(arrays, emitsOriginal);
            target = data;
            targetStart = record.qualitiesStart - record.start - BamFormat.FIXED_SIZE;
            System.arraycopy(arrays.qualities, arrays.qualitiesStart, data, targetStart,
                    arrays.length);
            visitAll(arrays, 0, arrays.length);
            if ((arrays.length & 1) != 0) {
                // Half of the last byte of the bases is not used.
                data[targetStart - 1] &= 0xf0;
            }
            return new SAMRecordToGATKReadAdapter(record.object(readsHeader, factory, 0, data));
        }

        @Override
        void visit(ReadArrays read, int base, int quality, int context, int cycle) {
            if (quality >= table.minQuality) {
                target[targetStart + base] =
                        (byte) table.quality(read.readGroup, quality, context, cycle);
            }
        }

        /** Lets GATK recalibrate a read. */
        private GATKRead process(Records records) {
            synchronized (table) {
                return transformer.apply(records.read());
            }
        }
    }
}
