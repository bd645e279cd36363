// Sums of the messages from one rank to another: size, bandwidth, waiting.
#pragma once

#include <cstdint>
#include <stop_token>
#include <vector>

#include "core/job/job_analysis.hpp"

namespace kino {

/// Messages from one rank to another that were matched on both ranks, over all groups.
struct MessageChannel {
  std::int64_t source = -1;  ///< rank of the job, as is `target`
  std::int64_t target = -1;
  std::int64_t messages = 0;
  std::int64_t bytes = 0;        ///< bytes of messages with a known size
  std::int64_t timed_bytes = 0;  ///< bytes of messages with a bandwidth, see call_of()
  std::int64_t timed_ns = 0;     ///< transfer time of messages with a bandwidth
  std::int64_t sender_waits_ns = 0;
  std::int64_t receiver_waits_ns = 0;
  std::int64_t transfer_ns = 0;          ///< time from the later arrival to the end, over all messages
  std::uint32_t longest_collective = 0;  ///< index into JobWaits::collectives: message with the most waiting

  /// Returns the bandwidth in 10^9 bytes per second; -1: unknown.
  double gb_per_s() const {
    return timed_ns > 0 ? static_cast<double>(timed_bytes) / static_cast<double>(timed_ns) : -1;
  }
};

/// Returns channels sorted by source, then target. O(collectives + messages log channels).
std::vector<MessageChannel> message_channels(const JobAnalysis& job, const std::stop_token& stop = {});

}  // namespace kino
