// Reads the recordings of a job on separate threads, and retains a digest of each.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <span>
#include <stop_token>
#include <utility>
#include <vector>

#include "app/system/bounded_jobs.hpp"
#include "core/base/damage.hpp"
#include "core/base/result.hpp"
#include "core/job/job_analysis.hpp"
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

/// Reads the ledgers and layers that the digests of a job lack. The digests of a job are read without them,
/// because computing them takes as long as opening the traces. UI thread only.
class RankDetailReader {
 public:
  using Digests = std::map<std::filesystem::path, std::shared_ptr<const RankDigest>>;

  /// `wake` is called from any thread when a file was read.
  RankDetailReader(OpenOptions options, std::function<void()> wake)
      : options_(std::move(options)), wake_(std::move(wake)) {}

  /// Starts to read the traces of the digests without ledgers and layers, unless files are being read. Files
  /// that failed are not read again. `files` are those of `ranks`. O(ranks).
  void want(std::span<const std::shared_ptr<const RankDigest>> ranks,
            std::span<const std::filesystem::path> files);
  /// Called once per frame. Returns true if digests() has changed: when all files are read, and before each
  /// time their number has grown by half.
  bool update();

  bool reading() const { return loader_ != nullptr; }
  /// Numbers of files that are read and to be read; 0 if none are being read. O(files).
  std::pair<std::size_t, std::size_t> progress() const;
  /// Returns the complete digests by file. The map is never changed.
  const std::shared_ptr<const Digests>& digests() const { return digests_; }

 private:
  OpenOptions options_;
  std::function<void()> wake_;
  std::unique_ptr<JobLoader> loader_;
  std::uint64_t seen_ = 0;  // generation of the loader in the last update
  std::size_t taken_ = 0;   // number of the loader's digests in `digests_`
  std::set<std::filesystem::path> failed_;
  std::shared_ptr<const Digests> digests_ = std::make_shared<const Digests>();
};

/// Returns the analysis with the complete digests of its ranks. `files` are those of the ranks. A digest of a
/// file that has changed since the analysis is not used. O(ranks + size of the analysis).
JobAnalysis with_details(const JobAnalysis& job, std::span<const std::filesystem::path> files,
                         const RankDetailReader::Digests& digests);

/// Returns the files of the snapshots that belong to none of the jobs: their rank is unknown, has no trace,
/// or already has a snapshot.
std::vector<std::filesystem::path> unassigned_snapshots(const std::vector<RankFile>& ranks,
                                                        const std::vector<FiledJob>& jobs);

/// Groups the recordings into jobs, the one with the most ranks first. Unreadable files belong to none. A
/// snapshot belongs to the job that contains its rank and overlaps it in time, else to the first job with
/// that rank.
std::vector<FiledJob> jobs_of(const std::vector<RankFile>& ranks);

}  // namespace kino
