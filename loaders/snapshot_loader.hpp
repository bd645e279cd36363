// Loads an allocator snapshot from the decompressed content of a file.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string_view>

#include "core/result.hpp"
#include "core/snapshot.hpp"
#include "loaders/growing_text.hpp"
#include "loaders/open.hpp"

namespace kino {

/// In which form a file that begins like this holds a snapshot; nullopt when it looks like none. A pickle is
/// taken for one without looking further: nothing else that opens is a pickle.
std::optional<SnapshotSource> snapshot_source_of(std::string_view head);

/// Whether it surely is one: a pickle must name what snapshots consist of, too.
bool looks_like_snapshot(std::string_view head);

/// Damage that leaves something to be shown is in the model. O(bytes); a pickle is read in one pass and its
/// bytes are not kept, JSON is held in memory as a whole. `source_damage` is asked once all was read.
Result<std::shared_ptr<const Snapshot>> load_snapshot(GrowingText& content, SnapshotSource source,
                                                      const std::function<DamageLog()>& source_damage,
                                                      LoadProgress& progress, const std::stop_token& stop);

}  // namespace kino
