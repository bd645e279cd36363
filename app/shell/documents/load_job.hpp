// A load of one file on its own thread: progress, parts and result.
#pragma once

#include <atomic>
#include <chrono>
#include <filesystem>
#include <functional>
#include <mutex>
#include <optional>
#include <stop_token>
#include <thread>
#include <utility>

#include "app/ui/text/glyph_set.hpp"
#include "loaders/bytes/load_progress.hpp"
#include "loaders/cache/open_options.hpp"
#include "loaders/formats/contained_traces.hpp"

namespace kino {

/// Used by one thread. The file is loaded on another thread, owned by this object.
class LoadJob {
 public:
  using Clock = std::chrono::steady_clock;
  using Open = std::function<Result<OpenedFile>(const std::filesystem::path&, const OpenOptions&,
                                                LoadProgress&, const std::stop_token&)>;
  /// Content of a file and the non-Latin characters of its texts.
  struct Loaded {
    OpenedFile opened;
    GlyphSet glyphs;
    double share = 1;            ///< share of the file that was read, from 0 to 1
    std::filesystem::path file;  ///< the recording if a folder with exactly one was opened; else empty
  };

  /// Starts loading. If `wants_parts` is set, the loader provides the trace loaded so far from time to time;
  /// see take_part(). `wake` is called from any thread when there is a part or the result.
  LoadJob(std::filesystem::path path, OpenOptions options, bool wants_parts, Open open,
          std::function<void()> wake);
  LoadJob(const LoadJob&) = delete;
  LoadJob& operator=(const LoadJob&) = delete;
  /// Stops the loader and waits for it, at most 50 ms.
  ~LoadJob() = default;

  void request_stop() { thread_.request_stop(); }
  /// Whether the thread has finished, so that the destructor does not wait.
  bool done() const { return done_.load(std::memory_order_acquire); }
  /// Returns the newest part since the last call; nullopt if there is none.
  std::optional<Loaded> take_part();
  /// Returns the result. Call once, after done() has returned true.
  Result<Loaded> take_result();
  /// Returns the traces to choose from, after take_result() has returned an error of kind `several_traces`.
  ContainedTraces take_choices() { return std::move(choices_); }

  const LoadProgress& progress() const { return progress_; }
  Clock::time_point start() const { return start_; }
  double seconds() const;

 private:
  void run(const std::filesystem::path& path, OpenOptions options, bool wants_parts,
           const std::stop_token& stop);

  Open open_;
  std::function<void()> wake_;
  const Clock::time_point start_ = Clock::now();
  LoadProgress progress_;
  std::mutex mutex_;
  std::optional<Loaded> part_;            // guarded by mutex_
  std::optional<Result<Loaded>> result_;  // written before done_, read after it
  ContainedTraces choices_;               // written before done_, read after it
  std::atomic<bool> done_{false};
  std::jthread thread_;  // last: joined before the members it uses are destroyed
};

/// Error for running out of memory while a file is loaded or shown.
Error out_of_memory_error();

}  // namespace kino
