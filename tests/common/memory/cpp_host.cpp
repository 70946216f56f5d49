// A C++ program that is linked with the library and runs out of memory, in its own code and in the
// library's. cpp_host MIB... tries each number of MiB beyond what the process has. Prints a line
// for each: the result of its own request for too much memory, the library's status, and how many
// values of a region are still the same afterwards.
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

#include <new>
#include <string>
#include <vector>

#include "gkl_shim.h"

namespace {

// 4 reads by 4 haplotypes. Haplotypes are random letters; reads are the first letters of these.
struct Region {
    Region(int64_t read_length, int64_t haplotype_length) {
        unsigned seed = 1;
        for (int64_t k = 0; k < 4 * haplotype_length; k++) {
            seed = seed * 1103515245 + 12345;
            haplotypes += "ACGT"[seed >> 16 & 3];
        }
        for (int k = 0; k < 4; k++) {
            read_offsets.push_back((k + 1) * read_length);
            haplotype_offsets.push_back((k + 1) * haplotype_length);
            reads += haplotypes.substr(size_t(k * haplotype_length), size_t(read_length));
        }
        quals.assign(reads.size(), 30);
    }

    gkl_shim_status compute(gkl_shim_pairhmm *pairhmm, double *values) const {
        const auto letters = [](const std::string &text) {
            return reinterpret_cast<const uint8_t *>(text.data());
        };
        const int64_t offsets[] = {0, 4};
        const gkl_shim_pairhmm_batch batch = {1,
                                              offsets,
                                              offsets,
                                              read_offsets.data(),
                                              letters(reads),
                                              quals.data(),
                                              quals.data(),
                                              quals.data(),
                                              quals.data(),
                                              haplotype_offsets.data(),
                                              letters(haplotypes)};
        return gkl_shim_pairhmm_compute(pairhmm, &batch, values, 16);
    }

    std::string reads, haplotypes;
    std::vector<uint8_t> quals;
    std::vector<int64_t> read_offsets{0}, haplotype_offsets{0};
};

// Limits the process to this much more memory than it has now; null: no limit.
void limit(const rlim_t *room) {
    rlimit now;
    getrlimit(RLIMIT_AS, &now);
    now.rlim_cur = now.rlim_max;
    if (room) {
        FILE *file = fopen("/proc/self/statm", "r");
        unsigned long pages = 0;
        if (!file || fscanf(file, "%lu", &pages) != 1) abort();
        fclose(file);
        now.rlim_cur = pages * rlim_t(sysconf(_SC_PAGESIZE)) + *room;
    }
    setrlimit(RLIMIT_AS, &now);
}

}  // namespace

int main(int count, char **sizes) {
    gkl_shim_pairhmm *pairhmm;
    if (gkl_shim_pairhmm_open(nullptr, &pairhmm) != GKL_SHIM_OK) return 1;
    const Region small(20, 30), large(20, 4000000);
    double expected[16], values[16];
    if (small.compute(pairhmm, expected) != GKL_SHIM_OK) return 1;
    for (int k = 1; k < count; k++) {
        const rlim_t room = rlim_t(atol(sizes[k])) << 20;
        limit(&room);
        const char *own = "nothing";
        try {
            std::vector<char>(size_t(1) << 33);
        } catch (const std::bad_alloc &) {
            own = "bad_alloc";
        }
        const gkl_shim_status status = large.compute(pairhmm, values);
        const std::string message = gkl_shim_last_error();
        int right = 0;
        if (small.compute(pairhmm, values) == GKL_SHIM_OK)
            for (int pair = 0; pair < 16; pair++) right += values[pair] == expected[pair];
        limit(nullptr);
        printf("%s %d %d %s\n", own, int(status), right, message.c_str());
    }
    gkl_shim_pairhmm_close(pairhmm);
    return 0;
}
