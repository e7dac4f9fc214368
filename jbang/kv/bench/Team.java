package kv.bench;

import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorCompletionService;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.stream.Stream;

/**
 * Threads that do a task together: they wait at one barrier, start at once and are joined. They
 * exist before the first task, so that making them is not timed; each keeps its number, as some
 * stores bind transactions to threads.
 */
public final class Team implements AutoCloseable {

    /**
     * What each thread does. It asks {@link #stopped()} now and then, so that the others end when
     * one has failed.
     */
    public interface Task {
        void run(int thread) throws Exception;
    }

    public final int size;
    private final List<ExecutorService> threads;
    private volatile boolean stopped;

    public Team(int size) {
        this.size = size;
        threads =
                Stream.generate(Executors::newSingleThreadExecutor).limit(size).toList();
        threads.forEach(thread -> thread.submit(() -> {})); // starts it
    }

    /**
     * Runs the task in every thread and waits for all of them.
     *
     * @throws Exception what the first thread that failed has thrown; the others have ended by then
     */
    public void run(Task task) throws Exception {
        CyclicBarrier start = new CyclicBarrier(size);
        BlockingQueue<Future<Void>> ended = new LinkedBlockingQueue<>();
        stopped = false;
        for (int thread = 0; thread < size; thread++) {
            int number = thread;
            new ExecutorCompletionService<>(threads.get(number), ended).submit(() -> {
                start.await();
                task.run(number);
                return null;
            });
        }
        Throwable first = null;
        for (int left = size; left > 0; ) {
            try {
                Future<Void> one = ended.take();
                left--;
                one.get();
            } catch (ExecutionException e) {
                first = first == null ? e.getCause() : first;
                stopped = true;
            } catch (InterruptedException e) {
                // The user's: the threads are stopped, and waited for all the same
                first = e;
                stopped = true;
            }
        }
        if (first instanceof Exception e) {
            throw e;
        } else if (first != null) {
            throw (Error) first;
        }
    }

    /** Whether a thread has failed or the user wants to stop: the others are to end. */
    public boolean stopped() {
        return stopped;
    }

    /**
     * Where a thread's share of so many things begins; that of the next thread is where it ends.
     */
    public int share(int thread, int things) {
        return (int) ((long) things * thread / size);
    }

    @Override
    public void close() {
        threads.forEach(ExecutorService::shutdown);
    }
}
