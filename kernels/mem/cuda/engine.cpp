// The CUDA engine. It chooses the pages and chunks of a search (device_search.h).
#include "mem/cuda/engine.h"

#include <algorithm>
#include <memory>
#include <mutex>
#include <vector>

#include "common/error.h"
#include "common/interrupt.h"
#include "gkl_shim_internal.h"
#include "gpu/engine.h"
#include "mem/cuda/device_search.h"
#include "python_host/python_host.h"

using namespace gkl_shim;
using namespace gkl_shim::mem;

namespace {

const int kStreams = 16;
// The fewest letters of a chunk, and about the most: more if the device has much memory. A letter
// takes some 8 bytes there. On an H100 a chunk costs 0.08 ms beside its letters.
const int64_t kMinChunk = 64, kMaxChunk = int64_t(1) << 22, kMaxLargeChunk = 12'000'000;
// The most matches that a stream fetches together. Pinned memory holds them.
const int64_t kMaxFetched = int64_t(1) << 22;
// The fewest bits of Seeds for which a table is made smaller.
const int32_t kMinBits = 8;
// A reference of fewer letters is indexed by every device.
const int64_t kMinDividedLetters = int64_t(1) << 25;

// The devices, with the page that each has indexed, and the settings of searches. The devices have
// no slots: a search has its own streams.
class CudaEngine : public gkl_shim_cuda_engine {
   public:
    explicit CudaEngine(const gkl_shim_mem_cuda_options &options)
        : gkl_shim_cuda_engine(*options.driver, 0, nullptr),
          page_letters_(options.page_letters),
          chunk_letters_(options.chunk_letters),
          memory_bytes_(options.memory_bytes),
          streams_(options.streams > 0 ? options.streams : kStreams) {
        for (int32_t k = 0; k < options.device_count; k++) open(options.devices[k]);
    }

    // Searches on the devices that are in use. If one fails, the others search again from the
    // start. Throws Failed if none is left.
    Results find(const Index &index, const gkl_shim_mem_search &settings,
                 const gkl_shim_mem_sequences &queries) {
        const std::lock_guard<std::mutex> lock(mutex_);
        const Uninterrupted has_lock;
        for (;;) {
            std::vector<SearchDevice *> used;
            for (const auto &each : on_devices_)
                if (each->device.alive()) used.push_back(each.get());
            if (used.empty()) give_up("no GPU is left");
            try {
                return find_on(used, index, settings, queries);
            } catch (const CudaFailure &) {
                // The search has taken the device out of use.
            }
        }
    }

   private:
    [[noreturn]] static void give_up(const std::string &reason) {
        fail("%s", reason.c_str());
        throw Failed{GKL_SHIM_EUNAVAILABLE};
    }

    void open(const gkl_shim_mem_cuda_device &device) {
        devices.add(device.number, device.context);
        try {
            on_devices_.push_back(std::make_unique<SearchDevice>(devices[devices.count() - 1],
                                                                 device.kernels, streams_));
        } catch (const CudaFailure &failure) {
            give_up("GPU " + std::to_string(device.number) + " has failed: " + failure.reason);
        }
    }

