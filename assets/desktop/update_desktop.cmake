# Updates the desktop's caches of entries, file types and icons below data_folder. Skips missing tools.
#   cmake -Ddata_folder=FOLDER -P update_desktop.cmake

function(update program)
  find_program(found_${program} ${program})
  if(found_${program})
    execute_process(COMMAND "${found_${program}}" ${ARGN} RESULT_VARIABLE failed OUTPUT_QUIET ERROR_VARIABLE output)
    if(failed)
      message(STATUS "${program} failed: ${output}")
    endif()
  endif()
endfunction()

if(IS_DIRECTORY "${data_folder}/applications")
  update(update-desktop-database -q "${data_folder}/applications")
endif()
if(IS_DIRECTORY "${data_folder}/mime/packages")
  update(update-mime-database "${data_folder}/mime")
endif()
# Most desktops ignore a cache without an index.theme, and a stale cache hides new icons.
if(EXISTS "${data_folder}/icons/hicolor/index.theme" OR EXISTS "${data_folder}/icons/hicolor/icon-theme.cache")
  update(gtk-update-icon-cache -q -t -f "${data_folder}/icons/hicolor")
endif()
