// Reads the traces of ranks that somebody wants to see the tracks of, and forgets them when nobody does.
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

/// What has become of a wanted trace.
struct WantedTrace {
  enum class State : std::uint8_t { reading, ready, failed, no_room };
  State state = State::reading;
  std::shared_ptr<const Trace> trace;  ///< when it is ready
  Error error;                         ///< when it failed
};

/// Used by one thread, which is none of its own.
class RankTraces {
 public:
  /// `wake` is called from its own thread when there is news.
  RankTraces(OpenOptions options, std::function<void()> wake);
  RankTraces(const RankTraces&) = delete;
  RankTraces& operator=(const RankTraces&) = delete;
  /// Stops; at most 50 ms.
  ~RankTraces();

  /// From now on these, read in this order one after the other, as long as all together take at most a
  /// quarter of the memory. What is no longer wanted is forgotten, also while it is read.
  void want(std::vector<std::filesystem::path> files);
  /// Of a wanted file. O(log files).
  WantedTrace of(const std::filesystem::path& file) const;
  /// Counts up with each change of them.
  std::uint64_t generation() const;
  /// Whether nothing is left to read.
  bool done() const;

 private:
  void run(const std::stop_token& stop);
  WantedTrace read(const std::filesystem::path& file, const std::stop_token& stop) const;

  OpenOptions options_;
  std::function<void()> wake_;
  std::uint64_t most_bytes_ = 0;
  mutable std::mutex mutex_;
  std::condition_variable_any changed_;
  std::vector<std::filesystem::path> wanted_;           // guarded by mutex_, as the next
  std::map<std::filesystem::path, WantedTrace> known_;  // of these: what is no longer being read
  std::optional<std::filesystem::path> now_;            // being read
  std::stop_source stop_now_;
  std::uint64_t generation_ = 0;
  std::jthread thread_;  // last: joined before anything it uses is gone
};

}  // namespace kino
