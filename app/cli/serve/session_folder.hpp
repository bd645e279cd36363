// The private folder for temporary files of a session.
#pragma once

#include <filesystem>
#include <string>

namespace kino {

/// For the server: chooses the names of the folders of sessions that are started from now on.
void choose_session_folders();
/// For the server: returns the folder of a session, which may not exist; empty if there is none.
std::filesystem::path folder_of_session(int process);
/// For the server: removes the folder of a session that has ended.
void remove_session_folder(int process);

/// For a session: returns its folder, which is created when it is needed; empty if there is none.
std::filesystem::path own_session_folder();

/// The temporary files of a session. The folder is created when it is needed, and removed in the destructor.
class SessionFolder {
 public:
  /// If `path` is empty, there are no temporary files.
  explicit SessionFolder(const std::filesystem::path& path);
  SessionFolder(const SessionFolder&) = delete;
  SessionFolder& operator=(const SessionFolder&) = delete;
  ~SessionFolder();

  /// Creates an empty folder within the folder. Returns its path; empty if that is impossible.
  std::filesystem::path make_folder();
  /// Returns the path of a new file in a folder of its own, so that several files can have the same name.
  /// Empty if there is none.
  std::filesystem::path path_for(const std::string& name);
  /// Whether the path is below the folder, after links are resolved. Any thread.
  bool contains(const std::filesystem::path& path) const;

 private:
  std::filesystem::path path_;  // without links
  int made_ = 0;
};

/// Returns a name for a file, without folders and control characters.
std::string plain_name(std::string name);

}  // namespace kino
