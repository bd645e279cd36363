// Replaces the texts of a snapshot that identify the user or the machine by hashes.
#pragma once

#include <functional>
#include <optional>
#include <stop_token>
#include <string_view>

#include "core/base/result.hpp"
#include "core/memory/snapshot.hpp"
#include "loaders/bytes/growing_text.hpp"
#include "loaders/formats/capsule/redaction.hpp"

namespace kino {

/// Writes the redacted snapshot (a pickle, or JSON for a memory timeline) to `sink`; stops if `sink` returns
/// false. `source` is the form of `text`. Fails for damaged snapshots, and with `cancelled`.
std::optional<Error> redact_snapshot(GrowingText& text, SnapshotSource source, Redactor& redactor,
                                     const std::function<bool(std::string_view bytes)>& sink,
                                     const std::stop_token& stop);

}  // namespace kino
