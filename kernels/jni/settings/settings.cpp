#include "settings.h"

#include <errno.h>
#include <stdlib.h>

#include <atomic>
#include <limits>

#include "log.h"

namespace gkl_shim::jni {
namespace {

// The system property and the environment variable of a setting.
struct Name {
    const char *property, *variable;
};

constexpr Name kBackend{"gkl.shim.backend", "GKL_SHIM_BACKEND"};
constexpr Name kThreads{"gkl.shim.threads", "GKL_SHIM_THREADS"};
constexpr Name kBuild{"gkl.shim.build", "GKL_SHIM_BUILD"};
constexpr Name kRecord{"gkl.shim.record", "GKL_SHIM_RECORD"};
constexpr Name kRecordSmithWaterman{"gkl.shim.record_smithwaterman",
                                    "GKL_SHIM_RECORD_SMITHWATERMAN"};
constexpr Name kVerify{"gkl.shim.verify", "GKL_SHIM_VERIFY"};
constexpr Name kLog{"gkl.shim.log", "GKL_SHIM_LOG"};

// A reader of settings.
class Reader {
   public:
    explicit Reader(JNIEnv *env) : env_(env) {
        system_ = env->FindClass("java/lang/System");
        if (system_ != nullptr)
            get_property_ = env->GetStaticMethodID(system_, "getProperty",
                                                   "(Ljava/lang/String;)Ljava/lang/String;");
        jclass string = get_property_ == nullptr ? nullptr : env->FindClass("java/lang/String");
        if (string != nullptr)
            get_bytes_ = env->GetMethodID(string, "getBytes", "(Ljava/lang/String;)[B");
        env->DeleteLocalRef(string);
        env->ExceptionClear();
    }

    ~Reader() { env_->DeleteLocalRef(system_); }

    // The value of a setting; empty if it is not set.
    std::string operator()(const Name &name) const {
        std::string value = property(name.property);
        if (value.empty()) {
            const char *found = getenv(name.variable);
            if (found != nullptr) value = found;
        }
        return value;
    }

    // The property or the environment variable that the value comes from.
    std::string source(const Name &name) const {
        return property(name.property).empty() ? name.variable : name.property;
    }

   private:
    std::string property(const char *key) const {
        std::string value;
        if (get_bytes_ == nullptr) return value;
        jstring name = env_->NewStringUTF(key);
        if (name != nullptr) {
            auto text =
                static_cast<jstring>(env_->CallStaticObjectMethod(system_, get_property_, name));
            if (!env_->ExceptionCheck() && text != nullptr) {
                value = utf8(text);
            }
            env_->DeleteLocalRef(text);
            env_->DeleteLocalRef(name);
        }
        env_->ExceptionClear();
        return value;
    }

    // GetStringUTFChars() would not give UTF-8 for characters beyond 16 bits. Empty on failure.
    std::string utf8(jstring text) const {
        std::string value;
        jstring charset = env_->NewStringUTF("UTF-8");
        if (charset == nullptr) return value;
        auto bytes = static_cast<jbyteArray>(env_->CallObjectMethod(text, get_bytes_, charset));
        if (!env_->ExceptionCheck() && bytes != nullptr) {
            value.resize(size_t(env_->GetArrayLength(bytes)));
            env_->GetByteArrayRegion(bytes, 0, jsize(value.size()),
                                     reinterpret_cast<jbyte *>(&value[0]));
        }
        env_->DeleteLocalRef(bytes);
        env_->DeleteLocalRef(charset);
        return value;
    }

    JNIEnv *env_;
    jclass system_ = nullptr;
    jmethodID get_property_ = nullptr, get_bytes_ = nullptr;
};

bool is_one_of(const std::string &word, const char *words) {
    std::string padded = std::string(" ") + words + " ";
    return word.find(' ') == std::string::npos &&
           padded.find(" " + word + " ") != std::string::npos;
}

// The most threads that the user can set, as in Threads.java.
constexpr int kMostThreads = 1024;

// Parses a whole number from 1 to `most`. Returns 0 if the text is not one.
int64_t positive(const std::string &text, int64_t most) {
    char *end = nullptr;
    errno = 0;
    long long value = strtoll(text.c_str(), &end, 10);
    return errno == 0 && *end == '\0' && value >= 1 && value <= most ? value : 0;
}

// Never destroyed: Java threads may still compute while the process ends.
Settings &process_settings() {
    static Settings *const settings = new Settings;
    return *settings;
}

Settings read(JNIEnv *env) {
    Settings settings;
    Reader value(env);
    auto ignored = [&](const Name &name, const std::string &text, const char *wanted) {
        settings.warnings.push_back(format("%s=%s is ignored: it must be %s",
                                           value.source(name).c_str(), text.c_str(), wanted));
    };

    const std::string backend = value(kBackend);
    settings.off = backend == "off";
    if (backend == "auto")
        settings.backend = GKL_SHIM_AUTO;
    else if (backend == "cuda")
        settings.backend = GKL_SHIM_CUDA;
    else if (!backend.empty() && !is_one_of(backend, "cpu off"))
        ignored(kBackend, backend, "auto, cpu, cuda or off");

    const auto number = [&](const Name &name, int64_t most, const char *wanted) {
        const std::string text = value(name);
        const int64_t found = positive(text, most);
        if (!text.empty() && found == 0) ignored(name, text, wanted);
        return found;
    };
    const std::string few = format("a whole number from 1 to %d", kMostThreads);
    settings.threads = int32_t(number(kThreads, kMostThreads, few.c_str()));
    settings.verify =
        number(kVerify, std::numeric_limits<int64_t>::max(), "a whole number of 1 or more");

    settings.build = value(kBuild);
    if (!settings.build.empty() && !is_one_of(settings.build, gkl_shim_builds())) {
        ignored(kBuild, settings.build,
                format("one that this CPU can run (%s)", gkl_shim_builds()).c_str());
        settings.build.clear();
    }

    settings.record = value(kRecord);
    settings.record_smithwaterman = value(kRecordSmithWaterman);

    const std::string log = value(kLog);
    if (log == "quiet")
        settings.log = LogLevel::kQuiet;
    else if (log == "debug")
        settings.log = LogLevel::kDebug;
    else if (!log.empty() && log != "info")
        ignored(kLog, log, "quiet, info or debug");
    return settings;
}

}  // namespace

void read_settings(JNIEnv *env) { process_settings() = read(env); }

const Settings &settings() { return process_settings(); }

const char *chosen_build() { return settings().build.empty() ? nullptr : settings().build.c_str(); }

std::string build_text(const std::string &build) {
    const char *const why =
        settings().build.empty() ? "the best for this CPU" : "asked for by GKL_SHIM_BUILD";
    return format("%s build (%s)", build.c_str(), why);
}

void log_setting_warnings() {
    static std::atomic<bool> logged{false};
    if (logged.exchange(true)) return;
    for (const std::string &warning : settings().warnings) log_warning(warning);
    if (settings().off)
        log_warning("GKL_SHIM_BACKEND=off is ignored: Intel GKL's library has been replaced");
}

}  // namespace gkl_shim::jni
