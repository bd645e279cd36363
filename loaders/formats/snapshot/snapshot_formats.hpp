// The formats of allocator snapshots.
#pragma once

#include "loaders/cache/format.hpp"

namespace kino {

/// Returns FormatMatch::surely if the head contains keys of snapshots.
FormatMatch pickled_snapshot_match(std::string_view head);
/// Returns FormatMatch::barely for any pickle: its later content may be a snapshot.
FormatMatch pickle_match(std::string_view head);
Result<OpenedFile> open_pickled_snapshot(const FormatInput& input);
/// Detects a page of PyTorch's memory_viz, which may contain a pickle.
FormatMatch snapshot_page_match(std::string_view head);
Result<OpenedFile> open_snapshot_page(const FormatInput& input);
FormatMatch json_snapshot_match(std::string_view head);
Result<OpenedFile> open_json_snapshot(const FormatInput& input);
/// Detects the JSON of export_memory_timeline().
FormatMatch memory_timeline_match(std::string_view head);
Result<OpenedFile> open_memory_timeline(const FormatInput& input);

inline constexpr Format kPickledSnapshot = {"snapshot-pickle", "a snapshot of the CUDA allocator",
                                            Format::Holds::snapshot, pickled_snapshot_match,
                                            open_pickled_snapshot};
inline constexpr Format kOtherPickle = {"pickle", "a Python pickle, perhaps a snapshot of the CUDA allocator",
                                        Format::Holds::snapshot, pickle_match, open_pickled_snapshot};
inline constexpr Format kSnapshotPage = {
    "snapshot-page", "a page of PyTorch's memory_viz with a snapshot of the CUDA allocator",
    Format::Holds::snapshot, snapshot_page_match, open_snapshot_page};
inline constexpr Format kJsonSnapshot = {"snapshot-json", "a snapshot of the CUDA allocator",
                                         Format::Holds::snapshot, json_snapshot_match, open_json_snapshot};
inline constexpr Format kMemoryTimelineFile = {"memory-timeline", "a snapshot of the CUDA allocator",
                                               Format::Holds::snapshot, memory_timeline_match,
                                               open_memory_timeline};

}  // namespace kino
