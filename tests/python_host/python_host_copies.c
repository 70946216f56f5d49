/* A C program that opens a GPU engine in two copies of the library at once, as a JVM with two class
 * loaders does: python_host_copies FILE FILE. It prints the state of each engine. */
#define _POSIX_C_SOURCE 200809L

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "gkl_shim.h"

typedef gkl_shim_status open_function(const gkl_shim_pairhmm_options *, gkl_shim_pairhmm **);
typedef const char *state_function(void);

static pthread_barrier_t both_ready;

static void *open_engine(void *library) {
    const gkl_shim_pairhmm_options options = {.backend = GKL_SHIM_CUDA};
    gkl_shim_pairhmm *pairhmm;
    open_function *open;
    *(void **)&open = dlsym(library, "gkl_shim_pairhmm_open");
    pthread_barrier_wait(&both_ready);
    return open(&options, &pairhmm) ? "not opened" : NULL;
}

int main(int argc, char **argv) {
    if (argc != 3) return 2;
    void *libraries[2];
    pthread_t threads[2];
    pthread_barrier_init(&both_ready, NULL, 2);
    for (int k = 0; k < 2; k++)
        if (!(libraries[k] = dlopen(argv[1 + k], RTLD_NOW | RTLD_LOCAL))) return 1;
    for (int k = 0; k < 2; k++)
        if (pthread_create(threads + k, NULL, open_engine, libraries[k])) return 1;
    for (int k = 0; k < 2; k++) {
        void *failure;
        state_function *state;
        if (pthread_join(threads[k], &failure) || failure) return 1;
        *(void **)&state = dlsym(libraries[k], "gkl_shim_pairhmm_cuda_state");
        while (!strcmp(state(), "starting"))
            nanosleep(&(struct timespec){.tv_nsec = 10000000}, NULL);
        puts(state());
    }
    return 0;
}
