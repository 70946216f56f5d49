package org.gklshim;

import java.io.IOException;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;

/**
 * A class of GATK in which some methods call ours. {@link #TABLE} lists them all.
 *
 * <p>The rest of the class stays GATK's. Our method can call the original: see {@link ClassFile}.
 * A class is changed only if a {@link GatkPart} that it serves is on and knows this GATK.
 */
final class RedirectedClass {
    private static final byte ICONST_0 = 0x03;
    private static final byte ILOAD_1 = 0x1b;
    private static final byte NEWARRAY = (byte) 0xbc;
    /** The type of an array of long. */
    private static final byte LONG = 11;

    private static final String ENGINE = "org/broadinstitute/hellbender/engine/";
    private static final String HAPLOTYPE_CALLER =
            "org/broadinstitute/hellbender/tools/walkers/haplotypecaller/";
    private static final String UTILS = "org/broadinstitute/hellbender/utils/";
    private static final String LIKELIHOODS = "org/gklshim/gatk/likelihoods/Likelihoods";
    private static final String PCR_ERROR_MODEL = "org/gklshim/gatk/likelihoods/PcrErrorModel";
    private static final String SAMTOOLS = "htsjdk/samtools/";
    private static final String COMPRESSION = "com/intel/gkl/compression/";
    private static final String BAM = "org/gklshim/gatk/blocks/";
    private static final String REGIONS = "org/gklshim/gatk/regions/";

