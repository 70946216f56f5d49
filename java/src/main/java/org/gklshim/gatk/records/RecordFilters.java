package org.gklshim.gatk.records;

import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import org.broadinstitute.hellbender.engine.filters.CountingReadFilter;
import org.broadinstitute.hellbender.utils.read.GATKRead;
import org.gklshim.gatk.Members;

/** GATK's filters of a run, for records that are held as bytes. They count as GATK's do. */
public final class RecordFilters {
    /** What a filter finds out about a record. */
    private enum Verdict { PASSES, FAILS, UNKNOWN }

    /** A filter. */
    private interface Test {
        Verdict of(BamRecord record);
    }

    private static final String FILTERS = "org.broadinstitute.hellbender.engine.filters.";
    private static final Map<String, Test> TESTS = new HashMap<>();

    static {
        put("AllowAllReadsReadFilter", record -> true);
        put("MappedReadFilter", record -> !record.isUnmapped());
        put("MappingQualityNotZeroReadFilter", record -> record.mappingQuality != 0);
        put("MappingQualityAvailableReadFilter", record -> record.mappingQuality != 255);
        put("NotSecondaryAlignmentReadFilter", without(BamFormat.SECONDARY));
        put("NotSupplementaryAlignmentReadFilter", without(BamFormat.SUPPLEMENTARY));
        put("PrimaryLineReadFilter", without(BamFormat.SECONDARY | BamFormat.SUPPLEMENTARY));
        put("PassesVendorQualityCheckReadFilter", without(BamFormat.QC_FAIL));
        put("NotDuplicateReadFilter", without(BamFormat.DUPLICATE));
        put("PairedReadFilter", record -> record.has(BamFormat.PAIRED));
        put("ProperlyPairedReadFilter", pairWith(BamFormat.PROPER_PAIR));
        put("NotProperlyPairedReadFilter",
                record -> record.has(BamFormat.PAIRED) && !record.has(BamFormat.PROPER_PAIR));
        put("FirstOfPairReadFilter", pairWith(BamFormat.FIRST));
        put("SecondOfPairReadFilter", pairWith(BamFormat.SECOND));
        put("NonZeroFragmentLengthReadFilter", record -> record.insertSize != 0);
        put("NonZeroReferenceLengthAlignmentReadFilter", record -> record.span > 0);
        put("MateOnSameContigOrNoMappedMateReadFilter", record -> !record.has(BamFormat.PAIRED)
                || record.isMateUnmapped()
                || !record.isUnmapped() && record.reference == record.mateReference);
        put("ValidAlignmentStartReadFilter", record -> true);
        put("ValidAlignmentEndReadFilter", record -> true);
        put("MatchingBasesAndQualsReadFilter", RecordFilters::hasMatchingQualities);
        put("ReadLengthEqualsCigarLengthReadFilter", RecordFilters::hasLengthOfCigar);
        put("SeqIsStoredReadFilter", record -> record.length > 0);
        put("CigarContainsNoNOperator", record -> !record.hasSkip);
        String library = FILTERS + "ReadFilterLibrary$";
        TESTS.put(library + "GoodCigarReadFilter",
                record -> record.isCigarGood ? Verdict.PASSES : Verdict.UNKNOWN);
        TESTS.put(library + "HasReadGroupReadFilter", RecordFilters::hasReadGroup);
        TESTS.put(FILTERS + "AlignmentAgreesWithHeaderReadFilter", record -> Verdict.PASSES);
        TESTS.put(FILTERS + "WellformedReadFilter", RecordFilters::isWellformed);
    }

    private static void put(String name, Predicate<BamRecord> test) {
        TESTS.put(FILTERS + "ReadFilterLibrary$" + name, record -> verdict(test.test(record)));
    }

    private static Verdict verdict(boolean passes) {
        return passes ? Verdict.PASSES : Verdict.FAILS;
    }

    private static Predicate<BamRecord> without(int flags) {
        return record -> !record.has(flags);
    }

    private static Predicate<BamRecord> pairWith(int flag) {
        return record -> record.has(BamFormat.PAIRED) && record.has(flag);
    }

    private static boolean hasMatchingQualities(BamRecord record) {
        return record.length == 0 || record.hasQualities();
    }

    private static boolean hasLengthOfCigar(BamRecord record) {
        return record.isUnmapped() || record.alignedLength == record.length;
    }

