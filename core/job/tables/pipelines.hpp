// Pipelines: stages, compute between messages, and waiting for messages that the schedule had not sent yet.
#pragma once

#include <cstdint>
#include <stop_token>
#include <string>
#include <vector>

#include "core/job/job_analysis.hpp"

namespace kino {

/// Time of a stage in a step. Waiting that overlaps with compute is not counted.
struct StageTimes {
  std::int64_t bubble_ns = 0;      ///< waiting for messages that arrived as the schedule allows
  std::int64_t straggling_ns = 0;  ///< waiting for messages that were late by the own excess of a rank
  std::int64_t busy_ns = 0;        ///< computes or communicates, without waiting for messages

  /// bubble / (bubble + busy); -1 if both are 0.
  double bubble_share() const;
  StageTimes& operator+=(const StageTimes& other);
};

struct PipelineStep {
  std::int64_t number = -1;        ///< number of the profiler's step
  std::int64_t micro_batches = 0;  ///< number of messages from the first stage to the second; 0: not recorded
  std::vector<StageTimes> stages;  ///< by stage

  /// The same over all stages.
  double bubble_share() const;
  /// (p - 1) / (m + p - 1): the share of a 1F1B schedule with equal stages, if the step contains nothing
  /// else. Not a lower bound: interleaved and zero-bubble schedules and other work lower the share. -1:
  /// unknown.
  double even_bubble_share() const;
};

enum class ChunkKind : std::uint8_t {
  forward,
  backward,
  both,   ///< forward and backward without a message between them, as on the last stage
  other,  ///< no message of the pipeline before or after it decides
};

/// Compute of a stage between two messages, in Unix ns of the common clock.
struct PipelineChunk {
  TimeRange range;  ///< from its first kernel to the end of its last
  std::int64_t step = -1;
  std::uint32_t number = 0;           ///< index in the step among its kind; for `both`: among forward chunks
  std::uint32_t backward_number = 0;  ///< for `both`: index among the backward chunks
  ChunkKind kind = ChunkKind::other;
};

struct Pipeline {
  std::string name;  ///< of the group
  std::string description;
  bool ring = false;                               ///< the last stage also sends to the first one
  std::vector<std::uint32_t> ranks;                ///< by stage: index into JobAnalysis::ranks
  std::vector<PipelineStep> steps;                 ///< sorted by number; those that all stages recorded
  std::vector<std::vector<PipelineChunk>> chunks;  ///< by stage, sorted by time

  /// The same over all steps.
  double bubble_share() const;
  double even_bubble_share() const;
};

/// Rules: README. O(kernels log kernels + busy intervals of the stages).
std::vector<Pipeline> pipelines_of(const JobAnalysis& job, const std::stop_token& stop = {});

}  // namespace kino
