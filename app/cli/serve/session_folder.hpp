// The private folder for temporary files of a session.
#pragma once

#include <filesystem>

namespace kino {

/// For the server: chooses the names of the folders of sessions that are started from now on.
void choose_session_folders();
/// For the server: returns the folder of a session, which may not exist; empty if there is none.
std::filesystem::path folder_of_session(int process);
/// For the server: removes the folder of a session that has ended.
void remove_session_folder(int process);

/// For a session: returns its folder, which is created when it is needed; empty if there is none.
std::filesystem::path own_session_folder();

}  // namespace kino
