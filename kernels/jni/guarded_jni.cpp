#include "guarded_jni.h"

#include <stdio.h>

#include <new>

namespace gkl_shim {
namespace jni {

void check(gkl_shim_status status) {
    switch (status) {
        case GKL_SHIM_OK:
            return;
        case GKL_SHIM_ENOMEM:
            throw JavaError("java/lang/OutOfMemoryError", gkl_shim_last_error());
        case GKL_SHIM_EINVAL:
            throw JavaError("java/lang/IllegalArgumentException", gkl_shim_last_error());
        default:
            throw JavaError("java/lang/IllegalStateException", gkl_shim_last_error());
    }
}

namespace {

void raise(JNIEnv *env, const char *type, const char *message) {
    jclass exception = env->FindClass(type);
    if (exception == nullptr) return;  // FindClass has raised another exception
    env->ThrowNew(exception, message);
    env->DeleteLocalRef(exception);
}

// The message is short and is built without the heap, which may be exhausted.
void raise(JNIEnv *env, const char *type, const char *algorithm, const char *what) {
    char message[128];
    snprintf(message, sizeof message, "%s: %s", algorithm, what);
    raise(env, type, message);
}

}  // namespace

void raise_exception(JNIEnv *env, const char *algorithm) noexcept {
    try {
        throw;
    } catch (const JavaPending &) {
    } catch (const JavaError &error) {
        raise(env, error.type, error.what());
    } catch (const std::bad_alloc &) {
        raise(env, "java/lang/OutOfMemoryError", algorithm, "out of native memory");
    } catch (const std::length_error &) {
        // A container was asked for more than any memory can hold.
        raise(env, "java/lang/OutOfMemoryError", algorithm, "out of native memory");
    } catch (const std::exception &error) {
        raise(env, "java/lang/IllegalStateException", error.what());
    } catch (...) {
        raise(env, "java/lang/IllegalStateException", algorithm, "a failure within the library");
    }
}

}  // namespace jni
}  // namespace gkl_shim
