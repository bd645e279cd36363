// The open documents in the order of their tabs, and their shared workers.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "app/shell/documents/document.hpp"
#include "app/shell/documents/folder_feed.hpp"
#include "app/system/file_watch.hpp"

namespace kino {

/// Used by the UI thread only, with a current OpenGL context.
class Session {
 public:
  /// `wake` is called from any thread to request a frame. `failed` is called once per document that could not
  /// be opened. If `bookmarks_folder` is empty, bookmarks are not saved.
  Session(std::function<void()> wake, std::function<void(const Document&)> failed,
          std::filesystem::path bookmarks_folder = {}, OpenOptions options = {});
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;
  ~Session();

  /// Opens each file in a tab, unless it is open already, and activates the tab of the first file. If a file
  /// is open but was loaded only partly, reloads it.
  void open(std::span<const std::filesystem::path> paths);
  /// Opens files that the user chose together. If they are the ranks of a job (ranks_of_one_job()), opens one
  /// job. If they are three or more snapshots, opens them as one page. Otherwise, opens each in a tab. The
  /// first of these tabs becomes active. Reads the start of each file, up to the first one that is neither a
  /// rank nor a snapshot.
  void open_together(std::span<const std::filesystem::path> paths);
  /// Opens the recordings in `container` as a job, or as a snapshot set if all are snapshots, in a new active
  /// tab.
  void open_job(const std::filesystem::path& container, ContainedTraces recordings);
  /// Opens the job of a trace, as Document::siblings() found it. Activates its tab if it is open. If the
  /// folder contains nothing else, opens the folder, like open().
  void open_siblings(const Document& trace);
  /// Activates the page with the snapshots of the job's ranks and selects this rank (-1: none). Opens the
  /// page if it is not open.
  void show_snapshots_of(const Document& job, std::int64_t rank);
  /// Activates the job that a page of snapshots belongs to, and selects this rank.
  void show_job_of(const Document& snapshots, std::int64_t rank);
  /// Selects a slice in its trace and activates the trace's tab.
  void show_slice(const SliceRef& wanted);
  /// Shows an interval of a trace and activates the trace's tab.
  void show_interval(const ShowInterval& wanted);
  /// Watches `place`, or the folder that contains it, instead of the previous folder. New snapshots are added
  /// to the open set of their folder. If a job of the folder is open, it shows a notice. Other new files are
  /// opened in tabs, at most kMostWatchedTabs. The active tab and its view remain unchanged.
  void watch_folder(const std::filesystem::path& place, FolderWatch::Options options = {});
  void stop_watching() { feed_.reset(); }
  bool watching() const { return feed_ != nullptr; }
  /// New files and problems of the watched folder since the last take_folder_news().
  struct FolderNews {
    std::filesystem::path folder;
    std::vector<std::string> names;
    /// number of new files that were not opened, because watching has opened kMostWatchedTabs tabs
    std::size_t not_opened = 0;
    bool begins = false;  ///< whether watching has just started
    Message problem;      ///< reason why the folder cannot be read
  };
  std::optional<FolderNews> take_folder_news() { return std::exchange(news_, std::nullopt); }
  static constexpr std::size_t kMostWatchedTabs = 12;
  /// Opens a comparison of two runs in a new active tab.
  void compare(std::array<ComparedSide, kSides> sides);
  /// Opens both files and compares them once they are loaded. Does not compare them if one cannot be loaded
  /// or is neither a trace nor a job.
  void open_and_compare(const std::filesystem::path& a, const std::filesystem::path& b);
  /// The document as a side of a comparison; nullopt unless it is a completely loaded trace or job.
  std::optional<ComparedSide> side_of(std::size_t index) const;
  /// Returns side_of() of all tabs in their order, each run once.
  OpenSides open_sides() const;
  /// Opens a second view of a ready document in the next tab, which becomes active. Does nothing for jobs,
  /// snapshot sets and comparisons.
  void open_again(std::size_t index);
  /// Closes a tab. Its loader stops and its memory is freed in the background.
  void close(std::size_t index);
  /// Applies finished loads and changes on disk. Call once per frame. Returns whether anything changed. While
  /// `mouse_held`, the active page is not replaced.
  bool poll(bool mouse_held = false);
  /// A document that became ready.
  struct Opened {
    std::filesystem::path path;
    std::vector<std::filesystem::path> members;  ///< files that were opened together; empty for one path
    bool operator==(const Opened&) const = default;
  };
  /// Documents that became ready since the last call.
  std::vector<Opened> take_opened() { return std::exchange(opened_, {}); }
  /// An archive or folder with several traces that are neither ranks of a job nor snapshots. Its tab is
  /// closed, because the user has to choose.
  struct Choice {
    std::filesystem::path container;
    ContainedTraces contained;
    Error error;  ///< states in a sentence that there are several traces
  };
  std::vector<Choice> take_choices() { return std::exchange(choices_, {}); }

  std::size_t size() const { return documents_.size(); }
  bool empty() const { return documents_.empty(); }
  Document& document(std::size_t index) const { return *documents_[index]; }
  Document* active_document() const { return documents_.empty() ? nullptr : documents_[active_].get(); }
  /// Returns the document with this serial; null if it has been closed.
  Document* find(std::uint64_t serial) const;
  /// Page of the active document; null if there is none.
  Page* active_page() const { return documents_.empty() ? nullptr : documents_[active_]->page(); }
  PageKind active_kind() const { return documents_.empty() ? PageKind::none : documents_[active_]->kind(); }
  /// Whether the active document is a completely loaded timeline.
  bool timeline_ready() const;
  std::size_t active() const { return active_; }
  void activate(std::size_t index);
  /// Activates the next tab (+1) or the previous one (-1), cyclically.
  void activate_neighbor(int step);
  /// Increases whenever the set, order or content of the documents changes.
  std::uint64_t generation() const { return generation_; }
  bool loading() const;
  /// Short name for a tab: the file name without trace extensions if that is unique, else the full file name
  /// if that is unique. If neither is unique, the short name follows up to four parent folders. Further tabs
  /// of a file are numbered: "rank0 (2)".
  const std::string& title(std::size_t index) const { return titles_[index]; }

 private:
  void update_titles();
  bool take_over(std::size_t index);
  bool take_up_files();
  bool take_up(const ContainedTrace& file, const std::filesystem::path& folder);
  bool compare_loaded();

  std::function<void()> wake_;
  std::function<void(const Document&)> failed_;
  std::filesystem::path bookmarks_folder_;
  OpenOptions options_;
  WorkerPool pool_;
  std::vector<std::unique_ptr<Document>> documents_;
  std::vector<std::unique_ptr<Document>> closing_;               // closed documents whose loaders still run
  std::vector<std::string> titles_;                              // one per document
  std::vector<Opened> opened_;                                   // since take_opened()
  std::vector<Choice> choices_;                                  // since take_choices()
  std::optional<std::array<std::uint64_t, kSides>> to_compare_;  // serials of the documents to compare
  std::size_t active_ = 0;
  std::uint64_t generation_ = 0;
  std::optional<FolderNews> news_;
  std::filesystem::path watched_;     // the folder that news_ reported
  Message watch_problem_;             // the problem that news_ reported
  std::uint64_t watched_serial_ = 0;  // serial of the document that was active when watching started
  std::size_t watched_tabs_ = 0;
  FileWatch watch_;
  std::unique_ptr<FolderFeed> feed_;  // last: its thread calls wake_
};

/// Returns the titles of tabs for `paths`, as defined by Session::title().
std::vector<std::string> tab_titles(std::span<const std::filesystem::path> paths);

}  // namespace kino
