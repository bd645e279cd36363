// Asks for files to open, or for where to save one: the desktop's dialog, else an installed program's, else
// the browser in the window.
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

/// UI thread only; never blocks it. The environment variable KINETOSCOPE_FILE_DIALOG (portal, program,
/// builtin) makes one way the only one, for tests.
class FileDialog {
 public:
  /// `wake` is called from another thread when the person has chosen.
  explicit FileDialog(std::function<void()> wake);
  FileDialog(const FileDialog&) = delete;
  FileDialog& operator=(const FileDialog&) = delete;
  ~FileDialog() = default;

  /// Starts asking, unless it is being asked already. `folder` may be empty.
  void open(const std::filesystem::path& folder);
  /// Starts asking where to save one file, unless something is being asked already.
  void save(const std::filesystem::path& suggested);
  /// Whether it is being asked.
  bool busy() const { return asking_ || browser_.visible(); }
  bool browser_visible() const { return browser_.visible(); }
  const FileBrowser& browser() const { return browser_; }
  /// Draws the browser when that is the way; the files that were chosen since the last frame.
  std::vector<std::filesystem::path> draw(const Theme& theme);

 private:
  void start(DialogTexts texts);
  void ask(const std::filesystem::path& folder, const DialogTexts& texts, const std::stop_token& stop);

  std::function<void()> wake_;
  std::filesystem::path folder_;
  std::string save_as_;  // empty: files to open are asked for
  FileBrowser browser_;
  std::mutex mutex_;
  std::optional<DialogOutcome> outcome_;  // guarded by mutex_
  bool asking_ = false;
  std::jthread asker_;  // last: joined before what it writes is gone
};

}  // namespace kino
