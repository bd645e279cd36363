// Lets the user choose files to open, or a path to save to. Uses the desktop's dialog, the dialog of an
// installed program, or the built-in file browser.
#pragma once

#include <filesystem>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "app/shell/dialogs/file_browser.hpp"
#include "app/system/dialog_outcome.hpp"
#include "app/ui/text/texts.hpp"
#include "app/ui/widgets/theme.hpp"

namespace kino {

/// Opens one dialog at a time, and returns its files once the user has chosen. UI thread only; does not block
/// it. For tests, the environment variable KINETOSCOPE_FILE_DIALOG (portal, program, builtin) allows only one
/// kind of dialog, and the built-in browser if that kind is unavailable.
class FileDialog {
 public:
  /// `wake` is called from another thread when the user has chosen.
  explicit FileDialog(std::function<void()> wake);
  FileDialog(const FileDialog&) = delete;
  FileDialog& operator=(const FileDialog&) = delete;
  ~FileDialog() = default;

  /// From now on, uses only the built-in browser, in the folders for which `may_enter` is true. `first` is
  /// one of them, or empty if there is none.
  void confine(std::function<bool(const std::filesystem::path&)> may_enter, std::filesystem::path first);
  /// Opens the dialog unless one is open. `folder` may be empty.
  void open(const std::filesystem::path& folder, Text title = Text::files_dialog_title);
  /// Opens a dialog for one folder, unless a dialog is open. `choose` labels the button of the built-in
  /// browser, with a slot for the folder's name.
  void open_folder(const std::filesystem::path& folder, Text choose);
  /// Opens a dialog for the path of a file to save, unless a dialog is open.
  void save(const std::filesystem::path& suggested);
  /// Whether a dialog is open.
  bool busy() const { return asking_ || browser_.visible(); }
  bool browser_visible() const { return browser_.visible(); }
  const FileBrowser& browser() const { return browser_; }
  /// Draws the built-in browser if it is in use. Returns the files chosen since the last frame.
  std::vector<std::filesystem::path> draw(const Theme& theme);

 private:
  void start(DialogTexts texts, FileWish wish);
  void ask(const std::filesystem::path& folder, const DialogTexts& texts, const std::stop_token& stop);

  std::function<void()> wake_;
  std::filesystem::path folder_;
  std::function<bool(const std::filesystem::path&)> may_enter_;  // null: not confined
  std::filesystem::path first_;
  FileWish wish_;  // request for the built-in browser
  FileBrowser browser_;
  std::mutex mutex_;
  std::optional<DialogResult> outcome_;  // guarded by mutex_
  bool asking_ = false;
  std::jthread asker_;  // last: joined before the members it writes are destroyed
};

}  // namespace kino
