/* The floating-point modes of ../floating_point_mode.h, for programs not written in C. */
#include "../floating_point_mode.h"

static _Thread_local fenv_t usual;

void enter_mode(const char *name) {
    fegetenv(&usual);
    set_mode(name);
}

/* Restores the usual mode. Returns whether the mode was still the one that set_mode() had set. */
int leave_mode(const char *name) {
    const floating_point_mode found = get_mode();
    fesetenv(&usual);
    set_mode(name);
    const floating_point_mode entered = get_mode();
    fesetenv(&usual);
    return found.control == entered.control && found.flags == entered.flags;
}
