// One open file: it loads on its own thread, then owns the trace, its text and the panel that shows it.
#pragma once

#include <atomic>
#include <chrono>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <thread>

#include "app/bookmarks.hpp"
#include "app/glyph_set.hpp"
#include "app/timeline_panel.hpp"
#include "core/worker_pool.hpp"
#include "loaders/open.hpp"

namespace kino {

/// Used by the UI thread only, with a current OpenGL context.
class Document {
 public:
  enum class State { loading, ready, failed };

  /// Starts loading at once. `pool` outlives the document; `wake` is called from any thread when there is
  /// news. `bookmarks_folder` may be empty: then bookmarks are not kept.
  Document(std::filesystem::path path, const OpenOptions& options,
           const std::filesystem::path& bookmarks_folder, WorkerPool& pool, std::function<void()> wake);
  Document(const Document&) = delete;
  Document& operator=(const Document&) = delete;
  /// Waits for the loader, at most 50 ms after a stop request.
  ~Document();

  /// Takes over what the loader has finished, and what became of bookmarks. Returns true when the state
  /// changed.
  bool poll();
  /// The loader gives up soon; the state becomes `failed` with Error::Kind::cancelled.
  void request_stop();
  /// Whether the loader's thread has nothing left to do, so that the destructor does not wait.
  bool loader_done() const { return loader_done_.load(std::memory_order_acquire); }

  State state() const { return state_; }
  const std::filesystem::path& path() const { return path_; }
  /// Distinguishes documents in the interface; never given twice.
  std::uint64_t serial() const { return serial_; }
  const LoadProgress& progress() const { return progress_; }
  double loading_seconds() const;
  /// Only in state `failed`.
  const Error& error() const { return error_; }
  /// Only in state `ready`.
  const OpenedTrace& opened() const { return opened_; }
  TimelinePanel& panel() const { return *panel_; }
  Bookmarks& bookmarks() { return bookmarks_; }
  const Bookmarks& bookmarks() const { return bookmarks_; }
  /// Characters of the trace's texts beyond Latin.
  const GlyphSet& glyphs() const { return glyphs_; }

 private:
  void load(const OpenOptions& options, const std::stop_token& stop);

  std::filesystem::path path_;
  std::uint64_t serial_;
  WorkerPool& pool_;
  std::function<void()> wake_;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  State state_ = State::loading;
  Error error_;
  OpenedTrace opened_;
  GlyphSet glyphs_;
  Bookmarks bookmarks_;
  std::unique_ptr<TimelinePanel> panel_;

  LoadProgress progress_;
  std::optional<Result<OpenedTrace>> loaded_;  // written by the loader before loader_done_, read after it
  GlyphSet loaded_glyphs_;                     // likewise
  std::atomic<bool> loader_done_{false};
  std::jthread loader_;  // last: joined before anything it uses is gone
};

}  // namespace kino
