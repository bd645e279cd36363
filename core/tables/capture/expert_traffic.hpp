// Expert parallelism: dispatch and combine kernels of each device, and the rows sent to each rank.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <stop_token>
#include <string_view>
#include <utility>
#include <vector>

#include "core/trace/links/gpu_work.hpp"
#include "core/trace/trace.hpp"

namespace kino {

/// Part of a kernel in expert parallelism. A dispatch sends tokens to the ranks of their experts; a combine
/// returns the results.
enum class ExpertRole : std::uint8_t { none, dispatch, combine };

/// Returns the role of a kernel by its name: kernels of DeepEP, MoRI, FlashInfer, pplx, TensorRT-LLM and
/// NVSHMEM. Helpers that only count or notify have none.
ExpertRole expert_role(std::string_view kernel_name);

/// A dispatch and the combine that returns its results.
struct ExpertPair {
  SliceId dispatch = kNoSlice;
  SliceId combine = kNoSlice;
  std::int64_t between_ns =
      0;  ///< from the end of the dispatch to the start of the combine; 0 if they overlap
};

/// Rows sent to one rank by all-to-all kernels.
struct SentRows {
  std::uint64_t messages = 0;
  std::int64_t rows = 0;
  std::int64_t bytes = 0;      ///< of the messages whose type is known
  bool bytes_known = true;     ///< whether `bytes` includes all messages
  SliceId largest = kNoSlice;  ///< kernel that sent the most rows
  std::int64_t largest_rows = -1;
};

/// Expert parallelism of one device.
struct ExpertTraffic {
  std::uint32_t process = 0;  ///< index into Trace::processes
  std::uint64_t dispatches = 0;
  std::uint64_t combines = 0;
  std::int64_t dispatch_ns = 0;
  std::int64_t combine_ns = 0;
  SliceId longest_dispatch = kNoSlice;
  SliceId longest_combine = kNoSlice;
  std::vector<ExpertPair> pairs;          ///< in order of the combine
  std::int64_t between_ns = 0;            ///< sum over the pairs
  std::map<std::int64_t, SentRows> sent;  ///< by index of the rank in its process group
};

/// Returns the devices with dispatch or combine kernels, or with all-to-all kernels that record split sizes,
/// in display order. Each combine takes the earliest dispatch on the device that started before it and has
/// no combine yet. The row of a message has (elements / sum of the splits) elements. O(work log work).
std::vector<ExpertTraffic> expert_traffic(const Trace& trace, const GpuWork& work,
                                          const std::stop_token& stop = {});

/// Returns the largest time between dispatch and combine of a device, divided by the mean of all devices with
/// pairs; 0 if there are no such devices.
double expert_imbalance(const std::vector<ExpertTraffic>& devices);

}  // namespace kino
