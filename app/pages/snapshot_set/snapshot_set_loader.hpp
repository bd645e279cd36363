// Reads many snapshots on threads of its own and keeps of each what the others are compared with.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "app/system/bounded_jobs.hpp"
#include "core/base/damage.hpp"
#include "core/base/result.hpp"
#include "core/memory/snapshot_set/snapshot_set.hpp"
#include "core/memory/tables/snapshot_categories.hpp"
#include "loaders/cache/open_options.hpp"
#include "loaders/formats/contained_traces.hpp"

namespace kino {

/// A snapshot of a set, and what has become of reading it.
struct SnapshotFile {
  enum class State : std::uint8_t { waiting, loading, ready, failed };

  std::filesystem::path path = {};
  std::string name = {};
  std::int64_t rank = -1;
  State state = State::waiting;
  std::shared_ptr<const std::vector<SnapshotMember>> members = {};  ///< when it is ready
  std::size_t small_gpus = 0;  ///< that do not count; see counted_devices()
  Error error = {};            ///< when it failed
  DamageLog damage = {};       ///< what of it could not be read
};

/// How much memory reading a file takes, roughly; 0: its size is not known.
std::uint64_t snapshot_need_bytes(const ContainedTrace& file);

/// As many at once as there are cores and as need no more than half of the memory, but always one; of what
/// was read only the sums stay. Used by one thread, which is none of its own.
class SnapshotSetLoader {
 public:
  /// Starts at once. `wake` is called from any thread when there is news; it may be empty. Members have
  /// `first_source` and those behind it as their SnapshotMember::source.
  SnapshotSetLoader(const std::vector<ContainedTrace>& files, OpenOptions options, CategoryRuleSet rules,
                    std::function<void()> wake = {}, std::size_t first_source = 0);
  SnapshotSetLoader(const SnapshotSetLoader&) = delete;
  SnapshotSetLoader& operator=(const SnapshotSetLoader&) = delete;
  /// Stops; at most 50 ms.
  ~SnapshotSetLoader();

  /// By index of the files. O(files).
  std::vector<SnapshotFile> files() const;
  /// Counts up with each change of them.
  std::uint64_t generation() const;
  bool done() const;
  /// Until all are read.
  void wait() { jobs_->wait(); }
  void request_stop() { jobs_->request_stop(); }

 private:
  void run(std::size_t index, const std::stop_token& stop);
  SnapshotFile read(std::size_t index, const std::stop_token& stop) const;

  OpenOptions options_;
  CategoryRuleSet rules_;
  std::function<void()> wake_;
  const std::size_t first_source_;
  mutable std::mutex mutex_;
  std::vector<SnapshotFile> files_;  // guarded by mutex_, as the next
  std::uint64_t generation_ = 0;
  std::size_t finished_ = 0;
  std::optional<BoundedJobs> jobs_;  // last: joined before anything it uses is gone
};

/// Of what is read.
SnapshotSet set_of(const std::vector<SnapshotFile>& files);
/// Files that could not be read.
std::size_t broken_of(const std::vector<SnapshotFile>& files);

}  // namespace kino
