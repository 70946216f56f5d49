package org.gklshim.gatk.threads;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.IntFunction;
import java.util.function.Predicate;

/**
 * Computes tasks in several threads, and hands on their results in the order of the tasks.
 *
 * <p>One thread, the owner, submits the tasks. While it waits, it computes tasks too. The other
 * threads start with the second task: a single one is the owner's. If the system has no thread or
 * no memory for them, the tasks are computed by those that there are, if need be by the owner
 * alone.
 *
 * <p>What must happen in the order of the tasks, such as drawing a random number, is the work of a
 * function that gets the results in this order. A task that must do so itself waits for its turn:
 * see {@link #awaitTurn}. The first task in order that fails ends everything: the results of all
 * earlier tasks are handed on, no later result is, and the owner gets the exception.
 *
 * @param <T> a task
 * @param <R> a result
 */
public final class OrderedTasks<T, R> {
    /** Ends a task whose result nobody wants, because an earlier task has failed. */
    private static final class Abandoned extends Error {
        private static final long serialVersionUID = 1;

        Abandoned() {
            super("an earlier task has failed", null, false, false);
        }
    }

    /** A task, and what becomes of it. */
    private static final class Entry<T, R> {
        /** Null if it is computed. */
        T task;
        final long weight;
        /** Whether the owner waits for it in {@link #awaitTurn}. */
        final boolean isAwaited;
        R result;
        Throwable failure;
        boolean isDone;

        Entry(T task, long weight, boolean isAwaited) {
            this.task = task;
            this.weight = weight;
            this.isAwaited = isAwaited;
        }
    }

    /** The tasks that a thread submits or computes. */
    private static final ThreadLocal<OrderedTasks<?, ?>> OF_THREAD = new ThreadLocal<>();

    private final String part;
    private final int threads;
    private final IntFunction<Function<T, R>> functions;
    private final Function<T, R> ownersFunction;
    private final Consumer<R> inOrder;
    private final Consumer<R> sink;
    private final long maxWeight;
    private final long maxRunningWeight;
    private final int maxEntries;
    private final Thread owner = Thread.currentThread();
    /** The entry that a thread computes. */
    private final ThreadLocal<Entry<T, R>> current = new ThreadLocal<>();
    private int submitted;

    /** Guards all fields below. */
    private final ReentrantLock lock = new ReentrantLock();
    /** Signals a thread that computes nothing: it may find a task. */
    private final Condition mayCompute = lock.newCondition();
    /** Signals the owner, and tasks that wait for others. */
    private final Condition changed = lock.newCondition();
    /** The tasks that no thread computes yet. */
    private final ArrayDeque<Entry<T, R>> waiting = new ArrayDeque<>();
    /** The first task that is not computed, and all later ones. */
    private final ArrayDeque<Entry<T, R>> uncomputed = new ArrayDeque<>();
    /** How many of these the owner waits for. */
    private int awaited;
    /** The tasks whose results were not handed on yet. */
    private final ArrayDeque<Entry<T, R>> inFlight = new ArrayDeque<>();
    private long weight;
    private long runningWeight;
    private long taskWaits;
    private long ownerWaits;
    private boolean isHandingOn;
    private boolean isClosed;
    private Throwable failure;

    /** Takes the limits for tasks that need no more memory while they are computed than before. */
    public OrderedTasks(String part, int threads, IntFunction<Function<T, R>> functions,
            Consumer<R> sink, long maxWeight, int maxEntries) {
        this(part, threads, functions, result -> {}, sink, maxWeight, Long.MAX_VALUE, maxEntries);
    }

    /**
     * Makes the calling thread the owner.
     *
     * @param part what the threads work for, for the log
     * @param threads how many threads compute tasks, with the owner
     * @param functions returns what computes tasks in a thread, 0 for the owner. The owner calls it
     *     while no task is computed
     * @param inOrder gets each result as soon as it and all earlier ones are computed, one at a
     *     time, in any of the threads. It must be quick, because all threads wait for it
     * @param sink gets the results later, one at a time, in any of the threads
     * @param maxWeight the limit on the weight of all tasks whose results were not handed on yet. A
     *     single task may be heavier
     * @param maxRunningWeight the same for the tasks that threads compute
     * @param maxEntries the limit on the number of tasks whose results were not handed on yet
     */
    public OrderedTasks(String part, int threads, IntFunction<Function<T, R>> functions,
            Consumer<R> inOrder, Consumer<R> sink, long maxWeight, long maxRunningWeight,
            int maxEntries) {
        this.part = part;
        this.threads = threads;
        this.functions = functions;
        ownersFunction = functions.apply(0);
        this.inOrder = inOrder;
        this.sink = sink;
        this.maxWeight = maxWeight;
        this.maxRunningWeight = maxRunningWeight;
        this.maxEntries = maxEntries;
        OF_THREAD.set(this);
    }

    /** Starts all threads that can be had. */
    private void startThreads() {
        List<Function<T, R>> made = new ArrayList<>();
        try {
            while (made.size() < threads - 1) {
                made.add(functions.apply(made.size() + 1));
            }
        } catch (RuntimeException | OutOfMemoryError e) {
            Threads.logFewer(part, e);
        }
        for (Function<T, R> function : made) {
            if (!Threads.start(part, () -> work(function))) {
                return;
            }
        }
    }

    /** Submits a task that the owner waits for. Waits while too much is in flight. */
    public void submit(T task, long taskWeight) {
        submit(task, taskWeight, true);
    }

