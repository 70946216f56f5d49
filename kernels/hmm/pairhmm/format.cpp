// Formats likelihoods as lines of text. Part of the C ABI.
#include "common/text/format.h"

#include <string.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "common/cpu.h"
#include "common/error.h"
#include "gkl_shim.h"

namespace gkl_shim::pairhmm {
namespace {

constexpr int64_t kNanosecondsANumber = 50;

// The bits of non-negative numbers have the same order as the numbers. Comparing bits raises no
// floating-point exception.
uint64_t bits_of(double value) {
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

// Writes the shortest text that reads back as the same number, in Python's layout. `to` has room
// for GKL_SHIM_PAIRHMM_LINE_BYTES. Returns the end of the text.
char *format_number(double value, char *to) {
    const uint64_t size = bits_of(std::fabs(value));
    if (size > bits_of(HUGE_VAL)) return std::copy_n("nan", 3, to);
    const bool plain = size == 0 || (size >= bits_of(1e-4) && size < bits_of(1e16));
    const auto layout = plain ? std::chars_format::fixed : std::chars_format::scientific;
    char *const end = std::to_chars(to, to + GKL_SHIM_PAIRHMM_LINE_BYTES, value, layout).ptr;
    return !plain || memchr(to, '.', size_t(end - to)) ? end : std::copy_n(".0", 2, end);
}

}  // namespace
}  // namespace gkl_shim::pairhmm

using namespace gkl_shim;
using namespace gkl_shim::pairhmm;

extern "C" gkl_shim_status gkl_shim_pairhmm_format(const double *values, int64_t count,
                                                   int32_t threads, uint8_t *text, int64_t *size) {
    if (!size) return invalid("size is null");
    *size = 0;
    if (!check_count("count", count)) return GKL_SHIM_EINVAL;
    if (threads < 0) return invalid("threads is %d, less than 0", threads);
    if (count > 0 && (!values || !text)) return invalid("an argument is null");
    return guarded([&] {
        char *const begin = reinterpret_cast<char *>(text);
        const auto room = [](int64_t k) { return k * GKL_SHIM_PAIRHMM_LINE_BYTES; };
        const auto write = [&](int64_t k, char *to) {
            to = format_number(values[k], to);
            *to = '\n';
            return to + 1;
        };
        *size =
            format_all(count, kNanosecondsANumber, allowed_threads(threads), begin, room, write) -
            begin;
    });
}
