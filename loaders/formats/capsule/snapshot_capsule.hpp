// Packs allocator snapshots into capsules, and opens them.
#pragma once

#include <atomic>
#include <filesystem>
#include <stop_token>
#include <string_view>

#include "core/base/result.hpp"
#include "loaders/cache/format.hpp"
#include "loaders/cache/open_options.hpp"
#include "loaders/formats/capsule/pack.hpp"

namespace kino {

/// Like pack_trace(), for a snapshot opened with OpenOptions::keep_text. If not redacted, the content is
/// stored byte for byte. If redacted, the content becomes a pickle of its values with replaced texts: frames
/// by file and function, other texts by Redactor::value(). A memory timeline remains JSON, redacted by
/// Redactor::json(). Damaged snapshots cannot be redacted, since damaged bytes may contain texts. Redaction
/// replaces the bytes after a pickle's end by one space, so that readers still report them.
/// PackReport::events counts entries of the history. Redaction holds all values in memory.
Result<PackReport> pack_snapshot(const OpenedSnapshot& opened, const PackOptions& options,
                                 const std::filesystem::path& out, std::atomic<double>& done,
                                 const std::stop_token& stop);

FormatMatch snapshot_capsule_match(std::string_view head);
/// Opens a snapshot capsule. Decompresses the content part by part while the reader advances.
Result<OpenedFile> open_snapshot_capsule(const FormatInput& input);

inline constexpr Format kSnapshotCapsule = {
    "snapshot-capsule", "a capsule of a snapshot of the CUDA allocator", Format::Holds::snapshot,
    snapshot_capsule_match, open_snapshot_capsule};

}  // namespace kino
