// Simulates calls of one size with given costs on either engine and prints where they went.
//
// call_costs CELLS MODELLED_CPU MODELLED_GPU [CALLS CPU GPU]...
//
// Prints a line for each group of calls: how many went to the GPU, and their total cost.
#include "pairhmm/call_costs.h"

#include <stdio.h>
#include <stdlib.h>

int main(int count, char **arguments) {
    static gkl_shim::pairhmm::CallCosts costs;
    const int64_t cells = atoll(arguments[1]);
    const double modelled_cpu = atof(arguments[2]), modelled_gpu = atof(arguments[3]);
    for (int k = 4; k + 2 < count; k += 3) {
        const double cpu = atof(arguments[k + 1]), gpu = atof(arguments[k + 2]);
        int on_gpu = 0;
        double total = 0;
        for (int call = 0; call < atoi(arguments[k]); call++) {
            const bool there = costs.prefer_gpu(cells, modelled_cpu, modelled_gpu);
            costs.add(there, cells, there ? gpu : cpu);
            on_gpu += there;
            total += there ? gpu : cpu;
        }
        printf("%d %f\n", on_gpu, total);
    }
}
