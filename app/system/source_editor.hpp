// Opens a source line in the person's editor, without a shell and without waiting for it.
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

/// Whether a frame's file can be meant for an editor: an absolute path with the extension of a source file,
/// so that it is no option, and nothing that a desktop would start.
bool is_source_path(std::string_view file);

/// The program and its arguments for `file`, an absolute path, at `line` (none when 0 or less). `editor` is
/// $VISUAL or $EDITOR, split at spaces and otherwise taken literally; one that draws in a terminal, or none,
/// gives way to xdg-open, which knows no line. The first word is not looked up in $PATH.
std::vector<std::string> editor_command(std::string_view editor, const std::string& file, std::int64_t line);

/// UI thread only.
class SourceEditor {
 public:
  explicit SourceEditor(std::function<void()> wake) : wake_(std::move(wake)) {}
  SourceEditor(const SourceEditor&) = delete;
  SourceEditor& operator=(const SourceEditor&) = delete;
  ~SourceEditor() = default;

  /// Looks for the file and starts the editor in a thread of its own; gives up waiting for the one before.
  void open(const std::string& file, std::int64_t line);
  /// Whether the last file could not be opened.
  bool failed() const { return failed_ && *failed_; }

 private:
  std::function<void()> wake_;
  std::shared_ptr<std::atomic<bool>> failed_;
  std::jthread worker_;
};

}  // namespace kino
