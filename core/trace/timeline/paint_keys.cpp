#include "core/trace/timeline/paint_keys.hpp"

#include <algorithm>
#include <string_view>
#include <utility>

#include "core/base/parallel.hpp"
#include "core/base/saturating.hpp"
#include "core/base/step_words.hpp"
#include "core/trace/autograd_pairs.hpp"

namespace kino {
namespace {

constexpr std::size_t kPaintPieceSlices = std::size_t{1} << 16;
constexpr std::uint64_t kLargestSample = 1U << 14;
constexpr std::size_t kQuantiles = 256;

using Keys = std::vector<std::uint32_t>;

/// Calls body(slice, worker) for all slices.
template <class Body>
void for_each_slice(const Trace& trace, unsigned threads, const std::stop_token& stop, Body&& body) {
  const std::size_t count = trace.slice_count();
  parallel_for(threads, (count + kPaintPieceSlices - 1) / kPaintPieceSlices, stop,
               [&](std::size_t piece, unsigned worker) {
                 const std::size_t last = std::min(count, (piece + 1) * kPaintPieceSlices);
                 for (std::size_t i = piece * kPaintPieceSlices; i < last; ++i) body(i, worker);
               });
}

/// Calls body(track, first, last) with the slices of each track that has any. Parallel.
template <class Body>
void for_each_track(const Trace& trace, unsigned threads, const std::stop_token& stop, Body&& body) {
  parallel_for(threads, trace.tracks.size(), stop, [&](std::size_t i, unsigned) {
    const Track& track = trace.tracks[i];
    if (track.row_count == 0) return;
    const Row& last = trace.rows[track.first_row + track.row_count - 1];
    body(static_cast<std::uint32_t>(i), trace.rows[track.first_row].first_slice,
         last.first_slice + last.slice_count);
  });
}

// ---- Modules

/// The key of the module that slices of a name open, by NameId; kNoModuleKey if they open none.
struct Modules {
  std::vector<std::uint32_t> key_of_name;
  std::vector<PaintGroup> groups{1};
  bool annotations = false;  // annotations are used because there are no modules
};

Modules modules_of(const Trace& trace) {
  Modules modules;
  modules.key_of_name.resize(trace.names.size(), kNoModuleKey);
  const auto add_all = [&](auto&& opens) {
    for (std::uint32_t name = 0; name < trace.names.size(); ++name) {
      if (!opens(trace.names[name], trace.name_kind[name])) continue;
      modules.key_of_name[name] = static_cast<std::uint32_t>(modules.groups.size());
      modules.groups.push_back({NameId{name}, 0, 0});
    }
  };
  add_all([](std::string_view name, SliceKind) { return name.starts_with("nn.Module: "); });
  if (modules.groups.size() > 1) return modules;
  modules.annotations = true;
  add_all([](std::string_view name, SliceKind kind) {
    return (kind == SliceKind::annotation || kind == SliceKind::gpu_annotation) && !is_step_name(name);
  });
  return modules;
}

/// Assigns each slice the module that it opens, or else its parent's module. Parents are in earlier rows.
/// Keys that are already set are unchanged.
void inherit_modules(const Trace& trace, const Modules& modules, Keys& keys, unsigned threads,
                     const std::stop_token& stop) {
  for_each_track(trace, threads, stop, [&](std::uint32_t, std::uint32_t first, std::uint32_t last) {
    for (std::uint32_t i = first; i < last; ++i) {
      if (i % kPaintPieceSlices == 0 && stop.stop_requested()) return;
      if (keys[i] != kNoModuleKey) continue;
      const SliceKind kind = trace.slices.kind[i];
      const bool opens = modules.annotations ? kind == SliceKind::annotation : !is_gpu_work(kind);
      if (opens) keys[i] = modules.key_of_name[index_of(trace.slices.name[i])];
      const SliceId parent = trace.slices.parent[i];
      if (keys[i] == kNoModuleKey && parent != kNoSlice && index_of(parent) < i)
        keys[i] = keys[index_of(parent)];
    }
  });
}

void add_modules(const Trace& trace, Keys& keys, std::vector<PaintGroup>& groups, unsigned threads,
                 const std::stop_token& stop) {
  Modules modules = modules_of(trace);
  if (modules.groups.size() > 1) {
    inherit_modules(trace, modules, keys, threads, stop);
    for (std::size_t arrow = 0; arrow < trace.flows.size(); ++arrow) {
      if (trace.category_text(trace.flows.category[arrow]) != kAutogradFlow) continue;
      std::uint32_t& backward = keys[index_of(trace.flows.to[arrow])];
      if (backward == kNoModuleKey) backward = keys[index_of(trace.flows.from[arrow])];
    }
    inherit_modules(trace, modules, keys, threads, stop);
    // Launches are on the CPU, so reads and writes do not overlap.
    for_each_slice(trace, threads, stop, [&](std::size_t i, unsigned) {
      const SliceId launch = trace.slices.link[i];
      if (is_on_gpu(trace.slices.kind[i]) && launch != kNoSlice) keys[i] = keys[index_of(launch)];
    });
  }
  groups = std::move(modules.groups);
}

// ---- Durations relative to slices of the same name

/// Evenly sampled durations of each name, later reduced to ascending quantiles.
class NameDurations {
 public:
  NameDurations(const Trace& trace, unsigned threads, const std::stop_token& stop) {
    const std::size_t names = trace.names.size();
    std::vector<std::vector<std::uint64_t>> counts(threads);
    for_each_slice(trace, threads, stop, [&](std::size_t i, unsigned worker) {
      if (counts[worker].empty()) counts[worker].resize(names);
      ++counts[worker][index_of(trace.slices.name[i])];
    });
    count_.resize(names);
    for (const auto& worker_counts : counts) {
      for (std::size_t name = 0; name < worker_counts.size(); ++name) count_[name] += worker_counts[name];
    }
    collect(trace, stop);
    parallel_for(threads, names, stop, [&](std::size_t name, unsigned) { reduce(name); });
  }

