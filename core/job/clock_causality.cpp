#include "core/job/clock_causality.hpp"

#include <cmath>
#include <utility>

#include "core/base/parallel.hpp"
#include "core/tables/compare/median.hpp"

namespace kino {
namespace {

/// Correction of a rank's clock to the common clock; the default corrects nothing.
struct OwnClock {
  double offset_ns = 0;
  double drift = 0;  // ns per ns

  double common(double own) const { return own - (offset_ns + drift * (own - offset_ns)); }
};

/// A kernel of one collective, in common time relative to JobClocks::middle_ns.
struct TimedKernel {
  std::uint32_t rank = 0;
  bool begins = false;  ///< whether no member may end before this kernel starts
  bool ends = false;    ///< whether this kernel must not end before another member starts
  double start_ns = 0;
  double end_ns = 0;
};

/// Narrows the bounds of the change of each rank's offset. A greater offset moves the rank's end earlier, at
/// most to the latest start of another rank. A smaller offset moves the rank's start later, at most to the
/// earliest end of another rank.
void bound_rooms(std::span<const TimedKernel> members, std::vector<OffsetBounds>& rooms) {
  constexpr double kNever = std::numeric_limits<double>::infinity();
  // The two latest starts and the two earliest ends. If the first of the two is the rank's own, the rank is
  // bounded by the second, which belongs to another rank.
  std::pair<double, double> starts{-kNever, -kNever};
  std::pair<double, double> ends{kNever, kNever};
  for (const TimedKernel& kernel : members) {
    if (kernel.begins) {
      starts = {std::max(starts.first, kernel.start_ns),
                std::max(starts.second, std::min(starts.first, kernel.start_ns))};
    }
    if (kernel.ends) {
      ends = {std::min(ends.first, kernel.end_ns),
              std::min(ends.second, std::max(ends.first, kernel.end_ns))};
    }
  }
  for (const TimedKernel& kernel : members) {
    OffsetBounds& room = rooms[kernel.rank];
    const double start = kernel.begins && kernel.start_ns == starts.first ? starts.second : starts.first;
    const double end = kernel.ends && kernel.end_ns == ends.first ? ends.second : ends.first;
    if (kernel.ends && start > -kNever)
      room.most_ns = std::min<std::int64_t>(room.most_ns, std::llround(kernel.end_ns - start));
    if (kernel.begins && end < kNever)
      room.least_ns = std::max<std::int64_t>(room.least_ns, std::llround(kernel.start_ns - end));
  }
}

/// Adds up the checks of many collectives.
class CausalityChecker {
 public:
  CausalityChecker(std::span<const RankDigest* const> ranks, const JobKernels& kernels, const MatchedJob& job,
                   const JobClocks& clocks)
      : ranks_(ranks), kernels_(kernels), job_(job), clocks_(clocks) {}

  ClockCausality run(std::span<const RankClock> corrections, const std::stop_token& stop) const {
    std::vector<OwnClock> own(ranks_.size());
    for (std::size_t r = 0; r < corrections.size(); ++r)
      own[r] = {corrections[r].offset_ns, corrections[r].drift_ppb / 1e9};
    ClockCausality none;
    none.groups.resize(job_.groups.size());
    none.rooms.resize(ranks_.size());
    constexpr std::size_t kPart = 8192;
    const std::size_t count = job_.instances.size();
    const unsigned threads = thread_count_or_default(0);
    std::vector<ClockCausality> looks(threads, none);
    std::vector<std::vector<TimedKernel>> members(threads);
    parallel_for(threads, (count + kPart - 1) / kPart, stop, [&](std::size_t part, unsigned worker) {
      for (std::size_t i = part * kPart; i < std::min(count, (part + 1) * kPart); ++i) {
        if (!constrains_clocks(job_.instances[i], kernels_, clocks_)) continue;
        read_members(job_.instances[i], own, members[worker]);
        look_at(members[worker], job_.instances[i].group, looks[worker]);
        bound_rooms(members[worker], looks[worker].rooms);
      }
    });
    for (const ClockCausality& part : looks) none.add(part);
    return none;
  }

