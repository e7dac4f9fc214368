/* RocksDB without a JVM: the loops of RocksC.java in C, against the library in the jar of rocksdbjni (exhibits E01 to E04).
 *
 * It is told what to do by its arguments, reads the entries from files that kv.Data wrote, runs and times passes, checks what
 * they returned, and prints a line for each fact, which RocksC.java reads:
 *   warmup NS | pass NS | close NS | writes COUNT NS | latency NS COUNT | cost USER_NS SYSTEM_NS READ_BYTES WRITTEN_BYTES PEAK_RSS_BYTES
 * A failure ends it with 1 and a sentence on stderr.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>

/* What is used of RocksDB's C API; the jar carries the library, but no header. */
typedef struct rocksdb_t rocksdb_t;
typedef struct rocksdb_options_t rocksdb_options_t;
typedef struct rocksdb_readoptions_t rocksdb_readoptions_t;
typedef struct rocksdb_writeoptions_t rocksdb_writeoptions_t;
typedef struct rocksdb_iterator_t rocksdb_iterator_t;
typedef struct rocksdb_pinnableslice_t rocksdb_pinnableslice_t;
rocksdb_options_t *rocksdb_options_create(void);
void rocksdb_get_options_from_string(const rocksdb_options_t *, const char *, rocksdb_options_t *, char **);
rocksdb_t *rocksdb_open(const rocksdb_options_t *, const char *, char **);
void rocksdb_close(rocksdb_t *);
void rocksdb_destroy_db(const rocksdb_options_t *, const char *, char **);
rocksdb_readoptions_t *rocksdb_readoptions_create(void);
rocksdb_writeoptions_t *rocksdb_writeoptions_create(void);
void rocksdb_writeoptions_disable_WAL(rocksdb_writeoptions_t *, int);
void rocksdb_put(rocksdb_t *, const rocksdb_writeoptions_t *, const char *, size_t, const char *, size_t, char **);
rocksdb_pinnableslice_t *rocksdb_get_pinned(rocksdb_t *, const rocksdb_readoptions_t *, const char *, size_t, char **);
const char *rocksdb_pinnableslice_value(const rocksdb_pinnableslice_t *, size_t *);
void rocksdb_pinnableslice_destroy(rocksdb_pinnableslice_t *);
unsigned char rocksdb_get_into_buffer(rocksdb_t *, const rocksdb_readoptions_t *, const char *, size_t, char *, size_t, size_t *,
                                      unsigned char *, char **);
rocksdb_iterator_t *rocksdb_create_iterator(rocksdb_t *, const rocksdb_readoptions_t *);
void rocksdb_iter_destroy(rocksdb_iterator_t *);
unsigned char rocksdb_iter_valid(const rocksdb_iterator_t *);
void rocksdb_iter_seek_to_first(rocksdb_iterator_t *);
void rocksdb_iter_next(rocksdb_iterator_t *);
const char *rocksdb_iter_key(const rocksdb_iterator_t *, size_t *);
const char *rocksdb_iter_value(const rocksdb_iterator_t *, size_t *);
void rocksdb_iter_get_error(const rocksdb_iterator_t *, char **);

enum { WARM_UP_BYTES = 256 << 20 };  /* of a load, as in kv.Bench */

static const char *database, *workload, *calls;
static size_t entries, key_bytes, value_bytes, tape_bytes, next_bytes;
static size_t loaded;  /* entries of a load: the first of all while it warms up */
static int threads, in_order, writes_per_second;
static const char *keys, *tape;
static char *ahead;  /* which entries have their next value, kept from one call of this program to the next */
static const int32_t *order, *gets;
static rocksdb_options_t *options;
static rocksdb_readoptions_t *reading;
static rocksdb_writeoptions_t *writing;
static rocksdb_t *db;

static void fail(const char *what, const char *why) {
    fprintf(stderr, "%s: %s\n", what, why);
    exit(1);
}

static void check(const char *what, char *error) {
    if (error) fail(what, error);
}

static int64_t now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * INT64_C(1000000000) + t.tv_nsec;
}

static const char *key_at(size_t position) { return keys + position * key_bytes; }

/* As kv.Data: the next value of an entry lies so many bytes further on the tape. */
static const char *value_at(size_t position) {
    return tape + (position * value_bytes + (ahead[position] ? next_bytes : 0)) % tape_bytes;
}

