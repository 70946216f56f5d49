// A libFuzzer program for every door: fuzz DOOR [libFuzzer's options and folders]
//
// The program has the library's object files in it, compiled with ASan, UBSan and coverage.
#include "builds.h"
#include "doors.h"

namespace {
Door door;
}

extern "C" int LLVMFuzzerInitialize(int *count, char ***arguments) {
    const std::string name = *count > 1 ? (*arguments)[1] : "";
    for (const auto *doors : {&kDoors, &kBuilds})
        if (doors->count(name)) door = doors->at(name);
    if (!door) {
        fprintf(stderr, "usage: fuzz DOOR [OPTION]... [FOLDER]...; the doors:");
        for (const auto *doors : {&kDoors, &kBuilds})
            for (const auto &each : *doors) fprintf(stderr, " %s", each.first.c_str());
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
    door(input.data, int64_t(size));
    return 0;
}
