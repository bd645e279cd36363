#include "app/settings/recent_files.hpp"

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>
#include <utility>

#include <nlohmann/json.hpp>

#include "app/system/atomic_file.hpp"
#include "app/system/enough_memory.hpp"
#include "loaders/bytes/trace_path.hpp"

namespace kino {
namespace {

constexpr std::size_t kLargestRecentFile = 1 << 20;

RecentFiles::Status status_of(const std::filesystem::path& path) {
  using Kind = RecentFiles::Status::Kind;
  std::error_code code;
  const std::uintmax_t size = std::filesystem::file_size(split_trace_path(path).file, code);
  if (code == std::errc::is_a_directory) return {.kind = Kind::present, .size_bytes = 0};
  if (code) return {.kind = Kind::missing, .size_bytes = 0};
  return {.kind = Kind::present, .size_bytes = size};
}

}  // namespace

std::filesystem::path recent_files_path() {
  const char* state = std::getenv("XDG_STATE_HOME");
  if (state != nullptr && state[0] == '/') {
    return std::filesystem::path(state) / "kinetoscope" / "recent.json";
  }
  const char* home = std::getenv("HOME");
  if (home == nullptr || home[0] != '/') return {};
  return std::filesystem::path(home) / ".local" / "state" / "kinetoscope" / "recent.json";
}

std::vector<std::filesystem::path> recent_from_json(std::string_view text) {
  std::vector<std::filesystem::path> paths;
  const nlohmann::json json = nlohmann::json::parse(text, nullptr, false);
  if (!json.is_object()) return paths;
  const auto files = json.find("files");
  if (files == json.end() || !files->is_array()) return paths;
  for (const nlohmann::json& entry : *files) {
    if (paths.size() == RecentFiles::kMost) break;
    if (!entry.is_string()) continue;
    std::filesystem::path path = entry.get<std::string>();
    if (path.is_absolute() && std::ranges::find(paths, path) == paths.end()) {
      paths.push_back(std::move(path));
    }
  }
  return paths;
}

RecentFiles::RecentFiles(std::filesystem::path file, std::function<void()> wake)
    : file_(std::move(file)), wake_(std::move(wake)) {
  read();
}

// A list that cannot be read is an empty one: it is rewritten by the next file that opens.
void RecentFiles::read() {
  std::error_code code;
  if (file_.empty() || std::filesystem::file_size(file_, code) > kLargestRecentFile || code) return;
  std::ifstream file(file_, std::ios::binary);
  if (!file) return;
  paths_ = recent_from_json(std::string{std::istreambuf_iterator<char>(file), {}});
}

std::optional<Error> RecentFiles::write() const {
  if (file_.empty()) return std::nullopt;
  nlohmann::json list = nlohmann::json::array();
  // JSON is UTF-8; the few paths that are not would come back as others.
  for (const std::filesystem::path& path : paths_) {
    nlohmann::json entry = path.string();
    try {
      entry.dump();
    } catch (const nlohmann::json::type_error&) {
      continue;
    }
    list.push_back(std::move(entry));
  }
  return write_file_atomically(file_, nlohmann::json{{"files", list}}.dump(2) + "\n",
                               Durability::process_crash);
}

std::optional<Error> RecentFiles::add(const std::filesystem::path& path) {
  if (!path.is_absolute()) return std::nullopt;
  const std::filesystem::path normal = path.lexically_normal();
  read();
  std::erase(paths_, normal);
  paths_.insert(paths_.begin(), normal);
  if (paths_.size() > kMost) paths_.resize(kMost);
  return write();
}

std::optional<Error> RecentFiles::remove(const std::filesystem::path& path) {
  read();
  std::erase(paths_, path);
  return write();
}

std::optional<Error> RecentFiles::clear() {
  paths_.clear();
  return write();
}

void RecentFiles::refresh() {
  read();
  {
    const std::scoped_lock lock(mutex_);
    if (std::exchange(looking_, true)) return;
  }
  looker_ = std::jthread([this, paths = paths_](const std::stop_token& stop) {
    std::map<std::filesystem::path, Status> found;
    const bool all = enough_memory_for([&] {
      for (const std::filesystem::path& path : paths) {
        if (stop.stop_requested()) return;
        found[path] = status_of(path);
      }
    });
    if (stop.stop_requested()) return;
    {
      const std::scoped_lock lock(mutex_);
      if (all) statuses_ = std::move(found);
      looking_ = false;
    }
    wake_();
  });
}

RecentFiles::Status RecentFiles::status(const std::filesystem::path& path) const {
  const std::scoped_lock lock(mutex_);
  const auto found = statuses_.find(path);
  return found == statuses_.end() ? Status{} : found->second;
}

}  // namespace kino
