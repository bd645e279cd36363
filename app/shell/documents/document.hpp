// One open file: it loads in the background, owns the trace or snapshot and the panel that shows it, and can
// be loaded again.
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
    loading,  ///< for the first time; a part may be shown already
    ready,    ///< the whole is shown, also while it is loaded again
    failed,   ///< not loaded; of a cancelled or broken load a part may be shown
  };

  /// What a person should know about what is shown.
  enum class Notice {
    none,
    part_loading,   ///< a part of the file is shown, more is coming
    part_only,      ///< a part is shown and nothing more comes; error() says why
    reloading,      ///< the whole is shown and being loaded again
    reload_failed,  ///< error() says why; what was shown stays
    limited,        ///< decompressing stopped at a limit; reload() goes on without it
    changed,        ///< the file on disk is another one
    vanished,       ///< there is no such file any more
    no_counters,    ///< a person wants them, and there is no memory for them
    no_packing,     ///< a person wants packed streams, and there is no memory for them
    new_files,      ///< a run has written more of the job; reload() reads them, too
  };

  /// Starts loading at once. `pool` outlives the document; `wake` is called from any thread when there is
  /// news. `bookmarks_folder` may be empty: then bookmarks are not kept.
  Document(std::filesystem::path path, OpenOptions options, const std::filesystem::path& bookmarks_folder,
           WorkerPool& pool, std::function<void()> wake, LoadJob::Open open = open_file);
  /// A job of these recordings, which lie in `container`, or many snapshots where they are nothing else.
  /// Starts reading at once.
  Document(std::filesystem::path container, ContainedTraces recordings, OpenOptions options, WorkerPool& pool,
           std::function<void()> wake);
  /// Two runs that are open, compared. `name` is what no file is called; `open_sides` tells what else there
  /// is to compare with, as long as the document lives.
  Document(std::filesystem::path name, std::array<ComparedSide, kSides> sides,
           std::function<OpenSides()> open_sides, WorkerPool& pool, std::function<void()> wake);
  /// Shows the same once more, with a view of its own that begins as the other one's. `other` shows all of
  /// its file.
  Document(const Document& other, const std::filesystem::path& bookmarks_folder);
  Document(const Document&) = delete;
  Document& operator=(const Document&) = delete;
  /// Waits for the loader, at most 50 ms after a stop request.
  ~Document();

  /// Takes over what the loader has done, and what became of bookmarks. Returns true when the state, what is
  /// shown, or what there is to show changed.
  bool poll();
  /// The loader gives up soon. What is shown stays; without anything the state becomes `failed` with
  /// Error::Kind::cancelled.
  void request_stop();
  /// Loads the file once more, unless that is under way. What is shown stays until the new is there. After a
  /// Notice::limited the limit of decompressing is off.
  void reload();
  /// A recording that has come to the folder of a job or of many snapshots: a snapshot is read into a set, a
  /// job has a notice. False when it is neither, or takes no such file.
  bool take_up(const ContainedTrace& file);
  /// Of a job, that are told of and not yet read.
  std::size_t new_files() const { return new_files_; }
  /// The document of the job whose ranks these snapshots are of, by its serial; 0: none.
  std::uint64_t job_of_ranks() const { return job_of_ranks_; }
  void belong_to_job(std::uint64_t serial) { job_of_ranks_ = serial; }
  /// What the disk has under the document's name.
  void note_disk(const FileWatch::Look& look);
  /// Hides what changed, vanished, limited, reload_failed, no_counters, no_packing or new_files told, until
  /// there is something new.
  void dismiss_notice();

  State state() const { return state_; }
  /// The page that is shown; null until there is one.
  Page* page() const;
  /// The kind of that page.
  PageKind kind() const { return page() != nullptr ? page()->kind() : PageKind::none; }
  /// The page as what it is; null when it is of another kind.
  template <class Panel>
  Panel* as() const {
    return page_as<Panel>(page());
  }
  /// The page of a trace, also while its allocations are shown in its place; null for other files.
  TimelinePanel* timeline() const;
  /// Whether it is one recording, and no page of several.
  bool of_one_file() const { return of_one_file_; }
  /// Whether a loader is at work.
  bool loading() const { return load_ != nullptr; }
  /// Whether that loader's thread has nothing left to do, so that the destructor does not wait.
  bool loader_done() const { return load_ == nullptr || load_->done(); }
  Notice notice() const;
  /// The share of the file that is shown, from 0 to 1; 1 only when it is the whole.
  double shown_share() const { return shown_share_; }

  const std::filesystem::path& path() const { return path_; }
  /// The path that the title of its tab is made of.
  std::filesystem::path tab_path() const;
  /// Only of what is no file: a comparison whose sides changed.
  void rename(std::filesystem::path name) { path_ = std::move(name); }
  /// The file that changes when the document does; nullopt for what can be read only once.
  const std::optional<std::filesystem::path>& watched_file() const { return watched_file_; }
  /// Distinguishes documents in the interface; never given twice.
  std::uint64_t serial() const { return serial_; }
  /// Only while loading().
  const LoadProgress& progress() const { return load_->progress(); }
  double loading_seconds() const { return load_->seconds(); }
  /// Why the last load did not come to its end.
  const Error& error() const { return error_; }
  /// When that is Error::Kind::several_traces.
  const ContainedTraces& choices() const { return choices_; }
  /// Whether it is a trace with recorded allocations ([memory] events), all of it.
  bool has_memory() const;
  /// Whether those are shown as a snapshot, in place of the timeline.
  bool shows_memory() const { return memory_shown_ && memory_panel_ != nullptr; }
  /// Shows them as soon as they are there, or the timeline again. Only when has_memory().
  void toggle_memory();
  /// Of the file. Only when it shows something, and of_one_file().
  const DamageLog& damage() const;
  /// What it shows, or the part of it that is there: one recording, or none yet, nor of a job of many ranks,
  /// whose page has them.
  const Job& job() const { return job_; }
  /// That recording's trace; null when it is a snapshot, or there is none yet.
  std::shared_ptr<const Trace> trace() const;
  /// That recording's snapshot, not the one that a trace's own allocations make; null when it is a trace, or
  /// there is none yet.
  std::shared_ptr<const Snapshot> snapshot() const;
  /// Only of a trace.
  const OpenedTrace& opened() const { return std::get<OpenedTrace>(opened_); }
  /// What the capsule of a trace says of itself, in sentences; nothing of another file.
  std::vector<std::string> capsule_words() const;
  /// Whether it is shown now or not: of a snapshot, or of a trace's allocations once somebody has asked for
  /// them; else null.
  SnapshotPanel* any_snapshot_panel() const;
  /// What it has of time, for a link with another document: of a trace, or of a snapshot with times.
  std::optional<TimePane> time_pane() const;
  /// Selects a slice of the trace, in the timeline.
  void show_slice(SliceId slice);
  /// Of the loader, when something is shown; of a job nothing.
  const LoadStats& stats() const;
  /// Whether the next frame must follow without waiting for input.
  bool wants_frames() const;
  /// Whether all that is shown is there as it should be.
  bool complete() const;
  Bookmarks& bookmarks() { return bookmarks_; }
  const Bookmarks& bookmarks() const { return bookmarks_; }
  /// Characters of the file's texts beyond Latin.
  const GlyphSet& glyphs() const { return glyphs_; }
  void add_glyphs(const GlyphSet& more) { glyphs_.add(more); }

 private:
  /// How a file is to be shown.
  struct PageWish {
    bool whole = true;
    bool keeps_tracks = true;  ///< writes down how a trace's tracks are arranged
    Page* before = nullptr;    ///< whose view it takes over, when it is of the same kind; null: none
  };

  void start();
  bool take_memory();
  bool take_part();
  void take_result();
  void watch_file(std::filesystem::path file);
  void show(LoadJob::Loaded loaded);
  std::unique_ptr<Page> page_of(const OpenedFile& opened, const PageWish& wish);
  std::unique_ptr<Page> page_of_trace(const OpenedTrace& opened, const PageWish& wish);
  /// Of a trace that is there whole: how it is packed.
  PackIntoCapsule pack_of(const OpenedTrace& opened) const;
  /// Of a snapshot, whose file is read again for that.
  PackIntoCapsule pack_of_snapshot() const;
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
  ContainedTraces choices_;  // of a job or many snapshots: the recordings
  std::size_t new_files_ = 0;
  std::uint64_t job_of_ranks_ = 0;
  bool reload_failed_ = false;
  bool limited_ = false;  // and nobody has answered yet

  OpenedFile opened_;
  Job job_;
  double shown_share_ = 0;
  LoadJob::Clock::time_point opened_at_;  // just before its loader looked at the disk
  GlyphSet glyphs_;
  Bookmarks bookmarks_;
  std::unique_ptr<Page> page_;
  BackgroundResult<std::shared_ptr<const Snapshot>> memory_;  // of a trace, when somebody has asked
  std::unique_ptr<SnapshotPanel> memory_panel_;
  bool memory_shown_ = false;

  std::optional<FileWatch::Look> disk_;
  std::optional<FileWatch::Look> dismissed_;
  std::unique_ptr<LoadJob> load_;
};

}  // namespace kino
