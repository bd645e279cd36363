// An open file: loads in the background, owns the trace or snapshot and its page, and can be reloaded.
#pragma once

#include <array>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "app/pages/comparison/comparison_panel.hpp"
#include "app/pages/snapshot/snapshot_panel.hpp"
#include "app/pages/timeline/timeline_panel.hpp"
#include "app/shell/documents/load_job.hpp"
#include "app/system/background_result.hpp"
#include "app/system/file_watch.hpp"
#include "app/ui/bookmarks/bookmarks.hpp"
#include "app/ui/drawer/page.hpp"
#include "app/ui/text/glyph_set.hpp"
#include "app/ui/view/split_view.hpp"
#include "core/base/worker_pool.hpp"
#include "core/job/recording.hpp"
#include "loaders/bytes/load_progress.hpp"
#include "loaders/cache/open_options.hpp"
#include "loaders/formats/open.hpp"

namespace kino {

/// Used by the UI thread only, with a current OpenGL context.
class Document {
 public:
  enum class State {
    loading,  ///< first load; a part may be shown
    ready,    ///< all of it is shown, also during a reload
    failed,   ///< not loaded; after a cancelled or aborted load a part may be shown
  };

  /// Notice above the page about what it shows.
  enum class Notice {
    none,
    part_loading,   ///< a part of the file is shown while the rest loads
    part_only,      ///< a part is shown and loading has ended; see error()
    reloading,      ///< all of the file is shown while it is reloaded
    reload_failed,  ///< the reload failed (see error()); the previous content remains
    limited,        ///< decompression stopped at a limit; reload() continues without it
    changed,        ///< the file on disk has changed
    vanished,       ///< the file no longer exists
    no_counters,    ///< too little memory for the requested counters
    no_packing,     ///< too little memory for the requested packed streams
    new_files,      ///< the run has written more files of the job; reload() includes them
  };

  /// Starts loading. `pool` outlives the document. `wake` is called from any thread when poll() has work. If
  /// `bookmarks_folder` is empty, bookmarks are not saved.
  Document(std::filesystem::path path, OpenOptions options, const std::filesystem::path& bookmarks_folder,
           WorkerPool& pool, std::function<void()> wake, LoadJob::Open open = open_file);
  /// A job of the recordings in `container`, or a set of snapshots if all are snapshots. Starts reading.
  Document(std::filesystem::path container, ContainedTraces recordings, OpenOptions options, WorkerPool& pool,
           std::function<void()> wake);
  /// A comparison of two open runs. `name` must not be the path of a file. `open_sides` returns the other
  /// runs to choose from and must work as long as the document lives.
  Document(std::filesystem::path name, std::array<ComparedSide, kSides> sides,
           std::function<OpenSides()> open_sides, WorkerPool& pool, std::function<void()> wake);
  /// A second view of the same file; it starts with the view of `other`, which must be loaded completely.
  Document(const Document& other, const std::filesystem::path& bookmarks_folder);
  Document(const Document&) = delete;
  Document& operator=(const Document&) = delete;
  /// Waits for the loader, which stops within 50 ms.
  ~Document();

  /// Applies the loader's progress and finished work on bookmarks. Returns whether the state or the content
  /// changed.
  bool poll();
  /// Requests the loader to stop. The content remains; without content the state becomes `failed` with
  /// Error::Kind::cancelled.
  void request_stop();
  /// Reloads the file unless it is being loaded. The content remains until the new one is loaded. After
  /// Notice::limited, the decompression limit is off.
  void reload();
  /// Adds a new recording in the folder of a job or snapshot set: a set reads the snapshot, a job shows a
  /// notice. Returns false if the document cannot contain the file.
  bool take_up(const ContainedTrace& file);
  /// Number of new files of the job that reload() will read.
  std::size_t new_files() const { return new_files_; }
  /// Serial of the document of the job to whose ranks these snapshots belong; 0 if none.
  std::uint64_t job_of_ranks() const { return job_of_ranks_; }
  void set_job_of_ranks(std::uint64_t serial) { job_of_ranks_ = serial; }
  /// Reports the current state of the watched file.
  void note_disk(const FileWatch::Look& look);
  /// Hides the current notice until something new happens.
  void dismiss_notice();

  State state() const { return state_; }
  /// The visible page; null before there is one.
  Page* page() const;
  PageKind kind() const { return page() != nullptr ? page()->kind() : PageKind::none; }
  /// The page as a `Panel`; null if it has another type.
  template <class Panel>
  Panel* as() const {
    return page_as<Panel>(page());
  }
  /// The page of a trace, even while its allocations are visible; null for other files.
  TimelinePanel* timeline() const;
  /// True for one recording, false for pages of several.
  bool of_one_file() const { return of_one_file_; }
  bool loading() const { return load_ != nullptr; }
  /// Whether the destructor returns without waiting for the loader.
  bool loader_done() const { return load_ == nullptr || load_->done(); }
  Notice notice() const;
  /// Part of the file in view, from 0 to 1; 1 only for the whole file.
  double shown_share() const { return shown_share_; }

