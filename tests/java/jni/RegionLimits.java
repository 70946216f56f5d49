package org.gklshim.hmm;

/** Starts regions that are too large, and prints the errors; then computes on with a small one. */
public final class RegionLimits {
    public static void main(String[] arguments) {
        Region region = new Region("PairHMM", "haplotypeBases");
        for (int reads : new int[] {500_000_000, 100_000_000}) {
            try {
                region.start(reads, 2);
                System.out.println("started");
            } catch (OutOfMemoryError e) {
                System.out.println(e.getMessage());
            }
        }
        region.start(1, 1);
        byte[] letter = {'A'};
        region.addRead(letter, letter, letter, letter, letter);
        region.addHaplotype(letter);
        System.out.println(region.sequences()[5]);
    }
}
