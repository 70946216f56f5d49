package org.gklshim.gatk.regions;

import java.lang.reflect.Constructor;
import java.util.HashMap;
import java.util.Map;
import org.broadinstitute.hellbender.engine.AssemblyRegionWalker;
import org.gklshim.gatk.Members;

/** Makes engines of GATK like the one that a tool has. */
final class EngineFactory {
    /** Options that make an engine open an output file. Only the tool's own engine opens it. */
    private static final String[] FILE_OPTIONS = {"bamOutputPath", "f1r2TarGz"};

    private final AssemblyRegionWalker walker;
    private final Arguments arguments;
    private final Object engine;

    EngineFactory(AssemblyRegionWalker walker, Arguments arguments, Object engine) {
        this.walker = walker;
        this.arguments = arguments;
        this.engine = engine;
    }

    /** Makes an engine like the tool's, without its files. */
    Object make(Object reference) {
        Map<String, Object> files = new HashMap<>();
        try {
            for (String option : FILE_OPTIONS) {
                if (arguments.isSet(option)) {
                    files.put(option, Members.replace(arguments.fields, option, null));
                }
            }
            return construct(reference);
        } finally {
            files.forEach((option, value) -> Members.replace(arguments.fields, option, value));
        }
    }

    /** Calls the constructor of the tool's engine, which differs between versions of GATK. */
    private Object construct(Object reference) {
        try {
            Object[] known = {
                arguments.fields, walker.assemblyRegionArgs, walker.getHeaderForReads(), reference,
                walker.getBestAvailableSequenceDictionary(),
                Members.get(engine, "annotationEngine"),
            };
            Constructor<?> constructor = engine.getClass().getConstructors()[0];
            Class<?>[] types = constructor.getParameterTypes();
            Object[] values = new Object[types.length];
            for (int k = 0; k < types.length; k++) {
                // Two ask for an index and a checksum of --bam-output, which this engine lacks.
                values[k] = types[k] == boolean.class ? false : instance(known, types[k]);
            }
            return constructor.newInstance(values);
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException(e);
        }
    }

    private static Object instance(Object[] known, Class<?> type) {
        for (Object value : known) {
            if (type.isInstance(value)) {
                return value;
            }
        }
        throw new IllegalStateException("GATK's engine wants a " + type.getName());
    }
}
