#include "core/job/tables/message_channels.hpp"

#include <map>
#include <utility>

#include "core/job/tables/collective_call.hpp"

namespace kino {

std::vector<MessageChannel> message_channels(const JobAnalysis& job, const std::stop_token& stop) {
  std::map<std::pair<std::int64_t, std::int64_t>, MessageChannel> pairs;
  const std::vector<CollectiveWait>& waits = job.waits.collectives;
  for (std::uint32_t i = 0; i < waits.size(); ++i) {
    if (i % 4096 == 0 && stop.stop_requested()) return {};
    const CollectiveWait& wait = waits[i];
    const CollectiveInstance& instance = job.matched.instances[wait.instance];
    const MatchedGroup& group = job.matched.groups[instance.group];
    if (group.kind != MatchedGroupKind::messages) continue;
    const auto [known, fresh] = pairs.try_emplace({group.source, group.target});
    MessageChannel& channel = known->second;
    channel.source = group.source;
    channel.target = group.target;
    ++channel.messages;
    channel.transfer_ns += wait.transfer_ns;
    const CollectiveCall call = call_of(job, wait);
    if (call.bytes > 0) channel.bytes += call.bytes;
    if (call.algorithm_gb_per_s > 0) {
      channel.timed_bytes += call.bytes;
      channel.timed_ns += wait.transfer_ns;
    }
    for (const RankKernel& member : instance.kernels) {
      const bool sends =
          job.ranks[member.rank]->kernels.operation(member.kernel).kind == CollectiveKind::send;
      (sends ? channel.sender_waits_ns : channel.receiver_waits_ns) +=
          job.waits.kernels[member.rank][member.kernel].waiting_ns;
    }
    if (fresh || wait.waiting_ns > waits[channel.longest_collective].waiting_ns)
      channel.longest_collective = i;
  }
  std::vector<MessageChannel> channels;
  channels.reserve(pairs.size());
  for (const auto& [pair, channel] : pairs) channels.push_back(channel);
  return channels;
}

}  // namespace kino
