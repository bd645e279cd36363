#include "app/cli/serve/session_folder.hpp"

#include <algorithm>
#include <cstdlib>
#include <string>
#include <system_error>

#include <unistd.h>

#include "app/cli/serve/serve_access.hpp"
#include "core/base/platform/file_facts.hpp"

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

SessionFolder::SessionFolder(const std::filesystem::path& path) {
  std::error_code code;
  if (path.empty()) return;
  const std::filesystem::path parent = std::filesystem::canonical(path.parent_path(), code);
  if (!code) path_ = parent / path.filename();
}

SessionFolder::~SessionFolder() {
  std::error_code ignored;
  if (!path_.empty()) std::filesystem::remove_all(path_, ignored);
}

std::filesystem::path SessionFolder::make_folder() {
  if (path_.empty() || (!make_private_folder(path_) && !make_private(path_))) return {};
  std::filesystem::path folder = path_ / std::to_string(++made_);
  return make_private_folder(folder) ? folder : std::filesystem::path();
}

std::filesystem::path SessionFolder::path_for(const std::string& name) {
  const std::filesystem::path folder = make_folder();
  return folder.empty() ? folder : folder / plain_name(name);
}

bool SessionFolder::contains(const std::filesystem::path& path) const {
  std::error_code code;
  const std::filesystem::path real = std::filesystem::weakly_canonical(path, code);
  return !code && !path_.empty() && std::ranges::mismatch(path_, real).in1 == path_.end();
}

std::string plain_name(std::string name) {
  std::erase_if(name, [](char c) { return static_cast<unsigned char>(c) < ' ' || c == '\x7f'; });
  if (name.empty() || name == "." || name == ".." || name.find('/') != std::string::npos) return "unnamed";
  return name;
}

}  // namespace kino
