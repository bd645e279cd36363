// Reads the recordings of a job on separate threads, and retains a digest of each.
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
#include "core/job/tables/each_rank_tables.hpp"
#include "loaders/cache/open_options.hpp"
#include "loaders/formats/contained_traces.hpp"

namespace kino {

/// A recording of a job and the state of reading it.
struct RankFile {
  enum class State : std::uint8_t { waiting, loading, ready, failed };

  std::filesystem::path path = {};
  std::int64_t named_rank = -1;  ///< rank according to the start of the file, or to its name
  State state = State::waiting;
  std::shared_ptr<const RankDigest> digest = {};    ///< digest of a trace, once ready
  std::shared_ptr<const RankSnapshot> memory = {};  ///< memory from an allocator snapshot, once ready
  Error error = {};                                 ///< reason of the failure, once failed
  DamageLog damage = {};                            ///< damage found in the file
  bool indexed = false;                             ///< whether read from an index file or the cache
};

/// A job and the files of its recordings, in the same order.
struct FiledJob {
  Job job;
  std::vector<std::filesystem::path> files;
};

/// Returns whether both have the same digests and snapshots. O(ranks).
bool same_content(const FiledJob& a, const FiledJob& b);

/// Returns the estimated length of the uncompressed text, in bytes; 0 if the size of the file is unknown.
std::uint64_t text_bytes_of(const ContainedTrace& file);

/// Reads the recordings of a job. Uses index files (written by `kinetoscope index`) and cached digests where
/// they exist. Reads in the order of the files, or around look_at(). Reads at most one file per core at a
/// time, and no more files than fit into half of the memory, but at least one. Call from one thread.
class JobLoader {
 public:
  /// Starts reading. `wake` may be empty; it is called from any thread when a file was read. With `details`,
  /// digests without them are not used, and their files are read again.
  JobLoader(const std::vector<ContainedTrace>& files, OpenOptions options, std::function<void()> wake = {},
            RankDetails details = RankDetails::none);
  JobLoader(const JobLoader&) = delete;
  JobLoader& operator=(const JobLoader&) = delete;
  /// Stops within 50 ms.
  ~JobLoader();

  /// Returns all recordings, in the order of the files. O(files).
  std::vector<RankFile> ranks() const;
  /// Increases with each change of ranks().
  std::uint64_t generation() const;
  bool done() const;
  /// Reads the files around this index next.
  void look_at(std::size_t index);
  /// Waits until all files are read.
  void wait();
  void request_stop();

 private:
  void run(std::size_t index, const std::stop_token& stop);
  void read(std::size_t index, const std::stop_token& stop);
  void finish(std::size_t index, RankFile result);

  OpenOptions options_;
  std::function<void()> wake_;
  RankDetails details_;
  bool keeps_ = false;  // whether digests are stored in the cache
  mutable std::mutex mutex_;
  std::vector<RankFile> ranks_;  // guarded by mutex_, as are the next two
  std::uint64_t generation_ = 0;
  std::size_t finished_ = 0;
  std::optional<BoundedJobs> jobs_;  // last: joined before the members it uses are destroyed
};

/// Returns the files of the snapshots that belong to none of the jobs: their rank is unknown, has no trace,
/// or already has a snapshot.
std::vector<std::filesystem::path> unassigned_snapshots(const std::vector<RankFile>& ranks,
                                                        const std::vector<FiledJob>& jobs);

/// Groups the recordings into jobs, the one with the most ranks first. Unreadable files belong to none. A
/// snapshot belongs to the job that contains its rank and overlaps it in time, else to the first job with
/// that rank.
std::vector<FiledJob> jobs_of(const std::vector<RankFile>& ranks);

}  // namespace kino
