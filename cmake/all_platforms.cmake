# The library for every platform that the jar serves, compiled with zig for a C library old enough
# for any Linux in use. The Python package takes its library from here, too.
set(ARCHITECTURES x86_64 aarch64)
if(GKL_SHIM_WHEEL_ARCH)
  set(WHEEL_ARCH ${GKL_SHIM_WHEEL_ARCH})
else()
  set(WHEEL_ARCH ${CMAKE_SYSTEM_PROCESSOR})
endif()
if(NOT WHEEL_ARCH IN_LIST ARCHITECTURES)
  message(FATAL_ERROR "GKL_SHIM_WHEEL_ARCH is ${WHEEL_ARCH}, not x86_64 or aarch64")
endif()
if(NOT JNI_SOURCES)
  message(FATAL_ERROR "GKL_SHIM_ALL_PLATFORMS is ON, but no JDK is found")
endif()
find_package(Python3 REQUIRED COMPONENTS Interpreter)
execute_process(
  COMMAND ${Python3_EXECUTABLE} ${CMAKE_SOURCE_DIR}/cmake/zig.py ${CMAKE_BINARY_DIR}/zig
  RESULT_VARIABLE failed ERROR_VARIABLE error ERROR_STRIP_TRAILING_WHITESPACE)
if(failed)
  message(FATAL_ERROR "GKL_SHIM_ALL_PLATFORMS is ON, but ${error}")
endif()

include(ExternalProject)
set(PLATFORM_LIBRARIES)
foreach(arch ${ARCHITECTURES})
  set(folder ${CMAKE_BINARY_DIR}/platforms/linux-${arch})
  ExternalProject_Add(
    gkl_shim_${arch}
    SOURCE_DIR ${CMAKE_SOURCE_DIR}
    BINARY_DIR ${CMAKE_BINARY_DIR}/cross/${arch}
    CMAKE_ARGS -DCMAKE_TOOLCHAIN_FILE=${CMAKE_SOURCE_DIR}/cmake/zig.cmake
               -DZIG=${CMAKE_BINARY_DIR}/zig
               -DZIG_ARCH=${arch}
               -DCMAKE_BUILD_TYPE=${CMAKE_BUILD_TYPE}
               -DCMAKE_MAKE_PROGRAM=${CMAKE_MAKE_PROGRAM}
               -DCMAKE_LIBRARY_OUTPUT_DIRECTORY=${folder}
               -DGKL_SHIM_JAR=OFF
               -DJNI_INCLUDE=${JNI_INCLUDE}
               -DJNI_MD_INCLUDE=${JNI_MD_INCLUDE}
    BUILD_ALWAYS ON
    BUILD_BYPRODUCTS ${folder}/libgkl_shim.so
    INSTALL_COMMAND "")
  list(APPEND PLATFORM_LIBRARIES ${folder}/libgkl_shim.so)
endforeach()
set_target_properties(gkl_shim PROPERTIES EXCLUDE_FROM_ALL ON)
if(SKBUILD)
  install(FILES ${CMAKE_BINARY_DIR}/platforms/linux-${WHEEL_ARCH}/libgkl_shim.so
          DESTINATION gkl_shim/lib)
endif()
