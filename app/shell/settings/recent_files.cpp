#include "app/shell/settings/recent_files.hpp"

#include <algorithm>
#include <chrono>
#include <fstream>
#include <iterator>
#include <string>
#include <utility>

#include <nlohmann/json.hpp>

#include "app/shell/settings/settings.hpp"
#include "app/system/atomic_file.hpp"
#include "app/system/enough_memory.hpp"
#include "core/base/ascii.hpp"
#include "loaders/bytes/trace_path.hpp"

namespace kino {
namespace {

constexpr std::string_view kEllipsis = "…";
constexpr std::size_t kLargestRecentFile = 16 << 20;  // 20 jobs of a thousand files are 2 MB

/// Returns the outermost folder on the way to `path` that does not exist, or `path` itself.
std::filesystem::path outermost_absent(std::filesystem::path path) {
  std::error_code code;
  while (path.has_relative_path() && !std::filesystem::exists(path.parent_path(), code) && !code)
    path = path.parent_path();
  return path;
}

RecentFiles::Status status_of(const std::filesystem::path& path) {
  using Kind = RecentFiles::Status::Kind;
  RecentFiles::Status status;
  const std::filesystem::path file = split_trace_path(path).file;
  std::error_code code;
  const std::uintmax_t size = std::filesystem::file_size(file, code);
  status.kind = !code || code == std::errc::is_a_directory ? Kind::present : Kind::missing;
  if (!code) status.size_bytes = size;
  if (status.kind == Kind::present) return status;
  status.denied = code == std::errc::permission_denied;
  status.absent = status.denied ? file : outermost_absent(file);
  return status;
}

std::optional<std::filesystem::path> absolute_path(const nlohmann::json& entry) {
  if (!entry.is_string()) return std::nullopt;
  std::filesystem::path path = entry.get<std::string>();
  return path.is_absolute() ? std::optional(std::move(path)) : std::nullopt;
}

std::optional<RecentFile> recent_from_entry(const nlohmann::json& entry) {
  RecentFile file;
  const bool several = entry.is_object() && entry.contains("name");
  std::optional<std::filesystem::path> path = absolute_path(several ? entry["name"] : entry);
  if (!path) return std::nullopt;
  file.path = std::move(*path);
  if (!several) return file;
  const auto members = entry.find("files");
  if (members == entry.end() || !members->is_array() || members->empty()) return std::nullopt;
  for (const nlohmann::json& name : *members) {
    std::optional<std::filesystem::path> member = absolute_path(name);
    if (!member) return std::nullopt;
    file.members.push_back(std::move(*member));
  }
  return file;
}

RecentFacts facts_from_entry(const nlohmann::json& entry) {
  RecentFacts facts;
  if (!entry.is_object()) return facts;
  const auto text = [&](const char* name) {
    const auto found = entry.find(name);
    const bool usable = found != entry.end() && found->is_string();
    std::string value = usable ? found->get<std::string>() : std::string();
    return value.size() <= kMostVerdictBytes ? value : std::string();
  };
  facts.kind = text("kind");
  facts.verdict = text("verdict");
  const auto opened = entry.find("opened");
  if (opened != entry.end() && opened->is_number_integer()) facts.opened_s = opened->get<std::int64_t>();
  return facts;
}

nlohmann::json entry_of(const RecentFacts& facts) {
  nlohmann::json entry = nlohmann::json::object();
  if (!facts.kind.empty()) entry["kind"] = facts.kind;
  if (!facts.verdict.empty()) entry["verdict"] = facts.verdict;
  if (facts.opened_s != 0) entry["opened"] = facts.opened_s;
  return entry;
}

std::int64_t unix_seconds() {
  return std::chrono::duration_cast<std::chrono::seconds>(std::chrono::system_clock::now().time_since_epoch())
      .count();
}

nlohmann::json entry_of(const RecentFile& file) {
  if (file.members.empty()) return file.path.string();
  nlohmann::json members = nlohmann::json::array();
  for (const std::filesystem::path& member : file.members) members.push_back(member.string());
  return {{"name", file.path.string()}, {"files", members}};
}

RecentFile normal_form(const RecentFile& opened) {
  RecentFile normal{opened.path.lexically_normal(), {}};
  for (const std::filesystem::path& member : opened.members)
    normal.members.push_back(member.lexically_normal());
  return normal;
}

RecentFiles::Status status_of(const RecentFile& recent) {
  using Kind = RecentFiles::Status::Kind;
  if (recent.members.empty()) return status_of(recent.path);
  RecentFiles::Status all;
  std::size_t left = 0;
  for (const std::filesystem::path& member : recent.members) {
    const RecentFiles::Status one = status_of(member);
    left += one.kind == Kind::present ? 1 : 0;
    all.size_bytes += one.size_bytes;
    if (one.kind == Kind::missing && all.absent.empty()) {
      all.absent = one.absent;
      all.denied = one.denied;
    }
  }
  all.kind = left >= 2 ? Kind::present : Kind::missing;
  return all;
}

}  // namespace

std::filesystem::path recent_files_path() {
  const std::filesystem::path folder = user_folder("XDG_STATE_HOME", ".local/state");
  return folder.empty() ? folder : folder / "recent.json";
}

std::vector<RecentFile> recent_from_json(std::string_view text) {
  std::vector<RecentFile> recent;
  const nlohmann::json json = nlohmann::json::parse(text, nullptr, false);
  if (!json.is_object()) return recent;
  const auto files = json.find("files");
  if (files == json.end() || !files->is_array()) return recent;
  const auto facts = json.find("facts");
  const bool described = facts != json.end() && facts->is_array() && facts->size() == files->size();
  for (std::size_t i = 0; i < files->size() && recent.size() < RecentFiles::kMost; ++i) {
    std::optional<RecentFile> file = recent_from_entry((*files)[i]);
    if (!file || std::ranges::find(recent, *file) != recent.end()) continue;
    if (described) file->facts = facts_from_entry((*facts)[i]);
    recent.push_back(std::move(*file));
  }
  return recent;
}

RecentFiles::RecentFiles(std::filesystem::path file, std::function<void()> wake)
    : file_(std::move(file)), wake_(std::move(wake)) {
  read();
}

// Reads the list. If the file cannot be read or is too large, the list remains. A malformed list is treated
// as empty, and is overwritten when a file is opened.
void RecentFiles::read() {
  std::error_code code;
  if (file_.empty() || std::filesystem::file_size(file_, code) > kLargestRecentFile || code) return;
  std::ifstream file(file_, std::ios::binary);
  if (!file) return;
  files_ = recent_from_json(std::string{std::istreambuf_iterator<char>(file), {}});
}

std::optional<Error> RecentFiles::write() const {
  if (file_.empty()) return std::nullopt;
  nlohmann::json list = nlohmann::json::array();
  nlohmann::json facts = nlohmann::json::array();
  // JSON requires UTF-8. Entries with paths in other encodings are skipped, because they would be read back
  // differently.
  for (const RecentFile& file : files_) {
    nlohmann::json entry = entry_of(file);
    try {
      entry.dump();
    } catch (const nlohmann::json::type_error&) {
      continue;
    }
    list.push_back(std::move(entry));
    facts.push_back(entry_of(file.facts));
  }
  const nlohmann::json all{{"files", list}, {"facts", facts}};
  return write_file_atomically(file_,
                               all.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n",
                               Durability::process_crash);
}

std::optional<Error> RecentFiles::add(const RecentFile& opened) {
  RecentFile normal = normal_form(opened);
  const auto absolute = [](const std::filesystem::path& path) { return path.is_absolute(); };
  if (!absolute(normal.path) || !std::ranges::all_of(normal.members, absolute)) return std::nullopt;
  read();
  const auto known = std::ranges::find(files_, normal);
  if (known != files_.end()) normal.facts = known->facts;
  normal.facts.opened_s = unix_seconds();
  std::erase(files_, normal);
  files_.insert(files_.begin(), std::move(normal));
  if (files_.size() > kMost) files_.resize(kMost);
  return write();
}

std::optional<Error> RecentFiles::describe(const RecentFile& opened, const std::string& kind,
                                           std::string verdict) {
  read();
  const auto known = std::ranges::find(files_, normal_form(opened));
  if (known == files_.end()) return std::nullopt;
  if (verdict.size() > kMostVerdictBytes) {
    std::size_t end = kMostVerdictBytes - kEllipsis.size();
    while (end > 0 && continues_character(verdict[end])) --end;
    verdict = verdict.substr(0, end).append(kEllipsis);
  }
  const RecentFacts facts{kind, std::move(verdict), known->facts.opened_s};
  if (known->facts == facts) return std::nullopt;
  known->facts = facts;
  return write();
}

std::optional<Error> RecentFiles::remove(const RecentFile& opened) {
  read();
  std::erase(files_, opened);
  return write();
}

std::optional<Error> RecentFiles::clear() {
  files_.clear();
  return write();
}

void RecentFiles::refresh() {
  read();
  {
    const std::scoped_lock lock(mutex_);
    if (std::exchange(looking_, true)) return;
  }
  looker_ = std::jthread([this, files = files_](const std::stop_token& stop) {
    std::vector<Looked> found;
    const bool all = run_catching_bad_alloc([&] {
      for (const RecentFile& file : files) {
        if (stop.stop_requested()) return;
        found.push_back({file, status_of(file)});
      }
    });
    if (stop.stop_requested()) return;
    {
      const std::scoped_lock lock(mutex_);
      if (all) looked_ = std::move(found);
      looking_ = false;
    }
    wake_();
  });
}

RecentFiles::Status RecentFiles::status(const RecentFile& recent) const {
  const std::scoped_lock lock(mutex_);
  const auto found = std::ranges::find(looked_, recent, &Looked::file);
  return found == looked_.end() ? Status{} : found->status;
}

}  // namespace kino
