package org.broadinstitute.hellbender.utils;

import java.util.Random;
import java.util.function.Supplier;
import org.apache.commons.math3.random.RandomDataGenerator;

/** Part of GATK's class, with two methods that the agent adds. */
public final class Utils {
    public static native void validate(boolean condition, Supplier<String> message);

    public static native Random getRandomGenerator$original();

    public static native RandomDataGenerator getRandomDataGenerator$original();
}
