// Packs a trace, a time range of it, or a snapshot into a capsule.
#pragma once

#include <atomic>
#include <filesystem>
#include <optional>
#include <stop_token>

#include "core/base/result.hpp"
#include "core/trace/trace.hpp"
#include "loaders/cache/open_options.hpp"
#include "loaders/formats/capsule/pack.hpp"

namespace kino {

/// Like pack_trace(). If a time range is given, the range is first written to a file beside `out` with
/// write_part(), and read again.
Result<PackReport> pack_part(const OpenedTrace& opened, const std::optional<TimeRange>& range,
                             const PackOptions& options, const std::filesystem::path& out,
                             std::atomic<double>& done, const std::stop_token& stop);

/// Reads a snapshot and its text, and packs it; see pack_snapshot().
Result<PackReport> pack_snapshot_of(const std::filesystem::path& path, OpenOptions opening,
                                    const PackOptions& options, const std::filesystem::path& out,
                                    std::atomic<double>& done, const std::stop_token& stop);

}  // namespace kino