  const std::filesystem::path& path() const { return path_; }
  /// The path from which the title of the tab is made.
  std::filesystem::path tab_path() const;
  /// Only for comparisons, whose sides can change.
  void rename(std::filesystem::path name) { path_ = std::move(name); }
  /// The file whose changes matter; nullopt for input that can be read only once.
  const std::optional<std::filesystem::path>& watched_file() const { return watched_file_; }
  /// Unique among all documents of the process.
  std::uint64_t serial() const { return serial_; }
  /// Only while loading().
  const LoadProgress& progress() const { return load_->progress(); }
  double loading_seconds() const { return load_->seconds(); }
  /// Why the last load failed or stopped.
  const Error& error() const { return error_; }
  /// The traces to choose from if error() is Error::Kind::several_traces.
  const ContainedTraces& choices() const { return choices_; }
  /// Whether it is a completely loaded trace with recorded allocations ([memory] events).
  bool has_memory() const;
  /// Whether the snapshot made from those allocations is visible instead of the timeline.
  bool shows_memory() const { return memory_shown_ && memory_panel_ != nullptr; }
  /// Switches between the timeline and those allocations, once they are computed. Only if has_memory().
  void toggle_memory();
  /// Damage of the file. Only if it has content and of_one_file().
  const DamageLog& damage() const;
  /// The visible recording or the loaded part of it; empty before that, and for jobs, whose pages own their
  /// recordings.
  const Job& job() const { return job_; }
  /// The trace of that recording; null for snapshots, and before there is one.
  std::shared_ptr<const Trace> trace() const;
  /// The snapshot of that recording, not the one made from a trace's allocations; null for traces, and before
  /// there is one.
  std::shared_ptr<const Snapshot> snapshot() const;
  /// Only for traces.
  const OpenedTrace& opened() const { return std::get<OpenedTrace>(opened_); }
  /// Sentences that the capsule of a trace states about itself; empty for other files.
  std::vector<std::string> capsule_text() const;
  /// The panel of a snapshot, or of a trace's allocations once they were requested, even if not visible; else
  /// null.
  SnapshotPanel* any_snapshot_panel() const;
  /// Times of the visible page, to link it with another pane; nullopt if it has none.
  std::optional<TimePane> time_pane() const;
  /// Selects a slice of the trace in the timeline.
  void show_slice(SliceId slice);
  /// Load statistics, if there is content; empty for jobs.
  const LoadStats& stats() const;
  /// Whether the next frame must be drawn without waiting for input.
  bool wants_frames() const;
  /// Whether the page is complete: nothing is being computed.
  bool complete() const;
  Bookmarks& bookmarks() { return bookmarks_; }
  const Bookmarks& bookmarks() const { return bookmarks_; }
  /// Non-Latin characters of the file's texts.
  const GlyphSet& glyphs() const { return glyphs_; }
  void add_glyphs(const GlyphSet& more) { glyphs_.add(more); }

 private:
  /// Options for the page of a loaded file.
  struct PageWish {
    bool whole = true;
    bool keeps_tracks = true;  ///< saves the arrangement of the tracks
    Page* before = nullptr;    ///< page of the same type whose view is carried over, or null
  };

  void start();
  bool take_memory();
  bool take_part();
  void take_result();
  void watch_file(std::filesystem::path file);
  void show(LoadJob::Loaded loaded);
  std::unique_ptr<Page> page_of(const OpenedFile& opened, const PageWish& wish);
  std::unique_ptr<Page> page_of_trace(const OpenedTrace& opened, const PageWish& wish);
  /// How a completely loaded trace is packed.
  PackCapsule pack_of(const OpenedTrace& opened) const;
  /// How a snapshot is packed; this reads its file again.
  PackCapsule pack_of_snapshot() const;
  void drop_opened();
  void show_recordings();

  std::filesystem::path path_;
  std::optional<std::filesystem::path> watched_file_;
  std::uint64_t serial_;
  OpenOptions options_;
  WorkerPool& pool_;
  std::function<void()> wake_;
  LoadJob::Open open_;
  bool of_one_file_ = true;
  State state_ = State::loading;
  Error error_;
  ContainedTraces choices_;  // the recordings of a job or snapshot set
  std::size_t new_files_ = 0;
  std::uint64_t job_of_ranks_ = 0;
  bool reload_failed_ = false;
  bool limited_ = false;  // and the notice is not dismissed

  OpenedFile opened_;
  Job job_;
  double shown_share_ = 0;
  LoadJob::Clock::time_point opened_at_;  // just before the loader looked at the disk
  GlyphSet glyphs_;
  Bookmarks bookmarks_;
  std::unique_ptr<Page> page_;
  // snapshot of a trace's allocations, once requested
  BackgroundResult<std::shared_ptr<const Snapshot>> memory_;
  std::unique_ptr<SnapshotPanel> memory_panel_;
  bool memory_shown_ = false;

  std::optional<FileWatch::Look> disk_;
  std::optional<FileWatch::Look> dismissed_;
  std::unique_ptr<LoadJob> load_;
};

}  // namespace kino
