package org.gklshim.gatk.walk;

import htsjdk.samtools.SAMFileHeader;
import java.util.Arrays;
import java.util.Queue;
import org.broadinstitute.hellbender.engine.AssemblyRegion;
import org.broadinstitute.hellbender.engine.spark.AssemblyRegionArgumentCollection;
import org.broadinstitute.hellbender.utils.SimpleInterval;
import org.broadinstitute.hellbender.utils.activityprofile.BandPassActivityProfile;

/**
 * The smoothed probabilities of successive positions to be active, and the regions that they make:
 * GATK's BandPassActivityProfile, as an array of numbers instead of a list of objects.
 */
final class RegionProfile {
    /** GATK's profile, which is asked for its filter. */
    private static final class Filter extends BandPassActivityProfile {
        Filter(AssemblyRegionArgumentCollection arguments, SAMFileHeader header) {
            super(arguments.maxProbPropagationDistance, arguments.activeProbThreshold,
                    MAX_FILTER_SIZE, DEFAULT_SIGMA, header);
        }

        double[] kernel() {
            return getKernel();
        }
    }

    private final SAMFileHeader header;
    private final String contig;
    private final int contigLength;
    private final AssemblyRegionArgumentCollection arguments;
    private final double[] kernel;
    private final int maxDistance;

    /** The position of the first probability. */
    private int start;
    /** The last position that was added. */
    private int stop;
    /** Probabilities, the first of them at this index. */
    private double[] probabilities = new double[1 << 12];
    private int first;
    private int size;

    RegionProfile(SAMFileHeader header, String contig,
            AssemblyRegionArgumentCollection arguments) {
        this.header = header;
        this.contig = contig;
        this.arguments = arguments;
        contigLength = header.getSequence(contig).getSequenceLength();
        Filter filter = new Filter(arguments, header);
        kernel = filter.kernel();
        maxDistance = filter.getMaxProbPropagationDistance();
    }

    /** Returns the last position that was added. */
    int stop() {
        return stop;
    }

    /**
     * Adds a position, the first one or the one after the last.
     *
     * @param softClips how far the soft clips at this position reach, 0 for none that count
     */
    void add(int position, double probability, int softClips) {
        if (size == 0) {
            start = position;
        }
        stop = position;
        if (probability <= 0) {
            add(position, probability);
            return;
        }
        int reach = Math.min(softClips, maxDistance);
        for (int p = position - reach; p <= position + reach; p++) {
            if (isInContig(p)) {
                // As in GATK, the filter is centered on the position itself each time.
                spread(position, probability);
            }
        }
    }

    private void spread(int position, double probability) {
        int radius = kernel.length / 2;
        for (int k = 0; k < kernel.length; k++) {
            int p = position - radius + k;
            if (isInContig(p)) {
                add(p, probability * kernel[k]);
            }
        }
    }

    private boolean isInContig(int position) {
        return position >= 1 && position <= contigLength;
    }

    private void add(int position, double probability) {
        int offset = position - start;
        if (offset < 0) {
            return;
        }
        if (offset < size) {
            probabilities[first + offset] += probability;
            return;
        }
        if (first + size == probabilities.length) {
            makeRoom();
        }
        probabilities[first + size] = probability;
        size++;
    }

    private void makeRoom() {
        double[] target = 2 * size > probabilities.length
                ? new double[2 * probabilities.length] : probabilities;
        System.arraycopy(probabilities, first, target, 0, size);
        probabilities = target;
        first = 0;
    }

    /**
     * Takes the regions that are complete.
     *
     * @param isEnd whether no position follows the last one, so that all regions are complete
     */
    void takeRegions(Queue<AssemblyRegion> target, boolean isEnd) {
        int maxSize = arguments.maxAssemblyRegionSize;
        while (size > 0) {
            if (isEnd) {
                size = stop - start + 1;
            } else if (size < maxSize + maxDistance) {
                return;
            }
            boolean isActive = isActive(0);
            int length = 1;
            while (length < size && length < maxSize && isActive(length) == isActive) {
                length++;
            }
            if (isActive && length == maxSize) {
                length = bestCut(length);
            }
            target.add(new AssemblyRegion(new SimpleInterval(contig, start, start + length - 1),
                    isActive, arguments.assemblyRegionPadding, header));
            first += length;
            start += length;
            size -= length;
        }
    }

    private boolean isActive(int offset) {
        return probabilities[first + offset] > arguments.activeProbThreshold;
    }

    /** Returns where to end a region of the largest size: at the lowest local minimum, if any. */
    private int bestCut(int length) {
        int best = length - 1;
        double lowest = Double.MAX_VALUE;
        for (int k = best; k >= Math.max(1, arguments.minAssemblyRegionSize - 1); k--) {
            double here = probabilities[first + k];
            if (here < lowest && k < size - 1 && here <= probabilities[first + k + 1]
                    && here < probabilities[first + k - 1]) {
                lowest = here;
                best = k;
            }
        }
        return best + 1;
    }
}
