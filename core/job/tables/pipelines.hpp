// Pipelines: stages, compute between messages, and waiting for messages.
#pragma once

#include <cstdint>
#include <stop_token>
#include <string>
#include <vector>

#include "core/job/job_analysis.hpp"

namespace kino {

/// Times of a stage in a step. Waiting that overlaps compute or other communication is not counted.
struct StageTimes {
  std::int64_t bubble_ns = 0;      ///< waiting for messages that arrived as the schedule allows
  std::int64_t straggling_ns = 0;  ///< waiting for messages that were late because of a rank's own excess
  std::int64_t busy_ns = 0;        ///< time of compute or communication, without waiting for messages

  /// Returns bubble / (bubble + busy); -1 if both are 0.
  double bubble_share() const;
  StageTimes& operator+=(const StageTimes& other);
};

struct PipelineStep {
  std::int64_t number = -1;        ///< number of the profiler's step
  std::int64_t micro_batches = 0;  ///< number of messages from the first stage to the second; 0: not recorded
  std::vector<StageTimes> stages;  ///< by stage

  /// Returns the bubble share over all stages.
  double bubble_share() const;
  /// Returns (p - 1) / (m + p - 1) for p stages and m micro-batches: the share of a 1F1B schedule with equal
  /// stages, if the step contains nothing else. -1: unknown. This is not a lower bound, because interleaved
  /// and zero-bubble schedules and other work lower the share.
  double even_bubble_share() const;
};

enum class ChunkKind : std::uint8_t {
  forward,
  backward,
  both,   ///< forward and backward with no message between them, as on the last stage
  other,  ///< unknown: no message of the pipeline before or after the chunk implies its kind
};

/// Compute of a stage between two messages, in Unix ns of the common clock.
struct PipelineChunk {
  TimeRange range;  ///< from its first kernel to the end of its last
  std::int64_t step = -1;
  std::uint32_t number = 0;           ///< index in the step among its kind; for `both`: among forward chunks
  std::uint32_t backward_number = 0;  ///< index among the backward chunks, for `both`
  ChunkKind kind = ChunkKind::other;
};

/// Waiting of a stage for a message: first bubble_ns, then straggling_ns.
struct PipelineMessage {
  std::uint32_t kernel = 0;  ///< index into RankDigest::kernels
  std::int64_t bubble_ns = 0;
  std::int64_t straggling_ns = 0;
};

struct Pipeline {
  std::string name;  ///< name of the group
  std::string description;
  bool ring = false;                                   ///< whether the last stage also sends to the first one
  std::vector<std::uint32_t> ranks;                    ///< ranks by stage, as indices into JobAnalysis::ranks
  std::vector<PipelineStep> steps;                     ///< steps that all stages recorded, sorted by number
  std::vector<std::vector<PipelineChunk>> chunks;      ///< chunks by stage, sorted by time
  std::vector<std::vector<PipelineMessage>> messages;  ///< messages by stage, sorted by start

  /// Return the bubble share over all steps, and the mean of PipelineStep::even_bubble_share(); -1: unknown.
  double bubble_share() const;
  double even_bubble_share() const;
};

/// Finds the pipelines of a job. Rules: README. O(kernels log kernels + busy intervals of the stages).
std::vector<Pipeline> pipelines_of(const JobAnalysis& job, const std::stop_token& stop = {});

}  // namespace kino
