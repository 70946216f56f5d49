package org.gklshim.gatk.threads;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.BrokenBarrierException;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.Function;

/**
 * Runs tasks that sleep and draw random numbers at random, in one thread and in several, and prints
 * what differs. Arguments: the number of tasks, and numbers of threads.
 */
public final class OrderedTasksChecks {
    private static final long SEED = 7;

    private final int threads;
    private final int tasks;
    /** What a task has found. If it leaves a draw, a number is added in order. */
    private static final class Result {
        String text;
        final boolean leavesDraw;

        Result(String text, boolean leavesDraw) {
            this.text = text;
            this.leavesDraw = leavesDraw;
        }
    }

    /** The numbers that everybody shares. Only the thread whose turn it is draws. */
    private final Random numbers = new Random(SEED);
    private final AtomicInteger drawing = new AtomicInteger();

    private OrderedTasksChecks(int threads, int tasks) {
        this.threads = threads;
        this.tasks = tasks;
    }

    public static void main(String[] arguments) throws Exception {
        for (int k = 1; k < arguments.length; k++) {
            check(Integer.parseInt(arguments[k]), Integer.parseInt(arguments[0]));
        }
    }

    private static void check(int threads, int tasks) {
        List<String> expected = new OrderedTasksChecks(threads, tasks).inOneThread(-1);
        List<String> found = new ArrayList<>();
        OrderedTasksChecks checks = new OrderedTasksChecks(threads, tasks);
        checks.run(-1, -1, -1, found);
        check("results", expected.equals(found));
        for (int failing : new int[] {0, 1, tasks / 2, tasks - 1}) {
            List<String> before = new OrderedTasksChecks(threads, tasks).inOneThread(failing);
            found = new ArrayList<>();
            String error = new OrderedTasksChecks(threads, tasks).run(failing, -1, -1, found);
            check("error of task " + failing, ("task " + failing).equals(error));
            check("results before task " + failing, before.equals(found));
            found = new ArrayList<>();
            error = new OrderedTasksChecks(threads, tasks).run(-1, failing, -1, found);
            check("error of the sink at " + failing, ("sink " + failing).equals(error));
            check("results before the sink's " + failing,
                    expected.subList(0, failing).equals(found));
            found = new ArrayList<>();
            error = new OrderedTasksChecks(threads, tasks).run(-1, -1, failing, found);
            check("error of the owner at " + failing, ("owner " + failing).equals(error));
            check("results before the owner's " + failing,
                    expected.subList(0, failing).equals(found));
        }
        checkLimits(threads);
        checkTasksRunTogether(threads);
        checkOneTask(threads);
        checkFewerThreads(threads);
        System.out.println("done with " + threads);
    }

    /** Two tasks whose weights exceed the limit together never run together. */
    private static void checkLimits(int threads) {
        AtomicInteger running = new AtomicInteger();
        AtomicInteger most = new AtomicInteger();
        AtomicInteger inFlight = new AtomicInteger();
        AtomicInteger mostInFlight = new AtomicInteger();
        List<Function<Integer, Integer>> functions = new ArrayList<>();
        for (int k = 0; k < threads; k++) {
            functions.add(task -> {
                most.accumulateAndGet(running.incrementAndGet(), Math::max);
                sleep(1);
                running.decrementAndGet();
                return task;
            });
        }
        OrderedTasks<Integer, Integer> tasks = new OrderedTasks<>("test", threads, functions::get,
                task -> {}, task -> inFlight.decrementAndGet(), 30, 20, 100);
        for (int k = 0; k < 50; k++) {
            // One task is heavier than any limit.
            tasks.submit(k, k == 20 ? 1000 : 10, true);
            mostInFlight.accumulateAndGet(inFlight.incrementAndGet(), Math::max);
        }
        tasks.awaitAll();
        tasks.close();
        check("tasks at once: " + most, most.get() <= 2);
        // A result may be handed on between submit() and the count.
        check("tasks in flight: " + mostInFlight, mostInFlight.get() <= 3);
    }

    /** As many tasks as there are threads run at once: each waits for the others. */
    private static void checkTasksRunTogether(int threads) {
        CyclicBarrier barrier = new CyclicBarrier(threads);
        AtomicInteger met = new AtomicInteger();
        Function<Integer, Integer> meet = task -> {
            try {
                barrier.await(60, TimeUnit.SECONDS);
                met.incrementAndGet();
            } catch (InterruptedException | BrokenBarrierException | TimeoutException e) {
                // The count shows it.
            }
            return task;
        };
        OrderedTasks<Integer, Integer> tasks =
                new OrderedTasks<>("test", threads, k -> meet, task -> {}, 1000, threads);
        for (int k = 0; k < threads; k++) {
            tasks.submit(k, 1, true);
        }
        tasks.awaitAll();
        tasks.close();
        check("tasks that met: " + met, met.get() == threads);
    }

    /** One task is the owner's, and starts no thread. */
    private static void checkOneTask(int threads) {
        List<Integer> made = new ArrayList<>();
        List<Thread> computing = new ArrayList<>();
        OrderedTasks<Integer, Integer> tasks = new OrderedTasks<>("test", threads, k -> {
            made.add(k);
            return task -> {
                computing.add(Thread.currentThread());
                return task;
            };
        }, task -> {}, 1000, 100);
        tasks.submit(0, 1);
        tasks.awaitAll();
        tasks.close();
        check("functions for one task: " + made, made.equals(Collections.singletonList(0)));
        check("threads of one task: " + computing,
                computing.equals(Collections.singletonList(Thread.currentThread())));
    }

