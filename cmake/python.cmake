# The files that only the Python package holds: the binding, and the CUDA kernels as source and
# machine code.
find_package(Python3 REQUIRED COMPONENTS Interpreter)
set(JAVADIR gkl_shim/java)
if(NOT GKL_SHIM_ALL_PLATFORMS)
  if(GKL_SHIM_WHEEL_ARCH)
    message(FATAL_ERROR "GKL_SHIM_WHEEL_ARCH is ${GKL_SHIM_WHEEL_ARCH}, but "
                        "GKL_SHIM_ALL_PLATFORMS is OFF")
  endif()
  install(TARGETS gkl_shim LIBRARY DESTINATION gkl_shim/lib)
endif()
install(FILES kernels/include/gkl_shim.h DESTINATION gkl_shim/include)

# The headers as a Python module. Parsing them takes longer than opening the library.
set(ABI ${CMAKE_BINARY_DIR}/_abi.py)
set(HEADERS ${CMAKE_SOURCE_DIR}/kernels/include/gkl_shim.h
            ${CMAKE_SOURCE_DIR}/kernels/internal/gkl_shim_internal.h)
add_custom_command(
  OUTPUT ${ABI}
  COMMAND ${Python3_EXECUTABLE} ${CMAKE_SOURCE_DIR}/cmake/abi.py ${HEADERS} ${ABI}
  DEPENDS cmake/abi.py ${HEADERS}
  VERBATIM)
add_custom_target(abi ALL DEPENDS ${ABI})
install(FILES ${ABI} DESTINATION gkl_shim)

function(cubins_py result)
  execute_process(
    COMMAND ${Python3_EXECUTABLE} ${CMAKE_SOURCE_DIR}/cmake/cubins.py ${ARGN}
    OUTPUT_VARIABLE output OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
  set(${result} ${output} PARENT_SCOPE)
endfunction()

# The sources of the CUDA kernels. CuPy compiles them if there is no machine code for a device.
file(GLOB_RECURSE CUDA_FILES CONFIGURE_DEPENDS kernels/*.cu kernels/*.h)
list(APPEND CUDA_FILES ${CMAKE_SOURCE_DIR}/cmake/cubins.py
     ${CMAKE_SOURCE_DIR}/gkl_shim/cuda/kernels.py)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${CUDA_FILES})
cubins_py(CUDA_SOURCES sources)
foreach(source ${CUDA_SOURCES})
  cmake_path(GET source PARENT_PATH folder)
  install(FILES kernels/${source} DESTINATION gkl_shim/kernels/${folder})
endforeach()

# The kernels as machine code. ninja compiles several at once.
if(NOT GKL_SHIM_CUBINS)
  return()
elseif(GKL_SHIM_CUBINS STREQUAL "AUTO")
  cubins_py(CUBIN_TARGETS targets present)
else()
  cubins_py(CUBIN_TARGETS targets all)
endif()
if(NOT CUBIN_TARGETS)
  gkl_shim_leave_out(GKL_SHIM_CUBINS "compiled CUDA kernels" "there is no NVIDIA GPU here")
  return()
endif()
list(JOIN CUBIN_TARGETS " " WANTED)
cubins_py(NVRTC nvrtc ${CUBIN_TARGETS})
if(NOT NVRTC)
  gkl_shim_leave_out(GKL_SHIM_CUBINS "compiled CUDA kernels" "no NVRTC for ${WANTED} is found")
  return()
endif()
message(STATUS "CUDA kernels are compiled for ${WANTED} with ${NVRTC}")
# The path is passed in a file. pip uses a new folder for each build, and with its path in the
# commands ninja would run all of them again.
set(CUBIN_DIR ${CMAKE_BINARY_DIR}/cubins)
file(GENERATE OUTPUT ${CUBIN_DIR}/nvrtc CONTENT "${NVRTC}")
set(CUBIN_FILES)
cubins_py(CUBINS plan ${CUBIN_TARGETS})
foreach(cubin ${CUBINS})
  string(REPLACE "|" ";" cubin ${cubin})
  list(GET cubin 0 file)
  list(GET cubin 1 target)
  list(GET cubin 2 output)
  cmake_path(GET output PARENT_PATH folder)
  file(MAKE_DIRECTORY ${CUBIN_DIR}/${folder})
  add_custom_command(
    OUTPUT ${CUBIN_DIR}/${output}
    COMMAND ${Python3_EXECUTABLE} ${CMAKE_SOURCE_DIR}/cmake/cubins.py make ${CUBIN_DIR}/nvrtc
            ${file} ${target} ${CUBIN_DIR}/${output}
    COMMENT "Compiling ${file} for ${target}"
    VERBATIM)
  list(APPEND CUBIN_FILES ${CUBIN_DIR}/${output})
  install(FILES ${CUBIN_DIR}/${output} DESTINATION gkl_shim/kernels/${folder})
endforeach()
add_custom_target(cubins ALL DEPENDS ${CUBIN_FILES})
