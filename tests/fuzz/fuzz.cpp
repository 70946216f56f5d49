// A libFuzzer program for every target: fuzz TARGET [libFuzzer's options and folders]
//
// The program has the library's object files in it, compiled with ASan, UBSan and coverage.
#include "all_targets.h"

namespace {
Target target;
}

extern "C" int LLVMFuzzerInitialize(int *count, char ***arguments) {
    target = target_named(*count > 1 ? (*arguments)[1] : "");
    (*arguments)[1] = (*arguments)[0];
    ++*arguments;
    --*count;
    return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    Exact<uint8_t> input{int64_t(size)};
    std::copy_n(data, size, input.data);
    target(input.data, int64_t(size));
    return 0;
}
