# `cmake --install`: library, headers, and what find_package(axiscast) and pkg-config read. Users need oneTBB, but no Highway: a shared
# library has it inside, a static one is installed beside a copy of it. Ops of one's own (axiscast::kit) need a copy and its headers;
# they lie where no other Highway is shadowed.
include(CMakePackageConfigHelpers)

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/axiscast)
get_target_property(highway_type hwy::hwy TYPE)
set(AXISCAST_HIGHWAY "ours")  # installed with it; or system
set(AXISCAST_HIGHWAY_INCLUDE ${CMAKE_INSTALL_INCLUDEDIR}/axiscast/kit/highway)
set(AXISCAST_PC_PRIVATE_LIBS "")
set(AXISCAST_PC_PRIVATE_REQUIRES "tbb")
if(highway_type STREQUAL "SHARED_LIBRARY")
  set(AXISCAST_HIGHWAY "system")
  string(APPEND AXISCAST_PC_PRIVATE_REQUIRES ", libhwy >= 1.2.0")
else()
  if(NOT BUILD_SHARED_LIBS)
    set(AXISCAST_PC_PRIVATE_LIBS "-laxiscast_highway")
  endif()
  install(FILES $<TARGET_FILE:hwy::hwy> DESTINATION ${CMAKE_INSTALL_LIBDIR} RENAME libaxiscast_highway.a)
  get_target_property(highway_include hwy::hwy INTERFACE_INCLUDE_DIRECTORIES)
  install(DIRECTORY ${highway_include}/hwy DESTINATION ${AXISCAST_HIGHWAY_INCLUDE} FILES_MATCHING PATTERN *.h)
  file(GLOB highway_licenses ${highway_include}/../share/doc/highway/LICENSE*)
  install(FILES ${highway_licenses} DESTINATION ${AXISCAST_HIGHWAY_INCLUDE}/hwy)
endif()

# With a static library, `pkg-config --libs axiscast` has to name everything; with a shared one only `--static` does.
set(AXISCAST_PC_REQUIRES "")
set(AXISCAST_PC_LIBS "")
if(NOT BUILD_SHARED_LIBS)
  set(AXISCAST_PC_REQUIRES "${AXISCAST_PC_PRIVATE_REQUIRES}")
  set(AXISCAST_PC_PRIVATE_REQUIRES "")
  set(AXISCAST_PC_LIBS "${AXISCAST_PC_PRIVATE_LIBS} -lstdc++ -lm")
  set(AXISCAST_PC_PRIVATE_LIBS "")
endif()

install(TARGETS axiscast_library axiscast_kit EXPORT axiscastTargets FILE_SET HEADERS FILE_SET headers_over_others FILE_SET entry)
install(EXPORT axiscastTargets NAMESPACE axiscast:: DESTINATION ${package_dir})
configure_package_config_file(cmake/axiscastConfig.cmake.in ${PROJECT_BINARY_DIR}/axiscastConfig.cmake INSTALL_DESTINATION ${package_dir}
                              PATH_VARS CMAKE_INSTALL_LIBDIR AXISCAST_HIGHWAY_INCLUDE)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/axiscastConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/axiscastConfig.cmake ${PROJECT_BINARY_DIR}/axiscastConfigVersion.cmake DESTINATION ${package_dir})
# Relative to the file, so that an installed tree can be moved.
file(RELATIVE_PATH AXISCAST_PC_PREFIX /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
configure_file(cmake/axiscast.pc.in ${PROJECT_BINARY_DIR}/axiscast.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/axiscast.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
