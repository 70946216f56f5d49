// The floating-point mode that this library computes in.
//
// The caller's thread may round upwards, flush subnormal numbers or trap exceptions. Results must
// depend on none of that. So every exported function that may use floating-point numbers sets the
// mode: most through guarded() in error.h, those without a status themselves. The library's own
// threads start in it.
#pragma once

#include <stdint.h>

namespace gkl_shim {
namespace {

enum class Subnormals { kKept, kFlushed };

// While it lives, the thread is in the mode that IEEE 754 starts in: it rounds to nearest, traps
// nothing and, unless they are to be flushed, keeps subnormal numbers. Afterwards the thread's mode
// and exception flags are what they were before.
//
// Not with <fenv.h>: the older C libraries' fesetenv() leaves flush-to-zero as it is.
class FloatingPointMode {
   public:
    FloatingPointMode(const FloatingPointMode &) = delete;
    FloatingPointMode &operator=(const FloatingPointMode &) = delete;

#if defined(__x86_64__)
    explicit FloatingPointMode(Subnormals subnormals = Subnormals::kKept) {
        __asm__ volatile("stmxcsr %0" : "=m"(mxcsr_) : : "memory");
        __asm__ volatile("fnstcw %0" : "=m"(x87_) : : "memory");
        // An exception may be pending: raised while it was masked, and no longer masked. The next
        // x87 instruction would report it, even one that masks it. Saving the environment does not.
        uint16_t status;
        __asm__ volatile("fnstsw %0" : "=m"(status) : : "memory");
        pending_ = (status & 0x80) != 0;
        if (pending_) __asm__ volatile("fnstenv %0" : "=m"(environment_) : : "memory");
        const uint32_t masked = 0x1f80, flush_to_zero = 0x8000, denormals_are_zero = 0x0040;
        set(subnormals == Subnormals::kKept ? masked : masked | flush_to_zero | denormals_are_zero,
            kMaskedX87);
    }
    ~FloatingPointMode() {
        set(mxcsr_, pending_ ? kMaskedX87 : x87_);
        if (pending_) __asm__ volatile("fldenv %0" : : "m"(environment_) : "memory");
    }

   private:
    static constexpr uint16_t kMaskedX87 = 0x037f;

    // Nothing here computes with the x87 unit; Python and the CUDA driver may.
    static void set(uint32_t mxcsr, uint16_t x87) {
        __asm__ volatile("ldmxcsr %0" : : "m"(mxcsr) : "memory");
        __asm__ volatile("fldcw %0" : : "m"(x87) : "memory");
    }

    uint32_t mxcsr_;
    uint16_t x87_;
    bool pending_;
    struct {
        uint32_t words[7];
    } environment_;  // of the x87 unit; set where pending_
#elif defined(__aarch64__)
    explicit FloatingPointMode(Subnormals subnormals = Subnormals::kKept) {
        __asm__ volatile("mrs %0, fpcr" : "=r"(control_) : : "memory");
        __asm__ volatile("mrs %0, fpsr" : "=r"(flags_) : : "memory");
        const uint64_t flush_to_zero = uint64_t(1) << 24;
        set_control(subnormals == Subnormals::kKept ? 0 : flush_to_zero);
    }
    ~FloatingPointMode() {
        __asm__ volatile("msr fpsr, %0" : : "r"(flags_) : "memory");
        set_control(control_);
    }

   private:
    static void set_control(uint64_t fpcr) {
        __asm__ volatile("msr fpcr, %0" : : "r"(fpcr) : "memory");
    }

    uint64_t control_, flags_;
#endif
};

}  // namespace
}  // namespace gkl_shim