    private static Verdict hasReadGroup(BamRecord record) {
        return record.findReadGroup() ? verdict(record.groupStart >= 0) : Verdict.UNKNOWN;
    }

    private static Verdict isWellformed(BamRecord record) {
        Verdict verdict = hasReadGroup(record);
        return verdict != Verdict.PASSES ? verdict
                : verdict(record.hasQualities() && hasLengthOfCigar(record) && !record.hasSkip);
    }

    /** A filter of mapping qualities, with its limits. */
    private static Test mappingQualities(Object filter) {
        int least = (int) Members.get(filter, "minMappingQualityScore");
        Integer most = (Integer) Members.get(filter, "maxMappingQualityScore");
        return record -> verdict(record.mappingQuality >= least
                && (most == null || record.mappingQuality <= most));
    }

    private final CountingReadFilter filter;
    /** GATK's filters in the order in which it asks them. */
    private final List<CountingReadFilter> filters = new ArrayList<>();
    /** Pair k has the filters up to k + 1. */
    private final List<CountingReadFilter> pairs = new ArrayList<>();
    private final Test[] tests;
    /** How many records each filter has not let pass, and how many were tested in all. */
    private final long[] failed;
    private long tested;
    private String unknown;

    /** @param filter the filter of the run, which may be one of several */
    public RecordFilters(CountingReadFilter filter) {
        this.filter = filter;
        CountingReadFilter part = filter;
        while (part.getClass().getSimpleName().equals("CountingAndReadFilter")) {
            pairs.add(part);
            filters.add((CountingReadFilter) Members.get(part, "rhs"));
            part = (CountingReadFilter) Members.get(part, "lhs");
        }
        filters.add(part);
        Collections.reverse(pairs);
        Collections.reverse(filters);
        failed = new long[filters.size()];
        tests = new Test[filters.size()];
        for (int k = 0; k < tests.length; k++) {
            tests[k] = test(filters.get(k));
        }
    }

    private Test test(CountingReadFilter part) {
        Object single = part.getClass() == CountingReadFilter.class
                ? Members.get(part, "delegateFilter") : part;
        String name = single.getClass().getName();
        if (name.equals(FILTERS + "MappingQualityReadFilter")) {
            return mappingQualities(single);
        }
        if (!TESTS.containsKey(name)) {
            unknown = name.substring(name.lastIndexOf('.') + 1);
        }
        return TESTS.get(name);
    }

    /** Returns the name of a filter that needs GATK's reads, or null if there is none. */
    public String unknown() {
        return unknown;
    }

    /** Returns whether a record passes, and counts it. */
    public boolean test(Records records) {
        Verdict verdict = records.isUsual() ? test(records.record()) : Verdict.UNKNOWN;
        return verdict == Verdict.UNKNOWN ? test(records.read()) : verdict == Verdict.PASSES;
    }

    /** Asks GATK's filters. */
    boolean test(GATKRead read) {
        return filter.test(read);
    }

    /** Tests a usual record, and counts it unless the verdict is unknown. */
    private Verdict test(BamRecord record) {
        for (int k = 0; k < tests.length; k++) {
            Verdict verdict = tests[k].of(record);
            if (verdict == Verdict.UNKNOWN) {
                return verdict;
            }
            if (verdict == Verdict.FAILS) {
                failed[k]++;
                tested++;
                return verdict;
            }
        }
        tested++;
        return Verdict.PASSES;
    }

    /** Adds the counts to those of GATK's filters. */
    public void addCounts() {
        addCounts(this);
    }

    /** Adds the counts to those of GATK's filters in another object for the same run. */
    void addCounts(RecordFilters all) {
        long sum = 0;
        for (int k = 0; k < failed.length; k++) {
            sum += failed[k];
            add(filters.get(k), all.filters.get(k), "filteredCount", failed[k]);
            if (k > 0) {
                add(pairs.get(k - 1), all.pairs.get(k - 1), "filteredCount", sum);
                // GATK 4.3 does not count these.
                add(pairs.get(k - 1), all.pairs.get(k - 1), "totalCount", tested);
            }
            failed[k] = 0;
        }
        tested = 0;
    }

    private static void add(Object from, Object to, String name, long more) {
        Object count = Members.get(to, name, null);
        if (count != null) {
            long own = from == to ? 0 : (long) Members.get(from, name);
            Members.replace(to, name, (long) count + own + more);
        }
    }

    /** Returns GATK's summary of the counts. */
    String summary() {
        return filter.getSummaryLine();
    }
}
