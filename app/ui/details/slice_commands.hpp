// Commands on the selected event: copy, search, measure, bookmark; their keys and menu.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "app/system/background_result.hpp"
#include "core/base/worker_pool.hpp"
#include "core/trace/event_details.hpp"
#include "core/trace/trace.hpp"

namespace kino {

/// Parts of an event that can be copied.
enum class CopiedPart : std::uint8_t {
  everything,  ///< name, kind, track, times, arguments and stack, one per line
  name,        ///< the full name
  arguments,   ///< JSON, as in the file
  stack,       ///< one frame per line, innermost first; for GPU work the stack of its operator
};

/// Returns the text of a part; empty if the event has no such part. Reads the event, so call this on a
/// worker.
std::string copied_text(const Trace& trace, const EventDetails& details, EventRef event, CopiedPart part);

/// Executes the commands on the selected event. UI thread only; texts are made on the pool.
class SliceCommands {
 public:
  /// Requests of a frame about the selected event.
  struct Actions {
    bool find_alike = false;
    bool show_alike = false;  ///< find_alike, and show only the hits
    bool measure = false;
    bool bookmark = false;
  };

  SliceCommands(std::shared_ptr<const Trace> trace, std::shared_ptr<const EventDetails> details,
                WorkerPool& pool, std::function<void()> wake);

  /// Handles the keys, except the key for bookmarks, which does not require a selection. `copies`: whether
  /// Ctrl+C copies the selected event rather than the rows of a visible table.
  Actions handle_keys(EventRef selected, bool copies);
  /// Draws the menu. The menu opens at the mouse if `wanted` is true, or at (`x`, `y`) if its key was
  /// pressed.
  Actions draw_menu(EventRef selected, bool wanted, float x, float y);
  /// Called once per frame: puts finished texts on the clipboard.
  void poll();
  bool complete() const { return !copied_.running(); }

 private:
  void copy(EventRef event, CopiedPart part);

  std::shared_ptr<const Trace> trace_;
  std::shared_ptr<const EventDetails> details_;
  WorkerPool& pool_;
  std::function<void()> wake_;
  BackgroundResult<std::string> copied_;
  bool menu_by_key_ = false;
};

}  // namespace kino
