package org.gklshim.gatk.regions;

import java.util.ArrayDeque;
import java.util.List;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Function;

/**
 * A queue of tasks that several threads compute, and whose results are handed on in the order in
 * which the tasks were submitted.
 *
 * <p>One thread, the owner, submits the tasks. While it waits, it computes tasks too. A thread that
 * needs something in the order of the tasks, such as a random number, calls {@link #awaitTurn}. The
 * first task in order that fails ends everything: the owner gets its exception after the results of
 * all earlier tasks were handed on, and no later result is handed on.
 *
 * @param <T> a task
 * @param <R> a result
 */
public final class OrderedTasks<T, R> {
    /** What unwinds a task whose result nobody wants any more. */
    private static final class Abandoned extends Error {
        private static final long serialVersionUID = 1;

        Abandoned() {
            super("an earlier task has failed", null, false, false);
        }
    }

    /** A task on its way from {@link #submit} to the sink. */
    private static final class Entry<T, R> {
        final T task;
        final long weight;
        R result;
        Throwable failure;
        boolean isDone;

        Entry(T task, long weight) {
            this.task = task;
            this.weight = weight;
        }
    }

    /** The tasks that a thread owns or computes. */
    private static final ThreadLocal<OrderedTasks<?, ?>> OF_THREAD = new ThreadLocal<>();

    private final Function<T, R> ownersFunction;
    private final Consumer<R> sink;
    private final long maxWeight;
    private final long maxRunningWeight;
    private final int maxEntries;
    private final Thread owner = Thread.currentThread();
    /** The entry that a thread computes. */
    private final ThreadLocal<Entry<T, R>> current = new ThreadLocal<>();

    /** Guards all fields below. */
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    /** No thread computes these yet. */
    private final ArrayDeque<Entry<T, R>> waiting = new ArrayDeque<>();
    /** The first of these is not computed yet. */
    private final ArrayDeque<Entry<T, R>> uncomputed = new ArrayDeque<>();
    /** The results of these were not handed on yet. */
    private final ArrayDeque<Entry<T, R>> inFlight = new ArrayDeque<>();
    private long weight;
    private long runningWeight;
    private boolean isHandingOn;
    private boolean isClosed;
    private Throwable failure;

    /**
     * Starts the threads. The calling thread is the owner.
     *
     * @param functions compute a task, one for each thread; the first one is the owner's
     * @param sink gets the results, one at a time, in any of the threads
     * @param maxWeight the limit on the weight of all tasks whose results were not handed on yet. A
     *     single task may be heavier.
     * @param maxRunningWeight the same for the tasks that threads compute
     * @param maxEntries the limit on the number of tasks whose results were not handed on yet
     * @throws OutOfMemoryError if the system refuses a thread; then no thread is left
     */
    public OrderedTasks(List<Function<T, R>> functions, Consumer<R> sink, long maxWeight,
            long maxRunningWeight, int maxEntries) {
        ownersFunction = functions.get(0);
        this.sink = sink;
        this.maxWeight = maxWeight;
        this.maxRunningWeight = maxRunningWeight;
        this.maxEntries = maxEntries;
        OF_THREAD.set(this);
        boolean areStarted = false;
        try {
            for (Function<T, R> function : functions.subList(1, functions.size())) {
                Thread thread = new Thread(() -> work(function), "gkl-shim region");
                thread.setDaemon(true);
                thread.start();
            }
            areStarted = true;
        } finally {
            if (!areStarted) {
                close();
            }
        }
    }

    /** Submits a task. Waits while too much is in flight. */
    public void submit(T task, long taskWeight) {
        Entry<T, R> entry = new Entry<>(task, taskWeight);
        lock.lock();
        try {
            awaitAsOwner(() -> inFlight.isEmpty()
                    || weight + taskWeight <= maxWeight && inFlight.size() < maxEntries);
            waiting.add(entry);
            add(entry);
        } finally {
            lock.unlock();
        }
    }

    /** Submits a result that needs no computing. */
    void submitResult(R result) {
        Entry<T, R> entry = new Entry<>(null, 0);
        entry.result = result;
        entry.isDone = true;
        lock.lock();
        try {
            awaitAsOwner(() -> inFlight.size() < maxEntries);
            add(entry);
            finish();
        } finally {
            lock.unlock();
        }
    }

