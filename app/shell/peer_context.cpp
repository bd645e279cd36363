#include "app/shell/peer_context.hpp"

#include <cstddef>

namespace kino {

PeerContext peer_context_of(const Document& document, const PaneFrame& pane, const Session& session) {
  PeerContext company;
  company.beside = pane.beside;
  company.adjacent_document = pane.snapshot_beside;
  company.linked_highest_bytes = pane.linked_highest_bytes;
  company.colors = pane.colors;
  for (std::size_t i = 0; i < session.size(); ++i) {
    const Document& other = session.document(i);
    if (&other == &document) {
      company.title = session.title(i);
      continue;
    }
    auto* const panel = other.as<SnapshotPanel>();
    if (panel == nullptr || !panel->shown().any()) continue;
    company.others.push_back(
        {other.serial(), session.title(i), &panel->shown(),
         [panel](std::size_t device, AllocationId id) { panel->highlight(device, id); }});
  }
  return company;
}

}  // namespace kino
