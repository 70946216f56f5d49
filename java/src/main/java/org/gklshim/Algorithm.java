package org.gklshim;

/**
 * An algorithm that our classes use. There is one object for the process.
 *
 * <p>A self-test runs when the first class that needs the algorithm is loaded. Its result applies
 * to all later classes.
 */
public abstract class Algorithm {
    /** The name with which its log lines start. */
    protected final String name;
    /** The setting that turns the algorithm off. */
    private final Setting setting;
    /** The log message after a run of GATK that has not used the algorithm; null for none. */
    final String idleText;

    private boolean tested;
    private boolean usable;
    private volatile String replaced;
    private volatile boolean used;

    protected Algorithm(String name, Setting setting, String idleText) {
        this.name = name;
        this.setting = setting;
        this.idleText = idleText;
    }

    /**
     * Binds to the native library and runs a self-test.
     *
     * @throws IllegalStateException if a result is wrong, or another library is faster here
     * @throws UnsatisfiedLinkError if the native library lacks a function
     */
    protected abstract void start(NativeLibrary library) throws Exception;

    final synchronized boolean isUsable(String original) {
        if (!tested) {
            tested = true;
            replaced = original + " replaced (agent)";
            usable = startOrWarn(original);
        }
        return usable;
    }

    private boolean startOrWarn(String original) {
        for (Setting each : new Setting[] {Setting.BACKEND, setting}) {
            if (each.isOff()) {
                Log.info(Log.fallback(name, original, each.source() + "=off"));
                return false;
            }
        }
        setting.warnUnlessSwitch();
        try {
            NativeLibrary library = NativeLibrary.load();
            try {
                start(library);
            } catch (UnsatisfiedLinkError e) {
                throw NativeLibrary.foreign(e);
            }
            return true;
        } catch (UnsatisfiedLinkError | UnsupportedOperationException | IllegalStateException e) {
            warn(original, e.getMessage());
        } catch (Exception | LinkageError | OutOfMemoryError e) {
            warn(original, e.toString());
        }
        return false;
    }

    /** Logs that GATK gets the original class. */
    final void warn(String original, String reason) {
        Log.warning(Log.fallback(name, original, reason));
    }

    /**
     * Records that a class is about to use the algorithm.
     *
     * @return what was replaced and how, for the log, such as "Intel GKL replaced (agent)"
     */
    protected final String use() {
        used = true;
        return replaced;
    }

    /** Returns whether the algorithm was not used although no test of it failed. */
    final synchronized boolean isIdle() {
        return !used && (usable || !tested);
    }
}