    private void add(Entry<T, R> entry) {
        weight += entry.weight;
        uncomputed.add(entry);
        inFlight.add(entry);
        changed.signalAll();
    }

    /**
     * Waits until all results were handed on.
     *
     * @throws RuntimeException or an error, if a task or the sink threw it
     */
    public void awaitAll() {
        lock.lock();
        try {
            awaitAsOwner(inFlight::isEmpty);
        } finally {
            lock.unlock();
        }
    }

    /** Ends the threads. No result is handed on after that. */
    public void close() {
        OF_THREAD.remove();
        lock.lock();
        try {
            isClosed = true;
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /**
     * Waits until everything that comes before, in order, is computed: in a task all earlier tasks,
     * in the owner's own work all tasks that it has submitted. Any other thread does not wait.
     */
    static void awaitTurn() {
        OrderedTasks<?, ?> tasks = OF_THREAD.get();
        if (tasks != null) {
            tasks.awaitTurnOfThread();
        }
    }

    private void awaitTurnOfThread() {
        Entry<T, R> entry = current.get();
        lock.lock();
        try {
            if (entry == null) {
                awaitAsOwner(uncomputed::isEmpty);
                return;
            }
            while (uncomputed.peek() != entry) {
                if (isEnded()) {
                    throw new Abandoned();
                }
                changed.awaitUninterruptibly();
            }
        } finally {
            lock.unlock();
        }
    }

    /** Computes tasks in the owner's thread, or waits, until a condition holds. */
    private void awaitAsOwner(BooleanSupplier condition) {
        if (Thread.currentThread() != owner) {
            throw new IllegalStateException("only one thread submits tasks");
        }
        while (true) {
            if (failure != null) {
                OrderedTasks.<RuntimeException>rethrow(failure);
            }
            if (condition.getAsBoolean()) {
                return;
            }
            if (!computeNext(ownersFunction)) {
                changed.awaitUninterruptibly();
            }
        }
    }

    private void work(Function<T, R> function) {
        OF_THREAD.set(this);
        lock.lock();
        try {
            while (!isEnded()) {
                if (!computeNext(function)) {
                    changed.awaitUninterruptibly();
                }
            }
        } finally {
            lock.unlock();
        }
    }

    private boolean isEnded() {
        return isClosed || failure != null;
    }

    /** Computes the next task. Returns false if there is none, or if it must wait. */
    private boolean computeNext(Function<T, R> function) {
        Entry<T, R> entry = waiting.peek();
        if (entry == null
                || runningWeight > 0 && runningWeight + entry.weight > maxRunningWeight) {
            return false;
        }
        waiting.poll();
        runningWeight += entry.weight;
        lock.unlock();
        try {
            // Inside the try block, because this may also run out of memory.
            current.set(entry);
            entry.result = function.apply(entry.task);
        } catch (Throwable e) {
            entry.failure = e;
        } finally {
            current.remove();
            lockAgain();
        }
        runningWeight -= entry.weight;
        entry.isDone = true;
        finish();
        return true;
    }

    /** Hands on what is next in order. */
    private void finish() {
        while (!uncomputed.isEmpty() && uncomputed.peek().isDone) {
            uncomputed.poll();
        }
        changed.signalAll();
        if (isHandingOn) {
            return;
        }
        isHandingOn = true;
        while (!isEnded() && !inFlight.isEmpty() && inFlight.peek().isDone) {
            Entry<T, R> entry = inFlight.peek();
            failure = entry.failure != null ? entry.failure : handOn(entry.result);
            if (failure == null) {
                inFlight.poll();
                weight -= entry.weight;
            }
            changed.signalAll();
        }
        isHandingOn = false;
    }

    /** Gives a result to the sink. Returns what the sink threw, or null. */
    private Throwable handOn(R result) {
        lock.unlock();
        try {
            sink.accept(result);
            return null;
        } catch (Throwable e) {
            return e;
        } finally {
            lockAgain();
        }
    }

    /** Takes the lock back, even without memory: else a task that has ended would never be done. */
    private void lockAgain() {
        while (true) {
            try {
                lock.lock();
                return;
            } catch (OutOfMemoryError e) {
                // A thread that must wait for the lock allocates. Try until it need not.
                Thread.yield();
            }
        }
    }

    /** Throws any exception, as the task threw it. */
    @SuppressWarnings("unchecked")
    private static <E extends Throwable> void rethrow(Throwable failure) throws E {
        throw (E) failure;
    }
}
