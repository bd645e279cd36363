// Tells the page of a snapshot about the other tabs and its pane.
#pragma once

#include "app/pages/snapshot/snapshot_panel.hpp"
#include "app/shell/documents/session.hpp"
#include "app/shell/split_panes.hpp"

namespace kino {

/// Only for a document that shows a snapshot. Leaves out empty snapshots. Valid as long as the
/// documents live.
SnapshotCompany company_of(const Document& document, const PaneFrame& pane, const Session& session);

}  // namespace kino
