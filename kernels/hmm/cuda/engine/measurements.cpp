// Where the time of a batch goes on a device. Only builds for benchmarks have this file.
#include <algorithm>
#include <chrono>
#include <vector>

#include "gkl_shim_measurements.h"
#include "gpu/call.h"
#include "gpu/driver.h"
#include "gpu/stream.h"
#include "hmm/cuda/engine/batch_queue.h"
#include "hmm/cuda/engine/batch_slot.h"
#include "hmm/cuda/engine/engine.h"

namespace gkl_shim {
namespace pairhmm {
namespace {

typedef std::chrono::steady_clock Clock;

// The bases of a chunk of regions with one haplotype: as many as fill a device.
constexpr int64_t kLoneBases = 1 << 26;

double seconds_since(Clock::time_point start) {
    return std::chrono::duration<double>(Clock::now() - start).count();
}

double median(std::vector<double> *values) {
    std::sort(values->begin(), values->end());
    const size_t half = values->size() / 2;
    return values->size() % 2 ? (*values)[half] : ((*values)[half - 1] + (*values)[half]) / 2;
}

void time_chunk(const CudaDriver &driver, int repeats, BatchSlot *chunk,
                gkl_shim_pairhmm_cuda_stages *stages) {
    const gpu::Event begin(driver, kEventTimed), sent(driver, kEventTimed),
        computed(driver, kEventTimed);
    std::vector<double> plan, write, transfer, kernel;
    for (int k = 0; k < repeats; k++) {
        Clock::time_point start = Clock::now();
        chunk->plan();
        plan.push_back(seconds_since(start));
        if (chunk->is_empty()) break;
        start = Clock::now();
        chunk->write();
        write.push_back(seconds_since(start));
        driver.record(begin.get(), chunk->stream());
        chunk->send();
        driver.record(sent.get(), chunk->stream());
        chunk->launch_kernels();
        driver.record(computed.get(), chunk->stream());
        driver.wait_for_stream(chunk->stream());
        transfer.push_back(driver.seconds(begin.get(), sent.get()));
        kernel.push_back(driver.seconds(sent.get(), computed.get()));
    }
    stages->plan += median(&plan);
    if (write.empty()) return;
    stages->write += median(&write);
    stages->transfer += median(&transfer);
    stages->kernel += median(&kernel);
}

gkl_shim_status time_stages(gpu::Device *device, const gkl_shim_pairhmm_cuda_options &options,
                            const gkl_shim_pairhmm_batch &batch, double *results, int repeats,
                            gkl_shim_pairhmm_cuda_stages *stages) {
    *stages = {};
    return guarded_on_device(device->number, [&] {
        const CudaDriver &driver = device->driver;
        const CudaContext current(driver, device->context);
        BatchSlot chunk(device, options, 0);
        gpu::Call call;
        const bool single = options.precision == GKL_SHIM_SINGLE;
        Shape shape;
        find_shape(batch, &shape);
        BatchQueue queue(
            &call, &batch, &batch + 1, results,
            {options.precision, single, false, options.devices,
             options.rows_per_lane == 0 ? &shape : nullptr, kLoneBases, nullptr, options.threads});
        if (!single) std::fill_n(results, pairs_of(whole_span(batch, results)), no_result());
        while (queue.fill(&chunk, options.threads)) {
            // Memory is allocated and the kernels are loaded.
            if (const gkl_shim_status status = chunk.start()) return status;
            chunk.wait();
            time_chunk(driver, repeats, &chunk, stages);
            const Clock::time_point start = Clock::now();
            chunk.collect();
            stages->collect += seconds_since(start);
            stages->chunks++;
            stages->cells += chunk.planned().cells;
            stages->computed_cells += chunk.planned().computed_cells;
            stages->block_bytes += chunk.planned().block_bytes;
        }
        return call.status();
    });
}

}  // namespace
}  // namespace pairhmm
}  // namespace gkl_shim

using namespace gkl_shim::pairhmm;

extern "C" gkl_shim_status gkl_shim_pairhmm_cuda_measure(gkl_shim_pairhmm_cuda *engine,
                                                         const gkl_shim_pairhmm_batch *batch,
                                                         double *log10_likelihoods, int32_t repeats,
                                                         gkl_shim_pairhmm_cuda_stages *stages) {
    return time_stages(&engine->devices()[0], engine->options(), *batch, log10_likelihoods, repeats,
                       stages);
}
