#include "guarded_jni.h"

#include <stdio.h>

#include <memory>

#include "common/error.h"

namespace gkl_shim::jni {
namespace {

const char *class_of(gkl_shim_status status) {
    switch (status) {
        case GKL_SHIM_ENOMEM:
            return "java/lang/OutOfMemoryError";
        case GKL_SHIM_EINVAL:
            return kIllegalArgument;
        default:
            return kIllegalState;
    }
}

void raise(JNIEnv *env, const char *type, const char *message) {
    jclass exception = env->FindClass(type);
    if (exception == nullptr) return;  // FindClass has raised another exception
    env->ThrowNew(exception, message);
    env->DeleteLocalRef(exception);
}

}  // namespace

void check(gkl_shim_status status) {
    if (status != GKL_SHIM_OK) throw JavaError(class_of(status), gkl_shim_last_error());
}

std::string text(JNIEnv *env, jstring string) {
    const auto release = [&](const char *characters) {
        env->ReleaseStringUTFChars(string, characters);
    };
    const std::unique_ptr<const char, decltype(release)> characters(
        env->GetStringUTFChars(string, nullptr), release);
    if (!characters) throw JavaPending();
    return characters.get();
}

void raise_exception(JNIEnv *env, const char *algorithm) noexcept {
    try {
        throw;
    } catch (const JavaPending &) {
    } catch (const JavaError &error) {
        raise(env, error.type, error.what());
    } catch (...) {
        const gkl_shim_status status = status_of_exception();
        char message[640];  // the heap may be exhausted
        snprintf(message, sizeof message, "%s: %s", algorithm, gkl_shim_last_error());
        raise(env, class_of(status), message);
    }
}

}  // namespace gkl_shim::jni
