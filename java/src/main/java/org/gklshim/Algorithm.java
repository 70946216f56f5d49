package org.gklshim;

/**
 * An algorithm that our classes compute with. There is one object for the process.
 *
 * <p>A self-test runs when the first class that needs the algorithm is loaded. Its outcome holds
 * for every later class.
 */
public abstract class Algorithm {
    /** Its lines in the log start with it. */
    final String name;
    /** What the log says after a run of GATK that has not used it. */
    final String idleText;

    private boolean tested;
    private boolean usable;
    private volatile String replaced;
    private volatile boolean used;

    protected Algorithm(String name, String idleText) {
        this.name = name;
        this.idleText = idleText;
    }

    /**
     * Binds to the native library and runs a self-test.
     *
     * @throws IllegalStateException a result is wrong, or another library is faster here
     * @throws UnsatisfiedLinkError the native library lacks a function
     */
    protected abstract void start(NativeLibrary library) throws Exception;

    final synchronized boolean isUsable(OriginalLibrary original, String swap) {
        if (!tested) {
            tested = true;
            replaced = original.title + " replaced (" + swap + ")";
            usable = startOrWarn(original);
        }
        return usable;
    }

    private boolean startOrWarn(OriginalLibrary original) {
        if (Settings.get("backend").equals("off")) {
            Log.info(name + ": GKL_SHIM_BACKEND=off: " + original.title + " is used");
            return false;
        }
        try {
            NativeLibrary library = NativeLibrary.load();
            try {
                start(library);
            } catch (UnsatisfiedLinkError e) {
                throw NativeLibrary.unusable(
                        "is no library of gkl-shim for Java: it has no " + e.getMessage());
            }
            return true;
        } catch (UnsatisfiedLinkError | UnsupportedOperationException | IllegalStateException e) {
            warn(original, e.getMessage());
        } catch (Exception | LinkageError | OutOfMemoryError e) {
            warn(original, e.toString());
        }
        return false;
    }

    /** Says in the log that GATK gets an original class. */
    final void warn(OriginalLibrary original, String reason) {
        Log.warning(name + ": " + original.title + " is used: " + reason);
    }

    /**
     * Notes that a class is about to compute with it.
     *
     * @return what has been replaced and how, for the log: "Intel GKL replaced (agent)"
     */
    protected final String use() {
        used = true;
        return replaced;
    }

    /** Whether nothing has used it, although nothing is wrong with it. */
    final synchronized boolean isIdle() {
        return !used && (usable || !tested);
    }
}
