/* Floating-point modes in which a host program may call the library. */
#pragma once

#include <fenv.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    uint64_t control, flags;
} floating_point_mode;

static inline floating_point_mode get_mode(void) {
    floating_point_mode mode = {0, 0};
#if defined(__x86_64__)
    uint32_t mxcsr;
    uint16_t x87_control, x87_status;
    __asm__ volatile("stmxcsr %0" : "=m"(mxcsr));
    __asm__ volatile("fnstcw %0" : "=m"(x87_control));
    __asm__ volatile("fnstsw %0" : "=m"(x87_status));
    mode.control = (mxcsr & ~0x3fu) | (uint64_t)x87_control << 32;
    mode.flags = (mxcsr & 0x3f) | (uint64_t)(x87_status & 0x3f) << 32;
#elif defined(__aarch64__)
    __asm__ volatile("mrs %0, fpcr" : "=r"(mode.control));
    __asm__ volatile("mrs %0, fpsr" : "=r"(mode.flags));
#endif
    return mode;
}

/* Sets a mode by its name:
 * "upward": numbers are rounded upwards.
 * "pending": all exception flags are set, and every exception raises SIGFPE, if the processor
 * supports it (qemu's aarch64 does not), so that the next x87 instruction does.
 * "all": numbers are rounded downwards, subnormal ones become zero, and exceptions raise SIGFPE. */
static inline void set_mode(const char *name) {
    const int all = !strcmp(name, "all"), pending = !strcmp(name, "pending");
    if (!strcmp(name, "upward")) fesetround(FE_UPWARD);
    if (all) fesetround(FE_DOWNWARD);
    if (pending) feraiseexcept(FE_ALL_EXCEPT);
#if defined(__x86_64__)
    const uint32_t flush = 0x8040, masks = 0x1f80;
    uint32_t mxcsr;
    uint16_t x87;
    __asm__ volatile("stmxcsr %0" : "=m"(mxcsr));
    __asm__ volatile("fnstcw %0" : "=m"(x87));
    if (all) mxcsr |= flush;
    if (all || pending) mxcsr &= ~masks, x87 &= (uint16_t)~0x3f;
    __asm__ volatile("ldmxcsr %0" : : "m"(mxcsr));
    __asm__ volatile("fldcw %0" : : "m"(x87));
#elif defined(__aarch64__)
    const uint64_t flush = 1 << 24, default_nan = 1 << 25, traps = 0x9f00;
    uint64_t fpcr;
    __asm__ volatile("mrs %0, fpcr" : "=r"(fpcr));
    if (all) fpcr |= flush | default_nan;
    if (all || pending) fpcr |= traps;
    __asm__ volatile("msr fpcr, %0" : : "r"(fpcr));
#endif
}

/* Ends the program if the library has changed the thread's mode. */
static inline void expect_mode(floating_point_mode before, const char *after_what) {
    const floating_point_mode now = get_mode();
    if (now.control == before.control && now.flags == before.flags) return;
    fprintf(stderr, "%s: floating-point control %llx became %llx, flags %llx became %llx\n",
            after_what, (unsigned long long)before.control, (unsigned long long)now.control,
            (unsigned long long)before.flags, (unsigned long long)now.flags);
    exit(3);
}
