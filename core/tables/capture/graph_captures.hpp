// Captures of streams into graphs: the launches of each, with operator, shapes, module and Python frame.
#pragma once

#include <cstdint>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "core/tables/capture/sequence_join.hpp"
#include "core/trace/event_facts.hpp"
#include "core/trace/trace.hpp"

namespace kino {

/// A launch that was recorded into a graph instead of running.
struct CapturedLaunch {
  SliceId launch = kNoSlice;
  SliceId op = kNoSlice;      ///< innermost operator around the launch; kNoSlice if there is none
  SliceId module = kNoSlice;  ///< innermost call of an nn.Module around the launch, or kNoSlice
  SliceId frame = kNoSlice;   ///< innermost Python function around the launch, or kNoSlice
  NodeKind kind = NodeKind::kernel;
};

struct GraphCapture {
  TimeRange range;  ///< within the trace
  std::uint32_t process = 0;
  std::vector<CapturedLaunch> nodes;  ///< in the order of their launches; not empty
  std::int64_t batch = -1;            ///< size of the batch; -1 if unknown
};

/// Captures of one trace. Thread-safe once constructed. The trace must outlive this object.
class GraphCaptures {
 public:
  /// O(slices), or O(names) if the trace has no captures. Captures without launches are left out.
  explicit GraphCaptures(const Trace& trace, const std::stop_token& stop = {});

  const Trace& trace() const { return *trace_; }
  /// Returns the captures in order of begin.
  const std::vector<GraphCapture>& captures() const { return captures_; }
  /// Returns the number of launches in all captures.
  std::size_t launch_count() const;

  /// Returns the name of the kernel that a launch records (HIP), unescaped; empty if it records none (CUDA).
  std::string kernel_name(const CapturedLaunch& node) const;
  const EventFacts& facts_of(SliceId slice) const { return facts_[facts_index(*trace_, slice)]; }
  /// Returns the operator's input shapes as recorded; empty if there are none.
  std::string_view shapes_of_inputs(const CapturedLaunch& node) const;
  std::string_view operator_name(const CapturedLaunch& node) const;
  /// Returns the module's name without the prefix "nn.Module: ".
  std::string_view module_name(const CapturedLaunch& node) const;

 private:
  CapturedLaunch captured_launch(SliceId launch) const;
  std::int64_t batch_of(const GraphCapture& capture) const;

  const Trace* trace_;
  std::vector<EventFacts> facts_;
  std::vector<GraphCapture> captures_;
};

/// Returns the batch size that an annotation such as "capture_32_DECODE" contains.
std::optional<std::int64_t> captured_batch(std::string_view annotation);

}  // namespace kino
