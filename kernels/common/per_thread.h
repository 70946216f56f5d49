// Objects for each thread, made on first use and deleted when the thread ends.
#pragma once

#include <pthread.h>

#include <memory>
#include <new>
#include <utility>

namespace gkl_shim {

// For objects of static storage duration. In a program that loads this library at run time, the C
// library allocates thread_locals and registers their destructors, and ends the process if it has
// no memory for that. Here the caller gets std::bad_alloc instead.
template <class T>
class PerThread {
   public:
    PerThread()
        : usable_(pthread_key_create(&key_,
                                     [](void *memory) { delete static_cast<T *>(memory); }) == 0) {}
    PerThread(const PerThread &) = delete;

    // The object of the calling thread. Throws std::bad_alloc.
    T &operator*() const {
        void *const known = usable_ ? pthread_getspecific(key_) : nullptr;
        return known ? *static_cast<T *>(known) : make();
    }
    T *operator->() const { return &**this; }

   private:
    T &make() const {
        std::unique_ptr<T> made(new T);
        if (!usable_ || pthread_setspecific(key_, made.get()) != 0) throw std::bad_alloc();
        return *made.release();
    }

    pthread_key_t key_;
    const bool usable_;
};

// The object that the calling thread keeps from call to call, for one call. A call within the call
// (interrupt.h) finds none and makes another. In the end, the thread keeps the outer call's.
template <class T>
class ForOneCall {
   public:
    // Throws std::bad_alloc.
    explicit ForOneCall(const PerThread<std::unique_ptr<T>> &of_threads)
        : kept_(*of_threads), taken_(std::move(kept_)) {
        if (!taken_) taken_ = std::make_unique<T>();
    }
    ~ForOneCall() { kept_ = std::move(taken_); }
    ForOneCall(const ForOneCall &) = delete;

    T &operator*() const { return *taken_; }
    T *operator->() const { return taken_.get(); }

   private:
    std::unique_ptr<T> &kept_;
    std::unique_ptr<T> taken_;
};

}  // namespace gkl_shim
