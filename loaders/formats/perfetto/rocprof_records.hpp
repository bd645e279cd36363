// Translates rocprofv3 records (AMD) in Perfetto traces to Kineto's terms. Sources: generatePerfetto.cpp
// (rocprofiler-sdk, 2025) and a file of 2026.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace kino {

/// Returns Kineto's category for a category of rocprofv3; empty for other categories.
std::string_view category_of_rocprof(std::string_view category);

/// A track with the work of one agent, which is a CPU or a GPU.
struct RocprofTrack {
  std::int64_t agent = 0;
  std::int64_t lane = 0;  ///< number of a stream or queue, or of a copying thread
  bool of_thread = false;
  bool on_gpu = false;  ///< if false, the track contains copies to the host
};

/// Parses a track's name: "COMPUTE AGENT [2] STREAM [1] (GPU)", "COPY to AGENT [0] THREAD [3] (CPU)".
std::optional<RocprofTrack> rocprof_track(std::string_view name);

/// Returns the index of a stream or queue from the name of a track without an agent, as in versions since
/// 1.0. Example: 1 for "STREAM [1]" or "STREAM [" 1 "] ". Records on such tracks name their agents.
std::optional<std::int64_t> rocprof_lane(std::string_view name);

/// Returns the number in a record's agent name: 2 for "AGENT-2".
std::optional<std::int64_t> agent_number(std::string_view agent);

}  // namespace kino
