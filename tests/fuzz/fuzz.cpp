// A libFuzzer program for every target: fuzz TARGET [libFuzzer's options and folders]
//
// The program has the library's object files in it, compiled with ASan, UBSan and coverage.
#include "builds.h"
#include "targets.h"

namespace {
Target target;
}

extern "C" int LLVMFuzzerInitialize(int *count, char ***arguments) {
    const std::string name = *count > 1 ? (*arguments)[1] : "";
    for (const auto *targets : {&kTargets, &kBuilds})
        if (targets->count(name)) target = targets->at(name);
    if (!target) {
        fprintf(stderr, "usage: fuzz TARGET [OPTION]... [FOLDER]...; the targets:");
        for (const auto *targets : {&kTargets, &kBuilds})
            for (const auto &each : *targets) fprintf(stderr, " %s", each.first.c_str());
        fprintf(stderr, "\n");
        exit(2);
    }
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
