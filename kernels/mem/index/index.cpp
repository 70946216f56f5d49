#include "mem/index/index.h"

#include <algorithm>
#include <atomic>
#include <utility>

#include "common/interrupt.h"
#include "mem/cpu/engine.h"

namespace gkl_shim::mem {
namespace {

const int64_t kDefaultMemory = int64_t(8) << 30;
const int64_t kMinPageLetters = 1 << 10;

int64_t bytes_of(const Seeds &seeds, int64_t letters) {
    return 4 * (seeds.buckets() + letters / seeds.reference_step);
}

}  // namespace

Index::Index(const gkl_shim_mem_options &settings, Reference reference)
    : settings_(settings),
      reference_(std::move(reference)),
      resident_pages_(std::make_unique<ResidentPages>()) {
    const int64_t memory = settings.memory > 0 ? settings.memory : kDefaultMemory;
    const int64_t size = std::max<int64_t>(reference_.size(), 1);
    int64_t page =
        std::min({settings.page_letters > 0 ? settings.page_letters : size, size, kMaxPageLetters});
    const int64_t odd = reference_.source().odd_letters(threads());
    const auto choose = [&] {
        const double part = double(page) / double(size);
        Workload workload = {page, int64_t(double(odd) * part) + 1,
                             settings.query_letters > 0 ? settings.query_letters : 2 * size,
                             settings.min_length, memory / 2};
        if (odd == 0) workload.odd = 0;
        seeds_ = choose_seeds(workload);
    };
    choose();
    while (settings.page_letters <= 0 && page > kMinPageLetters &&
           bytes_of(seeds_, page) > memory) {
        page = (page + 1) / 2;
        choose();
    }
    page_letters_ = page;
    pages_ = (size + page - 1) / page;
    resident_ = pages_ == 1 || pages_ * bytes_of(seeds_, page) <= memory;
    if (!settings.deferred) build_pages();
}

Index::Index(const gkl_shim_mem_options &settings, Reference reference, const Seeds &seeds,
             int64_t page_letters, std::vector<Page> pages)
    : settings_(settings),
      reference_(std::move(reference)),
      seeds_(seeds),
      pages_((std::max<int64_t>(reference_.size(), 1) + page_letters - 1) / page_letters),
      page_letters_(page_letters),
      resident_(int64_t(pages.size()) == pages_),
      resident_pages_(std::make_unique<ResidentPages>()) {
    resident_pages_->pages = std::move(pages);
}

const std::vector<Page> &Index::resident_pages() const {
    const std::lock_guard<std::mutex> lock(resident_pages_->mutex);
    const Uninterrupted has_lock;
    build_pages();
    return resident_pages_->pages;
}

void Index::build_pages() const {
    std::vector<Page> &pages = resident_pages_->pages;
    while (resident_ && int64_t(pages.size()) < pages_) {
        Page page = page_at(reference_, page_letters_, int64_t(pages.size()));
        build_page(reference_, seeds_, threads(), &page);
        pages.push_back(std::move(page));
    }
}

int64_t Index::next_number() {
    static std::atomic<int64_t> next{0};
    return next++;
}

int64_t Index::page_bytes() const {
    return bytes_of(seeds_, page_letters_) * (resident() ? pages_ : 1);
}

const Page &Index::page(int64_t number, Page *scratch) const {
    if (resident()) return resident_pages()[size_t(number)];
    *scratch = page_at(reference_, page_letters_, number);
    build_page(reference_, seeds_, threads(), scratch);
    return *scratch;
}

}  // namespace gkl_shim::mem