static const void *mapped(const char *folder, const char *name, size_t *bytes) {
    char path[4096];
    struct stat status;
    snprintf(path, sizeof path, "%s/%s", folder, name);
    int file = open(path, O_RDONLY);
    if (file < 0 || fstat(file, &status)) fail(path, strerror(errno));
    void *map = mmap(NULL, status.st_size, PROT_READ, MAP_SHARED | MAP_POPULATE, file, 0);
    if (map == MAP_FAILED) fail(path, strerror(errno));
    if (bytes) *bytes = status.st_size;
    return map;
}

/* A byte for each entry, in a file of that folder. */
static char *kept(const char *folder, const char *name) {
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    int file = open(path, O_RDWR | O_CREAT, 0666);
    if (file < 0 || ftruncate(file, entries)) fail(path, strerror(errno));
    void *map = mmap(NULL, entries, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (map == MAP_FAILED) fail(path, strerror(errno));
    return map;
}

static void open_database(void) {
    char *error = NULL;
    db = rocksdb_open(options, database, &error);
    check("open", error);
}

static void make_database(void) {
    char *error = NULL;
    if (db) rocksdb_close(db);
    rocksdb_destroy_db(options, database, &error);
    check("destroy", error);
    memset(ahead, 0, entries);
    open_database();
}

static void put(size_t position) {
    char *error = NULL;
    rocksdb_put(db, writing, key_at(position), key_bytes, value_at(position), value_bytes, &error);
    check("put", error);
}

/* --- latencies: buckets of a power of two, each in 128 parts, as HdrHistogram keeps two digits --- */

enum { PART_BITS = 7, PARTS = 1 << PART_BITS, BUCKETS = (65 - PART_BITS) * PARTS };

static size_t bucket(uint64_t ns) {
    int shift = ns < 2 * PARTS ? 0 : 63 - __builtin_clzll(ns) - PART_BITS;
    return ((size_t) shift << PART_BITS) + (ns >> shift);
}

static uint64_t highest_of(size_t bucket) {
    size_t shift = bucket < 2 * PARTS ? 0 : (bucket >> PART_BITS) - 1;
    return ((bucket - (shift << PART_BITS) + 1) << shift) - 1;
}

/* --- a pass --- */

struct worker {
    pthread_t thread;
    int number;
    int64_t start, end;
    size_t count, bytes;
    uint64_t *latencies;  /* NULL unless taken */
};

static pthread_barrier_t barrier;

static void get_pinned(struct worker *w, size_t position) {
    char *error = NULL;
    size_t bytes;
    rocksdb_pinnableslice_t *found = rocksdb_get_pinned(db, reading, key_at(position), key_bytes, &error);
    check("get", error);
    if (found && rocksdb_pinnableslice_value(found, &bytes)) {
        w->count++;
        w->bytes += bytes;
        rocksdb_pinnableslice_destroy(found);
    }
}

static void get_copied(struct worker *w, size_t position, char *buffer) {
    char *error = NULL;
    size_t bytes;
    unsigned char found;
    rocksdb_get_into_buffer(db, reading, key_at(position), key_bytes, buffer, value_bytes, &bytes, &found, &error);
    check("get", error);
    if (found) {
        w->count++;
        w->bytes += bytes;
    }
}

static void get_share(struct worker *w) {
    char *buffer = strcmp(calls, "direct") ? NULL : malloc(value_bytes);
    size_t end = entries * (w->number + 1) / threads;
    for (size_t turn = entries * w->number / threads; turn < end; turn++) {
        size_t position = gets[turn];
        int64_t start = w->latencies ? now() : 0;
        if (buffer) get_copied(w, position, buffer);
        else get_pinned(w, position);
        if (w->latencies) w->latencies[bucket(now() - start)]++;
    }
    free(buffer);
}

static void scan(struct worker *w) {
    char *error = NULL;
    size_t bytes, ignored;
    rocksdb_iterator_t *iterator = rocksdb_create_iterator(db, reading);
    for (rocksdb_iter_seek_to_first(iterator); rocksdb_iter_valid(iterator); rocksdb_iter_next(iterator)) {
        if (rocksdb_iter_key(iterator, &ignored) && rocksdb_iter_value(iterator, &bytes)) {
            w->count++;
            w->bytes += bytes;
        }
    }
    rocksdb_iter_get_error(iterator, &error);
    check("scan", error);
    rocksdb_iter_destroy(iterator);
}

static void load(struct worker *w) {
    for (size_t place = 0; place < loaded; place++) put(in_order ? (size_t) order[place] : place);
    w->count = loaded;
    w->bytes = loaded * value_bytes;
}

static void *work(void *argument) {
    struct worker *w = argument;
    pthread_barrier_wait(&barrier);
    w->start = now();
    if (!strcmp(workload, "write")) load(w);
    else if (!strcmp(workload, "readKey")) get_share(w);
    else scan(w);
    w->end = now();
    return NULL;
}

/* Runs a pass in all threads, checks what it returned, and says how long it took. */
static int64_t pass(struct worker *workers, int size) {
    int64_t start = INT64_MAX, end = 0;
    size_t count = 0, bytes = 0;
    pthread_barrier_init(&barrier, NULL, size);
    for (int i = 0; i < size; i++) {
        workers[i].number = i;
        workers[i].count = workers[i].bytes = 0;
        if (pthread_create(&workers[i].thread, NULL, work, &workers[i])) fail("a thread", strerror(errno));
    }
    for (int i = 0; i < size; i++) {
        pthread_join(workers[i].thread, NULL);
        if (workers[i].start < start) start = workers[i].start;
        if (workers[i].end > end) end = workers[i].end;
        count += workers[i].count;
        bytes += workers[i].bytes;
    }
    pthread_barrier_destroy(&barrier);
    size_t due = !strcmp(workload, "write") ? loaded : !strcmp(workload, "readSeq") ? entries * size : entries;
    if (count != due || bytes != due * value_bytes) fail(workload, "wrong data: other entries came back than were written");
    return end - start;
}

/* --- the writer beside the readers --- */

static volatile int stopped;
static volatile int64_t written;

static void *write_steadily(void *argument) {
    (void) argument;
    uint64_t random = 88172645463325252u;
    int64_t start = now();
    for (int64_t number = 0; !stopped; number++) {
        int64_t left = start + number * INT64_C(1000000000) / writes_per_second - now();
        if (left > 0) {
            struct timespec pause = {left / 1000000000, left % 1000000000};
            nanosleep(&pause, NULL);
        }
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        size_t position = random % entries;
        ahead[position] = 1;
        put(position);
        written = number + 1;
    }
    return NULL;
}

/* --- costs --- */

struct cost { int64_t user, system, read, written; };

static int64_t field(const char *file, const char *name) {
    char line[256];
    int64_t value = -1;
    FILE *in = fopen(file, "r");
    while (in && fgets(line, sizeof line, in)) {
        if (!strncmp(line, name, strlen(name))) value = atoll(line + strlen(name));
    }
    if (in) fclose(in);
    return value;
}

static struct cost cost(void) {
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return (struct cost) {usage.ru_utime.tv_sec * INT64_C(1000000000) + usage.ru_utime.tv_usec * 1000,
                          usage.ru_stime.tv_sec * INT64_C(1000000000) + usage.ru_stime.tv_usec * 1000,
                          field("/proc/self/io", "read_bytes:"), field("/proc/self/io", "write_bytes:")};
}

/* --- comparing everything, never timed --- */

static void verify(void) {
    size_t bytes, place = 0;
    rocksdb_iterator_t *iterator = rocksdb_create_iterator(db, reading);
    for (rocksdb_iter_seek_to_first(iterator); rocksdb_iter_valid(iterator); rocksdb_iter_next(iterator), place++) {
        const char *key = rocksdb_iter_key(iterator, &bytes);
        if (place >= entries || bytes != key_bytes || memcmp(key, key_at(order[place]), bytes)) fail("verify", "wrong data: a wrong key came back");
        const char *value = rocksdb_iter_value(iterator, &bytes);
        if (bytes != value_bytes || memcmp(value, value_at(order[place]), bytes)) fail("verify", "wrong data: a wrong value came back");
    }
    rocksdb_iter_destroy(iterator);
    if (place != entries) fail("verify", "wrong data: entries are missing");
    for (size_t position = 0; position < entries; position++) {
        char *error = NULL;
        rocksdb_pinnableslice_t *found = rocksdb_get_pinned(db, reading, key_at(position), key_bytes, &error);
        check("get", error);
        if (!found || memcmp(rocksdb_pinnableslice_value(found, &bytes), value_at(position), value_bytes) || bytes != value_bytes) {
            fail("verify", "wrong data: a wrong value came back for a key");
        }
        rocksdb_pinnableslice_destroy(found);
    }
}

static void measure(double warmup_seconds, int iterations, double measure_seconds) {
    int loads = !strcmp(workload, "write"), size = loads ? 1 : threads;
    struct worker *workers = calloc(size, sizeof *workers);
    int beside = writes_per_second && !loads;
    pthread_t steady;
    if (beside && pthread_create(&steady, NULL, write_steadily, NULL)) fail("a thread", strerror(errno));
    int64_t end = now() + (int64_t) (iterations ? warmup_seconds * 1e9 : 0);
    size_t first = WARM_UP_BYTES / (key_bytes + value_bytes);
    loaded = iterations && first < entries ? first : entries;
    do {
        if (loads) make_database();
        printf("warmup %ld\n", (long) pass(workers, size));
    } while (now() < end);
    for (int i = 0; i < size && beside; i++) workers[i].latencies = calloc(BUCKETS, sizeof(uint64_t));
    FILE *peak = fopen("/proc/self/clear_refs", "w");
    if (peak) {
        fputs("5", peak);
        fclose(peak);
    }
    loaded = entries;
    struct cost total = {0, 0, 0, 0};
    int64_t wrote = 0, lasted = 0;
    end = now() + (int64_t) (measure_seconds * 1e9);
    for (int i = 0; i < iterations && (i == 0 || now() < end); i++) {
        if (loads) make_database();
        struct cost before = cost();
        int64_t start = now(), mark = written;
        int64_t ns = pass(workers, size);
        if (loads) {  /* until the data are where their tier says: the file system has them */
            int64_t closing = now();
            rocksdb_close(db);
            db = NULL;
            closing = now() - closing;
            ns += closing;
            printf("close %ld\n", (long) closing);
        }
        lasted += now() - start;
        wrote += written - mark;
        struct cost after = cost();
        total = (struct cost) {total.user + after.user - before.user, total.system + after.system - before.system,
                               total.read + after.read - before.read, total.written + after.written - before.written};
        printf("pass %ld\n", (long) ns);
    }
    printf("cost %ld %ld %ld %ld %ld\n", (long) total.user, (long) total.system, (long) total.read, (long) total.written,
           (long) field("/proc/self/status", "VmHWM:") * 1024);
    if (beside) {
        stopped = 1;
        pthread_join(steady, NULL);
        printf("writes %ld %ld\n", (long) wrote, (long) lasted);
        for (size_t b = 0; b < BUCKETS; b++) {
            uint64_t count = 0;
            for (int i = 0; i < size; i++) count += workers[i].latencies[b];
            if (count) printf("latency %lu %lu\n", (unsigned long) highest_of(b), (unsigned long) count);
        }
    }
}

int main(int count, char **arguments) {
    if (count != 16) {
        fprintf(stderr, "usage: %s OPTIONS DATABASE DATA WORKLOAD|verify ENTRIES KEY_BYTES VALUE_BYTES THREADS LOAD WRITES CALLS "
                        "WARMUP_SECONDS ITERATIONS MEASURE_SECONDS NEXT_BYTES\n", arguments[0]);
        return 2;
    }
    char *error = NULL;
    database = arguments[2], workload = arguments[4], calls = arguments[11];
    entries = atoll(arguments[5]), key_bytes = atoll(arguments[6]), value_bytes = atoll(arguments[7]);
    threads = atoi(arguments[8]), in_order = !strcmp(arguments[9], "sequential"), writes_per_second = atoi(arguments[10]);
    next_bytes = atoll(arguments[15]);
    ahead = kept(arguments[3], "ahead");
    keys = mapped(arguments[3], "keys", NULL), order = mapped(arguments[3], "order", NULL);
    gets = mapped(arguments[3], "gets", NULL);
    tape = mapped(arguments[3], "tape", &tape_bytes);
    tape_bytes -= value_bytes;
    options = rocksdb_options_create();
    rocksdb_get_options_from_string(rocksdb_options_create(), arguments[1], options, &error);
    check("options", error);
    reading = rocksdb_readoptions_create(), writing = rocksdb_writeoptions_create();
    rocksdb_writeoptions_disable_WAL(writing, 1);
    if (strcmp(workload, "write")) open_database();
    if (!strcmp(workload, "verify")) verify();
    else measure(atof(arguments[12]), atoi(arguments[13]), atof(arguments[14]));
    if (db) rocksdb_close(db);
    return 0;
}
