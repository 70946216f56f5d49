package org.gklshim;

import java.util.function.Consumer;

/**
 * Calls {@link System#load}, which binds a library to the class loader of the calling class.
 * {@link NativeLibrary} defines this class in a separate class loader.
 */
public final class SystemLoad implements Consumer<String> {
    @Override
    public void accept(String path) {
        System.load(path);
    }
}
