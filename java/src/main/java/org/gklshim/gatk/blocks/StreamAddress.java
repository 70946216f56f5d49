package org.gklshim.gatk.blocks;

import java.lang.reflect.Field;
import java.util.zip.Deflater;
import org.gklshim.gatk.Members;

/**
 * The address of the native stream of a deflater of GKL, which can change what it makes of a block.
 *
 * <p>At levels 1 and 2, GKL deflates with ISA-L, whose code for CPUs with SSE4.2 notes position 2 of
 * a block in its hash table under the hash of a part of the address, in place of the four bytes there
 * (isal_deflate_icf_body_hash_hist, write_first_byte). This matters if the four bytes at position 0,
 * 1 or 2 have the same hash: for one block of real reads in 20,000. Deflaters at all other addresses
 * make the same bytes of a full block. Blocks of a few hundred bytes depend on the address in other
 * ways, too; only the last block of a file is as short, and htsjdk deflates it.
 */
final class StreamAddress {
    /** The bits of a hash at level 1. At level 2 there are two more. */
    private static final int HASH_MASK = (1 << 13) - 1;
    /** CRC-32C, as the CPU's instruction computes it, with the bits in reverse order. */
    private static final int POLYNOMIAL = 0x82f63b78;
    private static final int POSITIONS = 3;

    /** The field of Intel's deflaters, or null before the first one. */
    private static volatile Field field;

    private StreamAddress() {}

    /** Returns whether a deflater that was reset may make other bytes of a block than others do. */
    static boolean matters(Deflater deflater, byte[] block) {
        if (deflater.getClass() == Deflater.class) {
            return false;
        }
        int hash = hash((int) (address(deflater) >>> 16));
        for (int k = 0; k < POSITIONS; k++) {
            int word = block[k] & 0xff | (block[k + 1] & 0xff) << 8 | (block[k + 2] & 0xff) << 16
                    | block[k + 3] << 24;
            if (hash(word) == hash) {
                return true;
            }
        }
        return false;
    }

    private static int hash(int word) {
        int sum = word;
        for (int k = 0; k < Integer.SIZE; k++) {
            sum = sum >>> 1 ^ ((sum & 1) == 0 ? 0 : POLYNOMIAL);
        }
        return sum & HASH_MASK;
    }

    private static long address(Deflater deflater) {
        try {
            if (field == null) {
                field = Members.field(deflater.getClass(), "lz_stream");
            }
            return field.getLong(deflater);
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException(e);
        }
    }
}
