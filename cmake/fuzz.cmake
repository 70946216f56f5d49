# The libFuzzer program, with the library's object files in it. Only clang has libFuzzer, and it links
# its sanitizers into programs alone: so the program has them, and the library beside it lacks them.
# tests/fuzz/run.py gives the flags that compile the objects.
add_executable(fuzz EXCLUDE_FROM_ALL tests/fuzz/fuzz.cpp $<TARGET_OBJECTS:gkl_shim>)
target_include_directories(fuzz PRIVATE kernels/include kernels/internal)
target_link_libraries(fuzz PRIVATE Threads::Threads ${CMAKE_DL_LIBS})
target_link_options(fuzz PRIVATE -fsanitize=fuzzer,address,undefined -Wl,--wrap=aligned_alloc
                    -Wl,--wrap=free)
target_link_options(gkl_shim PRIVATE -Wl,-z,undefs)
