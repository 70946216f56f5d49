package org.broadinstitute.barclay.argparser;

import java.io.File;
import java.io.IOException;
import java.util.Set;

/** Part of Barclay's class, with fields that the agent opens and a method that it adds. */
public final class ClassFinder {
    public ClassLoader loader;
    public Class<?> parentType;

    public native Set<Class<?>> getClasses();

    public native void scanJar$original(File jar, String folder) throws IOException;
}