    private static final RedirectedClass[] TABLE = {
        new RedirectedClass(GatkPart.REGIONS, ENGINE + "AssemblyRegionWalker",
                REGIONS + "RegionTraversal", "traverse", "processReadShard"),
        new RedirectedClass(GatkPart.REGIONS, UTILS + "Utils",
                REGIONS + "RandomNumbers", "getRandomGenerator", "getRandomDataGenerator"),
        new RedirectedClass(GatkPart.REGIONS,
                "org/broadinstitute/hellbender/tools/walkers/annotator/QualByDepth",
                REGIONS + "HighQd", "annotate", "fixTooHighQD"),
        new RedirectedClass(GatkPart.REGIONS,
                "org/broadinstitute/hellbender/tools/walkers/genotyper/GenotypesCache",
                REGIONS + "Genotypes", "get"),
        new RedirectedClass(GatkPart.REGIONS,
                "org/broadinstitute/hellbender/tools/walkers/genotyper/GenotypingEngine",
                REGIONS + "EmittedDeletions", "recordDeletions", "isVcCoveredByDeletion")
                .open("upstreamDeletionsLoc"),
        new RedirectedClass(GatkPart.ASSEMBLY,
                HAPLOTYPE_CALLER + "readthreading/ReadThreadingAssembler",
                "org/gklshim/gatk/assembly/GraphCreation", "createGraph")
                .open("generateSeqGraph", "numPruningSamples", "pruneBeforeCycleCounting",
                        "removePathsNotConnectedToRef", "justReturnRawGraph", "debug",
                        "debugGraphTransformations", "recoverDanglingBranches",
                        "recoverAllDanglingBranches", "minDanglingBranchLength",
                        "minBaseQualityToUseInAssembly", "pruneFactor", "chainPruner",
                        "minMatchingBasesToDanglingEndRecovery", "graphOutputPath"),
        new RedirectedClass(GatkPart.ASSEMBLY, HAPLOTYPE_CALLER + "graphs/AdaptiveChainPruner",
                null)
                .open("initialErrorProbability", "logOddsThreshold", "seedingLogOddsThreshold",
                        "maxUnprunedVariants"),
        new RedirectedClass(GatkPart.WALK, ENGINE + "AssemblyRegionIterator",
                "org/gklshim/gatk/walk/ActiveRegions", "loadNextAssemblyRegion"),
        new RedirectedClass(GatkPart.CONFIDENCE, HAPLOTYPE_CALLER + "ReferenceConfidenceModel",
                "org/gklshim/gatk/confidence/ReferenceConfidence", "calculateRefConfidence",
                "calcGenotypeLikelihoodsOfRefVsAny", "calcNReadsWithNoPlausibleIndelsReads")
                .open("samples", "indelInformativeDepthIndelSize", "refModelDeletionQuality",
                        "useSoftClippedBases", "flowBasedModel"),
        new RedirectedClass(GatkPart.CONFIDENCE, HAPLOTYPE_CALLER + "RefVsAnyResult", null)
                .open("genotypeLikelihoods"),
        new RedirectedClass(GatkPart.LIKELIHOODS, UTILS + "genotyper/AlleleLikelihoods",
                LIKELIHOODS, "marginalLikelihoodsDirect")
                .open("evidenceBySampleIndex", "valuesBySampleIndex"),
        new RedirectedClass(GatkPart.LIKELIHOODS, UTILS + "pairhmm/VectorLoglessPairHMM",
                LIKELIHOODS, "initialize").open("haplotypeToHaplotypeListIdxMap"),
        new RedirectedClass(GatkPart.LIKELIHOODS,
                HAPLOTYPE_CALLER + "PairHMMLikelihoodCalculationEngine",
                PCR_ERROR_MODEL, "applyPCRErrorModel").open("pcrIndelErrorModelCache"),
        new RedirectedClass(GatkPart.LIKELIHOODS,
                HAPLOTYPE_CALLER + "PDPairHMMLikelihoodCalculationEngine",
                PCR_ERROR_MODEL, "applyPCRErrorModel").open("pcrIndelErrorModelCache"),
        new RedirectedClass(GatkPart.ANNOTATIONS, UTILS + "MannWhitneyU",
                "org/gklshim/gatk/annotations/RankSums", "permutationTest"),
        new RedirectedClass(GatkPart.TOOLS, "org/broadinstitute/barclay/argparser/ClassFinder",
                "org/gklshim/gatk/tools/ToolSearch", "scanJar").open("loader", "parentType"),
        new RedirectedClass(GatkPart.RECALIBRATION, ENGINE + "ReadWalker",
                "org/gklshim/gatk/ReadTraversal", "traverse").alsoFor(GatkPart.RECORDS),
        new RedirectedClass(GatkPart.RECALIBRATION, UTILS + "recalibration/RecalUtils",
                "org/gklshim/gatk/recalibration/BufferedReport", "outputRecalibrationReport"),
        new RedirectedClass(GatkPart.PILEUPS, ENGINE + "LocusWalker",
                "org/gklshim/gatk/pileups/LocusPileups", "getAlignmentContextIterator"),
        new RedirectedClass(GatkPart.READS, SAMTOOLS + "util/BlockCompressedOutputStream",
                BAM + "BlockOutput", "deflateBlock", "flush", "close", "getFilePointer",
                "addIndexer")
                .open("codec", "uncompressedBuffer", "numUncompressedBytes", "compressedBuffer",
                        "deflater", "mBlockAddress", "indexer")
                .add("gklShim"),
        new RedirectedClass(GatkPart.READS, SAMTOOLS + "util/BlockCompressedInputStream",
                BAM + "BlockInput", "nextBlock", "seek", "close")
                .open("mStream", "mFile", "mCurrentBlock", "mStreamOffset", "blockGunzipper")
                .add("gklShim"),
        new RedirectedClass(GatkPart.READS,
                SAMTOOLS + "util/BlockCompressedInputStream$DecompressedBlock", null)
                .open("mBlock", "mBlockAddress"),
        new RedirectedClass(GatkPart.READS, SAMTOOLS + "util/BlockGunzipper", null)
                .open("inflater", "checkCrcs"),
        new RedirectedClass(GatkPart.READS, SAMTOOLS + "BAMFileWriter",
                BAM + "PendingIndex", "writeAlignment")
                .open("bamRecordCodec", "blockCompressedOutputStream", "bamIndexer"),
        new RedirectedClass(GatkPart.READS, SAMTOOLS + "BAMIndexMetaData", null)
                .open("alignedRecords"),
        new RedirectedClass(GatkPart.READS, SAMTOOLS + "util/zip/DeflaterFactory",
                BAM + "CodecFactories", "makeDeflater"),
        new RedirectedClass(GatkPart.READS, SAMTOOLS + "util/zip/InflaterFactory",
                BAM + "CodecFactories", "makeInflater"),
        new RedirectedClass(GatkPart.READS, COMPRESSION + "IntelDeflaterFactory",
                BAM + "CodecFactories", "makeDeflater"),
        new RedirectedClass(GatkPart.READS, COMPRESSION + "IntelInflaterFactory",
                BAM + "CodecFactories", "makeInflater"),
        new RedirectedClass(GatkPart.DUPLICATES, "picard/sam/markduplicates/MarkDuplicates",
                "org/gklshim/gatk/duplicates/DuplicateMarking", "doWork"),
        // The constructor makes no array for as many values as the heap holds: add() makes it.
        new RedirectedClass(GatkPart.DUPLICATES, "htsjdk/samtools/util/SortingLongCollection",
                "org/gklshim/gatk/duplicates/SortedLongs", "add")
                .open("maxValuesInRam", "numValuesInRam", "ramValues")
                .replace(new byte[] {ILOAD_1, NEWARRAY, LONG},
                        new byte[] {ICONST_0, NEWARRAY, LONG}),
    };

