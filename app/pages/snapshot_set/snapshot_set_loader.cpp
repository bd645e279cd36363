#include "app/pages/snapshot_set/snapshot_set_loader.hpp"

#include <algorithm>
#include <exception>
#include <memory>
#include <new>
#include <utility>

#include "core/base/messages/message.hpp"
#include "loaders/bytes/load_progress.hpp"
#include "loaders/formats/open.hpp"

namespace kino {
namespace {

// Estimated memory for reading a pickle, in multiples of its size, including the model and its categories.
constexpr std::uint64_t kNeedOfPlain = 6;
constexpr std::uint64_t kTextOfCompressed = 10;

SnapshotFile failed(Error error) { return {.state = SnapshotFile::State::failed, .error = std::move(error)}; }

}  // namespace

std::uint64_t snapshot_need_bytes(const ContainedTrace& file) {
  const std::filesystem::path ending = file.path.extension();
  const bool plain =
      ending == ".pickle" || ending == ".pkl" || ending == ".json" || ending == ".html" || ending.empty();
  return file.size_bytes.value_or(0) * kNeedOfPlain * (plain ? 1 : kTextOfCompressed);
}

SnapshotSetLoader::SnapshotSetLoader(const std::vector<ContainedTrace>& files, OpenOptions options,
                                     CategoryRuleSet rules, std::function<void()> wake,
                                     std::size_t first_source)
    : options_(std::move(options)),
      rules_(std::move(rules)),
      wake_(std::move(wake)),
      first_source_(first_source) {
  options_.choices = nullptr;
  options_.on_partial = nullptr;
  std::vector<std::uint64_t> need_bytes;
  for (const ContainedTrace& file : files) {
    SnapshotFile& added = files_.emplace_back();
    added.path = file.path;
    added.name = file.name;
    added.rank = file.rank;
    need_bytes.push_back(snapshot_need_bytes(file));
  }
  if (options_.threads == 0) options_.threads = BoundedJobs::threads_within(files.size());
  jobs_.emplace(std::move(need_bytes), half_of_memory(),
                [this](std::size_t index, const std::stop_token& stop) { run(index, stop); });
}

SnapshotSetLoader::~SnapshotSetLoader() { request_stop(); }

void SnapshotSetLoader::run(std::size_t index, const std::stop_token& stop) {
  {
    const std::lock_guard lock(mutex_);
    files_[index].state = SnapshotFile::State::loading;
    ++generation_;
  }
  SnapshotFile result;
  try {
    result = read(index, stop);
  } catch (const std::bad_alloc&) {
    result = failed({Error::Kind::out_of_memory, msg::not_enough_memory_for_this_file});
  } catch (const std::exception& error) {
    result = failed({Error::Kind::system, error.what()});
  }
  {
    const std::lock_guard lock(mutex_);
    SnapshotFile& file = files_[index];
    result.path = std::move(file.path);
    result.name = std::move(file.name);
    result.rank = file.rank;
    file = std::move(result);
    ++finished_;
    ++generation_;
  }
  if (wake_) wake_();
}

SnapshotFile SnapshotSetLoader::read(std::size_t index, const std::stop_token& stop) const {
  LoadProgress progress;
  const Result<OpenedSnapshot> opened = open_snapshot(files_[index].path, options_, progress, stop);
  if (!opened.ok()) return failed(opened.error());
  const Snapshot& snapshot = *opened.value().snapshot;
  const CountedDevices devices = counted_devices(snapshot);
  if (devices.counted.empty())
    return failed({Error::Kind::unknown_format, msg::no_gpu_memory_in_this_snapshot});
  SnapshotFile result{.state = SnapshotFile::State::ready, .damage = snapshot.damage};
  result.small_gpus = devices.left_out.size();
  const bool whole = std::ranges::none_of(snapshot.damage.entries(),
                                          [](const Damage& entry) { return ends_early(entry.reason); });
  std::vector<SnapshotMember> members;
  for (const std::size_t device : devices.counted) {
    Result<SnapshotSums> sums = snapshot_sums(snapshot, device, rules_, stop);
    if (!sums.ok()) return failed(sums.error());
    members.push_back({files_[index].name, files_[index].rank, devices.counted.size() == 1, whole,
                       std::move(sums).value(), first_source_ + index});
  }
  result.members = std::make_shared<const std::vector<SnapshotMember>>(std::move(members));
  return result;
}

std::vector<SnapshotFile> SnapshotSetLoader::files() const {
  const std::lock_guard lock(mutex_);
  return files_;
}

std::uint64_t SnapshotSetLoader::generation() const {
  const std::lock_guard lock(mutex_);
  return generation_;
}

bool SnapshotSetLoader::done() const {
  const std::lock_guard lock(mutex_);
  return finished_ == files_.size();
}

SnapshotSet loaded_set(const std::vector<SnapshotFile>& files) {
  std::vector<SnapshotMember> members;
  for (const SnapshotFile& file : files) {
    if (file.members != nullptr) members.insert(members.end(), file.members->begin(), file.members->end());
  }
  return snapshot_set(std::move(members));
}

std::size_t failed_file_count(const std::vector<SnapshotFile>& files) {
  return static_cast<std::size_t>(
      std::ranges::count(files, SnapshotFile::State::failed, &SnapshotFile::state));
}

}  // namespace kino
