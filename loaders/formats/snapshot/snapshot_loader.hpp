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

/// Loads a snapshot. Partial damage is recorded in the model. O(bytes); a pickle is read in one pass, whereas
/// JSON is held in memory. `source_damage` is called after the last read.
Result<std::shared_ptr<const Snapshot>> load_snapshot(GrowingText& content, SnapshotSource source,
                                                      const LibraryList& libraries,
                                                      const std::function<DamageLog()>& source_damage,
                                                      LoadProgress& progress, const std::stop_token& stop);

/// Reads a whole JSON text, with the padding that read_snapshot_json() needs. A read error after the first
/// bytes ends the text. Fails with `too_large` above about 4 GiB.
Result<std::string> read_snapshot_text(ByteStream& in, LoadProgress& progress, const std::stop_token& stop);

}  // namespace kino
