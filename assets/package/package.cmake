# Builds the Debian package:
# `cmake --preset package && cmake --build --preset package && (cd build/package && cpack -G DEB)`
install(FILES assets/package/copyright DESTINATION ${CMAKE_INSTALL_DOCDIR})
set(CPACK_PACKAGE_NAME kinetoscope)
set(CPACK_PACKAGE_VENDOR Kinetoscope)
set(CPACK_PACKAGE_CONTACT "Kinetoscope maintainers <maintainers@kinetoscope.invalid>")
set(CPACK_STRIP_FILES ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION devel)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS "fonts-inter, shared-mime-info, desktop-file-utils")
# Libraries and programs that GLFW, libepoxy and the program use by name.
set(CPACK_DEBIAN_PACKAGE_DEPENDS "sensible-utils, libgl1, libxcursor1, libxi6, libxinerama1, libxrandr2")
if(KINETOSCOPE_WITH_EGL)
  string(APPEND CPACK_DEBIAN_PACKAGE_DEPENDS ", libegl1")
endif()
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "viewer for PyTorch profiler traces and CUDA memory snapshots")
set(CPACK_DEBIAN_PACKAGE_DESCRIPTION
"Kinetoscope opens the traces that PyTorch's profiler writes and the snapshots
of its CUDA allocator, also those of several GB. It shows kernels by stream,
collectives, threads and memory over time, and tables of all of them.")
include(CPack)
