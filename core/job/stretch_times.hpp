// What a rank did before each of its communication kernels: why it was late to it.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <stop_token>
#include <string_view>
#include <vector>

#include "core/relations/gpu_work.hpp"
#include "core/trace/trace.hpp"

namespace kino {

struct CommunicationKernel;  // rank_digest.hpp

/// What time is spent on, the first that applies. While its GPUs do nothing, by what follows: `queued` from
/// the launch of the next work on; before that by what the threads do that launch work.
enum class StretchPart : std::uint8_t {
  compute,
  copy,
  other_communication,
  queued,
  data_loader,
  garbage_collection,
  blocking_call,  ///< waits for a GPU, or gets or gives back memory of it
  cpu_busy,       ///< operators, calls of the runtime
  cpu_silent,     ///< annotations, or nothing that was recorded
  launch_unknown,
};
inline constexpr int kStretchPartCount = static_cast<int>(StretchPart::launch_unknown) + 1;

/// "compute", "CPU silent", ...
std::string_view text_of(StretchPart part);

/// ns by StretchPart.
using StretchTimes = std::array<std::int64_t, kStretchPartCount>;

/// From the end of the communication kernel that ended last before a kernel's start, to that start.
struct Stretch {
  static constexpr std::uint32_t kNone = 0xffffffffU;

  std::uint32_t previous = kNone;  ///< that kernel; kNone: the recording begins with this one
  std::int64_t length_ns = 0;
  StretchTimes times{};        ///< its parts: their sum is its length
  std::int64_t beside_ns = 0;  ///< how long something computed beside the kernel before
};

/// RANKS 4.3. By index of `kernels`, which are in order of start, in ns since `origin_unix_ns` of the trace.
/// Empty when stopped. O(slices + GPU work log streams).
std::vector<Stretch> stretches_of(const Trace& trace, const GpuWork& work,
                                  std::span<const CommunicationKernel> kernels, const std::stop_token& stop);

}  // namespace kino
