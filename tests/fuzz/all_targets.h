// Every target, by name.
#pragma once

#include "bridge.h"
#include "builds.h"
#include "files.h"
#include "kernels.h"
#include "targets.h"

namespace {

// All targets. An archive of seeds/ has a folder for each.
std::map<std::string, Target> all_targets() {
    std::map<std::string, Target> all;
    for (const auto *targets : {&kTargets, &kBuilds, &kBridge, &kFiles, &kKernels})
        all.insert(targets->begin(), targets->end());
    return all;
}

// The target of a name. Without one, prints the names and ends the process.
Target target_named(const std::string &name) {
    const auto all = all_targets();
    if (all.count(name)) return all.at(name);
    fprintf(stderr, "the first argument is a target:");
    for (const auto &each : all) fprintf(stderr, " %s", each.first.c_str());
    fprintf(stderr, "\n");
    exit(2);
}

}  // namespace
