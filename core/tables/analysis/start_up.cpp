#include "core/tables/analysis/start_up.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <map>
#include <tuple>
#include <utility>

#include "core/base/ascii.hpp"
#include "core/base/duration_list.hpp"
#include "core/base/parallel.hpp"
#include "core/tables/gpu/cpu_meanwhile.hpp"
#include "core/tables/track_slices.hpp"
#include "core/trace/links/launch_calls.hpp"
#include "core/trace/links/runtime_calls.hpp"
#include "core/trace/sampled_tracks.hpp"

namespace kino {
namespace {

constexpr std::int64_t kMinStartUpNs = 1'000'000;
constexpr std::int64_t kTimesPeers = 10;

/// Whether a Python frame imports modules or compiles extensions or kernels.
bool compiles_code(std::string_view frame) {
  constexpr std::array<std::string_view, 4> kParts{
      "torch/utils/cpp_extension.py(", "triton/compiler/compiler.py(", "torch/_dynamo/convert_frame.py(",
      "<frozen importlib._bootstrap"};
  return std::ranges::any_of(kParts, [&](std::string_view part) { return contains(frame, part); });
}

class StartUpFinder {
 public:
  StartUpFinder(const Trace& trace, const std::stop_token& stop) : trace_(trace), stop_(stop) {
    threads_ = LaunchingThreads(trace, stop).threads();
    for (const TrackId thread : threads_) {
      const TrackId sampled = sampled_track_of(trace, thread);
      if (sampled != kNoTrack) sampled_.push_back(sampled);
    }
  }

  std::vector<SliceId> calls() {
    loads_.reserve(trace_.names.size());
    for (const std::string_view name : trace_.names)
      loads_.push_back(loads_code(name) || compiles_code(name) ? 1 : 0);
    add_first_calls();
    add_first_launches();
    add_graph_building();
    std::ranges::sort(calls_, {}, [&](SliceId call) {
      return std::tuple(trace_.start_ns(call), -trace_.end_ns(call), index_of(call));
    });
    const auto same = std::unique(calls_.begin(), calls_.end());
    calls_.erase(same, calls_.end());
    return std::move(calls_);
  }

  /// Returns the ranges of outermost events that describe a thread's activity, and of sampled stacks.
  /// Annotations that contain other events are ignored.
  std::vector<TimeRange> recorded() const {
    std::vector<std::uint8_t> contains_others(trace_.slice_count());
    for_each_slice([&](SliceId slice) {
      const SliceId parent = trace_.parent(slice);
      if (parent != kNoSlice) contains_others[index_of(parent)] = 1;
    });
    const auto describes = [&](SliceId slice) {
      return slice != kNoSlice &&
             (trace_.kind(slice) != SliceKind::annotation || contains_others[index_of(slice)] == 0);
    };
    std::vector<TimeRange> ranges;
    const auto add = [&](SliceId slice) {
      if (describes(slice) && !describes(trace_.parent(slice))) append_range(ranges, trace_.range_of(slice));
    };
    for_each_slice(add);
    for (const TrackId track : sampled_) for_each_slice_of(trace_, trace_.track(track), stop_, add);
    return united(std::move(ranges));
  }

 private:
  /// First call of a name, and durations of the later ones.
  struct Peers {
    SliceId first = kNoSlice;
    std::vector<std::int64_t> later_ns;
  };

  std::uint32_t name_of(SliceId slice) const { return index_of(trace_.name(slice)); }

  template <class Visit>
  void for_each_slice(const Visit& visit) const {
    for (const TrackId thread : threads_) for_each_slice_of(trace_, trace_.track(thread), stop_, visit);
  }

  /// Returns an index of the slice's name and kind, since an operator and a runtime call may have equal
  /// names.
  std::size_t key_of(SliceId slice) const {
    return 2 * std::size_t{name_of(slice)} + (trace_.kind(slice) == SliceKind::runtime ? 1 : 0);
  }
  bool may_start_up(SliceId slice) const {
    return trace_.kind(slice) == SliceKind::runtime || trace_.kind(slice) == SliceKind::cpu_op;
  }
  static bool is_far_longer(std::int64_t duration_ns, std::vector<std::int64_t>& peers_ns) {
    return !peers_ns.empty() && duration_ns / kTimesPeers >= duration_stats(peers_ns).median_ns;
  }

  void add_first_calls() {
    std::vector<SliceId> first(2 * trace_.names.size(), kNoSlice);
    for_each_slice([&](SliceId slice) {
      if (loads_[name_of(slice)] != 0 &&
          (trace_.kind(slice) == SliceKind::runtime || trace_.kind(slice) == SliceKind::python))
        calls_.push_back(slice);
      if (!may_start_up(slice)) return;
      SliceId& of_name = first[key_of(slice)];
      if (of_name == kNoSlice || trace_.start_ns(slice) < trace_.start_ns(of_name)) of_name = slice;
    });
    std::map<std::size_t, Peers> peers;
    for (std::size_t key = 0; key < first.size(); ++key) {
      if (first[key] != kNoSlice && trace_.duration_ns(first[key]) >= kMinStartUpNs)
        peers[key].first = first[key];
    }
    if (peers.empty()) return;
    for_each_slice([&](SliceId slice) {
      if (!may_start_up(slice)) return;
      const auto found = peers.find(key_of(slice));
      if (found != peers.end() && trace_.start_ns(slice) >= trace_.end_ns(found->second.first))
        found->second.later_ns.push_back(trace_.duration_ns(slice));
    });
    for (auto& [key, of_name] : peers) {
      if (is_far_longer(trace_.duration_ns(of_name.first), of_name.later_ns)) calls_.push_back(of_name.first);
    }
  }

