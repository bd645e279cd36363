// Packs a trace, what touches a stretch of its time, or a snapshot into a capsule.
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

/// As pack_trace(). A part is what write_part() makes of it, read again: it lies beside `out` meanwhile.
Result<PackReport> pack_part(const OpenedTrace& opened, const std::optional<TimeRange>& range,
                             const PackOptions& options, const std::filesystem::path& out,
                             std::atomic<double>& done, const std::stop_token& stop);

/// Packs the snapshot of a file, which is read again for that: see pack_snapshot().
Result<PackReport> pack_snapshot_of(const std::filesystem::path& path, OpenOptions opening,
                                    const PackOptions& options, const std::filesystem::path& out,
                                    std::atomic<double>& done, const std::stop_token& stop);

}  // namespace kino
