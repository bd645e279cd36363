#include "app/file_beside.hpp"

#include <cstdlib>
#include <optional>
#include <string>
#include <system_error>
#include <utility>

#include "app/atomic_file.hpp"
#include "loaders/trace_path.hpp"

namespace kino {
namespace {

std::filesystem::path free_name(const std::filesystem::path& folder, const std::string& name,
                                std::string_view extension) {
  std::filesystem::path path;
  for (int i = 1; i < 1000; ++i) {
    path = folder / (name + (i == 1 ? "" : "-" + std::to_string(i)) + std::string(extension));
    std::error_code code;
    if (!std::filesystem::exists(path, code)) break;
  }
  return path;
}

}  // namespace

Result<std::filesystem::path> write_file_beside(const std::filesystem::path& trace_path,
                                                std::string_view middle, std::string_view extension,
                                                std::string_view text) {
  const std::string name = trace_path.filename().string() + std::string(middle);
  std::filesystem::path path = free_name(split_trace_path(trace_path).file.parent_path(), name, extension);
  std::optional<Error> error = write_file_atomically(path, text, Durability::power_loss);
  if (!error) return path;
  const char* home = std::getenv("HOME");
  if (home == nullptr || home[0] != '/') return std::move(*error);
  path = free_name(home, name, extension);
  error = write_file_atomically(path, text, Durability::power_loss);
  if (error) return std::move(*error);
  return path;
}

}  // namespace kino
