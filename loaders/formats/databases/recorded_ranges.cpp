#include "loaders/formats/databases/recorded_ranges.hpp"

#include <algorithm>
#include <tuple>

namespace kino {

void RecordedLaunches::add_call(std::uint32_t process, std::int64_t correlation, const ThreadSpan& call) {
  const auto next = static_cast<std::uint32_t>(calls_.size());
  if (by_id_.add(key(process, correlation), next) == next) calls_.push_back(call);
}

void RecordedLaunches::add_work(std::uint32_t process, std::int64_t correlation, const StreamSpan& work) {
  const std::uint32_t call = by_id_.find(key(process, correlation));
  if (call != IndicesById::kNone) work_.push_back({call, work});
}

const ThreadSpan* RecordedLaunches::call(std::uint32_t process, std::int64_t correlation) const {
  const std::uint32_t number = by_id_.find(key(process, correlation));
  return number == IndicesById::kNone ? nullptr : &calls_[number];
}

void RecordedLaunches::sort() {
  by_id_ = {};
  std::ranges::sort(work_, {}, [this](const Work& work) {
    const ThreadSpan& call = calls_[work.call];
    return std::tuple(call.thread, call.start_ns, work.call);
  });
}

void RecordedLaunches::gather(const ThreadSpan& range, const std::stop_token& stop) {
  gathered_.clear();
  const auto begin = std::ranges::lower_bound(
      work_, std::pair(range.thread, range.start_ns), {},
      [this](const Work& work) { return std::pair(calls_[work.call].thread, calls_[work.call].start_ns); });
  std::uint64_t count = 0;
  for (auto work = begin; work != work_.end(); ++work) {
    const ThreadSpan& call = calls_[work->call];
    if (call.thread != range.thread || call.start_ns > range.end_ns) break;
    if (++count % 4096 == 0 && stop.stop_requested()) return;
    if (call.end_ns > range.end_ns) continue;
    const auto known = std::ranges::find(gathered_, work->span.stream, &StreamSpan::stream);
    if (known == gathered_.end()) {
      gathered_.push_back(work->span);
      continue;
    }
    known->start_ns = std::min(known->start_ns, work->span.start_ns);
    known->end_ns = std::max(known->end_ns, work->span.end_ns);
  }
}

void NcclCalls::sort() {
  std::ranges::stable_sort(
      calls_, {}, [](const auto& call) { return std::pair(call.first.thread, call.first.start_ns); });
}

const NcclCalls::Call* NcclCalls::around(const ThreadSpan& span) const {
  auto found = std::ranges::upper_bound(
      calls_, std::pair(span.thread, span.start_ns), {},
      [](const auto& call) { return std::pair(call.first.thread, call.first.start_ns); });
  // Only the last few calls are checked: between a call and a launch within it, only the calls of the same
  // group can start.
  constexpr int kMost = 64;
  for (int i = 0; i < kMost && found != calls_.begin(); ++i) {
    --found;
    if (found->first.thread != span.thread) return nullptr;
    if (found->first.end_ns >= span.end_ns) return &found->second;
  }
  return nullptr;
}

void NcclRanks::add(std::uint64_t process, const NcclPayload& payload) {
  if (payload.ranks < 0) return;
  ranks_[{process, payload.communicator}] = {payload.rank, payload.ranks};
}

std::int64_t NcclRanks::ranks_of(std::uint64_t process, const std::string& communicator) const {
  const auto found = ranks_.find({process, communicator});
  return found == ranks_.end() ? -1 : found->second.ranks;
}

std::optional<NcclRanks::Rank> NcclRanks::only_rank() const {
  std::optional<Rank> largest;
  for (const auto& [key, rank] : ranks_) {
    if (key.first != ranks_.begin()->first.first) return std::nullopt;
    if (rank.rank >= 0 && (!largest || rank.ranks > largest->ranks)) largest = rank;
  }
  return largest;
}

}  // namespace kino
