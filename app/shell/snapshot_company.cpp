#include "app/shell/snapshot_company.hpp"

#include <cstddef>

namespace kino {

SnapshotCompany company_of(const Document& document, const PaneFrame& pane, const Session& session) {
  SnapshotCompany company;
  company.beside = pane.beside;
  company.beside_document = pane.snapshot_beside;
  company.highest_beside = pane.highest_beside;
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
