// Reads many snapshots on separate threads, and keeps only the sums that a set compares.
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

/// A snapshot of a set, and the state of reading it.
struct SnapshotFile {
  enum class State : std::uint8_t { waiting, loading, ready, failed };

  std::filesystem::path path = {};
  std::string name = {};
  std::int64_t rank = -1;
  State state = State::waiting;
  std::shared_ptr<const std::vector<SnapshotMember>> members = {};  ///< sums of each counted GPU, once ready
  std::size_t small_gpus = 0;  ///< number of ignored small GPUs; see counted_devices()
  Error error = {};            ///< reason of the failure, once failed
  DamageLog damage = {};       ///< damaged parts of the file
};

/// Estimates the memory for reading a file, in bytes; 0 if its size is not known.
std::uint64_t snapshot_need_bytes(const ContainedTrace& file);

/// Reads the snapshots of a set. Reads at most one file per core at a time, and no more files than fit into
/// half of the memory, but at least one. Only the sums are kept. Call from one thread.
class SnapshotSetLoader {
 public:
  /// Starts reading. `wake` may be empty; it is called from any thread after each file. `first_source` is the
  /// source index of the first file.
  SnapshotSetLoader(const std::vector<ContainedTrace>& files, OpenOptions options, CategoryRuleSet rules,
                    std::function<void()> wake = {}, std::size_t first_source = 0);
  SnapshotSetLoader(const SnapshotSetLoader&) = delete;
  SnapshotSetLoader& operator=(const SnapshotSetLoader&) = delete;
  /// Stops within 50 ms.
  ~SnapshotSetLoader();

  /// Returns the state of all files, by index. O(files).
  std::vector<SnapshotFile> files() const;
  /// Increases with each change of the files.
  std::uint64_t generation() const;
  bool done() const;
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
  std::vector<SnapshotFile> files_;  // guarded by mutex_, as are the next two
  std::uint64_t generation_ = 0;
  std::size_t finished_ = 0;
  std::optional<BoundedJobs> jobs_;  // last: joined before the other members are destroyed
};

/// Returns the set of the members of all files that are ready.
SnapshotSet loaded_set(const std::vector<SnapshotFile>& files);
/// Returns the number of files that failed.
std::size_t failed_file_count(const std::vector<SnapshotFile>& files);

}  // namespace kino
