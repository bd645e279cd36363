// Builds and publishes traces of the events parsed so far, while parsing continues.
//
// A separate thread builds each partial trace from copies of the first units' records. The parsers only pause
// briefly between two units. Each unit must start where the preceding unit ended: partial traces stop growing
// at the first unit that needs repair. The first partial trace has a bounded size, so that it appears soon.
// With fewer than 16 threads, later partial traces are built at low priority, so that the load is not delayed
// if all cores are busy.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <thread>
#include <vector>

#include "loaders/bytes/growing_text.hpp"
#include "loaders/bytes/load_progress.hpp"
#include "loaders/cache/open_options.hpp"
#include "loaders/formats/chrome_trace/event_array.hpp"
#include "loaders/formats/chrome_trace/parse_worker.hpp"

namespace kino {

class PartialPublisher {
 public:
  using Workers = std::vector<std::unique_ptr<ParseWorker>>;

  /// Starts the thread. All arguments must outlive this object, and options.on_partial must be set. `stop`
  /// ends the thread early.
  PartialPublisher(const Workers& workers, const GrowingText& text, const EventArray& array,
                   const OpenOptions& options, const LoadProgress& progress, const std::stop_token& stop);
  PartialPublisher(const PartialPublisher&) = delete;
  PartialPublisher& operator=(const PartialPublisher&) = delete;
  /// Cancels a build in progress within 50 ms.
  ~PartialPublisher();

  /// Called by parsers between two units, when they do not hold their mutex. Waits while the publisher reads
  /// the workers.
  void give_way() { reading_.wait(true, std::memory_order_acquire); }

 private:
  using Clock = std::chrono::steady_clock;

  void run(const std::stop_token& stop);
  bool sleep(double seconds, const std::stop_token& stop);
  bool is_worthwhile() const;
  void read_workers(std::uint64_t most_bytes);
  void extend(std::uint64_t most_bytes);
  void publish(const std::stop_token& stop);
  double share_of_file() const;

  /// Position of the prefix in the units of one worker.
  struct Cursor {
    std::size_t next = 0;  // first unit after the prefix
    BatchMark mark;
  };

  const Workers& workers_;
  const GrowingText& text_;
  const EventArray& array_;
  const OpenOptions& options_;
  const LoadProgress& progress_;
  const Clock::time_point start_ = Clock::now();
  std::atomic<bool> reading_{false};

  // Prefix of the text for the next partial trace.
  std::vector<Cursor> cursors_;  // by worker
  std::vector<BatchPrefix> prefixes_;
  std::uint64_t end_ = 0;
  bool ended_ = false;  // the prefix cannot grow further
  EventCounts counts_;
  DamageLog damage_;

  std::mutex mutex_;
  std::condition_variable_any stopped_;
  std::jthread thread_;
  std::optional<std::stop_callback<std::function<void()>>> forward_;
};

}  // namespace kino
