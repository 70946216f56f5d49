import com.intel.gkl.compression.IntelDeflaterFactory;
import htsjdk.samtools.util.BlockCompressedOutputStream;
import java.io.ByteArrayOutputStream;
import java.io.File;
import java.lang.reflect.Field;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.List;
import java.util.zip.Deflater;

/**
 * Runs ReadsScenarios with htsjdk as the agent changes it, and with htsjdk in a class loader of its
 * own, which the agent leaves alone. Prints the results that differ, their number, and whether the
 * agent has changed each of the two. Then prints what becomes of blocks that a deflater compresses
 * otherwise, because of its address.
 */
public final class ReadsCheck {
    private static final int BLOCK = 65_498;

    private ReadsCheck() {}

    public static void main(String[] arguments) throws Exception {
        String[] entries = System.getProperty("java.class.path").split(File.pathSeparator);
        URL[] urls = new URL[entries.length];
        for (int k = 0; k < entries.length; k++) {
            urls[k] = new File(entries[k]).toURI().toURL();
        }
        // Not below the application's loader.
        ClassLoader stock = new URLClassLoader(urls, ClassLoader.getSystemClassLoader().getParent());
        ClassLoader ours = ReadsCheck.class.getClassLoader();
        List<String> expected = lines(stock);
        List<String> found = lines(ours);
        for (int k = 0; k < expected.size(); k++) {
            if (!expected.get(k).equals(found.get(k))) {
                System.out.println("stock: " + expected.get(k));
                System.out.println("ours: " + found.get(k));
            }
        }
        System.out.println(expected.size() + " results, " + hasField(stock) + " " + hasField(ours));
        System.out.println(blocksAtAddresses());
    }

    /**
     * Writes a block for the file's own deflater, and one for a thread's deflater. Returns for each
     * whether its deflater makes other bytes of it than new deflaters do, and whether the file has
     * the bytes of the new ones.
     */
    private static String blocksAtAddresses() throws Exception {
        ByteArrayOutputStream file = new ByteArrayOutputStream();
        StringBuilder result = new StringBuilder();
        try (BlockCompressedOutputStream out =
                new BlockCompressedOutputStream(file, (File) null, 2, new IntelDeflaterFactory())) {
            Deflater own = (Deflater) get(out, "deflater");
            deflated(own, new byte[100]);
            result.append(blockAtAddress(out, file, own));
            out.write(new byte[BLOCK]);
            out.flush();
            Object threads = get(get(out, "gklShim"), "deflaters");
            Deflater next = (Deflater) ((ArrayDeque<?>) get(threads, "idle")).peek();
            return result + blockAtAddress(out, file, next);
        }
    }

    private static String blockAtAddress(BlockCompressedOutputStream out,
            ByteArrayOutputStream file, Deflater deflater) throws Exception {
        int hash = crc((int) ((long) get(deflater, "lz_stream") >>> 16)) & 0x7fff;
        ByteBuffer block = ByteBuffer.allocate(BLOCK).order(ByteOrder.LITTLE_ENDIAN);
        for (int k = 0; k < BLOCK; k++) {
            block.put(k, (byte) (k % 7));
        }
        int word = 0;
        byte[] unusual;
        byte[] usual;
        int tries = 0;
        // For three words in a thousand the bytes are the usual ones all the same.
        do {
            do {
                word += 0x01030507;
            } while ((crc(word) & 0x7fff) != hash);
            for (int place : new int[] {0, 1_000, 2_000}) {
                block.putInt(place, word);
            }
            unusual = deflated(deflater, block.array());
            usual = deflated(new IntelDeflaterFactory().makeDeflater(2, true), block.array());
        } while (Arrays.equals(unusual, usual) && ++tries < 20);
        int start = file.size();
        out.write(block.array());
        out.flush();
        byte[] bytes = file.toByteArray();
        byte[] written = Arrays.copyOfRange(bytes, start + 18, bytes.length - 8);
        return !Arrays.equals(unusual, usual) + " " + Arrays.equals(written, usual) + " ";
    }

    private static byte[] deflated(Deflater deflater, byte[] block) {
        deflater.reset();
        deflater.setInput(block, 0, block.length);
        deflater.finish();
        byte[] result = new byte[BLOCK];
        return Arrays.copyOf(result, deflater.deflate(result, 0, BLOCK));
    }

    /** Returns the CRC-32C of four bytes, without inversions. */
    private static int crc(int word) {
        int sum = word;
        for (int k = 0; k < 32; k++) {
            sum = sum >>> 1 ^ ((sum & 1) == 0 ? 0 : 0x82f63b78);
        }
        return sum;
    }

    private static Object get(Object object, String name) throws ReflectiveOperationException {
        Field field = object.getClass().getDeclaredField(name);
        field.setAccessible(true);
        return field.get(object);
    }

    @SuppressWarnings("unchecked")
    private static List<String> lines(ClassLoader loader) throws Exception {
        Thread.currentThread().setContextClassLoader(loader);
        Path folder = Files.createTempDirectory("reads");
        return (List<String>) Class.forName("ReadsScenarios", true, loader)
                .getMethod("run", String.class).invoke(null, folder.toString());
    }

    /** Returns whether the agent has changed the class that compresses. */
    private static boolean hasField(ClassLoader loader) throws ClassNotFoundException {
        try {
            Class.forName("htsjdk.samtools.util.BlockCompressedOutputStream", false, loader)
                    .getField("gklShim");
            return true;
        } catch (NoSuchFieldException e) {
            return false;
        }
    }
}
