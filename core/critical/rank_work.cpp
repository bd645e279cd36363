#include "core/critical/rank_work.hpp"

#include <algorithm>
#include <numeric>
#include <tuple>

#include "core/trace/links/gpu_work.hpp"

namespace kino {
namespace {

void collect_works(RankGraph& rank, const std::stop_token& stop) {
  const Trace& trace = *rank.trace;
  const GpuWork work = gpu_work_in(trace, whole_range(trace), stop);
  rank.works.reserve(work.size());
  for (const StreamWork& stream : work.streams) {
    const auto index = static_cast<std::uint32_t>(rank.streams.size());
    rank.streams.push_back(stream.track);
    for (const SliceId slice : stream.slices) rank.works.push_back({slice, index, -1});
  }
  std::ranges::sort(rank.works, {}, [&](const GraphWork& item) {
    return std::tuple(trace.start_ns(item.slice), trace.end_ns(item.slice), item.slice);
  });
}

void find_launches(const RankGraph& rank, RankWork& works) {
  const Trace& trace = *rank.trace;
  const std::size_t count = rank.works.size();
  works.launch.assign(count, kNoSlice);
  works.call_begin_ns.assign(count, RankWork::kNoTime);
  works.call_end_ns.assign(count, RankWork::kNoTime);
  works.track.assign(count, RankWork::kNone);
  works.call_works.assign(count, 0);
  const Row* row = nullptr;
  for (std::size_t i = 0; i < count; ++i) {
    const SliceId call = trace.link(rank.works[i].slice);
    if (call == kNoSlice) continue;
    if (row == nullptr || index_of(call) < row->first_slice ||
        index_of(call) >= row->first_slice + row->slice_count)
      row = &trace.row(trace.row_of(call));
    if (trace.track(row->track).kind != TrackKind::cpu_thread) continue;
    works.launch[i] = call;
    works.call_begin_ns[i] = rank.time.common_ns(trace.start_ns(call));
    works.call_end_ns[i] = rank.time.common_ns(trace.end_ns(call));
    works.track[i] = index_of(row->track);
    works.by_launch.push_back(static_cast<std::uint32_t>(i));
  }
  std::ranges::sort(works.by_launch, {}, [&](std::uint32_t work) {
    return std::tuple(works.call_begin_ns[work], works.launch[work], work);
  });
  for (std::size_t first = 0; first < works.by_launch.size();) {
    std::size_t last = first;
    const SliceId call = works.launch[works.by_launch[first]];
    while (last < works.by_launch.size() && works.launch[works.by_launch[last]] == call) ++last;
    for (std::size_t i = first; i < last; ++i)
      works.call_works[works.by_launch[i]] = static_cast<std::uint32_t>(last - first);
    first = last;
  }
}

}  // namespace

RankWork rank_work(RankGraph& rank, const std::stop_token& stop) {
  collect_works(rank, stop);
  const Trace& trace = *rank.trace;
  RankWork works;
  const std::size_t count = rank.works.size();
  works.start_ns.reserve(count);
  works.end_ns.reserve(count);
  works.previous.assign(count, RankWork::kNone);
  works.last_ended.assign(count, RankWork::kNone);
  works.by_stream.resize(rank.streams.size());
  rank.first_works.assign(rank.streams.size(), kNoSlice);
  std::vector<std::uint32_t> ended(rank.streams.size(), RankWork::kNone);
  for (std::uint32_t i = 0; i < count; ++i) {
    const GraphWork& work = rank.works[i];
    works.start_ns.push_back(rank.time.common_ns(trace.start_ns(work.slice)));
    works.end_ns.push_back(rank.time.common_ns(trace.end_ns(work.slice)));
    std::vector<std::uint32_t>& stream = works.by_stream[work.stream];
    if (stream.empty()) rank.first_works[work.stream] = work.slice;
    if (!stream.empty()) works.previous[i] = stream.back();
    std::uint32_t& last = ended[work.stream];
    works.last_ended[i] = last;
    if (last == RankWork::kNone || works.end_ns[i] >= works.end_ns[last]) last = i;
    stream.push_back(i);
  }
  find_launches(rank, works);
  works.by_end.resize(count);
  std::iota(works.by_end.begin(), works.by_end.end(), 0U);
  std::ranges::stable_sort(works.by_end, {}, [&](std::uint32_t work) { return works.end_ns[work]; });
  return works;
}

}  // namespace kino
