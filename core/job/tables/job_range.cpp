#include "core/job/tables/job_range.hpp"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <memory>
#include <utility>
#include <vector>

namespace kino {
namespace {

constexpr std::uint32_t kLeftOut = std::numeric_limits<std::uint32_t>::max();

/// A rank's digest within the range, and the new index of each of its kernels; kLeftOut for kernels that are
/// not in it.
struct CutRank {
  std::shared_ptr<const RankDigest> digest;
  std::vector<std::uint32_t> index;
};

bool contains(const TimeRange& range, std::int64_t ns) { return ns >= range.begin_ns && ns < range.end_ns; }

PackedRanges clipped(const PackedRanges& ranges, const TimeRange& own) {
  std::vector<TimeRange> parts;
  for (const TimeRange& range : ranges.list()) {
    const TimeRange part{std::max(range.begin_ns, own.begin_ns), std::min(range.end_ns, own.end_ns)};
    if (part.begin_ns < part.end_ns) parts.push_back(part);
  }
  return PackedRanges(parts);
}

/// Returns a digest of the same rank without kernels, intervals, busy ranges, ledger and tables. Texts and
/// groups have the same ids.
RankDigest without_content(const RankDigest& whole) {
  RankDigest part;
  part.rank = whole.rank;
  part.world_size = whole.world_size;
  part.has_whole_us = whole.has_whole_us;
  for (const std::string_view text : whole.texts) part.texts.intern(text);
  part.groups = whole.groups;
  part.steps = whole.steps;
  part.kernel_times = whole.kernel_times;
  part.memory = whole.memory;
  return part;
}

/// Cuts a rank's digest to a range in common time. Kernels that start before the range are not the `previous`
/// of any interval. If such a kernel overlaps the range, its part in the range remains, but belongs to no
/// collective.
CutRank cut(const JobAnalysis& job, std::uint32_t rank, const TimeRange& range) {
  const RankDigest& whole = *job.ranks[rank];
  const auto common = [&](std::int64_t own_ns) { return job.clocks.common_ns(rank, own_ns); };
  const std::int64_t overlapped_before_ns = whole.first_ns - common(whole.first_ns);
  const TimeRange own{range.begin_ns + overlapped_before_ns, range.end_ns + overlapped_before_ns};
  RankDigest part = without_content(whole);
  std::vector<std::uint32_t> index(whole.kernels.size(), kLeftOut);
  std::vector<CommunicationKernel> kernels;
  std::vector<TraceInterval> stretches;
  for (std::size_t i = 0; i < whole.kernels.size(); ++i) {
    if (whole.kernels.start_ns(i) < own.begin_ns && whole.kernels.end_ns(i) > own.begin_ns) {
      CommunicationKernel& rest = kernels.emplace_back(whole.kernels[i]);
      rest.duration_ns = rest.end_ns() - own.begin_ns;
      rest.start_ns = own.begin_ns;
      if (!whole.stretches.empty()) stretches.emplace_back();
      continue;
    }
    if (!contains(range, common(whole.kernels.start_ns(i)))) continue;
    index[i] = static_cast<std::uint32_t>(kernels.size());
    kernels.push_back(whole.kernels[i]);
    if (i >= whole.stretches.size()) continue;
    TraceInterval stretch = whole.stretches[i];
    if (stretch.previous != TraceInterval::kNone) stretch.previous = index[stretch.previous];
    if (stretch.previous == kLeftOut) stretch.previous = TraceInterval::kNone;
    stretches.push_back(stretch);
  }
  part.kernels = CommunicationKernels(kernels);
  part.stretches = TraceIntervals(stretches);
  part.compute = clipped(whole.compute, own);
  part.copies = clipped(whole.copies, own);
  std::erase_if(part.steps, [&](const RankStep& step) {
    return step.range.begin_ns < own.begin_ns || step.range.end_ns > own.end_ns;
  });
  part.first_ns = std::clamp(own.begin_ns, whole.first_ns, whole.last_ns);
  part.last_ns = std::clamp(own.end_ns, whole.first_ns, whole.last_ns);
  return {std::make_shared<const RankDigest>(std::move(part)), std::move(index)};
}

/// Returns the instances whose kernels all remain, with new indices. Remaining kernels of other instances are
/// unmatched.
MatchedJob remapped(const MatchedJob& whole, const std::vector<CutRank>& ranks) {
  MatchedJob out;
  out.groups = whole.groups;
  out.members.resize(whole.members.size());
  const auto moved = [&](RankKernel member) {
    return RankKernel{member.rank, ranks[member.rank].index[member.kernel]};
  };
  const auto is_left = [&](RankKernel member) { return moved(member).kernel != kLeftOut; };
  for (std::size_t group = 0; group < whole.members.size(); ++group)
    out.members[group].reserve(whole.members[group].size());
  for (const CollectiveInstance& instance : whole.instances) {
    std::vector<RankKernel>& members = out.members[instance.group];
    if (!std::ranges::all_of(instance.kernels, is_left)) {
      for (const RankKernel& member : instance.kernels) {
        if (is_left(member)) out.alone.push_back(moved(member));
      }
      continue;
    }
    CollectiveInstance& copy = out.instances.emplace_back(instance);
    const std::size_t first = members.size();
    for (const RankKernel& member : instance.kernels) members.push_back(moved(member));
    copy.kernels = RankKernels(members.data() + first, instance.kernels.size());
  }
  for (const RankKernel& member : whole.alone) {
    if (is_left(member)) out.alone.push_back(moved(member));
  }
  std::ranges::sort(out.alone, {},
                    [](const RankKernel& member) { return std::pair(member.rank, member.kernel); });
  return out;
}

}  // namespace

JobAnalysis job_in_range(const JobAnalysis& job, TimeRange range, const std::stop_token& stop) {
  JobAnalysis out = job;
  std::vector<CutRank> ranks;
  for (std::uint32_t i = 0; i < job.ranks.size(); ++i) {
    ranks.push_back(cut(job, i, range));
    out.ranks[i] = ranks.back().digest;
  }
  out.matched = remapped(job.matched, ranks);
  return with_clocks(out, job.clocks, stop);
}

}  // namespace kino
