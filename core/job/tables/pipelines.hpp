// Pipelines: which ranks are the stages of one, what each computed between two messages, and how long it
// waited for what the schedule had not given it yet.
#pragma once

#include <cstddef>
#include <cstdint>
#include <stop_token>
#include <string>
#include <vector>

#include "core/job/job_analysis.hpp"

namespace kino {

/// Time of a stage in a step. Waiting is what nothing that computes covers.
struct StageTimes {
  std::int64_t bubble_ns = 0;      ///< waited for messages that came when the schedule lets them
  std::int64_t straggling_ns = 0;  ///< waited for messages that were late by the own excess of a rank
  std::int64_t busy_ns = 0;        ///< computes or communicates, but for waiting for messages

  /// Of bubble and busy time; -1 without both.
  double bubble_share() const;
  StageTimes& operator+=(const StageTimes& other);
};

struct PipelineStep {
  std::int64_t number = -1;        ///< as the profiler numbers it
  std::int64_t micro_batches = 0;  ///< messages from the first stage to the second; 0: not recorded
  std::vector<StageTimes> stages;  ///< by stage

  /// Over all stages.
  double bubble_share() const;
  /// (p - 1) / (m + p - 1): the share that a 1F1B schedule of equal stages has, if the step contains nothing
  /// else. It is no lower bound: interleaving, zero-bubble schedules and other work lower the share. -1:
  /// unknown.
  double even_bubble_share() const;
};

enum class ChunkKind : std::uint8_t {
  forward,
  backward,
  both,   ///< forward and backward with no message between them, as the last stage does
  other,  ///< no message of the pipeline before or after it tells
};

/// What a stage computed between two messages, by the common clock: Unix ns.
struct PipelineChunk {
  TimeRange range;  ///< from its first kernel to the end of its last
  std::int64_t step = -1;
  std::uint32_t number = 0;  ///< of its kind in the step, from 0 on; of both: among the forward chunks
  std::uint32_t backward_number = 0;  ///< of both: among the backward chunks
  ChunkKind kind = ChunkKind::other;
};

struct Pipeline {
  std::string name;  ///< of the group
  std::string description;
  bool ring = false;                               ///< the last stage sends to the first one, too
  std::vector<std::uint32_t> ranks;                ///< by stage: index of JobAnalysis::ranks
  std::vector<PipelineStep> steps;                 ///< by number; those that all stages recorded
  std::vector<std::vector<PipelineChunk>> chunks;  ///< by stage, in order of time

  /// Of all steps.
  double bubble_share() const;
  double even_bubble_share() const;
};

/// Rules: README. O(kernels log kernels + busy stretches of the stages).
std::vector<Pipeline> pipelines_of(const JobAnalysis& job, const std::stop_token& stop = {});

}  // namespace kino
