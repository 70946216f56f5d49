#include "log.h"

#include <locale.h>
#include <stdarg.h>
#include <stdio.h>

#include "common/text/printable.h"
#include "gkl_shim.h"

namespace gkl_shim::jni {
namespace {

// While it lives, the thread writes numbers as in C. A JVM takes over the user's locale, which may
// write 1.5 as 1,5. Programs read our lines.
class NumbersOfC {
   public:
    NumbersOfC() : before_(uselocale(c())) {}
    ~NumbersOfC() { uselocale(before_); }
    NumbersOfC(const NumbersOfC &) = delete;

   private:
    // Null if there is no memory for it; then the locale stays.
    static locale_t c() {
        static const locale_t c = newlocale(LC_ALL_MASK, "C", locale_t());
        return c;
    }

    const locale_t before_;
};

}  // namespace

void log_line(const std::string &text) {
    const std::string line = format("[gkl-shim %s] ", gkl_shim_version()) + printable(text) + "\n";
    fwrite(line.data(), 1, line.size(), stderr);
}

void log_warning(const std::string &text) { log_line("warning: " + text); }

std::string format(const char *pattern, ...) {
    const NumbersOfC numbers;
    va_list arguments, again;
    va_start(arguments, pattern);
    va_copy(again, arguments);
    const int length = vsnprintf(nullptr, 0, pattern, arguments);
    va_end(arguments);
    std::string text(length > 0 ? size_t(length) : 0, '\0');
    vsnprintf(&text[0], text.size() + 1, pattern, again);
    va_end(again);
    return text;
}

std::string plural(int64_t count, const char *noun) {
    return format("%lld %s%s", (long long)count, noun, count == 1 ? "" : "s");
}

}  // namespace gkl_shim::jni
