#include "app/cli/serve/session_folder.hpp"

#include <cstdlib>
#include <string>
#include <system_error>

#include <unistd.h>

#include "app/cli/serve/serve_access.hpp"

namespace kino {
namespace {

// Path of the folders, without the number of the process. Sessions inherit it from the server.
constexpr const char* kFoldersVariable = "KINETOSCOPE_SESSION_FOLDERS";

}  // namespace

void choose_session_folders() {
  std::error_code code;
  const std::filesystem::path folder = std::filesystem::temp_directory_path(code);
  if (code) {
    ::unsetenv(kFoldersVariable);
    return;
  }
  // Other users cannot guess the name, so they cannot create the folder first.
  ::setenv(kFoldersVariable, (folder / ("kinetoscope-" + random_token())).c_str(), 1);
}

std::filesystem::path folder_of_session(int process) {
  const char* const folders = std::getenv(kFoldersVariable);
  if (folders == nullptr || folders[0] != '/') return {};
  return std::string(folders) + "-" + std::to_string(process);
}

void remove_session_folder(int process) {
  const std::filesystem::path folder = folder_of_session(process);
  std::error_code ignored;
  if (!folder.empty()) std::filesystem::remove_all(folder, ignored);
}

std::filesystem::path own_session_folder() { return folder_of_session(::getpid()); }

}  // namespace kino
