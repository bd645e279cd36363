// Makes traces of what is parsed so far and hands them out while the parsers go on.
//
// A partial trace is built from copies of the first units' records by a thread of its own; parsers only stop
// for a moment between two units, in which they are asked what they have. It takes a prefix of the text whose
// units fit together without repair, and stops growing at the first that does not. The first partial has a
// bounded size, so that it is there soon. What follows is built with so little of the processors' time that
// the load goes on at its pace: on a machine with cores to spare that is no limit.
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

  /// Begins at once. All arguments outlive it, and options.on_partial is set. `stop` ends it early.
  PartialPublisher(const Workers& workers, const GrowingText& text, const EventArray& array,
                   const OpenOptions& options, const LoadProgress& progress, const std::stop_token& stop);
  PartialPublisher(const PartialPublisher&) = delete;
  PartialPublisher& operator=(const PartialPublisher&) = delete;
  /// Gives up what is under way; at most 50 ms.
  ~PartialPublisher();

  /// Parsers call it between two units, without their mutex: lets the publisher look at them first.
  void give_way() { looking_.wait(true, std::memory_order_acquire); }

 private:
  using Clock = std::chrono::steady_clock;

  void run(const std::stop_token& stop);
  bool sleep(double seconds, const std::stop_token& stop);
  bool worth_it() const;
  void look(std::uint64_t most_bytes);
  void extend(std::uint64_t most_bytes);
  void publish(const std::stop_token& stop);
  double share_of_file() const;

  /// A worker's units up to where the prefix has come.
  struct Cursor {
    std::size_t next = 0;  // the first unit that is not in the prefix
    BatchMark mark;
  };

  const Workers& workers_;
  const GrowingText& text_;
  const EventArray& array_;
  const OpenOptions& options_;
  const LoadProgress& progress_;
  const Clock::time_point start_ = Clock::now();
  std::atomic<bool> looking_{false};

  // The prefix of the text that the next partial trace holds.
  std::vector<Cursor> cursors_;  // by worker
  std::vector<BatchPrefix> prefixes_;
  std::uint64_t end_ = 0;
  bool ended_ = false;  // it cannot grow any more
  EventCounts counts_;
  DamageLog damage_;

  std::mutex mutex_;
  std::condition_variable_any stopped_;
  std::jthread thread_;
  std::optional<std::stop_callback<std::function<void()>>> forward_;
};

}  // namespace kino
