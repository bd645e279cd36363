# Runs within `cmake --install`: writes the desktop entry for the prefix and updates the desktop's caches.
# Expects source_folder, binary_folder, bin_folder and data_folder (the latter two may be absolute).

foreach(folder bin_folder data_folder)
  if(NOT IS_ABSOLUTE "${${folder}}")
    set(${folder} "${CMAKE_INSTALL_PREFIX}/${${folder}}")
  endif()
endforeach()

# Desktop sessions may lack ~/.local/bin in their PATH, so the entry contains the full path of a program outside the system's
# folders. If the syntax of the entry cannot express the path, the entry remains unchanged.
file(READ "${source_folder}/assets/desktop/kinetoscope.desktop" entry)
if(NOT bin_folder MATCHES "^(/usr|/usr/local)/bin$" AND NOT bin_folder MATCHES "[\"`$\\\\%;=]")
  string(REPLACE "Exec=kinetoscope" "Exec=\"${bin_folder}/kinetoscope\"" entry "${entry}")
  string(REPLACE "\nTerminal=" "\nTryExec=${bin_folder}/kinetoscope\nTerminal=" entry "${entry}")
endif()
file(WRITE "${binary_folder}/kinetoscope.desktop" "${entry}")
file(INSTALL "${binary_folder}/kinetoscope.desktop" DESTINATION "${data_folder}/applications")

# For packages, triggers of the target system do this.
if("$ENV{DESTDIR}" STREQUAL "")
  include("${source_folder}/assets/desktop/update_desktop.cmake")
endif()
