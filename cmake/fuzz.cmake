# The libFuzzer program, with the library's object files in it. clang alone has libFuzzer, and its
# sanitizers must be linked into a program. tests/fuzz/run.py gives the flags that compile the objects.
add_executable(fuzz EXCLUDE_FROM_ALL tests/fuzz/fuzz.cpp $<TARGET_OBJECTS:gkl_shim>)
target_include_directories(fuzz PRIVATE kernels/include kernels/internal)
target_link_libraries(fuzz PRIVATE Threads::Threads ${CMAKE_DL_LIBS})
target_link_options(fuzz PRIVATE -fsanitize=fuzzer -Wl,--wrap=aligned_alloc -Wl,--wrap=free)
