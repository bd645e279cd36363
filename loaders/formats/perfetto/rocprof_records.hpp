// What AMD's rocprofv3 writes into a Perfetto trace, in Kineto's words. As its generatePerfetto.cpp has it
// (rocprofiler-sdk, 2025), and as a file of 2026 has it.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace kino {

/// The category that Kineto gives to such records; empty for a category that is none of rocprofv3's.
std::string_view category_of_rocprof(std::string_view category);

/// A track of the work of one agent: a processor or a GPU.
struct RocprofTrack {
  std::int64_t agent = 0;
  std::int64_t lane = 0;  ///< of a stream or queue; of a thread that copies
  bool of_thread = false;
  bool on_gpu = false;  ///< else copies to the host
};

/// Of a track's name: "COMPUTE AGENT [2] STREAM [1] (GPU)", "COPY to AGENT [0] THREAD [3] (CPU)".
std::optional<RocprofTrack> rocprof_track(std::string_view name);

/// The number of a stream or queue whose track names no agent, as versions since 1.0 write it: the 1 of
/// "STREAM [1]" or "STREAM [" 1 "] ". The records on it name their agents.
std::optional<std::int64_t> rocprof_lane(std::string_view name);

/// The number in what a record calls an agent: "AGENT-2".
std::optional<std::int64_t> agent_number(std::string_view agent);

}  // namespace kino
