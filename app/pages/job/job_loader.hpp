// Reads the recordings of a job on threads of its own and keeps of each what the others need.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <vector>

#include "app/system/bounded_jobs.hpp"
#include "core/base/damage.hpp"
#include "core/base/result.hpp"
#include "core/job/recording.hpp"
#include "loaders/cache/open_options.hpp"
#include "loaders/formats/contained_traces.hpp"

namespace kino {

/// A recording of a job, and what has become of reading it.
struct RankFile {
  enum class State : std::uint8_t { waiting, loading, ready, failed };

  std::filesystem::path path = {};
  std::int64_t told_rank = -1;  ///< before it was read: by its begin or by its name
  State state = State::waiting;
  std::shared_ptr<const RankDigest> digest = {};    ///< when it is ready, of a trace
  std::shared_ptr<const RankSnapshot> memory = {};  ///< when it is ready, of an allocator snapshot
  Error error = {};                                 ///< when it failed
  DamageLog damage = {};                            ///< what of it could not be read
  bool indexed = false;                             ///< read from what stands beside it
};

/// A job and the file of each of its recordings, in their order.
struct FiledJob {
  Job job;
  std::vector<std::filesystem::path> files;
};

/// Whether both consist of the same digests and snapshots. O(ranks).
bool same_content(const FiledJob& a, const FiledJob& b);

/// How long its text is, roughly where it is compressed; 0: the file's size is not known.
std::uint64_t text_bytes_of(const ContainedTrace& file);

/// What `kinetoscope index` has written beside a recording, or was kept of it, is read instead of it.
/// In the order of the files, or from where somebody looks on, as many at once as there are cores and as
/// their texts need no more than half of the memory, but always one. Used by one thread, which is none of its
/// own.
class JobLoader {
 public:
  /// Starts at once. `wake` is called from any thread when there is news; it may be empty.
  JobLoader(const std::vector<ContainedTrace>& files, OpenOptions options, std::function<void()> wake = {});
  JobLoader(const JobLoader&) = delete;
  JobLoader& operator=(const JobLoader&) = delete;
  /// Stops; at most 50 ms.
  ~JobLoader();

  /// By index of the files. O(files).
  std::vector<RankFile> ranks() const;
  /// Counts up with each change of them.
  std::uint64_t generation() const;
  bool done() const;
  /// The files around this one are read next.
  void look_at(std::size_t index);
  /// Until all are read.
  void wait();
  void request_stop();

 private:
  void run(std::size_t index, const std::stop_token& stop);
  void read(std::size_t index, const std::stop_token& stop);
  void finish(std::size_t index, RankFile result);

  OpenOptions options_;
  std::function<void()> wake_;
  bool keeps_ = false;  // digests, in the cache folder
  mutable std::mutex mutex_;
  std::vector<RankFile> ranks_;  // guarded by mutex_, as the next
  std::uint64_t generation_ = 0;
  std::size_t finished_ = 0;
  std::optional<BoundedJobs> jobs_;  // last: joined before anything it uses is gone
};

/// The snapshots among them whose rank has no trace in the jobs, or another snapshot before it.
std::vector<std::filesystem::path> snapshots_left_out(const std::vector<RankFile>& ranks,
                                                      const std::vector<FiledJob>& jobs);

/// The jobs that the recordings are of, the one with most ranks first. What could not be read is in none; a
/// snapshot is of the job whose rank its name tells and during which it was recorded, else of the first with
/// that rank.
std::vector<FiledJob> jobs_of(const std::vector<RankFile>& ranks);

}  // namespace kino
