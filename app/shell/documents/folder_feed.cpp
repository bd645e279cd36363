#include "app/shell/documents/folder_feed.hpp"

#include <algorithm>
#include <iterator>
#include <optional>
#include <system_error>

namespace kino {

FolderFeed::FolderFeed(std::filesystem::path place, std::function<void()> wake, FolderWatch::Options options)
    : wake_(std::move(wake)), thread_([this, place = std::move(place), options](const std::stop_token& stop) {
        run(place, options, stop);
      }) {}

std::vector<ContainedTrace> FolderFeed::take() {
  const std::lock_guard lock(mutex_);
  return std::exchange(found_, {});
}

std::filesystem::path FolderFeed::folder() const {
  const std::lock_guard lock(mutex_);
  return folder_;
}

Message FolderFeed::problem() const {
  const std::lock_guard lock(mutex_);
  return problem_;
}

std::vector<ContainedTrace> FolderFeed::snapshots_there() const {
  const std::lock_guard lock(mutex_);
  return there_;
}

void FolderFeed::run(const std::filesystem::path& place, FolderWatch::Options options,
                     const std::stop_token& stop) {
  std::error_code code;
  const std::filesystem::path folder =
      std::filesystem::is_directory(place, code) ? place : place.parent_path();
  FolderWatch watch(folder, false, options);
  // List the files after the watch has started, so that none is missed.
  Result<ContainedTraces> there = traces_in_folder(folder, stop);
  {
    const std::lock_guard lock(mutex_);
    folder_ = folder;
    if (there.ok())
      std::ranges::copy_if(there.value().traces, std::back_inserter(there_), &ContainedTrace::snapshot);
  }
  wake_();
  while (!stop.stop_requested()) {
    std::vector<ContainedTrace> found;
    for (const std::filesystem::path& file : watch.look()) {
      if (std::optional<ContainedTrace> recording = recording_at(file))
        found.push_back(std::move(*recording));
    }
    bool news = !found.empty();
    {
      const std::lock_guard lock(mutex_);
      found_.insert(found_.end(), std::make_move_iterator(found.begin()),
                    std::make_move_iterator(found.end()));
      news = news || problem_ != watch.problem();
      problem_ = watch.problem();
    }
    if (news) wake_();
    watch.wait(stop);
  }
}

}  // namespace kino
