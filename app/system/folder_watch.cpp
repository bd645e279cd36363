#include "app/system/folder_watch.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <string_view>
#include <system_error>
#include <utility>

#include <poll.h>
#include <sys/inotify.h>
#include <unistd.h>

#include "core/base/platform/folder_names.hpp"

namespace kino {
namespace {

constexpr std::size_t kEventBytes = 64 * 1024;
constexpr std::uint32_t kWatched = IN_CLOSE_WRITE | IN_MOVED_TO | IN_CREATE | IN_ONLYDIR;

Descriptor watch_of(const std::filesystem::path& folder) {
  Descriptor events(::inotify_init1(IN_NONBLOCK | IN_CLOEXEC));
  if (events.fd < 0 || ::inotify_add_watch(events.fd, folder.c_str(), kWatched) < 0) return {};
  return events;
}

}  // namespace

bool may_be_recording(std::string_view name) {
  constexpr std::array<std::string_view, 6> kNot{".tmp", ".part",     ".partial",
                                                 ".swp", ".kinorank", ".kinoindex"};
  if (name.empty() || name.front() == '.') return false;
  return std::ranges::none_of(kNot, [&](std::string_view end) { return name.ends_with(end); });
}

FolderWatch::FolderWatch(std::filesystem::path folder, bool all, Options options, Clock::time_point now)
    : folder_(std::move(folder)), options_(options) {
  if (options_.kernel) events_ = watch_of(folder_);
  look(now);
  if (all) return;
  // Treat existing files as reported; those that are still being written are reported when they change.
  for (auto& [name, file] : files_) file.reported = true;
}

void FolderWatch::read_events() {
  if (events_.fd < 0) return;
  alignas(inotify_event) std::array<char, kEventBytes> bytes{};
  for (;;) {
    const ssize_t got = ::read(events_.fd, bytes.data(), bytes.size());
    if (got <= 0) return;
    for (std::size_t at = 0; at + sizeof(inotify_event) <= static_cast<std::size_t>(got);) {
      inotify_event event{};
      std::memcpy(&event, bytes.data() + at, sizeof event);
      const char* const name = bytes.data() + at + sizeof event;
      if ((event.mask & (IN_CLOSE_WRITE | IN_MOVED_TO)) != 0 && event.len > 0)
        closed_.emplace_back(name, ::strnlen(name, event.len));
      at += sizeof event + event.len;
    }
  }
}

std::vector<std::filesystem::path> FolderWatch::look(Clock::time_point now) {
  problem_ = {};
  // Events that arrive during this scan belong to the next one.
  closed_.clear();
  read_events();
  const NamesInFolder found = names_in(folder_, options_.most_files + 1);
  if (found.error != 0) {
    problem_ = std::generic_category().message(found.error);
    return {};
  }
  if (found.names.size() > options_.most_files)
    problem_ = Message(msg::only_some_files_searched, std::to_string(options_.most_files));
  std::map<std::string, File> files;
  std::vector<std::filesystem::path> whole;
  for (const std::string& name : found.names) {
    if (!may_be_recording(name) || files.size() >= options_.most_files) continue;
    std::error_code code;
    if (!std::filesystem::is_regular_file(folder_ / name, code)) continue;
    const std::optional<FileStamp> stamp = stamp_of(folder_ / name);
    if (!stamp) continue;
    const auto before = files_.find(name);
    File file{*stamp, now, false, false};
    if (before != files_.end() && before->second.stamp == *stamp) file = before->second;
    if (std::ranges::find(closed_, name) != closed_.end()) file.closed = true;
    if (!file.reported && file.stamp.size_bytes > 0 && (file.closed || now - file.since >= options_.quiet)) {
      file.reported = true;
      whole.push_back(folder_ / name);
    }
    files.emplace(name, file);
  }
  files_ = std::move(files);  // forgets deleted files
  std::ranges::sort(whole);
  return whole;
}

void FolderWatch::wait(const std::stop_token& stop) const {
  constexpr std::chrono::milliseconds kPart{50};
  const Clock::time_point end = Clock::now() + options_.interval;
  while (!stop.stop_requested() && Clock::now() < end) {
    if (events_.fd < 0) {
      ::poll(nullptr, 0, static_cast<int>(kPart.count()));
      continue;
    }
    pollfd ready{events_.fd, POLLIN, 0};
    if (::poll(&ready, 1, static_cast<int>(kPart.count())) > 0) return;
  }
}

std::size_t FolderWatch::whole() const {
  return static_cast<std::size_t>(
      std::ranges::count_if(files_, [](const auto& file) { return file.second.reported; }));
}

}  // namespace kino
