// The built-in file browser for opening files or saving one, for systems without a file dialog.
#pragma once

#include <filesystem>
#include <functional>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "app/shell/dialogs/directory_listing.hpp"
#include "app/ui/widgets/theme.hpp"

namespace kino {

/// UI thread only; folders are read on another thread.
class FileBrowser {
 public:
  /// `wake` is called from another thread when a folder has been read.
  explicit FileBrowser(std::function<void()> wake);
  FileBrowser(const FileBrowser&) = delete;
  FileBrowser& operator=(const FileBrowser&) = delete;
  ~FileBrowser() = default;

  /// Opens the browser. If `save_as` is not empty, the browser saves one file, and `save_as` is the suggested
  /// name.
  void show(const std::filesystem::path& folder, const std::string& save_as = {});
  bool visible() const { return visible_; }
  const std::filesystem::path& folder() const { return folder_; }
  /// The typed name while saving; otherwise empty.
  const std::string& name() const { return name_; }
  /// Whether the browser asks to confirm that a file is replaced.
  bool confirms() const { return !replaces_.empty(); }
  /// Draws the browser and returns the chosen files. Typing filters, Enter opens, Backspace goes to the
  /// parent folder, and clicks with Ctrl or Shift mark several files. While saving, the user types a name, or
  /// clicks a file to copy its name. Enter saves; a second Enter confirms that a file is replaced.
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
  void draw_name();
  void save_here();
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
  bool saving_ = false;
  std::string name_;                // of the file to save
  std::filesystem::path replaces_;  // the existing file whose replacement is not confirmed yet
  std::vector<std::size_t> matches_;
  std::size_t cursor_ = 0;        // index into matches_
  std::set<std::string> marked_;  // names of files
  std::string came_from_;         // name of the folder to select after going up
  std::vector<std::filesystem::path> chosen_;

  std::mutex mutex_;
  std::optional<Result<DirectoryListing>> read_;  // guarded by mutex_
  bool reading_ = false;
  std::jthread reader_;  // last: joined before the members it writes are destroyed
};

}  // namespace kino
