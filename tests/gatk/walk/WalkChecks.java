package org.gklshim.gatk.walk;

import htsjdk.samtools.SAMFileHeader;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.broadinstitute.hellbender.engine.AssemblyRegion;
import org.broadinstitute.hellbender.engine.AssemblyRegionEvaluator;
import org.broadinstitute.hellbender.engine.AssemblyRegionIterator;
import org.broadinstitute.hellbender.engine.AssemblyRegionWalker;
import org.broadinstitute.hellbender.engine.FeatureContext;
import org.broadinstitute.hellbender.engine.FeatureManager;
import org.broadinstitute.hellbender.engine.MultiIntervalLocalReadShard;
import org.broadinstitute.hellbender.engine.ReadsDataSource;
import org.broadinstitute.hellbender.engine.ReferenceContext;
import org.broadinstitute.hellbender.engine.ReferenceDataSource;
import org.broadinstitute.hellbender.engine.filters.ReadFilter;
import org.broadinstitute.hellbender.tools.walkers.haplotypecaller.HaplotypeCaller;
import org.broadinstitute.hellbender.tools.walkers.haplotypecaller.HaplotypeCallerEngine;
import org.broadinstitute.hellbender.tools.walkers.mutect.Mutect2;
import org.broadinstitute.hellbender.tools.walkers.mutect.Mutect2Engine;
import org.broadinstitute.hellbender.transformers.ReadTransformer;
import org.broadinstitute.hellbender.utils.SimpleInterval;
import org.broadinstitute.hellbender.utils.Utils;
import org.broadinstitute.hellbender.utils.activityprofile.ActivityProfileState;
import org.broadinstitute.hellbender.utils.downsampling.ReadsDownsampler;
import org.broadinstitute.hellbender.utils.read.GATKRead;
import org.gklshim.gatk.Members;

/**
 * Finds the regions of a tool's input with GATK's iterator and with our walk, in a JVM with the
 * agent, and calls each region before it looks for the next: GATK's calls change reads, and draw
 * random numbers. Prints a line for each contig, and how the two differ.
 *
 * <p>Arguments: HaplotypeCaller or Mutect2, and its arguments; more runs of these after "--and". A
 * run that begins with "--joined" has one shard of all contigs, as a program may that uses GATK as
 * a library. There the agent leaves the search to GATK.
 */
public final class WalkChecks {
    /** Three ways to find regions. The agent does not change GATK's for an unknown evaluator. */
    private enum Way { GATK, WALK, AGENT }

    /** What a way has found. */
    private static final class Found {
        /** Regions with their reads, calls, and at the end counts, or an exception. */
        final List<String> lines = new ArrayList<>();
        /** The results of GATK's evaluator that say more than "not active". */
        final Map<Integer, String> active = new TreeMap<>();
        int evaluated;
    }

    private final AssemblyRegionWalker tool;
    private final AssemblyRegionEvaluator engine;

    private WalkChecks(AssemblyRegionWalker tool) {
        this.tool = tool;
        engine = tool.assemblyRegionEvaluator();
    }

    public static void main(String[] arguments) throws Exception {
        AssemblyRegionIterator.class.getMethod("loadNextAssemblyRegion$original");
        boolean equal = true;
        List<String> words = Arrays.asList(arguments);
        while (!words.isEmpty()) {
            int end = words.contains("--and") ? words.indexOf("--and") : words.size();
            equal &= checkRun(words.subList(0, end));
            words = words.subList(Math.min(end + 1, words.size()), words.size());
        }
        System.exit(equal ? 0 : 1);
    }

    private static boolean checkRun(List<String> given) throws Exception {
        System.out.println("# " + String.join(" ", given));
        boolean isJoined = given.get(0).equals("--joined");
        List<String> words = given.subList(isJoined ? 1 : 0, given.size());
        AssemblyRegionWalker tool =
                words.get(0).equals("Mutect2") ? new Mutect2() : new HaplotypeCaller();
        Members.call(tool, "parseArgs",
                (Object) words.subList(1, words.size()).toArray(new String[0]));
        Members.call(tool, "onStartup");
        tool.onTraversalStart();
        if (isJoined) {
            return new WalkChecks(tool).checkJoined();
        }
        boolean equal = true;
        for (Object shard : (List<?>) Members.get(tool, "readShards")) {
            equal &= new WalkChecks(tool).check((MultiIntervalLocalReadShard) shard);
        }
        return equal;
    }

    private boolean checkJoined() throws Exception {
        List<SimpleInterval> intervals = new ArrayList<>();
        for (Object shard : (List<?>) Members.get(tool, "readShards")) {
            intervals.addAll(((MultiIntervalLocalReadShard) shard).getIntervals());
        }
        MultiIntervalLocalReadShard joined = new MultiIntervalLocalReadShard(intervals,
                tool.assemblyRegionArgs.assemblyRegionPadding,
                (ReadsDataSource) Members.get(tool, "reads"));
        Found gatk = find(joined, Way.GATK);
        Found agent = find(joined, Way.AGENT);
        System.out.printf("%d intervals: %d lines of GATK, %d of ours%n", intervals.size(),
                gatk.lines.size(), agent.lines.size());
        show(gatk.lines, agent.lines);
        return gatk.lines.equals(agent.lines);
    }

