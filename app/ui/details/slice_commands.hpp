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
  stack,       ///< one frame per line, innermost first; for GPU work that of its operator
};

/// Reads the event, so call it on a worker. Empty if it has no such part.
std::string copied_text(const Trace& trace, const EventDetails& details, EventRef event, CopiedPart part);

/// UI thread only; texts are made on the pool.
class SliceCommands {
 public:
  /// Requests of a frame about the selected event.
  struct Actions {
    bool find_alike = false;
    bool show_alike = false;  ///< and hide all others
    bool measure = false;
    bool bookmark = false;
  };

  SliceCommands(std::shared_ptr<const Trace> trace, std::shared_ptr<const EventDetails> details,
                WorkerPool& pool, std::function<void()> wake);

  /// Handles the keys, except that of the bookmark, which needs no selection. `copies`: whether Ctrl+C means
  /// the selection rather than the rows of a visible table.
  Actions handle_keys(EventRef selected, bool copies);
  /// Draws the menu. It opens if `wanted` is true, at the mouse, or by its key at `x`, `y`.
  Actions draw_menu(EventRef selected, bool wanted, float x, float y);
  /// Called once a frame: puts finished texts on the clipboard.
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
