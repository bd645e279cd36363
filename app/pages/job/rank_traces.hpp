// Loads the traces of ranks whose tracks are wanted, and drops the others.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <thread>
#include <vector>

#include "core/base/result.hpp"
#include "core/trace/trace.hpp"
#include "loaders/cache/open_options.hpp"

namespace kino {

/// State of a wanted trace.
struct WantedTrace {
  enum class State : std::uint8_t { reading, ready, failed, no_room };
  State state = State::reading;
  std::shared_ptr<const Trace> trace;  ///< trace, once ready
  Error error;                         ///< reason of the failure, once failed
};

/// Reads the wanted traces on a separate thread. All functions must be called from the same thread.
class RankTraces {
 public:
  /// `wake` is called from the loading thread after each file.
  RankTraces(OpenOptions options, std::function<void()> wake);
  RankTraces(const RankTraces&) = delete;
  RankTraces& operator=(const RankTraces&) = delete;
  /// Stops within 50 ms.
  ~RankTraces();

  /// Replaces the list of wanted files. The files are read one after the other in this order, until their
  /// total size exceeds a quarter of the memory. The traces of other files are dropped, and reading them
  /// stops.
  void want(std::vector<std::filesystem::path> files);
  /// Returns the state of a wanted file; State::reading if it is not read yet. O(log files).
  WantedTrace of(const std::filesystem::path& file) const;
  /// Increases with each change of the states.
  std::uint64_t generation() const;
  /// Returns whether all wanted files are read, have failed, or do not fit into memory.
  bool done() const;

 private:
  void run(const std::stop_token& stop);
  WantedTrace read(const std::filesystem::path& file, const std::stop_token& stop) const;

  OpenOptions options_;
  std::function<void()> wake_;
  std::uint64_t most_bytes_ = 0;
  mutable std::mutex mutex_;
  std::condition_variable_any changed_;
  std::vector<std::filesystem::path> wanted_;           // guarded by mutex_, as are the next four
  std::map<std::filesystem::path, WantedTrace> known_;  // wanted files with a final state
  std::optional<std::filesystem::path> now_;            // file that is being read
  std::stop_source stop_now_;
  std::uint64_t generation_ = 0;
  std::jthread thread_;  // last: joined before the members it uses are destroyed
};

}  // namespace kino
