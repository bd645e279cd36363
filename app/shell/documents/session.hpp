// The open documents in the order of their tabs, and the workers they share.
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
  /// `wake` is called from any thread when a frame should be drawn. `failed` hears of each document that
  /// could not be opened, once.
  /// `bookmarks_folder` may be empty: then bookmarks are not kept.
  Session(std::function<void()> wake, std::function<void(const Document&)> failed,
          std::filesystem::path bookmarks_folder = {}, OpenOptions options = {});
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;
  ~Session();

  /// Opens each file as a tab and activates the first. A file that is open already is activated instead, and
  /// loaded once more when only a part of it is there.
  void open(std::span<const std::filesystem::path> paths);
  /// Opens files that somebody gave at once: as one job when they are its ranks (ranks_of_one_job()), as one
  /// page when they are three snapshots or more, in a tab that becomes the active one, else each as a tab:
  /// two snapshots are compared side by side. Reads the begin of each, up to the first that is neither.
  void open_together(std::span<const std::filesystem::path> paths);
  /// Opens recordings that lie in `container` as one job, or as many snapshots where they are nothing else,
  /// in a tab that becomes the active one.
  void open_job(const std::filesystem::path& container, ContainedTraces recordings);
  /// The snapshots of a job's ranks as one page, which becomes the active one, with this rank selected (-1:
  /// none); that which is open already, if there is one.
  void show_snapshots_of(const Document& job, std::int64_t rank);
  /// The job of such a page becomes the active one, with this rank selected.
  void show_job_of(const Document& snapshots, std::int64_t rank);
  /// Selects a slice in the trace that has it, which becomes the active document.
  void show_slice(const SliceRef& wanted);
  /// Shows an interval in its trace, which becomes the active document.
  void show_interval(const ShowInterval& wanted);
  /// From now on takes up what a run writes to the folder, or that in which `place` lies, instead of another
  /// one: snapshots go to the page of those that lie there, a job tells of them, and other traces become
  /// tabs. Which tab is active, and what it shows, stays.
  void watch_folder(const std::filesystem::path& place, FolderWatch::Options options = {});
  void stop_watching() { feed_.reset(); }
  bool watching() const { return feed_ != nullptr; }
  /// What has come since the last call.
  struct FolderNews {
    std::filesystem::path folder;
    std::vector<std::string> names;
    std::size_t told_only = 0;  ///< of them, that were not opened: there are kMostWatchedTabs tabs of them
    bool begins = false;        ///< it is watched from now on
    Message problem;            ///< why it cannot be read
  };
  std::optional<FolderNews> take_folder_news() { return std::exchange(news_, std::nullopt); }
  static constexpr std::size_t kMostWatchedTabs = 12;
  /// Two runs as a comparison, in a tab that becomes the active one.
  void compare(std::array<ComparedSide, kSides> sides);
  /// Opens both, and compares them as soon as they are there. Nothing more happens when one of them is no
  /// trace, or cannot be read.
  void open_and_compare(const std::filesystem::path& a, const std::filesystem::path& b);
  /// What a document is as a side of a comparison; nothing when it is no trace, or not all of it is there.
  std::optional<ComparedSide> side_of(std::size_t index) const;
  /// All that side_of() has, in order of their tabs.
  OpenSides open_sides() const;
  /// Shows a document that is ready once more, as a tab behind it that shares what was read, and activates
  /// that. Not of a job or a comparison.
  void open_again(std::size_t index);
  /// Closes a tab; its loader stops in the background, and so is its memory given back to the system.
  void close(std::size_t index);
  /// Takes over what loaders have finished and what the disk has now. Once a frame. Returns true when
  /// something changed. `mouse_held`: nothing replaces a timeline whose mouse button is held.
  bool poll(bool mouse_held = false);
  /// A document that became ready.
  struct Opened {
    std::filesystem::path path;
    std::vector<std::filesystem::path> members;  ///< files that were given at once, as whose page it is
    bool operator==(const Opened&) const = default;
  };
  /// Since the last call.
  std::vector<Opened> take_opened() { return std::exchange(opened_, {}); }
  /// The archives and folders with several traces since the last call, but for those whose traces are the
  /// ranks of a job, which are opened as that; their tabs are closed.
  struct Choice {
    std::filesystem::path container;
    ContainedTraces contained;
    Error error;  ///< says the same in a sentence
  };
  std::vector<Choice> take_choices() { return std::exchange(choices_, {}); }

  std::size_t size() const { return documents_.size(); }
  bool empty() const { return documents_.empty(); }
  Document& document(std::size_t index) const { return *documents_[index]; }
  /// Null when nothing is open.
  Document* active_document() const { return documents_.empty() ? nullptr : documents_[active_].get(); }
  /// Null when it has been closed.
  Document* find(std::uint64_t serial) const;
  /// The page of the active document; null while nothing is shown.
  Page* active_page() const { return documents_.empty() ? nullptr : documents_[active_]->page(); }
  PageKind active_kind() const { return documents_.empty() ? PageKind::none : documents_[active_]->kind(); }
  /// Whether a timeline is shown, and the whole of its file is there.
  bool timeline_ready() const;
  std::size_t active() const { return active_; }
  void activate(std::size_t index);
  /// The next tab (+1) or the one before (-1), around the ends.
  void activate_neighbour(int step);
  /// Counts up with each change of what documents there are, in which order, and what they hold.
  std::uint64_t generation() const { return generation_; }
  /// Whether any document is still loading.
  bool loading() const;
  /// A short name for a tab: the file's name without the extensions of traces, if that tells it from the
  /// other tabs; else with them, or with as many folders in front as it takes. Further tabs of one file are
  /// numbered: "rank0 (2)".
  const std::string& title(std::size_t index) const { return titles_[index]; }

 private:
  void update_titles();
  bool take_over(std::size_t index);
  bool take_up_files();
  bool take_up(const ContainedTrace& file, const std::filesystem::path& folder);
  bool compare_what_came();

  std::function<void()> wake_;
  std::function<void(const Document&)> failed_;
  std::filesystem::path bookmarks_folder_;
  OpenOptions options_;
  WorkerPool pool_;
  std::vector<std::unique_ptr<Document>> documents_;
  std::vector<std::unique_ptr<Document>> closing_;  // closed tabs whose loader has not stopped yet
  std::vector<std::string> titles_;                 // one a document
  std::vector<Opened> opened_;                      // since take_opened()
  std::vector<Choice> choices_;                     // since take_choices()
  std::optional<std::array<std::uint64_t, kSides>> to_compare_;  // serials of documents that load
  std::size_t active_ = 0;
  std::uint64_t generation_ = 0;
  std::optional<FolderNews> news_;
  std::filesystem::path watched_;     // the folder that news_ told of
  Message watch_problem_;             // likewise
  std::uint64_t watched_serial_ = 0;  // of the document that was active then
  std::size_t watched_tabs_ = 0;
  FileWatch watch_;
  std::unique_ptr<FolderFeed> feed_;  // last: its thread wakes
};

/// The titles of `paths` as Session::title describes them.
std::vector<std::string> tab_titles(std::span<const std::filesystem::path> paths);

}  // namespace kino
