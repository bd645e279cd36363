// Loads an allocator snapshot from the decompressed content of a file.
#pragma once

#include <functional>
#include <memory>
#include <stop_token>
#include <string>

#include "core/base/library_frames.hpp"
#include "core/base/result.hpp"
#include "core/memory/snapshot.hpp"
#include "loaders/bytes/byte_stream.hpp"
#include "loaders/bytes/growing_text.hpp"
#include "loaders/bytes/load_progress.hpp"

namespace kino {

/// Damage that leaves something to be shown is in the model. O(bytes); a pickle is read in one pass and its
/// bytes are not kept, JSON is held in memory as a whole. `source_damage` is asked once all was read.
Result<std::shared_ptr<const Snapshot>> load_snapshot(GrowingText& content, SnapshotSource source,
                                                      const LibraryList& libraries,
                                                      const std::function<DamageLog()>& source_damage,
                                                      LoadProgress& progress, const std::stop_token& stop);

/// All of a JSON text, with the room behind it that read_snapshot_json() wants. `too_large` beyond 4 GB.
Result<std::string> read_snapshot_text(ByteStream& in, LoadProgress& progress, const std::stop_token& stop);

}  // namespace kino
