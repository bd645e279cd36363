// What can be done with the selected event: copied, searched for, measured from, noted; its keys and its
// menu.
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

/// What of an event can be put on the clipboard.
enum class CopiedPart : std::uint8_t {
  everything,  ///< name, kind, place, times, arguments and stack, a line each
  name,        ///< the full one
  arguments,   ///< JSON, as the file has it
  stack,       ///< a frame a line, innermost first; of GPU work that of its operator
};

/// Reads what it needs: for a worker. Empty when there is no such part.
std::string copied_text(const Trace& trace, const EventDetails& details, EventRef event, CopiedPart part);

/// UI thread only; what is copied is read on the pool.
class SliceCommands {
 public:
  /// What a frame asked for, of the selected event.
  struct Actions {
    bool find_alike = false;
    bool show_alike = false;  ///< and hide all others
    bool measure = false;
    bool bookmark = false;
  };

  /// `pool` must outlive it; `wake` is called from a worker when there is news.
  SliceCommands(std::shared_ptr<const Trace> trace, std::shared_ptr<const EventDetails> details,
                WorkerPool& pool, std::function<void()> wake);

  /// Takes the keys, but for those of the bookmark, which needs no selection. `copies`: whether Ctrl+C means
  /// the selection, not the rows of a table in sight.
  Actions handle_keys(EventRef selected, bool copies);
  /// The menu; it opens in the frame in which `wanted` is true, at the mouse or, by its key, at `x`, `y`.
  Actions draw_menu(EventRef selected, bool wanted, float x, float y);
  /// Once a frame: puts on the clipboard what has been read.
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
