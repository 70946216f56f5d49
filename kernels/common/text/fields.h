// Fields of lines, and lines of TAB-separated fields.
#pragma once

#include <string.h>

#include <algorithm>

#include "common/cpu.h"
#include "common/error.h"
#include "common/text/text.h"

namespace gkl_shim {

struct Field {
    const uint8_t *begin;
    int64_t size;

    const uint8_t *end() const { return begin + size; }
};

inline bool is_space(uint8_t byte) { return (byte == ' ') | (uint8_t(byte - '\t') < 5); }

// A line of TAB-separated fields, which may end in CR LF.
struct TabLine : Line {
    explicit TabLine(Line line) : Line(line) { end -= end > begin && end[-1] == '\r'; }

    // Finds the first fields. Returns how many fields the line has, at least 1.
    template <int MOST>
    int64_t split(Field (&fields)[MOST]) const {
        const uint8_t *from = begin;
        for (int64_t count = 0;; count++) {
            const void *tab = memchr(from, '\t', size_t(end - from));
            const uint8_t *to = tab ? static_cast<const uint8_t *>(tab) : end;
            if (count < MOST) fields[count] = {from, to - from};
            if (!tab) return count + 1;
            from = to + 1;
        }
    }
};

// Checks the arguments of a function that reads a text.
inline bool check_text(const uint8_t *text, int64_t size, int32_t threads) {
    if (!check_count("size", size)) return false;
    if (threads < 0) return fail("threads is %d, less than 0", threads);
    return size == 0 || text || fail("text is null");
}

// Calls parse(line, k) for each of the first `capacity` lines of a text. *good receives the number
// of valid lines before the first invalid one, *used their size in bytes. Throws as parallel_for()
// does.
template <class Parse>
gkl_shim_status parse_tab_lines(const Lines &lines, int64_t capacity, const Parse &parse,
                                int64_t *good, int64_t *used) {
    *good = lines.parse(capacity, [&](Line line, int64_t k) { return parse(TabLine(line), k); });
    *used = lines.start(*good) - lines.start(0);
    if (*good == std::min(capacity, lines.count())) return GKL_SHIM_OK;
    const Line wrong = lines.reporting(*good);
    if (std::all_of(wrong.begin, wrong.end, is_space))
        return invalid("the line is blank; only the last lines of a file may be");
    parse(TabLine(wrong), *good);
    return GKL_SHIM_EINVAL;
}

}  // namespace gkl_shim
