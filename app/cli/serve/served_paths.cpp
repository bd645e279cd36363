#include "app/cli/serve/served_paths.hpp"

#include <algorithm>
#include <system_error>
#include <utility>

namespace kino {

ServedPaths::ServedPaths(std::span<const std::filesystem::path> paths) {
  roots_.reserve(paths.size());
  for (const std::filesystem::path& path : paths) {
    std::error_code code;
    std::filesystem::path root = std::filesystem::canonical(path, code);
    if (code) continue;
    if (first_folder_.empty() && std::filesystem::is_directory(root, code)) first_folder_ = root;
    roots_.push_back(std::move(root));
  }
}

bool ServedPaths::contains(const std::filesystem::path& path) const {
  std::error_code code;
  const std::filesystem::path real = std::filesystem::weakly_canonical(path, code);
  if (code || !real.is_absolute()) return false;
  return std::ranges::any_of(roots_, [&real](const std::filesystem::path& root) {
    return std::ranges::mismatch(root, real).in1 == root.end();
  });
}

}  // namespace kino
