package org.gklshim.gatk.confidence;

import htsjdk.samtools.CigarElement;
import htsjdk.samtools.CigarOperator;
import org.broadinstitute.hellbender.tools.walkers.haplotypecaller.RefVsAnyResult;
import org.broadinstitute.hellbender.utils.SimpleInterval;
import org.gklshim.gatk.AlignedRead;

/**
 * Sums over the reads at each position of a region: the log likelihoods of genotypes, and how many
 * reads show that there is no indel. Reads are added in the order of GATK's pileups.
 */
final class ConfidenceSums {
    /** GATK ignores bases of at most this quality. */
    private static final int IGNORED_QUALITY = 6;
    /** GATK counts no more reads than this. */
    private static final int MAX_READS_WITHOUT_INDEL = 40;

    private final int start;
    private final int end;
    private final byte[] reference;
    /** The position of the reference's first base. */
    private final int referenceStart;
    private final BaseTerms terms;
    private final int deletionTerms;
    private final IndelTest indels;

    /** Those of a position start at its number times the number of genotypes. */
    private final double[] likelihoods;
    private final int[] matches;
    private final int[] mismatches;
    private final int[] readsWithoutIndel;

    /**
     * Makes sums without reads.
     *
     * @param reference the bases of the padded region
     * @param deletionQuality the quality of a deleted base
     */
    ConfidenceSums(SimpleInterval span, byte[] reference, int referenceStart, BaseTerms terms,
            byte deletionQuality, IndelTest indels) {
        start = span.getStart();
        end = span.getEnd();
        this.reference = reference;
        this.referenceStart = referenceStart;
        this.terms = terms;
        deletionTerms = deletionQuality * terms.genotypes;
        this.indels = indels;
        int size = end - start + 1;
        likelihoods = new double[size * terms.genotypes];
        matches = new int[size];
        mismatches = new int[size];
        readsWithoutIndel = new int[size];
    }

    /** Adds a read. */
    void add(AlignedRead read) {
        int first = Math.max(read.first, start);
        int last = Math.min(read.last, end);
        indels.begin(read);
        int next = read.start;
        int base = 0;
        // The number of a base if insertions are left out and deletions are filled.
        int column = 0;
        for (int k = 0; k < read.cigar.size() && next <= last; k++) {
            CigarElement element = read.cigar.get(k);
            CigarOperator operator = element.getOperator();
            int length = element.getLength();
            if (operator.consumesReferenceBases()) {
                int from = Math.max(next, first);
                int to = Math.min(next + length - 1, last);
                if (operator != CigarOperator.N && from <= to) {
                    if (operator == CigarOperator.D) {
                        addDeletion(from, to);
                    } else {
                        addBases(read, base - next, from, to);
                        boolean isEnd = to == next + length - 1;
                        addIndels(column - next, from,
                                isEnd && isIndelAfter(read, k) ? to - 1 : to);
                    }
                }
                next += length;
                column += length;
            } else if (operator == CigarOperator.S) {
                column += length;
            }
            if (operator.consumesReadBases()) {
                base += length;
            }
        }
    }

    /** Adds aligned bases. The base of position p is at index p + shift. */
    private void addBases(AlignedRead read, int shift, int from, int to) {
        byte[] bases = read.read.getBasesNoCopy();
        byte[] qualities = read.read.getBaseQualitiesNoCopy();
        int genotypes = terms.genotypes;
        for (int p = from; p <= to; p++) {
            byte quality = qualities[p + shift];
            if (quality > IGNORED_QUALITY) {
                int k = p - start;
                boolean isMatch = bases[p + shift] == reference[p - referenceStart];
                (isMatch ? matches : mismatches)[k]++;
                addTerms(k, isMatch ? terms.match : terms.mismatch, quality * genotypes);
            }
        }
    }

    private void addDeletion(int from, int to) {
        for (int p = from; p <= to; p++) {
            mismatches[p - start]++;
            addTerms(p - start, terms.mismatch, deletionTerms);
        }
    }

    private void addTerms(int position, double[] source, int first) {
        int genotypes = terms.genotypes;
        for (int k = 0; k < genotypes; k++) {
            likelihoods[position * genotypes + k] += source[first + k];
        }
    }

    private void addIndels(int shift, int from, int to) {
        for (int p = from; p <= to; p++) {
            if (indels.rulesOut(p + shift, p - referenceStart)) {
                readsWithoutIndel[p - start]++;
            }
        }
    }

    /** Returns whether GATK sees an insertion or a deletion after an element. */
    private static boolean isIndelAfter(AlignedRead read, int element) {
        for (int k = element + 1; k < read.cigar.size(); k++) {
            CigarOperator operator = read.cigar.get(k).getOperator();
            if (operator == CigarOperator.D || operator == CigarOperator.I && k == element + 1) {
                return true;
            } else if (operator.consumesReferenceBases() && operator != CigarOperator.N) {
                return false;
            }
        }
        return false;
    }

    /** Gives GATK's result for a position its sums. */
    void fill(int position, RefVsAnyResult result) {
        int genotypes = terms.genotypes;
        double denominator = (matches[position] + mismatches[position]) * terms.log10Ploidy;
        for (int k = 0; k < genotypes; k++) {
            result.genotypeLikelihoods[k] = likelihoods[position * genotypes + k] - denominator;
        }
        result.refDepth = matches[position];
        result.nonRefDepth = mismatches[position];
    }

    int readsWithoutIndel(int position) {
        return Math.min(readsWithoutIndel[position], MAX_READS_WITHOUT_INDEL);
    }
}
