package org.gklshim.gatk.regions;

import java.util.Random;
import org.apache.commons.math3.random.RandomDataGenerator;
import org.broadinstitute.hellbender.utils.Utils;
import org.gklshim.gatk.threads.OrderedTasks;

/**
 * GATK's sources of random numbers, for regions that threads call at once.
 *
 * <p>All of GATK shares two generators. The downsampler draws from one of them while reads are
 * fetched, and so does QualByDepth while a region is called: see {@link HighQd}. The removal of
 * contamination draws from the other. A thread that asks for one waits until everything that comes
 * before in stock GATK is done, so each draw gets stock's number.
 */
public final class RandomNumbers {
    private RandomNumbers() {}

    /** Takes the place of the method of {@link Utils}. */
    public static Random getRandomGenerator() {
        OrderedTasks.awaitTurn();
        HighQd.drawEarlier();
        return Utils.getRandomGenerator$original();
    }

    /** Takes the place of the method of {@link Utils}. */
    public static RandomDataGenerator getRandomDataGenerator() {
        OrderedTasks.awaitTurn();
        return Utils.getRandomDataGenerator$original();
    }
}
