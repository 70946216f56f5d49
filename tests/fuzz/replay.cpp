// Gives a target files in place of libFuzzer's input:
//
//     replay TARGET MODE FILE...
//
// The program has the library's object files in it, compiled with a sanitizer by any compiler. Each
// input lies in memory of exactly its size, so that the sanitizer sees every access beyond it.
// MODE:
//
// given    the files
// damaged  each file, each of its beginnings, and the file with each of its bytes replaced
// beyond   the files, but the target is told of a byte more than there is, which must be found
//
// Prints how many inputs were accepted and how many were refused.
#include <algorithm>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "all_targets.h"

namespace {

// What takes the place of each byte: control characters, separators, digits, letters, the marks of
// records, and bytes that are not ASCII.
const uint8_t kReplacements[] = {0,   '\t', '\n', '\r', ' ', '-',  '0',
                                 '9', '>',  '@',  'A',  'x', 0x80, 0xFF};

}  // namespace

int main(int count, char **arguments) {
    const Target target = target_named(count > 3 ? arguments[1] : "");
    const std::string mode = arguments[2];
    long good = 0, refused = 0;
    const auto give = [&](const std::vector<uint8_t> &bytes, int64_t size) {
        Exact<uint8_t> input(size);
        std::copy_n(bytes.begin(), size, input.data);
        ++(target(input.data, size + (mode == "beyond")) ? good : refused);
    };
    for (int k = 3; k < count; k++) {
        std::ifstream file(arguments[k], std::ios::binary);
        std::vector<uint8_t> bytes{std::istreambuf_iterator<char>(file), {}};
        give(bytes, int64_t(bytes.size()));
        for (size_t at = 0; mode == "damaged" && at < bytes.size(); at++) {
            give(bytes, int64_t(at));
            const uint8_t before = bytes[at];
            for (const uint8_t replacement : kReplacements) {
                bytes[at] = replacement;
                give(bytes, int64_t(bytes.size()));
            }
            bytes[at] = before;
        }
    }
    printf("%ld %ld\n", good, refused);
    return 0;
}
