// Lets the user choose files to open or a path to save to, in the desktop's dialog, the dialog of an
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
#include "app/ui/widgets/theme.hpp"

namespace kino {

/// UI thread only; does not block it. For tests, the environment variable KINETOSCOPE_FILE_DIALOG (portal,
/// program, builtin) allows only one kind of dialog.
class FileDialog {
 public:
  /// `wake` is called from another thread when the user has chosen.
  explicit FileDialog(std::function<void()> wake);
  FileDialog(const FileDialog&) = delete;
  FileDialog& operator=(const FileDialog&) = delete;
  ~FileDialog() = default;

  /// Opens the dialog unless one is open. `folder` may be empty.
  void open(const std::filesystem::path& folder);
  /// Opens a dialog for the path of a file to save, unless a dialog is open.
  void save(const std::filesystem::path& suggested);
  /// Whether a dialog is open.
  bool busy() const { return asking_ || browser_.visible(); }
  bool browser_visible() const { return browser_.visible(); }
  const FileBrowser& browser() const { return browser_; }
  /// Draws the built-in browser if it is in use. Returns the files chosen since the last frame.
  std::vector<std::filesystem::path> draw(const Theme& theme);

 private:
  void start(DialogTexts texts);
  void ask(const std::filesystem::path& folder, const DialogTexts& texts, const std::stop_token& stop);

  std::function<void()> wake_;
  std::filesystem::path folder_;
  std::string save_as_;  // empty when opening files
  FileBrowser browser_;
  std::mutex mutex_;
  std::optional<DialogResult> outcome_;  // guarded by mutex_
  bool asking_ = false;
  std::jthread asker_;  // last: joined before the members it writes are destroyed
};

}  // namespace kino
