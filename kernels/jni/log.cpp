#include "log.h"

#include <stdarg.h>
#include <stdio.h>

#include "common/printable.h"
#include "gkl_shim.h"

namespace gkl_shim {
namespace jni {

void log_line(const std::string &text) {
    const std::string line = format("[gkl-shim %s] ", gkl_shim_version()) + printable(text) + "\n";
    fwrite(line.data(), 1, line.size(), stderr);
}

void log_warning(const std::string &text) { log_line("warning: " + text); }

std::string format(const char *pattern, ...) {
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

}  // namespace jni
}  // namespace gkl_shim
