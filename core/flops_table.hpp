// Floating-point operations of matrix products, convolutions and attention, from the recorded shapes, and the
// share of the device's peak they reach.
#pragma once

#include <cstdint>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "core/event_facts.hpp"
#include "core/operator_tree_part.hpp"
#include "core/table.hpp"
#include "core/trace.hpp"

namespace kino {

/// [[8, 3], []] as numbers; stops at what it does not understand.
std::vector<std::vector<std::int64_t>> shapes_of(std::string_view input_dims);

/// Operations of one call (a multiplication and an addition are two), or nothing when the operator is not
/// known or its shapes were not recorded.
///   mm [m,k][k,n]: 2 m k n; addmm, baddbmm likewise from their second input; bmm: times the batch.
///   convolution: 2 * outputs * weights of one output channel; its backward: as much again for each of input
///   and weight gradient. attention [b,h,s,d][b,h,t,d]: 4 b h s t d, half of it when `causal` and the call
///   says so; backward 2.5 times.
std::optional<double> flops_of(std::string_view op, const EventFacts& facts, bool causal_halves = true);

/// The dense peak of a device for a type of elements, in TFLOP/s.
struct DevicePeak {
  double tflop_per_s = 0;
  const char* source = "";  ///< the vendor's data sheet
};
/// Nothing for devices that are not in the list. `dtype` as PyTorch writes it: float, c10::Half,
/// c10::BFloat16.
std::optional<DevicePeak> device_peak(std::string_view device, std::string_view dtype);

struct FlopsRow {
  NameId name{};
  std::uint32_t facts = 0;
  std::uint64_t calls = 0;
  double flop = 0;             ///< of all calls
  std::int64_t device_ns = 0;  ///< of the GPU work of all calls
  double tflop_per_s = -1;     ///< -1 without device time
  double peak_share = -1;      ///< -1 for unknown devices
  SliceId longest = kNoSlice;
};

/// A row for each operator and shapes; the most operations first. An operator within another that counts does
/// not count again. O(nodes).
std::vector<FlopsRow> flops_rows(const Trace& trace, const OperatorTreePart& part,
                                 const std::stop_token& stop = {});

/// The calls that the row of `example` counts, in order of the tree's nodes. O(nodes).
std::vector<SliceId> flops_instances(const Trace& trace, const OperatorTreePart& part, SliceId example,
                                     const std::stop_token& stop = {});

/// `flops`. `range` is what model FLOPs utilisation is taken over.
Table flops_table(const Trace& trace, const std::vector<FlopsRow>& rows, TimeRange range);

}  // namespace kino
