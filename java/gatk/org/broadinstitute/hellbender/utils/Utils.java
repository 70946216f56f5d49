package org.broadinstitute.hellbender.utils;

import java.util.Random;
import org.apache.commons.math3.random.RandomDataGenerator;

/** Part of GATK's class, with two methods that the agent adds. */
public final class Utils {
    public static native Random getRandomGenerator$original();

    public static native RandomDataGenerator getRandomDataGenerator$original();
}
