// Provides the page of a snapshot with the other tabs and its pane.
#pragma once

#include "app/pages/snapshot/snapshot_panel.hpp"
#include "app/shell/documents/session.hpp"
#include "app/shell/split_panes.hpp"

namespace kino {

/// `document` must show a snapshot. Empty snapshots are left out. Valid while the documents live.
PeerContext peer_context_of(const Document& document, const PaneFrame& pane, const Session& session);

}  // namespace kino
