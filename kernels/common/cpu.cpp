#include "common/cpu.h"

#include <sched.h>
#include <stdio.h>
#include <string.h>

#include <algorithm>
#include <thread>

#include "common/floating_point_mode.h"

#if defined(__x86_64__)
#include <cpuid.h>
#endif

namespace gkl_shim {
namespace {

// A quota in CPUs, rounded up, or 0 if there is none.
int quota(double allowed, double period) {
    if (!(allowed > 0) || !(period > 0)) return 0;
    const double cpus = allowed / period;
    return int(cpus) + (cpus > int(cpus));
}

// The numbers that a file of a control group begins with, two at most. Others are 0.
struct Numbers {
    double first = 0, second = 0;

    Numbers(const char *mount, const char *directory, const char *name) {
        char path[4352];
        if (snprintf(path, sizeof path, "%s%s/%s", mount, directory, name) >= int(sizeof path))
            return;
        FILE *file = fopen(path, "re");
        if (!file) return;
        if (fscanf(file, "%lf %lf", &first, &second) < 1) first = 0;
        fclose(file);
    }
};

// cgroup v2: "max 100000" or "150000 100000".
int quota_v2(const char *directory) {
    const Numbers numbers("/sys/fs/cgroup", directory, "cpu.max");
    return quota(numbers.first, numbers.second);
}

int quota_v1(const char *directory) {
    const char *const mount = "/sys/fs/cgroup/cpu";
    return quota(Numbers(mount, directory, "cpu.cfs_quota_us").first,
                 Numbers(mount, directory, "cpu.cfs_period_us").first);
}

// Whether "cpu" is among names such as "cpu,cpuacct".
bool names_cpu(const char *controllers) {
    for (const char *name = controllers; name; name = strchr(name, ',')) {
        name += *name == ',';
        if (strcspn(name, ",") == 3 && strncmp(name, "cpu", 3) == 0) return true;
    }
    return false;
}

// The lowest quota from the process's control group up to the root. In a container, the path of the
// group may exist only on the host. The mounted root is then the container's group.
int control_group_cpus() {
    int least = 0;
    const auto consider = [&least](int cpus) {
        if (cpus > 0 && (least == 0 || cpus < least)) least = cpus;
    };
    consider(quota_v2(""));
    consider(quota_v1(""));
    FILE *file = fopen("/proc/self/cgroup", "re");
    if (!file) return least;
    char line[4096];
    while (fgets(line, sizeof line, file)) {
        line[strcspn(line, "\n")] = 0;
        char *controllers = strchr(line, ':');
        char *path = controllers ? strchr(controllers + 1, ':') : nullptr;
        if (!path) continue;
        *path++ = 0;
        controllers++;
        const bool v2 = *controllers == 0;
        if (!v2 && !names_cpu(controllers)) continue;
        while (*path && strcmp(path, "/") != 0) {
            consider(v2 ? quota_v2(path) : quota_v1(path));
            char *slash = strrchr(path, '/');
            if (!slash) break;
            *slash = 0;
        }
    }
    fclose(file);
    return least;
}

}  // namespace

int usable_cpus() {
    const FloatingPointMode mode;
    int cpus = int(std::thread::hardware_concurrency());
    // A machine may have more CPUs than cpu_set_t holds, so the mask is larger.
    for (int room = 1024; room <= 1 << 18; room *= 4) {
        cpu_set_t *set = CPU_ALLOC(room);
        if (!set) break;
        const size_t size = CPU_ALLOC_SIZE(room);
        const bool known = sched_getaffinity(0, size, set) == 0;
        if (known) cpus = CPU_COUNT_S(size, set);
        CPU_FREE(set);
        if (known) break;
    }
    const int allowed = control_group_cpus();
    if (allowed > 0) cpus = std::min(cpus, allowed);
    return std::max(cpus, 1);
}

#if defined(__x86_64__)

namespace {

// Not __builtin_cpu_supports: with some compilers' run-time libraries it reports no features.
struct Features {
    bool avx2 = false, avx512 = false;

    Features() {
        unsigned a, b, c, d;
        if (!__get_cpuid(1, &a, &b, &c, &d)) return;
        const unsigned fma = 1u << 12, saved_by_system = 1u << 27, avx = 1u << 28;
        if ((c & (fma | saved_by_system | avx)) != (fma | saved_by_system | avx)) return;
        unsigned low, high;
        __asm__("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
        const unsigned ymm = 0x06, zmm = 0xe6;
        if ((low & ymm) != ymm || !__get_cpuid_count(7, 0, &a, &b, &c, &d)) return;
        avx2 = b & (1u << 5);
        const unsigned f = 1u << 16, dq = 1u << 17, bw = 1u << 30, vl = 1u << 31;
        avx512 = avx2 && (low & zmm) == zmm && (b & (f | dq | bw | vl)) == (f | dq | bw | vl);
    }
};

const Features &features() {
    static const Features known;
    return known;
}

}  // namespace

bool cpu_has_avx2() { return features().avx2; }
bool cpu_has_avx512() { return features().avx512; }

#else

bool cpu_has_avx2() { return false; }
bool cpu_has_avx512() { return false; }

#endif

int allowed_threads(int asked) {
    const int cpus = usable_cpus();
    return asked == 0 || asked > cpus ? cpus : asked;
}

}  // namespace gkl_shim
