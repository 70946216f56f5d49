// The CUDA engine's interface (gkl_shim_internal.h).
//
// The reference is divided into pages, and the queries into chunks. With several pages, each device
// takes some of them and searches all queries; with one, the devices share the chunks. A device
// keeps the page that it indexed last for later searches. Two streams of a device take chunks in
// turn, so that transfers overlap with kernels.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <memory>
#include <mutex>
#include <vector>

#include "common/error.h"
#include "common/floating_point_mode.h"
#include "common/thread_pool.h"
#include "gkl_shim_internal.h"
#include "gpu/driver.h"
#include "mem/cuda/searcher.h"
#include "mem/handles.h"

namespace gkl_shim {
namespace mem {

enum { kStreams = 2 };
// Positions of a chunk, about. A multiple of 64.
const int64_t kChunk = int64_t(1) << 25;
// A reference of fewer letters is indexed by every device, a larger one is divided among them.
const int64_t kDividedFrom = int64_t(1) << 25;
const int64_t kLongTime = int64_t(1) << 30;

struct SearchDevice {
    SearchDevice(const CudaDriver &driver, const gkl_shim_mem_cuda_device &given)
        : number(given.number), context(given.context), kernels(given.kernels), driver_(driver) {
        const CudaContext current(driver, context);
        page = std::make_unique<DevicePage>(driver);
        for (auto &stream : streams) stream = std::make_unique<Stream>(driver, kernels);
    }
    ~SearchDevice() {
        try {
            const CudaContext current(driver_, context);
            for (auto &stream : streams) stream.reset();
            page.reset();
        } catch (const CudaFailure &) {
            // The device has failed. Its memory goes with the process.
            for (auto &stream : streams) (void)stream.release();
            (void)page.release();
        }
    }

    const int32_t number;
    void *const context;
    const gkl_shim_mem_cuda_kernels kernels;
    std::unique_ptr<DevicePage> page;
    std::unique_ptr<Stream> streams[kStreams];

   private:
    const CudaDriver &driver_;
};

// The search of one strand.
struct DeviceSearch {
    const Index &index;
    const Text &queries;
    int64_t min_length;
    std::vector<std::unique_ptr<SearchDevice>> &devices;
    int64_t pages, page_letters, chunks, chunk_letters, most_bytes;
    int threads;

    std::mutex mutex = {};
    std::vector<std::vector<Match>> found = {};
    StepTimes times = {};
    int32_t failed = -1;

    int64_t device_count() const { return int64_t(devices.size()); }

    void run_device(int64_t number) {
        SearchDevice &device = *devices[size_t(number)];
        try {
            if (pages > 1) {
                for (int64_t page = number; page < pages; page += device_count())
                    run_page(device, page, 0, 1);
            } else if (number < chunks) {
                run_page(device, 0, number, device_count());
            }
        } catch (const CudaFailure &) {
            const std::lock_guard<std::mutex> lock(mutex);
            failed = device.number;
            throw;
        }
    }

    // Searches the chunks first, first + step and so on in a page.
    void run_page(SearchDevice &device, int64_t page, int64_t first, int64_t step) {
        StepTimes spent;
        {
            const CudaContext current(device.streams[0]->driver, device.context);
            const int64_t begin = page * page_letters;
            const auto begun = std::chrono::steady_clock::now();
            device.page->build(*device.streams[0], index, begin,
                               std::min(begin + page_letters, index.text().size()));
            spent.index = std::chrono::duration_cast<std::chrono::nanoseconds>(
                              std::chrono::steady_clock::now() - begun)
                              .count();
        }
        struct Chunks {
            DeviceSearch &search;
            SearchDevice &device;
            std::atomic<int64_t> next;
            int64_t step;
        } work = {*this, device, {first}, step};
        parallel_for(
            kStreams, kLongTime, threads,
            [](void *context, int64_t stream) {
                Chunks &work = *static_cast<Chunks *>(context);
                work.search.run_stream(work.device, *work.device.streams[stream], work.next,
                                       work.step);
            },
            &work);
        const std::lock_guard<std::mutex> lock(mutex);
        times.index += spent.index;
    }

    void run_stream(SearchDevice &device, Stream &stream, std::atomic<int64_t> &next,
                    int64_t step) {
        const CudaContext current(stream.driver, device.context);
        std::vector<Match> mine;
        StepTimes spent;
        for (int64_t chunk; (chunk = next.fetch_add(step)) < chunks;) {
            const int64_t begin = chunk * chunk_letters;
            find_on_device(&stream, *device.page, index, queries, min_length, begin,
                           std::min(begin + chunk_letters, queries.size()), most_bytes, &mine,
                           &spent);
        }
        const std::lock_guard<std::mutex> lock(mutex);
        found.push_back(std::move(mine));
        times.match += spent.match;
        times.expand += spent.expand;
    }
};

}  // namespace mem
}  // namespace gkl_shim

using namespace gkl_shim;
using namespace gkl_shim::mem;