    /**
     * Submits a task. Waits while too much is in flight.
     *
     * @param isAwaited whether the owner waits for the task when it calls {@link #awaitTurn}
     */
    public void submit(T task, long taskWeight, boolean isAwaited) {
        Entry<T, R> entry = new Entry<>(task, taskWeight, isAwaited);
        if (++submitted == 2) {
            startThreads();
        }
        lock.lock();
        try {
            awaitAsOwner(() -> inFlight.isEmpty()
                    || weight + taskWeight <= maxWeight && inFlight.size() < maxEntries);
            waiting.add(entry);
            add(entry);
            signalWaiting();
        } finally {
            lock.unlock();
        }
    }

    /** Submits a result that needs no computing. The owner does not hand it on unless it waits. */
    public void submitResult(R result) {
        Entry<T, R> entry = new Entry<>(null, 0, false);
        entry.result = result;
        entry.isDone = true;
        lock.lock();
        try {
            awaitAsOwner(() -> inFlight.size() < maxEntries);
            add(entry);
            advance();
        } finally {
            lock.unlock();
        }
    }

    private void add(Entry<T, R> entry) {
        weight += entry.weight;
        uncomputed.add(entry);
        awaited += entry.isAwaited ? 1 : 0;
        inFlight.add(entry);
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

    /** Ends the threads. Waits for a result that is being handed on; none is after that. */
    public void close() {
        OF_THREAD.remove();
        lock.lock();
        try {
            isClosed = true;
            signalEnd();
            while (isHandingOn) {
                changed.awaitUninterruptibly();
            }
        } finally {
            lock.unlock();
        }
    }

    /**
     * Waits until everything that comes before, in order, is computed: in a task all earlier tasks,
     * in the owner's own work all tasks that it has submitted and waits for. Any other thread does
     * not wait.
     */
    public static void awaitTurn() {
        OrderedTasks<?, ?> tasks = OF_THREAD.get();
        if (tasks != null) {
            tasks.awaitTurnOfThread();
        }
    }

    /** Returns how often tasks have waited for their turn. */
    public long taskWaits() {
        return taskWaits;
    }

    /** Returns how often the owner has waited for its turn. */
    public long ownerWaits() {
        return ownerWaits;
    }

    /**
     * Waits, in a task, until all earlier tasks are computed for which a condition holds. Any other
     * thread does not wait.
     */
    @SuppressWarnings("unchecked")
    public static <T> void awaitEarlier(Predicate<T> condition) {
        OrderedTasks<T, ?> tasks = (OrderedTasks<T, ?>) OF_THREAD.get();
        if (tasks != null) {
            tasks.awaitEarlierOfThread(condition);
        }
    }

    private void awaitTurnOfThread() {
        Entry<T, R> entry = current.get();
        lock.lock();
        try {
            if (entry == null) {
                ownerWaits += awaited > 0 ? 1 : 0;
                awaitAsOwner(() -> awaited == 0);
            } else {
                taskWaits += uncomputed.peek() != entry ? 1 : 0;
                awaitEarlierOfThread(task -> true);
            }
        } finally {
            lock.unlock();
        }
    }

    private void awaitEarlierOfThread(Predicate<T> condition) {
        Entry<T, R> entry = current.get();
        lock.lock();
        try {
            while (entry != null && isAnyUncomputed(entry, condition)) {
                if (isEnded()) {
                    throw new Abandoned();
                }
                changed.awaitUninterruptibly();
            }
        } finally {
            lock.unlock();
        }
    }

    /** Returns whether a task before this one is not computed yet, of those that count. */
    private boolean isAnyUncomputed(Entry<T, R> entry, Predicate<T> condition) {
        for (Entry<T, R> earlier : uncomputed) {
            if (earlier == entry) {
                return false;
            }
            if (!earlier.isDone && condition.test(earlier.task)) {
                return true;
            }
        }
        return false;
    }

    /** Hands on results and computes tasks as the owner, or waits, until a condition holds. */
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
            if (!handOn() && !computeNext(ownersFunction)) {
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
                    mayCompute.awaitUninterruptibly();
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
        signalWaiting();
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
        entry.task = null;
        entry.isDone = true;
        signalWaiting();
        advance();
        handOn();
        return true;
    }

    /** Goes on to the first task that is not computed yet. */
    private void advance() {
        while (!uncomputed.isEmpty() && uncomputed.peek().isDone) {
            Entry<T, R> entry = uncomputed.poll();
            awaited -= entry.isAwaited ? 1 : 0;
            if (entry.failure == null) {
                entry.failure = failureOf(inOrder, entry.result);
            }
        }
        changed.signalAll();
    }

    /** Hands on what is next in order. Returns whether there was anything. */
    private boolean handOn() {
        if (isHandingOn) {
            return false;
        }
        boolean isAny = false;
        isHandingOn = true;
        while (!isEnded() && !inFlight.isEmpty() && inFlight.peek().isDone) {
            isAny = true;
            Entry<T, R> entry = inFlight.peek();
            failure = entry.failure != null ? entry.failure : handOn(entry.result);
            if (failure == null) {
                inFlight.poll();
                weight -= entry.weight;
                changed.signalAll();
            } else {
                signalEnd();
            }
        }
        isHandingOn = false;
        if (isClosed) {
            changed.signalAll();
        }
        return isAny;
    }

    private void signalWaiting() {
        if (!waiting.isEmpty()) {
            mayCompute.signal();
        }
    }

    private void signalEnd() {
        changed.signalAll();
        mayCompute.signalAll();
    }

    /** Gives a result to the sink. Returns what the sink threw, or null. */
    private Throwable handOn(R result) {
        lock.unlock();
        try {
            return failureOf(sink, result);
        } finally {
            lockAgain();
        }
    }

    private static <R> Throwable failureOf(Consumer<R> consumer, R result) {
        try {
            consumer.accept(result);
            return null;
        } catch (Throwable e) {
            return e;
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
    public static <E extends Throwable> void rethrow(Throwable failure) throws E {
        throw (E) failure;
    }
}
