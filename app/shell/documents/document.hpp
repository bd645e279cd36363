// A document of the window: an open file, which is loaded in the background, or a job, a snapshot set or a
// comparison. Owns the page, and the trace or snapshot of a file.
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
#include "app/shell/documents/job_siblings.hpp"
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
    loading,  ///< not yet loaded completely; a part may be shown
    ready,    ///< the whole file is shown, also during a reload
    failed,   ///< not loaded; after a canceled or aborted load a part may be shown
  };

  /// Notice above the page about the state of its file.
  enum class Notice {
    none,
    part_loading,   ///< a part of the file is shown while the rest loads
    part_only,      ///< a part is shown and loading has ended; see error()
    reloading,      ///< all of the file is shown while it is reloaded
    reload_failed,  ///< the reload failed (see error()); the previous content remains
    limited,        ///< decompression stopped at a limit; reload() loads without the limit
    changed,        ///< the file on disk has changed
    vanished,       ///< the file no longer exists
    no_counters,    ///< too little memory for the requested counters
    no_packing,     ///< too little memory for the requested packed streams
    new_files,      ///< the run has written more files of the job; reload() includes them
  };

  /// Starts loading. `pool` must outlive the document. `wake` is called from any thread when poll() has work.
  /// If `bookmarks_folder` is empty, bookmarks are not saved.
  Document(std::filesystem::path path, OpenOptions options, const std::filesystem::path& bookmarks_folder,
           WorkerPool& pool, std::function<void()> wake, LoadJob::Open open = open_file);
  /// Opens the recordings in `container` as a job, or as a set of snapshots if all of them are snapshots.
  /// Starts loading.
  Document(std::filesystem::path container, ContainedTraces recordings, OpenOptions options, WorkerPool& pool,
           std::function<void()> wake);
  /// Opens a comparison of two open runs. `name` must not be the path of a file. `open_sides` returns the
  /// runs that the user can choose from. It may be called until the document is destroyed.
  Document(std::filesystem::path name, std::array<ComparedSide, kSides> sides,
           std::function<OpenSides()> open_sides, WorkerPool& pool, std::function<void()> wake);
  /// Opens a second view of the file of `other`, which must be loaded completely. The view starts as a copy.
  Document(const Document& other, const std::filesystem::path& bookmarks_folder);
  Document(const Document&) = delete;
  Document& operator=(const Document&) = delete;
  /// Waits for the loader, which stops within 50 ms.
  ~Document();

  /// Takes over new parts and results of the loader, and finished work on bookmarks. Returns whether the
  /// state or the content changed.
  bool poll();
  /// Requests the loader to stop. The content remains, and the kind of error() becomes `cancelled`. Unless
  /// the whole file is shown, the state becomes `failed`.
  void request_stop();
  /// Reloads the file unless it is being loaded. The content remains until the new one is loaded. If
  /// decompression stopped at a limit and the notice was not dismissed, reloads without the limit. For jobs
  /// and snapshot sets, opens the page again. Does nothing for comparisons.
  void reload();
  /// Adds a new recording in the folder of a job or snapshot set. A set reads the snapshot; a job shows a
  /// notice. Returns false if the document cannot contain the file.
  bool take_up(const ContainedTrace& file);
  /// Number of new files of the job that reload() will read.
  std::size_t new_files() const { return new_files_; }
  /// For snapshots of the ranks of a job: serial of the job's document. 0 for other documents.
  std::uint64_t job_of_ranks() const { return job_of_ranks_; }
  void set_job_of_ranks(std::uint64_t serial) { job_of_ranks_ = serial; }
  /// Stores the state of the watched file, as determined by FileWatch.
  void note_disk(const FileWatch::Look& look);
  /// Hides the current notice until something new happens.
  void dismiss_notice();

  State state() const { return state_; }
  /// The visible page; null before there is one.
  Page* page() const;
  /// The page of the file, even while another page of the document is visible; null before there is one.
  Page* main_page() const { return page_.get(); }
  /// Makes main_page() visible.
  void show_main() { view_ = View::file; }
  PageKind kind() const { return page() != nullptr ? page()->kind() : PageKind::none; }
  /// The page as a `Panel`; null if the page is of another type.
  template <class Panel>
  Panel* as() const {
    return page_as<Panel>(page());
  }
  /// The timeline of a trace, even while another page of the trace is visible; null for other files.
  TimelinePanel* timeline() const;
  /// Whether the content was loaded from path(); false for jobs, snapshot sets and comparisons.
  bool of_one_file() const { return of_one_file_; }
  bool loading() const { return load_ != nullptr; }
  /// Whether the destructor returns without waiting for the loader.
  bool loader_done() const { return load_ == nullptr || load_->done(); }
  Notice notice() const;
  /// Share of the file that is shown, from 0 to 1; 1 only for the whole file.
  double shown_share() const { return shown_share_; }

  const std::filesystem::path& path() const { return path_; }
  /// The path from which the title of the tab is made.
  std::filesystem::path tab_path() const;
  /// Changes the name of a comparison, whose sides can change. Only for comparisons.
  void rename(std::filesystem::path name) { path_ = std::move(name); }
  /// The file to watch for changes; nullopt for input that can be read only once, jobs, sets and comparisons.
  const std::optional<std::filesystem::path>& watched_file() const { return watched_file_; }
  /// Unique among all documents of the process.
  std::uint64_t serial() const { return serial_; }
  /// Only while loading().
  const LoadProgress& progress() const { return load_->progress(); }
  double loading_seconds() const { return load_->seconds(); }
  /// Reason why the last load failed or stopped.
  const Error& error() const { return error_; }
  /// The traces to choose from if the kind of error() is `several_traces`.
  const ContainedTraces& choices() const { return choices_; }
  /// Whether the document is a completely loaded trace with recorded allocations ([memory] events).
  bool has_memory() const;
  /// Whether the snapshot of the trace's allocations is visible instead of the timeline.
  bool shows_memory() const { return view_ == View::memory && memory_panel_ != nullptr; }
  /// Switches between the timeline and the snapshot of the trace's allocations, which becomes visible once it
  /// is computed. Requires has_memory().
  void toggle_memory();
  /// Whether the document is a completely loaded trace that has a page of this kind other than its timeline.
  bool has_extra(PageKind kind) const;
  bool shows_extra(PageKind kind) const { return view_ == View::extra && extra_ == kind; }
  /// Switches between the timeline and the page of this kind, which is created at the first call. Requires
  /// has_extra().
  void toggle_extra(PageKind kind);
  /// Shows the ledger and selects a row by its key (text_of(StepRow)), unless the key is empty. Does nothing
  /// without a ledger.
  void show_ledger(std::string_view row);
  /// Damage of the file. Requires content and of_one_file().
  const DamageLog& damage() const;
  /// The recording that is shown, or the loaded part of it, as a job of one rank. Empty before anything is
  /// loaded, and for flight recorder dumps, jobs, sets and comparisons.
  const Job& job() const { return job_; }
  /// The trace of the recording; null for other documents, and before anything is loaded.
  std::shared_ptr<const Trace> trace() const;
  /// The snapshot of the recording; null for other documents, and before anything is loaded.
  std::shared_ptr<const Snapshot> snapshot() const;
  /// Only for traces.
  const OpenedTrace& opened() const { return std::get<OpenedTrace>(opened_); }
  /// The other ranks of the trace's job in its folder; null if there are none, and until they are found.
  const JobSiblings* siblings() const;
  /// Sentences about the capsule of a trace: its title, and the data that was excluded or replaced. Empty for
  /// other files.
  std::vector<std::string> capsule_text() const;
  /// The panel of a snapshot or, once computed, of a trace's allocations, even if it is not visible; null if
  /// there is none.
  SnapshotPanel* any_snapshot_panel() const;
  /// Time axis of the visible page, to link it with another pane; nullopt if the page has none.
  std::optional<TimePane> time_pane() const;
  /// Selects a slice of the trace in the timeline.
  void show_slice(SliceId slice);
  /// Shows a range in the timeline with a margin on both sides, and selects `slice` unless it is kNoSlice.
  void show_range(TimeRange range, SliceId slice);
  /// Statistics of loading the content; empty for jobs. Requires content.
  const LoadStats& stats() const;
  /// Whether the next frame must be drawn without waiting for input.
  bool wants_frames() const;
  /// Whether the page is complete, and nothing is being computed for it.
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
    bool keeps_tracks = true;  ///< whether the page saves the arrangement of the tracks
    Page* before = nullptr;    ///< page of the same type whose view is carried over, or null
  };

  void start();
  bool take_memory();
  bool take_part();
  void take_result();
  void watch_file(std::filesystem::path file);
  void find_siblings();
  bool take_siblings();
  void show(LoadJob::Loaded loaded);
  std::unique_ptr<Page> page_of(const OpenedFile& opened, const PageWish& wish);
  std::unique_ptr<Page> page_of_trace(const OpenedTrace& opened, const PageWish& wish);
  /// Returns the function that writes a capsule of a completely loaded trace.
  PackCapsule pack_of(const OpenedTrace& opened) const;
  /// Returns the function that writes a capsule of a snapshot; the function reads the file again.
  PackCapsule pack_of_snapshot() const;
  void drop_opened();
  Page* extra_page() const { return extra_pages_[static_cast<std::size_t>(extra_)].get(); }
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
  ContainedTraces choices_;  // the recordings of a job or snapshot set, or those to choose from
  std::size_t new_files_ = 0;
  std::uint64_t job_of_ranks_ = 0;
  bool reload_failed_ = false;
  bool limited_ = false;  // decompression stopped at a limit, and the notice is not dismissed

  OpenedFile opened_;
  Job job_;
  double shown_share_ = 0;
  LoadJob::Clock::time_point opened_at_;  // time just before the loader accessed the disk
  GlyphSet glyphs_;
  Bookmarks bookmarks_;
  std::unique_ptr<Page> page_;
  // snapshot of a trace's allocations, once requested
  BackgroundResult<std::shared_ptr<const Snapshot>> memory_;
  std::unique_ptr<SnapshotPanel> memory_panel_;
  // pages of a trace other than its timeline, once requested, by PageKind
  std::array<std::unique_ptr<Page>, kPageKindCount> extra_pages_;
  /// The visible view of a trace; other documents always show `file`.
  enum class View : std::uint8_t {
    file,    ///< the timeline
    memory,  ///< the snapshot of its allocations, once it is computed
    extra,   ///< one of extra_pages_
  };
  View view_ = View::file;
  PageKind extra_ = PageKind::none;

  BackgroundResult<JobSiblings> siblings_;
  std::optional<FileWatch::Look> disk_;
  std::optional<FileWatch::Look> dismissed_;
  std::unique_ptr<LoadJob> load_;
};

}  // namespace kino
