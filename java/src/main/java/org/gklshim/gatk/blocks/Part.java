package org.gklshim.gatk.blocks;

import org.gklshim.GatkPart;
import org.gklshim.Setting;

/** Deflates and inflates the blocks of compressed files in threads. */
public final class Part extends GatkPart {
    public static final Part INSTANCE = new Part();

    private static final String COMPRESSION = "com/intel/gkl/compression/";
    private static final String SAMTOOLS = "htsjdk/samtools/";

    private Part() {
        super("reads", new Setting("reads"));
        redirect(SAMTOOLS + "util/BlockCompressedOutputStream", "BlockOutput", "deflateBlock",
                "flush", "close", "getFilePointer", "addIndexer")
                .open("codec", "uncompressedBuffer", "numUncompressedBytes", "compressedBuffer",
                        "deflater", "mBlockAddress", "indexer")
                .add("gklShim");
        redirect(SAMTOOLS + "util/BlockCompressedInputStream", "BlockInput", "nextBlock", "seek",
                "close")
                .open("mStream", "mFile", "mCurrentBlock", "mStreamOffset", "blockGunzipper")
                .add("gklShim");
        change(SAMTOOLS + "util/BlockCompressedInputStream$DecompressedBlock")
                .open("mBlock", "mBlockAddress");
        change(SAMTOOLS + "util/BlockGunzipper")
                .open("inflater", "checkCrcs");
        redirect(SAMTOOLS + "BAMFileWriter", "PendingIndex", "writeAlignment")
                .open("bamRecordCodec", "blockCompressedOutputStream", "bamIndexer");
        change(SAMTOOLS + "BAMIndexMetaData")
                .open("alignedRecords");
        redirect(SAMTOOLS + "util/zip/DeflaterFactory", "CodecFactories", "makeDeflater");
        redirect(SAMTOOLS + "util/zip/InflaterFactory", "CodecFactories", "makeInflater");
        redirect(COMPRESSION + "IntelDeflaterFactory", "CodecFactories", "makeDeflater");
        redirect(COMPRESSION + "IntelInflaterFactory", "CodecFactories", "makeInflater");
        know(COMPRESSION, "IntelDeflater", "IntelInflater");
        know(SAMTOOLS, "BAMIndexer", "BAMIndexer$BAMIndexBuilder", "BAMIndexer$BAMIndexBuilder$1",
                "BAMRecordCodec", "Bin", "BinningIndexBuilder", "SAMRecord", "util/BinaryCodec");
    }
}
