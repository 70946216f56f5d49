package org.gklshim;

import java.lang.instrument.ClassFileTransformer;
import java.lang.instrument.Instrumentation;
import java.security.ProtectionDomain;

/**
 * A Java agent for tests. HaplotypeCaller's calls of regions sleep at random (-Dtest.sleep=MS), or
 * the one at a position fails (-Dtest.fail=POSITION with -Dtest.error=exception, user, memory).
 */
public final class RegionTrouble {
    private static final String ENGINE =
            "org/broadinstitute/hellbender/tools/walkers/haplotypecaller/HaplotypeCallerEngine";

    private RegionTrouble() {}

    public static void premain(String arguments, Instrumentation instrumentation) {
        instrumentation.addTransformer(new ClassFileTransformer() {
            @Override
            public byte[] transform(ClassLoader loader, String name, Class<?> redefined,
                    ProtectionDomain domain, byte[] original) {
                if (!ENGINE.equals(name)) {
                    return null;
                }
                try {
                    ClassFile file = new ClassFile(original.clone());
                    file.redirect(name, "callRegion", "org/gklshim/RegionTroubleCalls");
                    return file.toBytes();
                } catch (Exception e) {
                    e.printStackTrace();
                    Runtime.getRuntime().halt(99);
                    return null;
                }
            }
        });
    }
}
