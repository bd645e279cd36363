// Opens a source line in the user's editor, without a shell and without waiting for it.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

namespace kino {

/// Whether the file of a stack frame is safe to open: an absolute path with the extension of a source file.
/// Such a path is neither an option nor a file that a desktop would execute.
bool is_source_path(std::string_view file);

/// Returns the program and its arguments for `file`, an absolute path, at `line` (ignored if 0 or less).
/// `editor` is $VISUAL or $EDITOR, split at spaces and otherwise literal. If `editor` is empty or runs in a
/// terminal, returns xdg-open, which does not support lines. For an unknown editor, omits the line. Does not
/// search $PATH for the first word.
std::vector<std::string> editor_command(std::string_view editor, const std::string& file, std::int64_t line);

class SourceEditor {
 public:
  explicit SourceEditor(std::function<void()> wake) : wake_(std::move(wake)) {}

  /// Starts the editor on a separate thread; no longer waits for the previous editor. If it cannot be started
  /// or fails, calls `wake` from that thread.
  void open(const std::string& file, std::int64_t line);
  /// Whether the last file could not be opened.
  bool failed() const { return failed_ && *failed_; }

 private:
  std::function<void()> wake_;
  std::shared_ptr<std::atomic<bool>> failed_;
  std::jthread worker_;
};

}  // namespace kino
