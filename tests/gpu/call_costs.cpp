// Simulates calls of one size with given costs on either engine and prints where they went.
//
// call_costs SIZE ESTIMATED_CPU ESTIMATED_GPU [CALLS CPU GPU]...
//
// Prints a line for each group of calls: how many went to the GPU, and their total cost.
#include "gpu/call_costs.h"

#include <stdio.h>
#include <stdlib.h>

int main(int count, char **arguments) {
    static gkl_shim::gpu::CallCosts costs;
    const gkl_shim_call_estimate estimate = {atoll(arguments[1]), atof(arguments[2]),
                                             atof(arguments[3])};
    for (int k = 4; k + 2 < count; k += 3) {
        const double cpu = atof(arguments[k + 1]), gpu = atof(arguments[k + 2]);
        int on_gpu = 0;
        double total = 0;
        for (int call = 0; call < atoi(arguments[k]); call++) {
            const bool there = costs.prefer_gpu(estimate);
            costs.add(estimate, there, there ? gpu : cpu);
            on_gpu += there;
            total += there ? gpu : cpu;
        }
        printf("%d %f\n", on_gpu, total);
    }
}
