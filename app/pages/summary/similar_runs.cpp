#include "app/pages/summary/similar_runs.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

namespace kino {
namespace {

/// Returns the extension without that of a compression: ".json" for "a.json.gz".
std::string_view kind_of_name(std::string_view name) {
  constexpr std::array<std::string_view, 4> kCompressions{".gz", ".zst", ".xz", ".bz2"};
  for (const std::string_view compression : kCompressions) {
    if (name.ends_with(compression)) name.remove_suffix(compression.size());
  }
  const std::size_t dot = name.rfind('.');
  return dot == std::string_view::npos ? std::string_view() : name.substr(dot);
}

/// Returns the number of bytes that both names share at the beginning and at the end.
std::size_t shared_bytes(std::string_view a, std::string_view b) {
  const auto from_front = static_cast<std::size_t>(std::ranges::mismatch(a, b).in1 - a.begin());
  a.remove_prefix(from_front);
  b.remove_prefix(from_front);
  const auto from_back = std::mismatch(a.rbegin(), a.rend(), b.rbegin(), b.rend()).first - a.rbegin();
  return from_front + static_cast<std::size_t>(from_back);
}

}  // namespace

std::vector<std::filesystem::path> similar_runs(const std::filesystem::path& file,
                                                const std::stop_token& stop) {
  constexpr int kMostEntries = 4096;
  const std::string own = file.filename().string();
  std::vector<std::pair<std::size_t, std::filesystem::path>> found;
  std::error_code error;
  std::filesystem::directory_iterator entry(file.has_parent_path() ? file.parent_path() : ".", error);
  for (int seen = 0; !error && entry != std::filesystem::directory_iterator() && seen < kMostEntries;
       ++seen) {
    if (stop.stop_requested()) return {};
    const std::string name = entry->path().filename().string();
    std::error_code unknown;
    if (name != own && kind_of_name(name) == kind_of_name(own) && entry->is_regular_file(unknown)) {
      const std::size_t shared = shared_bytes(name, own);
      if (2 * shared >= own.size()) found.emplace_back(shared, entry->path());
    }
    entry.increment(error);
  }
  std::ranges::sort(found, [](const auto& a, const auto& b) {
    return a.first != b.first ? a.first > b.first : a.second < b.second;
  });
  std::vector<std::filesystem::path> runs;
  runs.reserve(std::min(found.size(), kMostSimilarRuns));
  for (auto& [shared, path] : found) {
    if (runs.size() == kMostSimilarRuns) break;
    runs.push_back(std::move(path));
  }
  return runs;
}

}  // namespace kino
