// The content of a snapshot with what tells where and by whom it was recorded replaced by hashes.
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

/// Writes a pickle, or of a memory timeline its JSON, to `sink`, which ends it by returning false. `text` is
/// of the form `source`. An Error for what is damaged, and `cancelled`.
std::optional<Error> redact_snapshot(GrowingText& text, SnapshotSource source, Redactor& redactor,
                                     const std::function<bool(std::string_view bytes)>& sink,
                                     const std::stop_token& stop);

}  // namespace kino
