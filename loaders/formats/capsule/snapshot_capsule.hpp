// A snapshot of the allocator as a capsule: packed, and opened by the reader of the form that it has.
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

/// As pack_trace(), of a snapshot that was opened with OpenOptions::keep_text. Not redacted, its content is
/// stored to the byte; redacted, it becomes a pickle of the same values, in which texts are replaced: files,
/// functions and what else stands in frames, and in other texts what Redactor::value() says. A damaged one
/// cannot be redacted, for what is damage could not be told from a text; what follows its end is left out.
/// PackReport::events are the entries of its history. A redacted one takes the memory of its values.
Result<PackReport> pack_snapshot(const OpenedSnapshot& opened, const PackOptions& options,
                                 const std::filesystem::path& out, std::atomic<double>& done,
                                 const std::stop_token& stop);

Likeness snapshot_capsule_likeness(std::string_view head);
/// The content is decompressed part by part as its reader goes through it.
Result<OpenedFile> open_snapshot_capsule(const FormatInput& input);

inline constexpr Format kSnapshotCapsule = {
    "snapshot-capsule", "a capsule of a snapshot of the CUDA allocator", Format::Holds::snapshot,
    snapshot_capsule_likeness, open_snapshot_capsule};

}  // namespace kino
