package org.gklshim.gatk.recalibration;

import htsjdk.samtools.DefaultSAMRecordFactory;
import htsjdk.samtools.SAMRecord;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.function.Consumer;
import org.broadinstitute.hellbender.engine.ReadWalker;
import org.broadinstitute.hellbender.tools.walkers.bqsr.ApplyBQSR;
import org.broadinstitute.hellbender.transformers.BQSRReadTransformer;
import org.broadinstitute.hellbender.utils.read.GATKRead;
import org.broadinstitute.hellbender.utils.read.SAMRecordToGATKReadAdapter;
import org.gklshim.gatk.Members;

/**
 * ApplyBQSR's work. The new qualities come from a table. A record from a BAM file is not decoded:
 * its bytes are written again as htsjdk would write them. GATK's transformer gets the reads that
 * are unusual.
 */
final class QualityRecalibration implements ReadTool {
    private final ReadWalker walker;
    private final BQSRReadTransformer transformer;
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
        header = new ReadHeader(walker.getHeaderForReads());
        table = new QualityTable(transformer, header);
        emitsOriginal = (boolean) Members.get(transformer, "emitOriginalQuals");
        usesOriginal = (boolean) Members.get(transformer, "useOriginalBaseQualities");
        reason = table.isUnsuitable() ? "unusual contexts, cycles or qualities" : null;
        if (reason != null) {
            Part.INSTANCE.fallBack(reason);
        }
    }

    /** Returns our way to do the work, or null if it is another tool. */
    static QualityRecalibration of(ReadWalker walker) {
        return walker instanceof ApplyBQSR ? new QualityRecalibration(walker) : null;
    }

    @Override
    public String serialReason() {
        return reason;
    }

    @Override
    public Consumer<ReadTask> worker(ReadFilters filters) {
        return new Worker(filters)::work;
    }

    @Override
    public void accept(GATKRead read) {
        walker.apply(read, null, null);
    }

    @Override
    public void finish() {}

    /** Recalibrates the reads of one thread. */
    private final class Worker extends SequencingOrder {
        private final ReadFilters filters;
        private final ReadArrays arrays = new ReadArrays(header, usesOriginal);
        private final TagWriter tags = new TagWriter();
        private final DefaultSAMRecordFactory factory = new DefaultSAMRecordFactory();
        /** Where the new qualities of a read go to, from a place on. */
        private byte[] target;
        private int targetStart;

        Worker(ReadFilters filters) {
            super(table.contextSize, table.tailQuality);
            this.filters = filters;
        }

        void work(ReadTask task) {
            GATKRead last = null;
            for (GATKRead read : task.reads) {
                GATKRead result = recalibrate(read);
                if (result == null) {
                    result = process(read);
                }
                if (result != null) {
                    task.results.add(result);
                    last = result;
                }
            }
            task.setPassed(task.results.size(), last);
        }

        /** Returns the read with new qualities, or null if GATK has to look at it. */
        private GATKRead recalibrate(GATKRead read) {
            SAMRecord record = reason == null ? ReadArrays.record(read) : null;
            if (record == null || !arrays.take(record) || !isUsual()
                    || filters != null && !filters.letPass(arrays)) {
                return null;
            }
            return arrays.bytes == null
                    ? changed(read) : rewritten(record, tags.rewrite(arrays, emitsOriginal));
        }

        private boolean isUsual() {
            return arrays.hasPlainQualities(0, arrays.length, tailQuality)
                    && arrays.length <= table.maximumCycle && table.has(arrays.readGroup);
        }

        private GATKRead rewritten(SAMRecord record, byte[] data) {
            target = data;
            targetStart = arrays.tagsStart - arrays.length;
            System.arraycopy(arrays.qualities, arrays.qualitiesStart, data, targetStart,
                    arrays.length);
            visitAll(arrays, 0, arrays.length);
            if ((arrays.length & 1) != 0) {
                // Half of the last byte of the bases is not used.
                data[targetStart - 1] &= 0xf0;
            }
            SAMRecord result = factory.createBAMRecord(record.getHeader(), arrays.contig,
                    arrays.start, (short) (record.getReadNameLength() + 1),
                    (short) arrays.mappingQuality, 0, arrays.elements, arrays.flags, arrays.length,
                    arrays.mateContig, arrays.mateStart, arrays.insertSize, data);
            return new SAMRecordToGATKReadAdapter(result);
        }

        /** Changes a read that does not come from a BAM file. */
        private GATKRead changed(GATKRead read) {
            target = Arrays.copyOf(arrays.qualities, arrays.length);
            targetStart = 0;
            visitAll(arrays, 0, arrays.length);
            if (emitsOriginal && !read.hasAttribute("OQ")) {
                byte[] text = arrays.qualities.clone();
                for (int k = 0; k < text.length; k++) {
                    text[k] += ReadArrays.FIRST_QUALITY;
                }
                read.setAttribute("OQ", new String(text, StandardCharsets.US_ASCII));
            }
            read.clearAttribute("BI");
            read.clearAttribute("BD");
            read.setBaseQualities(target);
            return read;
        }

        @Override
        void visit(ReadArrays read, int base, int quality, int context, int cycle) {
            if (quality >= table.minQuality) {
                target[targetStart + base] =
                        (byte) table.quality(read.readGroup, quality, context, cycle);
            }
        }

        /** Lets GATK filter and recalibrate a read. Returns null if it does not pass. */
        private GATKRead process(GATKRead read) {
            if (filters != null && !filters.test(read)) {
                return null;
            }
            synchronized (table) {
                return transformer.apply(read);
            }
        }
    }
}