  /// Adds launches of at least 1 ms whose work is the first of its name. The first launch of a kernel loads
  /// its code; other launches take microseconds.
  void add_first_launches() {
    std::vector<SliceId> long_ones;
    for_each_slice([&](SliceId slice) {
      if (trace_.kind(slice) == SliceKind::runtime && trace_.duration_ns(slice) >= kMinStartUpNs &&
          launch_kind(trace_.name_of(slice)) == LaunchKind::kernel)
        long_ones.push_back(slice);
    });
    if (long_ones.empty()) return;
    std::vector<SliceId> first(trace_.names.size(), kNoSlice);  // first GPU work of each name
    for (std::uint32_t i = 0; i < trace_.slice_count(); ++i) {
      if (i % kCancelStride == 0 && stop_.stop_requested()) return;
      if (!is_gpu_work(trace_.slices.kind[i])) continue;
      SliceId& of_name = first[name_of(SliceId{i})];
      if (of_name == kNoSlice || trace_.slices.start_ns[i] < trace_.start_ns(of_name)) of_name = SliceId{i};
    }
    for (const SliceId launch : long_ones) {
      const SliceId work = trace_.link(launch);
      if (work != kNoSlice && first[name_of(work)] == work) calls_.push_back(launch);
    }
  }

  /// Adds calls that instantiate graphs. Also adds the innermost operator of at least 1 ms around such a call
  /// if its name is unique. Such an operator compiled and captured the graph.
  void add_graph_building() {
    std::vector<SliceId> builders;
    for_each_slice([&](SliceId slice) {
      if (trace_.kind(slice) == SliceKind::runtime && contains(trace_.name_of(slice), "GraphInstantiate"))
        builders.push_back(slice);
    });
    if (builders.empty()) return;
    std::vector<std::uint32_t> count(2 * trace_.names.size());
    for_each_slice([&](SliceId slice) {
      if (may_start_up(slice)) ++count[key_of(slice)];
    });
    for (const SliceId builder : builders) {
      calls_.push_back(builder);
      SliceId at = trace_.parent(builder);
      while (at != kNoSlice &&
             (trace_.kind(at) != SliceKind::cpu_op || trace_.duration_ns(at) < kMinStartUpNs))
        at = trace_.parent(at);
      if (at != kNoSlice && count[key_of(at)] == 1) calls_.push_back(at);
    }
  }

  const Trace& trace_;
  const std::stop_token& stop_;
  std::vector<TrackId> threads_;     // threads that launch GPU work
  std::vector<TrackId> sampled_;     // tracks of sampled stacks of these threads
  std::vector<std::uint8_t> loads_;  // by NameId
  std::vector<SliceId> calls_;
};

/// Returns the intersection of two sets of disjoint ranges.
std::vector<TimeRange> common_parts(std::span<const TimeRange> ranges, std::span<const TimeRange> within) {
  return without_ranges(ranges, without_ranges(ranges, within));
}

}  // namespace

bool loads_code(std::string_view call) {
  constexpr std::array<std::string_view, 14> kParts{
      "ModuleLoad",        "LibraryLoad",          "ModuleGetFunction", "LibraryGetKernel",  "FuncLoad",
      "RegisterFatBinary", "LinkAddData",          "LinkComplete",      "rtcCompileProgram", "CtxCreate",
      "PrimaryCtxRetain",  "ModuleGetLoadingMode", "ModuleGetGlobal",   "LibraryGetModule"};
  return call == "cuInit" || call == "hipInit" ||
         std::ranges::any_of(kParts, [&](std::string_view part) { return contains(call, part); });
}

StartUp::StartUp(const Trace& trace, std::span<const SliceId> holding, const std::stop_token& stop) {
  StartUpFinder finder(trace, stop);
  calls_ = finder.calls();
  recorded_ = BusyLine(finder.recorded());
  std::vector<TimeRange> all;
  all.reserve(calls_.size());
  for (const SliceId call : calls_) all.push_back(trace.range_of(call));
  all = united(std::move(all));
  std::vector<TimeRange> memory;
  std::vector<TimeRange> held;
  held.reserve(holding.size());
  for (const SliceId call : holding) {
    held.push_back(trace.range_of(call));
    if (changes_gpu_memory(trace.name_of(call))) memory.push_back(trace.range_of(call));
  }
  memory_ = BusyLine(common_parts(all, united(std::move(memory))));
  launching_ = BusyLine(without_ranges(all, united(std::move(held))));
  if (stop.stop_requested()) *this = {};
}

}  // namespace kino