    private boolean check(MultiIntervalLocalReadShard shard) throws Exception {
        Found gatk = find(shard, Way.GATK);
        Found walk = find(shard, Way.WALK);
        Found agent = find(shard, Way.AGENT);
        boolean equal = gatk.active.equals(walk.active) && gatk.lines.equals(walk.lines)
                && gatk.lines.equals(agent.lines);
        System.out.printf("%s: %d lines, %d of %d positions evaluated, %d active, %s%n",
                shard.getIntervals().get(0).getContig(), gatk.lines.size(), walk.evaluated,
                gatk.evaluated, gatk.active.size(), equal ? "equal" : "different");
        if (!equal) {
            show(lines(gatk.active), lines(walk.active));
            show(gatk.lines, walk.lines);
            show(gatk.lines, agent.lines);
        }
        return equal;
    }

    private static List<String> lines(Map<Integer, String> states) {
        List<String> lines = new ArrayList<>();
        states.forEach((position, state) -> lines.add(position + " " + state));
        return lines;
    }

    private static void show(List<String> gatk, List<String> ours) {
        for (int k = 0; k < Math.max(gatk.size(), ours.size()); k++) {
            String a = k < gatk.size() ? gatk.get(k) : "nothing";
            String b = k < ours.size() ? ours.get(k) : "nothing";
            if (!a.equals(b)) {
                System.out.println("GATK " + a + "\nours " + b);
                return;
            }
        }
    }

    private Found find(MultiIntervalLocalReadShard shard, Way way) throws Exception {
        Found found = new Found();
        Utils.resetRandomGenerator();
        ReadFilter filter = (ReadFilter) Members.call(tool, "makeReadFilter");
        shard.setPreReadFilterTransformer(
                (ReadTransformer) Members.call(tool, "makePreReadFilterTransformer"));
        shard.setReadFilter(filter);
        shard.setDownsampler((ReadsDownsampler) Members.call(tool, "createDownsampler"));
        shard.setPostReadFilterTransformer(
                (ReadTransformer) Members.call(tool, "makePostReadFilterTransformer"));
        ReferenceDataSource reference = (ReferenceDataSource) Members.get(tool, "reference");
        long callableBefore = callableSites();
        try {
            Iterator<AssemblyRegion> regions = regions(shard, way, reference, found);
            while (regions.hasNext()) {
                AssemblyRegion region = regions.next();
                found.lines.add(describe(region));
                found.lines.add(call(region, reference));
            }
        } catch (RuntimeException e) {
            // How far past the last region each way has come is its own affair.
            found.lines.add(e.toString());
            found.active.clear();
            return found;
        }
        found.lines.add("callable: " + (callableSites() - callableBefore));
        found.lines.add((String) Members.call(filter, "getSummaryLine"));
        found.lines.add("random: " + Utils.getRandomGenerator().nextLong());
        return found;
    }

    private Iterator<AssemblyRegion> regions(MultiIntervalLocalReadShard shard, Way way,
            ReferenceDataSource reference, Found found) throws Exception {
        SAMFileHeader header = tool.getHeaderForReads();
        FeatureManager features = (FeatureManager) Members.get(tool, "features");
        AssemblyRegionEvaluator recorder = (alignment, base, context) -> {
            ActivityProfileState state = engine.isActive(alignment, base, context);
            found.evaluated++;
            if (state.isActiveProb() != 0) {
                found.active.put(state.getLoc().getStart(),
                        Double.toHexString(state.isActiveProb()) + " " + state.getResultState()
                                + " " + state.getResultValue());
            }
            return state;
        };
        if (way != Way.WALK) {
            return new AssemblyRegionIterator(shard, header, reference, features,
                    way == Way.GATK ? recorder : engine, tool.assemblyRegionArgs, false);
        }
        RegionWalk walk = new RegionWalk(shard.getIntervals(), shard.iterator(), header,
                reference, features, recorder, tool.assemblyRegionArgs, Screens.of(engine, false));
        return new Iterator<AssemblyRegion>() {
            // As GATK's iterator, one region ahead.
            private AssemblyRegion ready = walk.next();

            @Override
            public boolean hasNext() {
                return ready != null;
            }

            @Override
            public AssemblyRegion next() {
                AssemblyRegion region = ready;
                ready = walk.next();
                return region;
            }
        };
    }

    private static String describe(AssemblyRegion region) {
        StringBuilder text = new StringBuilder();
        text.append(region.getSpan()).append(' ').append(region.getPaddedSpan());
        text.append(region.isActive() ? " active" : " inactive");
        for (GATKRead read : region.getReads()) {
            text.append(' ').append(read.getName()).append(read.isFirstOfPair() ? "/1" : "/2");
            text.append('@').append(read.getStart()).append(':').append(read.getCigar());
            text.append('#').append(Arrays.hashCode(read.getBaseQualities()));
        }
        return text.toString();
    }

    private String call(AssemblyRegion region, ReferenceDataSource reference) throws Exception {
        FeatureContext features = new FeatureContext(
                (FeatureManager) Members.get(tool, "features"), region.getPaddedSpan());
        ReferenceContext bases = new ReferenceContext(reference, region.getPaddedSpan());
        List<?> calls = engine instanceof Mutect2Engine
                ? ((Mutect2Engine) engine).callRegion(region, bases, features)
                : ((HaplotypeCallerEngine) engine).callRegion(region, features, bases);
        // The text of an array is its address.
        return calls.toString().replaceAll("\\[L?[\\w.]+;?@[0-9a-f]+", "array");
    }

    private long callableSites() throws Exception {
        return engine instanceof Mutect2Engine
                ? ((Number) Members.get(engine, "callableSites")).longValue() : 0;
    }
}
