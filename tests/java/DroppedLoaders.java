import com.intel.gkl.pairhmm.IntelPairHmm;
import java.lang.ref.WeakReference;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Paths;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.broadinstitute.gatk.nativebindings.pairhmm.HaplotypeDataHolder;
import org.broadinstitute.gatk.nativebindings.pairhmm.PairHMMNativeArguments;
import org.broadinstitute.gatk.nativebindings.pairhmm.ReadDataHolder;

/**
 * Loads our classes in one new class loader after another, computes with them in this thread, and
 * drops the loader.
 *
 * <p>{@code DroppedLoaders CLASSPATH LOADERS}. In the end it collects garbage, and prints how many
 * of the loaders are still in memory.
 */
public final class DroppedLoaders {
    private DroppedLoaders() {}

    public static void main(String[] arguments) throws Exception {
        List<URL> urls = new ArrayList<>();
        for (String entry : arguments[0].split(":")) {
            urls.add(Paths.get(entry).toUri().toURL());
        }
        List<WeakReference<ClassLoader>> made = new ArrayList<>();
        for (int i = 0; i < Integer.parseInt(arguments[1]); i++) {
            URLClassLoader loader = new URLClassLoader(
                    urls.toArray(new URL[0]), ClassLoader.getPlatformClassLoader());
            Class<?> program = loader.loadClass(Call.class.getName());
            ((Runnable) program.getConstructor().newInstance()).run();
            made.add(new WeakReference<>(loader));
            loader.close();
        }
        for (int i = 0; i < 3; i++) {
            System.gc();
        }
        System.out.println(made.stream().filter(each -> each.get() != null).count());
    }

    /** One call of PairHMM. */
    public static final class Call implements Runnable {
        @Override
        public void run() {
            IntelPairHmm pairHmm = new IntelPairHmm();
            if (!pairHmm.load(null)) {
                throw new IllegalStateException("IntelPairHmm does not load");
            }
            pairHmm.initialize(new PairHMMNativeArguments());
            ReadDataHolder read = new ReadDataHolder();
            read.readBases = "ACGTACGT".getBytes();
            read.readQuals = filled(30);
            read.insertionGOP = filled(45);
            read.deletionGOP = filled(45);
            read.overallGCP = filled(10);
            HaplotypeDataHolder haplotype = new HaplotypeDataHolder();
            haplotype.haplotypeBases = "TTACGTACGTTT".getBytes();
            double[] likelihoods = new double[1];
            pairHmm.computeLikelihoods(
                    new ReadDataHolder[] {read}, new HaplotypeDataHolder[] {haplotype}, likelihoods);
            if (!(likelihoods[0] < 0)) {
                throw new IllegalStateException("the likelihood is " + likelihoods[0]);
            }
        }

        private static byte[] filled(int quality) {
            byte[] qualities = new byte[8];
            Arrays.fill(qualities, (byte) quality);
            return qualities;
        }
    }
}
