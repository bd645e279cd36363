// Reads the traces of all ranks of a job at once, for computations that need them together.
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
#include "core/base/result.hpp"
#include "core/trace/trace.hpp"
#include "loaders/cache/open_options.hpp"

namespace kino {

/// Reads on threads of its own. Call from one thread.
class RankReading {
 public:
  /// Starts reading. `need_bytes` contains the memory of each file. `wake` is called from any thread after each
  /// file.
  RankReading(std::vector<std::filesystem::path> files, std::vector<std::uint64_t> need_bytes,
              OpenOptions options, std::function<void()> wake);
  RankReading(const RankReading&) = delete;
  RankReading& operator=(const RankReading&) = delete;
  /// Stops within 50 ms.
  ~RankReading() = default;

  /// Returns the number of files that are read so far.
  std::size_t count() const;
  /// Whether all files are read, or one of them has failed.
  bool done() const;
  /// Returns the first failure, with the file in its sentence; nullopt if there is none.
  std::optional<Error> error() const;
  /// Returns the traces in the order of the files. Requires done() without an error.
  std::vector<std::shared_ptr<const Trace>> traces() const;

 private:
  void run(std::size_t index, const std::stop_token& stop);
  Result<std::shared_ptr<const Trace>> read(std::size_t index, const std::stop_token& stop) const;

  std::vector<std::filesystem::path> files_;
  OpenOptions options_;
  std::function<void()> wake_;
  mutable std::mutex mutex_;
  std::vector<std::shared_ptr<const Trace>> traces_;  // guarded by mutex_, as are the next two
  std::size_t count_ = 0;
  std::optional<Error> error_;
  std::optional<BoundedJobs> jobs_;  // last: joined before the members that it uses are destroyed
};

}  // namespace kino