struct gkl_shim_mem_cuda {
   public:
    explicit gkl_shim_mem_cuda(const gkl_shim_mem_cuda_options &options)
        : driver_(*options.driver),
          page_letters_(options.page_letters),
          chunk_letters_(options.chunk_letters),
          memory_bytes_(options.memory_bytes) {
        for (int32_t k = 0; k < options.device_count; k++)
            devices_.push_back(std::make_unique<SearchDevice>(driver_, options.devices[k]));
    }

    Results find(const Index &index, const FindSettings &settings,
                 const gkl_shim_mem_sequences &queries, gkl_shim_mem_cuda_call *call) {
        const std::lock_guard<std::mutex> lock(mutex_);
        return search_strands(
            index.settings().nucleotides_only, settings, queries,
            [&](const Text &text) { return find_on_strand(index, settings, text, call); });
    }

   private:
    Strand find_on_strand(const Index &index, const FindSettings &settings, const Text &text,
                          gkl_shim_mem_cuda_call *call) {
        const int64_t count = int64_t(devices_.size());
        const int64_t size = std::max<int64_t>(index.text().size(), 1);
        int64_t page = page_letters_ > 0 ? page_letters_ : largest_page(index.seeds());
        if (page_letters_ == 0 && count > 1 && size >= kDividedFrom)
            page = std::min(page, (size + count - 1) / count);
        page = std::min(page, size);
        const int64_t queries = std::max<int64_t>(text.size(), 1);
        int64_t chunk = chunk_letters_ > 0 ? chunk_letters_ : kChunk;
        if (chunk_letters_ == 0)
            chunk = std::min(chunk, (queries / (kStreams * count) + 64) / 64 * 64);
        DeviceSearch search = {index,
                               text,
                               settings.min_length,
                               devices_,
                               (size + page - 1) / page,
                               page,
                               (queries + chunk - 1) / chunk,
                               chunk,
                               memory_bytes_ / (4 * kStreams),
                               settings.threads};
        try {
            parallel_for(
                count, kLongTime, std::max(settings.threads, int(count)),
                [](void *context, int64_t k) {
                    static_cast<DeviceSearch *>(context)->run_device(k);
                },
                &search);
        } catch (const CudaFailure &) {
            call->failed = search.failed;
            throw;
        }
        call->pages = search.pages;
        call->page_letters = page;
        call->index_seconds += double(search.times.index) * 1e-9;
        call->match_seconds += double(search.times.match) * 1e-9;
        call->expand_seconds += double(search.times.expand) * 1e-9;
        Parts parts = parts_of(text);
        for (std::vector<Match> &found : search.found) {
            for (const Match &match : found) parts[size_t(match.query / kPart)].push_back(match);
            std::vector<Match>().swap(found);
        }
        struct Job {
            Parts &parts;
            int kind;
        } job = {parts, settings.kind};
        parallel_for(
            int64_t(parts.size()), kLongTime, settings.threads,
            [](void *context, int64_t k) {
                Job &job = *static_cast<Job *>(context);
                tidy_part(job.kind, job.parts[size_t(k)]);
            },
            &job);
        return gather(text, settings.kind, parts, settings.threads);
    }

    // The most letters whose index takes half of the memory.
    int64_t largest_page(const Seeds &seeds) const {
        const int64_t left = memory_bytes_ / 2 - 4 * seeds.buckets();
        // A letter takes 11/8 bytes, and a seed four.
        const double bytes = 1.375 + 4.0 / seeds.reference_step;
        return std::clamp<int64_t>(int64_t(double(left) / bytes), 1 << 16, kLongestPage);
    }

    const CudaDriver driver_;
    const int64_t page_letters_, chunk_letters_, memory_bytes_;
    std::mutex mutex_;
    std::vector<std::unique_ptr<SearchDevice>> devices_;
};

extern "C" gkl_shim_status gkl_shim_mem_cuda_open(const gkl_shim_mem_cuda_options *options,
                                                  gkl_shim_mem_cuda **engine) {
    *engine = nullptr;
    return guarded_on_device(options->devices[0].number, [&] {
        *engine = new gkl_shim_mem_cuda(*options);
        return GKL_SHIM_OK;
    });
}

extern "C" gkl_shim_status gkl_shim_mem_cuda_find(gkl_shim_mem_cuda *engine,
                                                  const gkl_shim_mem *index,
                                                  const gkl_shim_mem_sequences *queries,
                                                  const gkl_shim_mem_search *search,
                                                  gkl_shim_mem_cuda_call *call,
                                                  gkl_shim_mem_matches **matches) {
    *matches = nullptr;
    *call = {};
    call->failed = -1;
    if (!check_search(index, queries, search)) return GKL_SHIM_EINVAL;
    return guarded([&] {
        try {
            const FindSettings settings = find_settings(index, *search);
            *matches = new gkl_shim_mem_matches{
                index, engine->find(index->index, settings, *queries, call)};
            return GKL_SHIM_OK;
        } catch (const CudaFailure &failure) {
            fail("GPU %d has failed: %s", int(call->failed), failure.reason);
            return GKL_SHIM_EUNAVAILABLE;
        }
    });
}

extern "C" void gkl_shim_mem_cuda_close(gkl_shim_mem_cuda *engine) {
    const FloatingPointMode mode;
    delete engine;
}
