// The file browser inside the window, for systems that have no file dialog of their own.
#pragma once

#include <filesystem>
#include <functional>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "app/directory_listing.hpp"
#include "app/theme.hpp"

namespace kino {

/// UI thread only; folders are read on a thread of their own.
class FileBrowser {
 public:
  /// `wake` is called from another thread when a folder has been read.
  explicit FileBrowser(std::function<void()> wake);
  FileBrowser(const FileBrowser&) = delete;
  FileBrowser& operator=(const FileBrowser&) = delete;
  ~FileBrowser() = default;

  void show(const std::filesystem::path& folder);
  bool visible() const { return visible_; }
  /// Typing filters, Enter opens, Backspace goes up, Ctrl and Shift with a click mark several. The files
  /// chosen.
  std::vector<std::filesystem::path> draw(const Theme& theme);

 private:
  void enter(const std::filesystem::path& folder);
  void take_listing();
  void apply_filter();
  void handle_keys();
  void draw_path(const Theme& theme);
  void draw_entries(const Theme& theme);
  void draw_entry(std::size_t position, const Theme& theme);
  void draw_buttons(const Theme& theme);
  void click(std::size_t position);
  void open_cursor();
  void choose_marked();

  std::function<void()> wake_;
  bool visible_ = false;
  bool focus_filter_ = false;
  bool scroll_to_cursor_ = false;
  std::filesystem::path folder_;
  DirectoryListing listing_;
  std::string problem_;
  std::string filter_;
  std::vector<std::size_t> matches_;
  std::size_t cursor_ = 0;        // into matches_
  std::set<std::string> marked_;  // names of files
  std::string came_from_;         // the folder the cursor goes to after going up
  std::vector<std::filesystem::path> chosen_;

  std::mutex mutex_;
  std::optional<Result<DirectoryListing>> read_;  // guarded by mutex_
  bool reading_ = false;
  std::jthread reader_;  // last: joined before what it writes is gone
};

}  // namespace kino
