package htsjdk.samtools.util;

import java.util.zip.Inflater;

/** Part of htsjdk's class, with fields that the agent opens. */
public class BlockGunzipper {
    public Inflater inflater;
    public boolean checkCrcs;

    public native void setCheckCrcs(boolean check);

    public native int unzipBlock(byte[] bytes, byte[] block, int blockLength);
}
