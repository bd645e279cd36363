// Joins the replays of graphs with their captures, so that replayed kernels have operators and shapes.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <stop_token>
#include <vector>

#include "core/tables/capture/graph_captures.hpp"
#include "core/tables/capture/sequence_join.hpp"
#include "core/trace/trace.hpp"

namespace kino {

/// A pass of an engine over one batch.
struct BatchWindow {
  TimeRange launches;        ///< time of its launches on the CPU
  std::int64_t tokens = -1;  ///< tokens in the batch; -1 if unknown
};

/// One graph launch.
struct ReplayJoin {
  static constexpr std::uint32_t kNoCapture = 0xffffffffU;

  SliceId launch = kNoSlice;
  JoinLevel level = JoinLevel::none;
  std::uint32_t capture = kNoCapture;  ///< index into GraphCaptures::captures()
  std::uint32_t alternatives = 0;      ///< number of captures of the same level, length and batch
  /// Whether the shapes are known. They are not if captures of several batch sizes fit, and the number of
  /// tokens is unknown or exceeds all of them.
  bool shapes = false;
  std::size_t first_work = 0;  ///< index into CaptureJoin::work
  std::size_t work_count = 0;
  std::size_t joined = 0;  ///< number of pieces of work that have a captured launch
};

struct CaptureJoin {
  static constexpr std::uint32_t kNoNode = SequenceJoin::kNone;

  std::vector<ReplayJoin> replays;  ///< by start of the launch
  std::vector<SliceId> work;        ///< work of all replays, replay by replay, in the order of the nodes
  /// By piece of work: index into GraphCapture::nodes of the replay's capture, or kNoNode.
  std::vector<std::uint32_t> nodes;

  std::size_t joined() const;
  /// Returns the number of replays by level.
  std::array<std::size_t, kJoinLevelCount> levels() const;
};

/// Joins every graph launch of the trace. If the captures are those of the same trace, only earlier captures
/// of the same process are considered. `batches` must be disjoint and in order; it may be empty. Chooses the
/// best level, then the capture with the most nodes, then the smallest batch that holds the tokens. The k-th
/// replay of a sequence in a batch takes the k-th such capture (README.md, Choice). Every distinct pair of
/// capture and sequence is compared once. Comparison ends after kMostCompared steps, and later replays have
/// the level `none`.
CaptureJoin capture_join(const Trace& trace, const GraphCaptures& captures,
                         std::span<const BatchWindow> batches, const std::stop_token& stop = {});

/// Finds the captured launch of a piece of replayed work. Thread-safe once constructed. The join and the
/// captures must outlive this object.
class JoinedWork {
 public:
  struct Node {
    const ReplayJoin* replay = nullptr;
    const CapturedLaunch* launch = nullptr;  ///< slices of the trace with the captures
  };

  /// O(n log n) for n pieces of work.
  JoinedWork(const CaptureJoin& join, const GraphCaptures& captures);

  /// Returns nullopt if the slice is not replayed work, or has no captured launch. O(log n).
  std::optional<Node> find(SliceId work) const;

 private:
  const CaptureJoin& join_;
  const GraphCaptures& captures_;
  std::vector<std::uint32_t> by_slice_;  // indices into CaptureJoin::work of joined work, by SliceId
};

}  // namespace kino
