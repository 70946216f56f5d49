// The builds of an engine: one struct for each instruction set, which holds its name and functions.
#pragma once

#include <string.h>

#include "common/cpu.h"
#include "common/error.h"
#include "gkl_shim.h"

namespace gkl_shim {

// The builds that this CPU can run, fastest first, out of GKL_SHIM_COMPILED_BUILDS.
template <class Build>
class Builds {
   public:
    template <class... All>
    explicit Builds(const All &...compiled) {
        (add(compiled), ...);
    }

    const Build *const *begin() const { return here_; }
    const Build *const *end() const { return here_ + count_; }
    const Build &best() const { return *here_[0]; }

    // The build with this name, or the fastest if it is null. Returns null and sets the error if
    // there is none.
    const Build *find(const char *name) const {
        if (!name) return &best();
        for (const Build *build : *this)
            if (strcmp(build->name, name) == 0) return build;
        fail("no build \"%s\" here; this CPU can run: %s", name, gkl_shim_builds());
        return nullptr;
    }

   private:
    void add(const Build &build) {
        if (strcmp(build.name, "avx512") == 0 && !cpu_has_avx512()) return;
        if (strcmp(build.name, "avx2") == 0 && !cpu_has_avx2()) return;
        here_[count_++] = &build;
    }

    const Build *here_[3];
    int count_ = 0;
};

// CMakeLists.txt defines it if some are left out.
#if defined(GKL_SHIM_COMPILED_BUILDS)
#elif defined(__x86_64__)
#define GKL_SHIM_COMPILED_BUILDS kAvx512Build, kAvx2Build, kPortableBuild
#elif defined(__aarch64__)
#define GKL_SHIM_COMPILED_BUILDS kNeonBuild, kPortableBuild
#endif

}  // namespace gkl_shim
