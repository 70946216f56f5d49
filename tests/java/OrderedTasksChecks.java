package org.gklshim.gatk.regions;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.concurrent.BrokenBarrierException;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;

/**
 * Runs tasks that sleep and draw random numbers at random, in one thread and in several, and prints
 * what differs. Arguments: the number of tasks, and numbers of threads.
 */
public final class OrderedTasksChecks {
    private static final long SEED = 7;

    private final int threads;
    private final int tasks;
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
            check("results before the sink's " + failing, expected.subList(0, failing).equals(found));
            found = new ArrayList<>();
            error = new OrderedTasksChecks(threads, tasks).run(-1, -1, failing, found);
            check("error of the owner at " + failing, ("owner " + failing).equals(error));
            check("results before the owner's " + failing,
                    expected.subList(0, failing).equals(found));
        }
        checkLimits(threads);
        checkTasksRunTogether(threads);
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
        OrderedTasks<Integer, Integer> tasks = new OrderedTasks<>(
                functions, task -> inFlight.decrementAndGet(), 30, 20, 100);
        for (int k = 0; k < 50; k++) {
            // One task is heavier than any limit.
            tasks.submit(k, k == 20 ? 1000 : 10);
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
        OrderedTasks<Integer, Integer> tasks = new OrderedTasks<>(
                Collections.nCopies(threads, meet), task -> {}, 1000, 1000, threads);
        for (int k = 0; k < threads; k++) {
            tasks.submit(k, 1);
        }
        tasks.awaitAll();
        tasks.close();
        check("tasks that met: " + met, met.get() == threads);
    }

    private List<String> inOneThread(int failing) {
        List<String> results = new ArrayList<>();
        Random ownersChoice = new Random(SEED + 1);
        for (int k = 0; k < tasks; k++) {
            String draw = ownersChoice.nextInt(10) == 0 ? " owner " + numbers.nextInt() : "";
            if (k == failing) {
                return results;
            }
            results.add(isEmpty(k) ? "empty" + draw : result(k, draw, false));
        }
        return results;
    }

    private String run(int failing, int failingSink, int failingOwner, List<String> results) {
        List<Function<String[], String>> functions = new ArrayList<>();
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
        OrderedTasks<String[], String> queue = new OrderedTasks<>(functions, result -> {
            check("one sink at a time", sinks.incrementAndGet() == 1);
            if (results.size() == failingSink) {
                throw new IllegalStateException("sink " + failingSink);
            }
            results.add(result);
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
                        queue.submitResult("empty" + draw);
                    } else {
                        queue.submit(new String[] {"" + k, draw}, 1 + k % 90);
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

    /** Computes a task: it sleeps at random, and draws none, one or several numbers. */
    private String result(int number, String draw, boolean isParallel) {
        Random choice = new Random(SEED * number);
        int draws = Math.max(0, choice.nextInt(8) - 5);
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
        return number + draw + " " + Arrays.toString(drawn);
    }

    private int draw(boolean isParallel) {
        if (isParallel) {
            OrderedTasks.awaitTurn();
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
