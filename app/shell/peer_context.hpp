// Collects what the page of a snapshot needs to know about its pane and the other tabs.
#pragma once

#include "app/pages/snapshot/snapshot_panel.hpp"
#include "app/shell/documents/session.hpp"
#include "app/shell/split_panes.hpp"

namespace kino {

/// Returns the context for `document`, which must show a snapshot. Empty snapshots of other tabs are omitted.
/// The result is valid until one of the documents is destroyed.
PeerContext peer_context_of(const Document& document, const PaneFrame& pane, const Session& session);

}  // namespace kino