 private:
  CollectiveKind kind_of(const RankKernel& member) const {
    return kernels_.signature_of(member.rank, member.kernel).kind;
  }

  /// Fills `members` with the kernels of a collective in common time. Each kernel is converted only once,
  /// because a job can have millions.
  void read_members(const CollectiveInstance& instance, std::span<const OwnClock> clocks,
                    std::vector<TimedKernel>& members) const {
    members.clear();
    const bool message = kernels_.is_message(instance.kernels.front().rank, instance.kernels.front().kernel);
    const RankKernel* const sender = message ? &sender_of(instance) : nullptr;
    for (const RankKernel& member : instance.kernels) {
      const KernelColumns& columns = kernels_.ranks[member.rank];
      const auto common = [&](std::int64_t own_ns) {
        return clocks[member.rank].common(static_cast<double>(own_ns - clocks_.middle_ns));
      };
      members.push_back({member.rank, !message || &member == sender,
                         !message || kind_of(member) == CollectiveKind::receive,
                         common(columns.start_ns(member.kernel)), common(columns.end_ns(member.kernel))});
    }
  }

  const RankKernel& sender_of(const CollectiveInstance& instance) const {
    const auto found = std::ranges::find_if(instance.kernels, [this](const RankKernel& member) {
      return kind_of(member) == CollectiveKind::send;
    });
    return found != instance.kernels.end() ? *found : instance.kernels.front();
  }

  void look_at(std::span<const TimedKernel> members, std::uint32_t group, ClockCausality& look) const {
    constexpr double kClearly = 20 * kNsPerUs;
    ClockCausality::Counts& counts = look.groups[group];
    const TimedKernel* last = nullptr;
    for (const TimedKernel& kernel : members) {
      if (kernel.begins && (last == nullptr || kernel.start_ns > last->start_ns)) last = &kernel;
    }
    for (const TimedKernel& kernel : members) {
      if (!kernel.ends) continue;
      const double later = kernel.end_ns - last->start_ns;
      ++look.all.checked;
      ++counts.checked;
      if (later < -kClearly) ++counts.violated;
      const bool cut = ranks_[kernel.rank]->has_whole_us || ranks_[last->rank]->has_whole_us;
      if (later >= (cut ? -2 * kNsPerUs : 0)) continue;
      ++look.all.violated;
      look.all.worst_ns = std::max<std::int64_t>(look.all.worst_ns, std::llround(-later));
    }
  }

  std::span<const RankDigest* const> ranks_;
  const JobKernels& kernels_;
  const MatchedJob& job_;
  const JobClocks& clocks_;
};

}  // namespace

void ClockCausality::add(const ClockCausality& other) {
  all.checked += other.all.checked;
  all.violated += other.all.violated;
  all.worst_ns = std::max(all.worst_ns, other.all.worst_ns);
  for (std::size_t g = 0; g < groups.size(); ++g) {
    groups[g].checked += other.groups[g].checked;
    groups[g].violated += other.groups[g].violated;
  }
  for (std::size_t r = 0; r < rooms.size(); ++r) rooms[r].add(other.rooms[r]);
}

bool constrains_clocks(const CollectiveInstance& instance, const JobKernels& kernels,
                       const JobClocks& clocks) {
  if (instance.level == MatchLevel::rejected || clocks.synchronizing[instance.group] == 0) return false;
  const RankKernel& front = instance.kernels.front();
  // Members have one family, or are messages or all-to-alls, which all synchronize.
  return synchronizes(kernels.signature_of(front.rank, front.kernel).kind);
}

ClockCausality check_causality(std::span<const RankDigest* const> ranks, const JobKernels& kernels,
                               const MatchedJob& job, const JobClocks& clocks,
                               std::span<const RankClock> corrections, const std::stop_token& stop) {
  return CausalityChecker(ranks, kernels, job, clocks).run(corrections, stop);
}

}  // namespace kino
