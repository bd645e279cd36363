// The built-in file browser for opening files or saving one, for systems without a file dialog.
#pragma once

#include <filesystem>
#include <functional>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <imgui.h>

#include "app/shell/dialogs/directory_listing.hpp"
#include "app/ui/text/texts.hpp"
#include "app/ui/widgets/theme.hpp"

namespace kino {

/// The kind of answer that the browser asks for.
struct FileWish {
  Text title = Text::files_title;
  std::string save_as{};                  ///< suggested name of a file to save; empty: open files or a folder
  Text choose = Text::files_open_as_job;  ///< label of the button for a folder, with a slot for its name
  bool files = true;                      ///< whether files can be opened, not only a folder
};

/// Modal window that lists a folder. UI thread only; another thread reads the folders.
class FileBrowser {
 public:
  /// `wake` is called from another thread when a folder has been read.
  explicit FileBrowser(std::function<void()> wake);
  FileBrowser(const FileBrowser&) = delete;
  FileBrowser& operator=(const FileBrowser&) = delete;
  ~FileBrowser() = default;

  /// From now on, enters only folders for which `may_enter` is true. Do not call while visible.
  void confine(std::function<bool(const std::filesystem::path&)> may_enter) {
    may_enter_ = std::move(may_enter);
  }
  void show(const std::filesystem::path& folder, FileWish wish);
  bool visible() const { return visible_; }
  const std::filesystem::path& folder() const { return folder_; }
  /// The typed file name; empty unless saving.
  const std::string& name() const { return name_; }
  /// Whether the browser asks to confirm that a file is replaced.
  bool confirms() const { return !replaces_.empty(); }
  /// Names of the entries in the order of the list, at most 50, for tests.
  std::vector<std::string> first_names() const;
  /// Positions on screen, for tests.
  struct Places {
    ImVec2 home{};
    ImVec2 date{};    ///< header of the column
    ImVec2 folder{};  ///< button that chooses a folder
  };
  const Places& places() const { return places_; }
  /// Draws the browser and returns the chosen files, or the chosen folder. Typing filters, Enter opens or
  /// enters, a typed path leads there, Backspace in an empty field goes to the parent folder, and clicks with
  /// Ctrl or Shift mark several files. If only a folder is wanted, a second Enter after its path chooses it.
  /// While saving, the user types a name, or clicks a file to copy its name. Enter saves; a second Enter
  /// confirms that a file is replaced.
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
  void draw_open_buttons();
  void take_order();
  /// The folder at the cursor; null if the cursor is elsewhere, files are marked, or the folder listed was
  /// typed and is to be chosen.
  const DirectoryEntry* folder_at_cursor() const;
  void click(std::size_t position);
  void draw_name();
  void save_here();
  void open_cursor();
  void open_typed(const std::filesystem::path& path);
  void choose_marked();
  std::filesystem::path folder_to_choose() const;
  /// Returns the folder to the caller of draw(), or shows why it cannot be opened.
  void choose_folder(const std::filesystem::path& folder);

  std::function<void()> wake_;
  std::function<bool(const std::filesystem::path&)> may_enter_;
  bool visible_ = false;
  bool focus_filter_ = false;
  bool scroll_to_cursor_ = false;
  std::filesystem::path folder_;
  DirectoryListing listing_;
  std::string problem_;
  std::string filter_;
  FileWish wish_;
  bool saving_ = false;
  EntryOrder order_ = EntryOrder::name;
  bool descending_ = false;
  Places places_;
  std::filesystem::path typed_folder_;  // folder entered by its path, until the cursor moves
  std::string name_;                    // name of the file to save
  std::filesystem::path replaces_;      // existing file whose replacement is not confirmed yet
  std::vector<std::size_t> matches_;
  std::size_t cursor_ = 0;        // index into matches_
  std::set<std::string> marked_;  // names of the marked files
  std::string came_from_;         // name of the folder to select after going up
  std::vector<std::filesystem::path> chosen_;

  std::mutex mutex_;
  std::optional<Result<DirectoryListing>> read_;  // guarded by mutex_
  bool reading_ = false;
  std::jthread reader_;  // last: joined before the members it writes are destroyed
};

}  // namespace kino
