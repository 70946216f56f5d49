# What C and C++ programs use: library, header, pkg-config file and CMake package.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)
set(JAVADIR ${CMAKE_INSTALL_DATADIR}/java)
# The C ABI's number. It goes up when a program that was built before would no longer run.
set_target_properties(gkl_shim PROPERTIES VERSION ${PROJECT_VERSION} SOVERSION 0)
set(PACKAGE_DIR ${CMAKE_INSTALL_LIBDIR}/cmake/gkl_shim)
install(
  TARGETS gkl_shim
  EXPORT gkl_shim-targets
  LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}
  INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(FILES kernels/include/gkl_shim.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(EXPORT gkl_shim-targets FILE gkl_shim-config.cmake NAMESPACE gkl_shim::
        DESTINATION ${PACKAGE_DIR})
write_basic_package_version_file(
  ${CMAKE_BINARY_DIR}/gkl_shim-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_BINARY_DIR}/gkl_shim-config-version.cmake DESTINATION ${PACKAGE_DIR})
configure_file(cmake/gkl_shim.pc.in gkl_shim.pc @ONLY)
install(FILES ${CMAKE_BINARY_DIR}/gkl_shim.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)

if(GKL_SHIM_CUBINS STREQUAL "ON")
  message(FATAL_ERROR "GKL_SHIM_CUBINS is ON, but only the Python package holds CUDA kernels: "
                      "build it with pip")
endif()