    /** Where functions cannot be made, the others compute all tasks. */
    private static void checkFewerThreads(int threads) {
        for (int most = 1; most < Math.min(threads, 4); most++) {
            int made = most;
            Set<Thread> computing = Collections.synchronizedSet(new HashSet<>());
            List<Integer> results = new ArrayList<>();
            OrderedTasks<Integer, Integer> tasks = new OrderedTasks<>("test", threads, k -> {
                if (k >= made) {
                    throw new OutOfMemoryError("for the test");
                }
                return task -> {
                    computing.add(Thread.currentThread());
                    sleep(1);
                    return task;
                };
            }, results::add, 1000, 100);
            List<Integer> expected = new ArrayList<>();
            for (int k = 0; k < 50; k++) {
                tasks.submit(k, 1);
                expected.add(k);
            }
            tasks.awaitAll();
            tasks.close();
            check("results of fewer threads", results.equals(expected));
            check("threads: " + computing.size(), computing.size() == made);
        }
    }

    private List<String> inOneThread(int failing) {
        List<String> results = new ArrayList<>();
        Random ownersChoice = new Random(SEED + 1);
        for (int k = 0; k < tasks; k++) {
            String draw = ownersChoice.nextInt(10) == 0 ? " owner " + numbers.nextInt() : "";
            if (k == failing) {
                return results;
            }
            Result result = isEmpty(k)
                    ? new Result("empty" + draw, false) : result(k, draw, false);
            drawLater(result, false);
            results.add(result.text);
        }
        return results;
    }

    private String run(int failing, int failingSink, int failingOwner, List<String> results) {
        List<Function<String[], Result>> functions = new ArrayList<>();
        for (int k = 0; k < threads; k++) {
            functions.add(task -> {
                int number = Integer.parseInt(task[0]);
                if (number == failing) {
                    throw new IllegalStateException("task " + number);
                }
                return result(number, task[1], true);
            });
        }
        AtomicInteger sinks = new AtomicInteger();
        Consumer<Result> inOrder = result -> drawLater(result, true);
        OrderedTasks<String[], Result> queue = new OrderedTasks<>("test", threads, functions::get,
                inOrder, result -> {
            check("one sink at a time", sinks.incrementAndGet() == 1);
            if (results.size() == failingSink) {
                throw new IllegalStateException("sink " + failingSink);
            }
            results.add(result.text);
            sinks.decrementAndGet();
        }, 1000, 500, 4 * threads);
        try {
            Random ownersChoice = new Random(SEED + 1);
            try {
                for (int k = 0; k < tasks; k++) {
                    if (k == failingOwner) {
                        throw new IllegalStateException("owner " + k);
                    }
                    String draw = ownersChoice.nextInt(10) == 0 ? " owner " + draw(true) : "";
                    if (isEmpty(k) && k != failing) {
                        queue.submitResult(new Result("empty" + draw, false));
                    } else {
                        queue.submit(new String[] {"" + k, draw}, 1 + k % 90, mayDraw(k));
                    }
                }
            } catch (RuntimeException e) {
                queue.awaitAll();
                throw e;
            }
            queue.awaitAll();
            return null;
        } catch (RuntimeException e) {
            return e.getMessage();
        } finally {
            queue.close();
        }
    }

    private static boolean isEmpty(int number) {
        return number % 5 == 3;
    }

    /** Returns whether a task may draw. The owner does not wait for the others. */
    private static boolean mayDraw(int number) {
        return number % 7 != 5;
    }

    /** Computes a task: it sleeps at random, and draws none, one or several numbers. */
    private Result result(int number, String draw, boolean isParallel) {
        Random choice = new Random(SEED * number);
        boolean leavesDraw = choice.nextInt(4) == 0 && mayDraw(number);
        int draws = mayDraw(number) ? Math.max(0, choice.nextInt(8) - 5) : 0;
        int[] drawn = new int[draws];
        for (int k = 0; k < draws; k++) {
            if (isParallel && choice.nextInt(3) == 0) {
                sleep(choice.nextInt(3));
            }
            drawn[k] = draw(isParallel);
        }
        if (isParallel && choice.nextInt(3) == 0) {
            sleep(choice.nextInt(3));
        }
        return new Result(number + draw + " " + Arrays.toString(drawn), leavesDraw);
    }

    private void drawLater(Result result, boolean isParallel) {
        if (result.leavesDraw) {
            result.text += " later " + drawNow(isParallel);
        }
    }

    private int draw(boolean isParallel) {
        if (isParallel) {
            OrderedTasks.awaitTurn();
        }
        return drawNow(isParallel);
    }

    private int drawNow(boolean isParallel) {
        if (isParallel) {
            check("one draws at a time", drawing.incrementAndGet() == 1);
        }
        int value = numbers.nextInt();
        if (isParallel) {
            drawing.decrementAndGet();
        }
        return value;
    }

    private static void sleep(int milliseconds) {
        try {
            Thread.sleep(milliseconds);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    private static void check(String what, boolean isTrue) {
        if (!isTrue) {
            System.out.println("wrong: " + what);
        }
    }
}
