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
  std::shared_ptr<const Trace> trace;  ///< if ready
  Error error;                         ///< if failed
};

/// Reads on its own thread. Call from one other thread.
class RankTraces {
 public:
  /// `wake` is called from the loading thread when a state changes.
  RankTraces(OpenOptions options, std::function<void()> wake);
  RankTraces(const RankTraces&) = delete;
  RankTraces& operator=(const RankTraces&) = delete;
  /// Stops within 50 ms.
  ~RankTraces();

  /// Replaces the list of wanted files. The files are read one after the other in this order, while their
  /// total size is at most a quarter of the memory. Other files are dropped, even while they are being read.
  void want(std::vector<std::filesystem::path> files);
  /// Returns the state of a wanted file. O(log files).
  WantedTrace of(const std::filesystem::path& file) const;
  /// Increases with each change of the states.
  std::uint64_t generation() const;
  /// Whether all wanted files are read.
  bool done() const;

 private:
  void run(const std::stop_token& stop);
  WantedTrace read(const std::filesystem::path& file, const std::stop_token& stop) const;

  OpenOptions options_;
  std::function<void()> wake_;
  std::uint64_t most_bytes_ = 0;
  mutable std::mutex mutex_;
  std::condition_variable_any changed_;
  std::vector<std::filesystem::path> wanted_;           // guarded by mutex_, like the next four
  std::map<std::filesystem::path, WantedTrace> known_;  // wanted files that were read
  std::optional<std::filesystem::path> now_;            // being read
  std::stop_source stop_now_;
  std::uint64_t generation_ = 0;
  std::jthread thread_;  // last: joined before the members it uses are destroyed
};

}  // namespace kino
