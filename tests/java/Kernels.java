import java.nio.file.Files;
import java.nio.file.Paths;
import java.util.ArrayDeque;
import java.util.Queue;
import org.broadinstitute.gatk.nativebindings.pairhmm.HaplotypeDataHolder;
import org.broadinstitute.gatk.nativebindings.pairhmm.PairHMMNativeArguments;
import org.broadinstitute.gatk.nativebindings.pairhmm.PairHMMNativeBinding;
import org.broadinstitute.gatk.nativebindings.pairhmm.ReadDataHolder;
import org.broadinstitute.gatk.nativebindings.pdhmm.PDHMMNativeArguments;
import org.broadinstitute.gatk.nativebindings.pdhmm.PDHMMNativeBinding;
import org.broadinstitute.gatk.nativebindings.smithwaterman.SWAlignerNativeBinding;
import org.broadinstitute.gatk.nativebindings.smithwaterman.SWNativeAlignerResult;
import org.broadinstitute.gatk.nativebindings.smithwaterman.SWOverhangStrategy;
import org.broadinstitute.gatk.nativebindings.smithwaterman.SWParameters;

/**
 * Computes what a file asks for, with the three classes that the command line names.
 *
 * <p>{@code java Kernels PAIRHMM PDHMM SMITHWATERMAN FILE}. A line of the file has fields: the name
 * of a kernel, how many reads and haplotypes there are, and their tracks in hexadecimal digits; or
 * "smithwaterman", both sequences and the four scores. Prints one line a likelihood or alignment.
 */
public final class Kernels {
    private final Queue<String> fields = new ArrayDeque<>();

    private Kernels(String line) {
        for (String field : line.split(" ")) {
            fields.add(field);
        }
    }

    public static void main(String[] arguments) throws Exception {
        PairHMMNativeBinding pairHmm = (PairHMMNativeBinding) instance(arguments[0]);
        PDHMMNativeBinding pdhmm = (PDHMMNativeBinding) instance(arguments[1]);
        SWAlignerNativeBinding aligner = (SWAlignerNativeBinding) instance(arguments[2]);
        if (!pairHmm.load(null) || !pdhmm.load(null) || !aligner.load(null)) {
            throw new IllegalStateException("a class does not load");
        }
        PairHMMNativeArguments settings = new PairHMMNativeArguments();
        settings.maxNumberOfThreads = 2;
        pairHmm.initialize(settings);
        PDHMMNativeArguments others = new PDHMMNativeArguments();
        others.maxNumberOfThreads = 2;
        pdhmm.initialize(others);
        for (String line : Files.readAllLines(Paths.get(arguments[3]))) {
            Kernels region = new Kernels(line);
            switch (region.fields.remove()) {
                case "pairhmm":
                    region.pairHmm(pairHmm);
                    break;
                case "pdhmm":
                    region.pdhmm(pdhmm);
                    break;
                default:
                    region.align(aligner);
            }
        }
        pairHmm.done();
        pdhmm.done();
        aligner.close();
    }

    private static Object instance(String name) throws ReflectiveOperationException {
        return Class.forName(name).getConstructor().newInstance();
    }

    private void pairHmm(PairHMMNativeBinding pairHmm) {
        ReadDataHolder[] reads = new ReadDataHolder[number()];
        HaplotypeDataHolder[] haplotypes = new HaplotypeDataHolder[number()];
        for (int i = 0; i < reads.length; i++) {
            ReadDataHolder read = reads[i] = new ReadDataHolder();
            read.readBases = bytes();
            read.readQuals = bytes();
            read.insertionGOP = bytes();
            read.deletionGOP = bytes();
            read.overallGCP = bytes();
        }
        for (int i = 0; i < haplotypes.length; i++) {
            haplotypes[i] = new HaplotypeDataHolder();
            haplotypes[i].haplotypeBases = bytes();
        }
        double[] likelihoods = new double[reads.length * haplotypes.length];
        pairHmm.computeLikelihoods(reads, haplotypes, likelihoods);
        print(likelihoods);
    }

    private void pdhmm(PDHMMNativeBinding pdhmm) {
        org.broadinstitute.gatk.nativebindings.pdhmm.ReadDataHolder[] reads =
                new org.broadinstitute.gatk.nativebindings.pdhmm.ReadDataHolder[number()];
        org.broadinstitute.gatk.nativebindings.pdhmm.HaplotypeDataHolder[] haplotypes =
                new org.broadinstitute.gatk.nativebindings.pdhmm.HaplotypeDataHolder[number()];
        for (int i = 0; i < reads.length; i++) {
            reads[i] = new org.broadinstitute.gatk.nativebindings.pdhmm.ReadDataHolder();
            reads[i].readBases = bytes();
            reads[i].readQuals = bytes();
            reads[i].insertionGOP = bytes();
            reads[i].deletionGOP = bytes();
            reads[i].overallGCP = bytes();
        }
        for (int i = 0; i < haplotypes.length; i++) {
            haplotypes[i] = new org.broadinstitute.gatk.nativebindings.pdhmm.HaplotypeDataHolder();
            haplotypes[i].haplotypeBases = bytes();
            haplotypes[i].haplotypePDBases = bytes();
        }
        double[] likelihoods = new double[reads.length * haplotypes.length];
        pdhmm.computeLikelihoods(reads, haplotypes, likelihoods);
        print(likelihoods);
    }

    private void align(SWAlignerNativeBinding aligner) {
        SWNativeAlignerResult result = aligner.align(bytes(), bytes(),
                new SWParameters(number(), number(), number(), number()),
                SWOverhangStrategy.SOFTCLIP);
        System.out.println(result.alignment_offset + "\t" + result.cigar);
    }

    private int number() {
        return Integer.parseInt(fields.remove());
    }

    private byte[] bytes() {
        String digits = fields.remove();
        byte[] bytes = new byte[digits.length() / 2];
        for (int i = 0; i < bytes.length; i++) {
            bytes[i] = (byte) Integer.parseInt(digits.substring(2 * i, 2 * i + 2), 16);
        }
        return bytes;
    }

    private static void print(double[] likelihoods) {
        for (double likelihood : likelihoods) {
            System.out.println(likelihood);
        }
    }
}
