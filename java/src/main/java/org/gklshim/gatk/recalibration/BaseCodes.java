package org.gklshim.gatk.recalibration;

import org.broadinstitute.hellbender.utils.BaseUtils;

/** The codes of bases: 0 to 3 for A, C, G and T, which GATK calls regular, and one for the rest. */
final class BaseCodes {
    static final byte OTHER = 4;

    private static final byte[] CODES = new byte[256];

    static {
        for (int k = 0; k < 256; k++) {
            int index = BaseUtils.simpleBaseToBaseIndex((byte) k);
            CODES[k] = index < 0 ? OTHER : (byte) index;
        }
    }

    private BaseCodes() {}

    static byte of(byte base) {
        return CODES[base & 0xff];
    }
}
