// The index of a reference: its text, the seeds, and the pages.
#pragma once

#include <memory>
#include <mutex>
#include <vector>

#include "gkl_shim.h"
#include "mem/index/page.h"
#include "mem/index/plan.h"
#include "mem/index/reference.h"

namespace gkl_shim::mem {

class Index {
   public:
    // Chooses seeds and pages, and builds the pages if they fit. `settings` are valid, have a
    // number of threads, and say 0 or 1 for `nucleotides_only`. Throws std::bad_alloc.
    Index(const gkl_shim_mem_options &settings, Reference reference);
    // The parts of an earlier index. `pages` has all pages or none.
    Index(const gkl_shim_mem_options &settings, Reference reference, const Seeds &seeds,
          int64_t page_letters, std::vector<Page> pages);

    const gkl_shim_mem_options &settings() const { return settings_; }
    int threads() const { return settings_.threads; }
    // No two indexes of a process have the same.
    int64_t number() const { return number_; }
    const Reference &reference() const { return reference_; }
    const Seeds &seeds() const { return seeds_; }
    int64_t pages() const { return pages_; }
    int64_t page_letters() const { return page_letters_; }
    // Whether all pages are in memory. Otherwise each search builds them one after another.
    bool resident() const { return resident_; }
    // The memory of the pages that are kept, or of the largest one.
    int64_t page_bytes() const;
    // The page, which `scratch` may hold.
    const Page &page(int64_t number, Page *scratch) const;
    // All pages if they fit, otherwise none. The first call builds them.
    const std::vector<Page> &resident_pages() const;

   private:
    static int64_t next_number();
    // Builds all pages if they fit. No other thread may use them.
    void build_pages() const;

    int64_t number_ = next_number();
    gkl_shim_mem_options settings_;
    Reference reference_;
    Seeds seeds_;
    int64_t pages_, page_letters_;
    bool resident_;

    struct ResidentPages {
        std::mutex mutex;
        std::vector<Page> pages;
    };
    std::unique_ptr<ResidentPages> resident_pages_;
};

}  // namespace gkl_shim::mem