  std::uint32_t key_of(std::uint32_t name, std::int64_t duration_ns) const {
    if (count_[name] < kFewestOfName) return kTooFewKey;
    const auto begin = sample_.begin() + static_cast<std::ptrdiff_t>(begin_[name]);
    const auto end = begin + static_cast<std::ptrdiff_t>(size_[name]);
    const auto below = std::lower_bound(begin, end, duration_ns);
    const auto equal = std::upper_bound(below, end, duration_ns);
    const auto twice = static_cast<std::uint64_t>((below - begin) + (equal - begin));
    return static_cast<std::uint32_t>(twice * (kPercentiles - 1) / (2 * size_[name]));
  }

 private:
  void collect(const Trace& trace, const std::stop_token& stop) {
    const std::size_t names = count_.size();
    begin_.resize(names);
    size_.resize(names);
    std::vector<std::uint64_t> stride(names, 1);
    std::uint64_t total = 0;
    for (std::size_t name = 0; name < names; ++name) {
      stride[name] = (count_[name] + kLargestSample - 1) / kLargestSample;
      begin_[name] = total;
      if (stride[name] > 0) total += (count_[name] + stride[name] - 1) / stride[name];
    }
    sample_.resize(total);
    std::vector<std::uint64_t> until_next(names);
    for (std::size_t i = 0; i < trace.slice_count(); ++i) {
      if (i % kPaintPieceSlices == 0 && stop.stop_requested()) return;
      const std::uint32_t name = index_of(trace.slices.name[i]);
      if (until_next[name]-- > 0) continue;
      until_next[name] = stride[name] - 1;
      sample_[begin_[name] + size_[name]++] = trace.slices.duration_ns[i];
    }
  }

  /// Sorts the sample, and reduces it for fast searches.
  void reduce(std::size_t name) {
    std::int64_t* const first = sample_.data() + begin_[name];
    const std::uint64_t size = size_[name];
    std::sort(first, first + size);
    if (size <= kQuantiles) return;
    for (std::uint64_t i = 0; i < kQuantiles; ++i) first[i] = first[(2 * i + 1) * size / (2 * kQuantiles)];
    size_[name] = kQuantiles;
  }

  std::vector<std::uint64_t> count_;
  std::vector<std::uint64_t> begin_;  // by NameId, into sample_
  std::vector<std::uint64_t> size_;
  std::vector<std::int64_t> sample_;
};

void count_groups(const Trace& trace, const Keys& keys, std::vector<PaintGroup>& groups, unsigned threads,
                  const std::stop_token& stop) {
  std::vector<std::vector<std::pair<std::uint64_t, std::int64_t>>> counts(threads);
  for_each_slice(trace, threads, stop, [&](std::size_t i, unsigned worker) {
    if (counts[worker].empty()) counts[worker].resize(groups.size());
    auto& [slices, gpu_ns] = counts[worker][keys[i]];
    ++slices;
    if (is_gpu_work(trace.slices.kind[i])) add_saturating(gpu_ns, trace.slices.duration_ns[i]);
  });
  for (const auto& worker_counts : counts) {
    for (std::size_t key = 0; key < worker_counts.size(); ++key) {
      groups[key].slices += worker_counts[key].first;
      add_saturating(groups[key].gpu_ns, worker_counts[key].second);
    }
  }
}

}  // namespace

PaintKeys paint_keys(const Trace& trace, PaintBy by, const std::stop_token& stop, unsigned threads) {
  threads = thread_count_or_default(threads);
  Keys keys(trace.slice_count());
  PaintKeys result;
  switch (by) {
    case PaintBy::kind:
      result.groups.resize(kSliceKindCount);
      for_each_slice(trace, threads, stop, [&](std::size_t i, unsigned) {
        keys[i] = static_cast<std::uint32_t>(trace.slices.kind[i]);
      });
      break;
    case PaintBy::track:
      result.groups.resize(std::max<std::size_t>(1, trace.tracks.size()));
      for_each_track(trace, threads, stop, [&](std::uint32_t track, std::uint32_t first, std::uint32_t last) {
        std::fill(keys.begin() + first, keys.begin() + last, track);
      });
      break;
    case PaintBy::module:
      add_modules(trace, keys, result.groups, threads, stop);
      break;
    case PaintBy::duration: {
      result.groups.resize(kPercentiles + 1);
      const NameDurations durations(trace, threads, stop);
      if (stop.stop_requested()) break;
      for_each_slice(trace, threads, stop, [&](std::size_t i, unsigned) {
        keys[i] = durations.key_of(index_of(trace.slices.name[i]), trace.slices.duration_ns[i]);
      });
      break;
    }
  }
  if (!stop.stop_requested()) count_groups(trace, keys, result.groups, threads, stop);
  if (stop.stop_requested()) return {};
  result.keys = std::make_shared<const Keys>(std::move(keys));
  return result;
}

}  // namespace kino