    Results find_on(const std::vector<SearchDevice *> &used, const Index &index,
                    const gkl_shim_mem_search &settings, const gkl_shim_mem_sequences &queries) {
        const int64_t count = int64_t(used.size());
        const int64_t size = std::max<int64_t>(index.reference().size(), 1);
        const SequenceStarts starts = starts_of(queries);
        const int64_t text_size = starts[queries.count];
        const int64_t first = settings.first, last = is_part(settings) ? settings.last : text_size;
        std::vector<DeviceStrandSearch> strands;
        for (const bool reverse : {false, true})
            if (wants(settings, reverse))
                strands.push_back(
                    {reverse, source_of(queries, reverse, index.settings().nucleotides_only)});
        const Seeds page_seeds = fitted(index.seeds());
        int64_t page = page_letters_ > 0 ? page_letters_ : largest_page(page_seeds);
        // With a page for each device, the index is built once, and all devices look up all
        // queries. Otherwise all devices build the whole index. A letter takes about as long in
        // either.
        const int64_t all_letters = text_size * int64_t(strands.size());
        if (page_letters_ == 0 && size >= kMinDividedLetters &&
            size > std::max(all_letters, index.settings().query_letters))
            page = std::min(page, (size + count - 1) / count);
        page = std::min({page, size, DevicePage::max_letters(page_seeds)});
        int64_t chunk = chunk_letters_;
        if (chunk == 0) {
            // As many for each stream, two at least, so that no stream works alone in the end.
            const int64_t streams = streams_ * (page == size ? count : 1);
            // All chunks of a device take an eighth of its memory.
            const int64_t most =
                std::clamp(memory_bytes_ / (64 * streams_), kMaxChunk, kMaxLargeChunk);
            const int64_t letters = last - first, together = streams * most;
            const int64_t each = std::max<int64_t>((letters + together - 1) / together, 2);
            chunk = std::max(letters / (streams * each) + 1, kMinChunk);
        }
        // A match takes memory before and after it is put in order.
        const int64_t most = memory_bytes_ / (4 * streams_ * 2 * int64_t(sizeof(Found)));
        Seeds seeds = page_seeds;
        seeds.query_step = query_step(seeds, settings.min_length);
        DeviceSearch search = {index,
                               settings,
                               starts,
                               devices,
                               used,
                               std::move(strands),
                               chunks_of(starts, first, last, chunk),
                               last,
                               (size + page - 1) / page,
                               page,
                               page_seeds,
                               {seeds, settings.min_length,
                                std::clamp<int64_t>(most, 1, kMaxFetched), index.threads()}};
        search.run();
        Results results = results_of(queries, index.threads());
        for (DeviceStrandSearch &strand : search.strands)
            results.strands[strand.reverse] = strand.finish(settings.kind, index.threads());
        results.end = search.end();
        results.pages = search.pages;
        return results;
    }

    // The seeds in fewer buckets, if the table would take more than a quarter of the memory. A
    // search looks at more seeds then, and finds the same matches.
    Seeds fitted(Seeds seeds) const {
        while (seeds.bits > kMinBits && 4 * seeds.buckets() > memory_bytes_ / 4) {
            seeds.bits--;
            seeds.odd_bits = std::min(seeds.odd_bits, seeds.bits);
        }
        return seeds;
    }

    // The most letters whose index, table included, takes half of the memory.
    int64_t largest_page(const Seeds &seeds) const {
        const int64_t left = memory_bytes_ / 2 - 4 * seeds.buckets();
        // A letter takes a byte as it was given, and 11/8 in the text. A seed takes four, and eight
        // more while the page is indexed.
        const double bytes = 2.375 + 12.0 / seeds.reference_step;
        return std::max<int64_t>(int64_t(double(left) / bytes), 1 << 16);
    }

    const int64_t page_letters_, chunk_letters_, memory_bytes_;
    const int streams_;
    std::mutex mutex_;
    std::vector<std::unique_ptr<SearchDevice>> on_devices_;
};

}  // namespace

extern "C" gkl_shim_status gkl_shim_mem_cuda_open(const gkl_shim_mem_cuda_options *options,
                                                  gkl_shim_cuda_engine **engine) {
    return gpu::opened_engine<CudaEngine>(engine, *options);
}

extern "C" gkl_shim_status gkl_shim_mem_cuda_engine_open(const char *devices,
                                                         gkl_shim_cuda_engine **engine) {
    const auto open = [](const void *record, gkl_shim_cuda_engine **made) {
        return gkl_shim_mem_cuda_open(static_cast<const gkl_shim_mem_cuda_options *>(record), made);
    };
    return open_engine("mem", devices, open, engine);
}

Results gkl_shim::mem::find_on_devices(const Index &index, const gkl_shim_mem_search &settings,
                                       const gkl_shim_mem_sequences &queries) {
    return gpu::engine_of<CudaEngine>(settings.engine).find(index, settings, queries);
}