    private static final Map<String, RedirectedClass> BY_NAME = new HashMap<>();

    static {
        for (RedirectedClass redirected : TABLE) {
            BY_NAME.put(redirected.name, redirected);
        }
    }

    /** The parts that the class serves. */
    private final Set<GatkPart> parts;
    private final String name;
    private final String target;
    private final String[] methods;
    private String[] fields = {};
    /** A field that is added, or null. */
    private String addedField;
    /** Instructions, and those that take their place. */
    private byte[] replaced = {};
    private byte[] replacement = {};

    /**
     * Describes a class. All names have slashes.
     *
     * @param target our class, with a static method of the same name for each of the methods, or
     *     null if there are none
     */
    private RedirectedClass(GatkPart part, String name, String target, String... methods) {
        parts = EnumSet.of(part);
        this.name = name;
        this.target = target;
        this.methods = methods;
    }

    /** Serves a second part. Our methods ask each part whether it is used. */
    private RedirectedClass alsoFor(GatkPart part) {
        parts.add(part);
        return this;
    }

    /** Makes fields public, and not final. */
    private RedirectedClass open(String... names) {
        fields = names;
        return this;
    }

    /** Adds a public field, in which our code keeps an object. */
    private RedirectedClass add(String field) {
        addedField = field;
        return this;
    }

    /** Replaces instructions, which occur once in the class, by others of the same length. */
    private RedirectedClass replace(byte[] instructions, byte[] others) {
        replaced = instructions;
        replacement = others;
        return this;
    }

    /** Returns the entry for a class name with slashes, or null. */
    static RedirectedClass named(String name) {
        return BY_NAME.get(name);
    }

    /** Returns whether every tool of GATK loads the class. */
    boolean isOfEveryTool() {
        return parts.contains(GatkPart.TOOLS);
    }

    /** Leaves GATK's own code, because this class cannot be changed any more. */
    void refuse(String reason) {
        parts.forEach(part -> part.refuse(reason));
    }

    /** Returns the class file with calls to our methods, or null if GATK keeps its own file. */
    byte[] transform(ClassLoader loader, byte[] original) {
        try {
            if (!isUsable(loader)) {
                return null;
            }
            ClassFile file = new ClassFile(original.clone());
            for (String method : methods) {
                file.redirect(name, method, target);
            }
            for (String field : fields) {
                file.open(field);
            }
            if (addedField != null) {
                file.add(addedField);
            }
            if (replaced.length > 0) {
                file.replaceCode(replaced, replacement);
            }
            return file.toBytes();
        } catch (IOException | RuntimeException | Error e) {
            parts.forEach(part -> part.warn(e.toString()));
            return null;
        }
    }

    private boolean isUsable(ClassLoader loader) throws IOException {
        for (GatkPart part : parts) {
            if (part.isUsable(loader)) {
                return true;
            }
        }
        return false;
    }
}
