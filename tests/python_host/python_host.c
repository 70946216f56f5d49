/* A C program that computes one pair with a backend. It prints the likelihood, the state of the GPU
 * engine, and whether a child process or a handler of SIGINT is left: python_host cuda|auto|cpu.
 * With a second argument it only opens the engine, and ends after a second. */
#define _POSIX_C_SOURCE 200809L

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "gkl_shim.h"

int main(int argc, char **argv) {
    if (argc < 2) return 2;
    const gkl_shim_pairhmm_options options = {.backend = !strcmp(argv[1], "cuda")   ? GKL_SHIM_CUDA
                                                         : !strcmp(argv[1], "auto") ? GKL_SHIM_AUTO
                                                                                    : GKL_SHIM_CPU};
    const int64_t one[] = {0, 1}, four[] = {0, 4};
    const uint8_t bases[] = "ACGT", quals[] = {30, 30, 30, 30}, gaps[] = {45, 45, 45, 45},
                  continuation[] = {10, 10, 10, 10};
    const gkl_shim_pairhmm_batch batch = {1,    one,  one,          four, bases, quals,
                                          gaps, gaps, continuation, four, bases};
    gkl_shim_pairhmm *pairhmm;
    double likelihood;
    if (gkl_shim_pairhmm_open(&options, &pairhmm)) return 1;
    if (argc > 2) return (int)sleep(1);
    if (gkl_shim_pairhmm_compute(pairhmm, &batch, &likelihood, 1)) {
        fprintf(stderr, "%s\n", gkl_shim_last_error());
        return 1;
    }
    /* With auto no call waits, so wait for the engine here. */
    for (int k = 0; k < 200 && !strcmp(gkl_shim_pairhmm_cuda_state(), "starting"); k++)
        nanosleep(&(struct timespec){.tv_nsec = 100000000}, NULL);
    printf("%a\n%s\n", likelihood, gkl_shim_pairhmm_cuda_state());
    printf("%s\n", waitpid(-1, NULL, WNOHANG) < 0 && errno == ECHILD ? "no child" : "a child");
    struct sigaction handler;
    sigaction(SIGINT, NULL, &handler);
    printf("%s\n", handler.sa_handler == SIG_DFL ? "no handler" : "a handler");
    gkl_shim_pairhmm_close(pairhmm);
    return 0;
}
