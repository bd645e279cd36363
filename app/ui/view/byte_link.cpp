#include "app/ui/view/byte_link.hpp"

#include <algorithm>

namespace kino {

void ByteLink::follow(const std::optional<std::array<BytePane, 2>>& panes, std::size_t active) {
  if (!wanted_ || !panes || (*panes)[0].layout != (*panes)[1].layout) {
    last_.reset();
    highest_ = 0;
    return;
  }
  highest_ = std::max((*panes)[0].highest, (*panes)[1].highest);
  std::size_t from = active;
  const auto changed = [&](std::size_t pane) { return !(*panes)[pane].bytes->same_target(*last_); };
  if (last_ && !changed(active)) {
    if (!changed(1 - active)) return;
    from = 1 - active;
  }
  last_ = *(*panes)[from].bytes;
  *(*panes)[1 - from].bytes = *last_;
}

}  // namespace kino
