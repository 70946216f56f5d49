package org.gklshim.gatk.recalibration;

import java.util.HashMap;
import java.util.Map;
import org.broadinstitute.hellbender.engine.filters.CountingReadFilter;
import org.broadinstitute.hellbender.utils.read.GATKRead;
import org.gklshim.gatk.Members;
import org.gklshim.gatk.records.BamFormat;

/**
 * The filters of a run, for one thread. GATK's own filters are not asked about a read that passes
 * in any case.
 */
final class ReadFilters {
    private static final String FILTERS = "org.broadinstitute.hellbender.engine.filters.";
    private static final int NO_FLAG = 0;
    private static final int UNAVAILABLE = 255;
    private static final String NOT_ZERO = "MappingQualityNotZeroReadFilter";
    private static final String AVAILABLE = "MappingQualityAvailableReadFilter";
    /** The filters that several threads may ask, and the flag that each does not let pass. */
    private static final Map<String, Integer> FLAGS = new HashMap<>();

    static {
        String library = FILTERS + "ReadFilterLibrary$";
        FLAGS.put(FILTERS + "WellformedReadFilter", NO_FLAG);
        FLAGS.put(library + NOT_ZERO, NO_FLAG);
        FLAGS.put(library + AVAILABLE, NO_FLAG);
        FLAGS.put(library + "MappedReadFilter", BamFormat.UNMAPPED);
        FLAGS.put(library + "NotSecondaryAlignmentReadFilter", BamFormat.SECONDARY);
        FLAGS.put(library + "PassesVendorQualityCheckReadFilter", BamFormat.QC_FAIL);
        FLAGS.put(library + "NotDuplicateReadFilter", BamFormat.DUPLICATE);
    }

    private final CountingReadFilter filter;
    private boolean isKnown = true;
    private int flags;
    private boolean needsQuality;
    private boolean needsAvailable;
    /** How many reads have passed that GATK's filters were not asked about. */
    private long passed;

    ReadFilters(CountingReadFilter filter) {
        this.filter = filter;
        add(filter);
    }

    private void add(CountingReadFilter part) {
        if (isBoth(part)) {
            add(side(part, "lhs"));
            add(side(part, "rhs"));
            return;
        }
        Object delegate = part.getClass() == CountingReadFilter.class
                ? Members.get(part, "delegateFilter") : part;
        String name = delegate.getClass().getName();
        Integer flag = FLAGS.get(name);
        if (flag == null) {
            isKnown = false;
            return;
        }
        flags |= flag;
        needsQuality |= name.endsWith(NOT_ZERO);
        needsAvailable |= name.endsWith(AVAILABLE);
    }

    private static boolean isBoth(CountingReadFilter part) {
        return part.getClass().getSimpleName().equals("CountingAndReadFilter");
    }

    private static CountingReadFilter side(CountingReadFilter part, String name) {
        return (CountingReadFilter) Members.get(part, name);
    }

    /** Returns whether several threads may ask these filters, each with its own counts. */
    boolean areKnown() {
        return isKnown;
    }

    /** Returns whether a read passes in any case, and counts it. The read is well-formed. */
    boolean letPass(ReadArrays read) {
        if (read.has(flags) || needsQuality && read.mappingQuality == 0
                || needsAvailable && read.mappingQuality == UNAVAILABLE) {
            return false;
        }
        passed++;
        return true;
    }

    /** Asks GATK's filters. */
    boolean test(GATKRead read) {
        return filter.test(read);
    }

    /** Returns GATK's summary of the counts. */
    String summary() {
        return filter.getSummaryLine();
    }

    /** Adds the counts to those of another object for the same filters. */
    void addTo(ReadFilters all) {
        add(filter, all.filter);
    }

    private void add(CountingReadFilter from, CountingReadFilter to) {
        add(from, to, "filteredCount", 0);
        if (isBoth(from)) {
            // A read that passes is counted in each pair of filters. GATK 4.3 does not do so.
            add(from, to, "totalCount", passed);
            add(side(from, "lhs"), side(to, "lhs"));
            add(side(from, "rhs"), side(to, "rhs"));
        }
    }

    private static void add(Object from, Object to, String name, long more) {
        Object count = Members.get(from, name, null);
        if (count != null) {
            Members.replace(to, name, (long) Members.get(to, name) + (long) count + more);
        }
    }
}
