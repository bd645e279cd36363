// What a rank did before each of its communication kernels: why it was late to it.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <stop_token>
#include <tuple>
#include <vector>

#include "core/base/messages/message.hpp"
#include "core/trace/links/gpu_work.hpp"
#include "core/trace/packed/indexed_iterator.hpp"
#include "core/trace/packed/packed_table.hpp"
#include "core/trace/trace.hpp"

namespace kino {

struct CommunicationKernel;  // communication_kernels.hpp

/// What time is spent on, the first that applies. While its GPUs do nothing, by what follows: `queued` from
/// the launch of the next work on; before that by what the threads do that launch work.
enum class StretchPart : std::uint8_t {
  compute,
  copy,
  other_communication,
  queued,
  data_loader,
  garbage_collection,
  blocking_call,   ///< waits for a GPU, or gets or gives back memory of it
  cpu_busy,        ///< operators, calls of the runtime
  cpu_silent,      ///< annotations, or nothing that was recorded
  launch_unknown,  ///< the GPU does nothing, and what launched its next work is not in the recording
};
inline constexpr int kStretchPartCount = static_cast<int>(StretchPart::launch_unknown) + 1;

/// "compute", "CPU untraced", ...
msg::Id text_of(StretchPart part);

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

/// A list of them that gives them by value, in a PackedTable. Immutable.
class Stretches {
 public:
  using Iterator = IndexedIterator<Stretches, Stretch>;

  Stretches() = default;
  /// In their order. O(n).
  explicit Stretches(std::span<const Stretch> stretches);

  std::size_t size() const { return table_.size(); }
  bool empty() const { return table_.empty(); }
  Stretch operator[](std::size_t i) const;
  Iterator begin() const { return {*this, 0}; }
  Iterator end() const { return {*this, size()}; }

  // Of one stretch what is asked for often.
  std::uint32_t previous(std::size_t i) const { return previous_of(i, table_.at(i, kBack)); }
  std::int64_t length_ns(std::size_t i) const;

  /// For storing: see PackedTable.
  PackedTable& table() { return table_; }
  const PackedTable& table() const { return table_; }
  /// Whether each can be read, parts add up to a length of `most_ns` at most, and previous ones are of
  /// `kernels`. O(n).
  bool sound(std::size_t kernels, std::int64_t most_ns) const;

 private:
  // Columns: how many kernels before it the previous one is, time beside that, the parts, and what the
  // length is more than their sum: 0.
  static constexpr std::size_t kBack = 0;
  static constexpr std::size_t kBeside = 1;
  static constexpr std::size_t kParts = 2;
  static constexpr std::size_t kRest = kParts + kStretchPartCount;
  static constexpr std::size_t kColumns = kRest + 1;

  // In numbers of 32 bits, of which kNone is the one before 0: small at the begin of a recording, too.
  static std::uint32_t previous_of(std::size_t i, std::int64_t back) {
    return static_cast<std::uint32_t>(i) - static_cast<std::uint32_t>(back);
  }

  PackedTable table_;
};

/// RANKS 4.3. By index of `kernels`, which are in order of start, in ns since `origin_unix_ns` of the trace.
/// Empty when stopped. O(slices + GPU work log streams).
std::vector<Stretch> stretches_of(const Trace& trace, const GpuWork& work,
                                  std::span<const CommunicationKernel> kernels, const std::stop_token& stop);

}  // namespace kino
