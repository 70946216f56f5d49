package org.gklshim.gatk.confidence;

import htsjdk.variant.variantcontext.VariantContext;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import org.broadinstitute.hellbender.Main;
import org.broadinstitute.hellbender.engine.AssemblyRegion;
import org.broadinstitute.hellbender.tools.walkers.genotyper.PloidyModel;
import org.broadinstitute.hellbender.tools.walkers.haplotypecaller.AssemblyBasedCallerUtils;
import org.broadinstitute.hellbender.tools.walkers.haplotypecaller.RefVsAnyResult;
import org.broadinstitute.hellbender.tools.walkers.haplotypecaller.ReferenceConfidenceModel;
import org.broadinstitute.hellbender.tools.walkers.haplotypecaller.ReferenceConfidenceResult;
import org.broadinstitute.hellbender.utils.SimpleInterval;
import org.broadinstitute.hellbender.utils.genotyper.AlleleLikelihoods;
import org.broadinstitute.hellbender.utils.genotyper.SampleList;
import org.broadinstitute.hellbender.utils.haplotype.Haplotype;
import org.broadinstitute.hellbender.utils.pileup.ReadPileup;
import org.broadinstitute.hellbender.utils.read.GATKRead;
import org.gklshim.CheckAgent;
import org.gklshim.gatk.Members;

/**
 * Runs HaplotypeCaller, and compares our sums and records of each region with GATK's: sums to the
 * last bit. Prints a line after each run.
 *
 * <p>Arguments: those of HaplotypeCaller, and of further runs, with a + between runs.
 */
public final class ConfidenceCheck {
    private static final byte MIN_BASE_QUALITY = 6;

    private static int regions;
    private static int positions;
    private static int withoutReads;
    private static int different;

    private ConfidenceCheck() {}

    public static void main(String[] arguments) {
        List<String> left = Arrays.asList(arguments);
        while (!left.isEmpty()) {
            int end = left.contains("+") ? left.indexOf("+") : left.size();
            new Main().instanceMain(left.subList(0, end).toArray(new String[0]));
            System.out.printf("compared %d regions, %d positions, %d without reads, %d different%n",
                    regions, positions, withoutReads, different);
            left = left.subList(Math.min(end + 1, left.size()), left.size());
        }
    }

    /** Is called in place of our method. */
    public static List<VariantContext> calculateRefConfidence(ReferenceConfidenceModel model,
            Haplotype haplotype, Collection<Haplotype> haplotypes, SimpleInterval padded,
            AssemblyRegion region, AlleleLikelihoods<GATKRead, Haplotype> likelihoods,
            PloidyModel ploidyModel, List<VariantContext> calls, boolean applyPriors,
            List<VariantContext> priors) throws ReflectiveOperationException {
        Object[] arguments = {haplotype, haplotypes, padded, region, likelihoods, ploidyModel,
            calls, applyPriors, priors};
        Object[] ours = new Object[arguments.length + 1];
        ours[0] = model;
        System.arraycopy(arguments, 0, ours, 1, arguments.length);
        List<VariantContext> records = records(ReferenceConfidence.class, null, ours);
        List<VariantContext> expected = records(ReferenceConfidenceModel.class, model, arguments);
        int ploidy = ploidyModel.samplePloidy(0);
        ConfidenceSums sums =
                ReferenceConfidence.sums(model, haplotype, region, likelihoods, ploidy);
        List<ReadPileup> pileups = AssemblyBasedCallerUtils.getPileupsOverReference(
                region.getHeader(), region.getSpan(), likelihoods,
                (SampleList) Members.get(model, "samples"));
        synchronized (ConfidenceCheck.class) {
            regions++;
            compare(region, text(expected), text(records));
            int offset = region.getSpan().getStart() - region.getPaddedSpan().getStart();
            for (int k = 0; k < pileups.size(); k++) {
                compare(region, gatks(model, ploidy, pileups.get(k), haplotype.getBases(),
                        k + offset), ours(sums, ploidy, k));
                positions++;
                withoutReads += pileups.get(k).size() == 0 ? 1 : 0;
            }
        }
        // A read may be in the next region, too, where GATK would take this region's result.
        likelihoods.sampleEvidence(0).forEach(read -> read.clearTransientAttribute(
                ReferenceConfidenceModel.INDEL_INFORMATIVE_BASES_CACHE_ATTRIBUTE_NAME));
        return records;
    }

    private static void compare(AssemblyRegion region, String expected, String found) {
        if (expected.equals(found)) {
            return;
        }
        different++;
        String[] theirs = expected.split("\n");
        String[] ours = found.split("\n");
        int k = 0;
        while (k < Math.min(theirs.length, ours.length) - 1 && theirs[k].equals(ours[k])) {
            k++;
        }
        System.out.println("different: " + region + "\n" + theirs[k] + "\n" + ours[k]);
    }

    private static String gatks(ReferenceConfidenceModel model, int ploidy, ReadPileup pileup,
            byte[] reference, int offset) throws ReflectiveOperationException {
        return text(model.calcGenotypeLikelihoodsOfRefVsAny(ploidy, pileup, reference[offset],
                MIN_BASE_QUALITY, null, true))
                + Members.call(model, "calcNReadsWithNoPlausibleIndelsReads", pileup, offset,
                        reference, Members.get(model, "indelInformativeDepthIndelSize"));
    }

    private static String ours(ConfidenceSums sums, int ploidy, int position)
            throws ReflectiveOperationException {
        RefVsAnyResult result = new RefVsAnyResult(ploidy + 1);
        sums.fill(position, result);
        return text(result) + sums.readsWithoutIndel(position);
    }

    private static String text(ReferenceConfidenceResult result)
            throws ReflectiveOperationException {
        return Arrays.toString((double[]) Members.get(result, "genotypeLikelihoods")) + " "
                + result.refDepth + " " + result.nonRefDepth + " ";
    }

    private static String text(List<VariantContext> records) {
        StringBuilder text = new StringBuilder();
        for (VariantContext record : records) {
            text.append(record.toStringDecodeGenotypes()).append('\n');
        }
        return text.toString();
    }

    @SuppressWarnings("unchecked")
    private static List<VariantContext> records(Class<?> type, Object receiver,
            Object[] arguments) throws ReflectiveOperationException {
        return (List<VariantContext>) CheckAgent.original(type, "calculateRefConfidence")
                .invoke(receiver, arguments);
    }
}
