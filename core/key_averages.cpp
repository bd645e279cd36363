#include "core/key_averages.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <map>
#include <memory>
#include <numeric>
#include <tuple>
#include <unordered_map>

#include "core/gpu_work.hpp"
#include "core/operator_table.hpp"
#include "core/operator_tree.hpp"
#include "core/parallel.hpp"
#include "core/saturating.hpp"

namespace kino {
namespace {

bool is_skipped(std::string_view name) {
  constexpr std::array<std::string_view, 8> kNames{"[memory]",
                                                   "[OutOfMemory]",
                                                   "profiler::_record_function_enter",
                                                   "profiler::_record_function_enter_new",
                                                   "profiler::_record_function_exit",
                                                   "aten::is_leaf",
                                                   "aten::output_nr",
                                                   "aten::_version"};
  return std::find(kNames.begin(), kNames.end(), name) != kNames.end();
}

/// Allocations in order of time, summed from the first.
class MemorySums {
 public:
  MemorySums(const ArgumentColumns& arguments, bool device) {
    for (std::size_t i = 0; i < arguments.memory_time_ns.size(); ++i) {
      if ((arguments.memory_device[i] != ArgumentColumns::kMemoryHost) != device) continue;
      times_.push_back(arguments.memory_time_ns[i]);
      sums_.push_back(saturating_add(sums_.back(), arguments.memory_bytes[i]));
    }
  }
  /// With both ends.
  std::int64_t within(std::int64_t begin_ns, std::int64_t end_ns) const {
    const auto first = std::lower_bound(times_.begin(), times_.end(), begin_ns) - times_.begin();
    const auto last = std::upper_bound(times_.begin(), times_.end(), end_ns) - times_.begin();
    return last > first ? saturating_subtract(sums_[static_cast<std::size_t>(last)],
                                              sums_[static_cast<std::size_t>(first)])
                        : 0;
  }

 private:
  std::vector<std::int64_t> times_;
  std::vector<std::int64_t> sums_{0};
};

std::string us_text(double us) {
  constexpr double kThousand = 1000;
  char text[64];
  if (us >= kThousand * kThousand) {
    std::snprintf(text, sizeof text, "%.3fs", us / (kThousand * kThousand));
  } else if (us >= kThousand) {
    std::snprintf(text, sizeof text, "%.3fms", us / kThousand);
  } else {
    std::snprintf(text, sizeof text, "%.3fus", us);
  }
  return text;
}

std::string us_text(std::int64_t ns) { return us_text(static_cast<double>(ns) / 1000.0); }

std::string mean_us_text(std::int64_t ns, std::uint64_t count) {
  return us_text(static_cast<double>(ns) / 1000.0 / static_cast<double>(count));
}

/// PyTorch counts from the first event on the CPU.
double us_since(std::int64_t base_ns, std::int64_t time_ns) {
  return static_cast<double>(time_ns - base_ns) / 1000.0;
}

std::string share_text(std::int64_t part, std::int64_t whole) {
  if (whole == 0) return "NaN";
  char text[64];
  std::snprintf(text, sizeof text, "%.2f%%", static_cast<double>(part) * 100.0 / static_cast<double>(whole));
  return text;
}

std::string bytes_text(std::int64_t bytes) {
  constexpr double kKilo = 1024;
  const auto size = static_cast<double>(bytes);
  const double magnitude = std::abs(size);
  char text[64];
  if (magnitude >= kKilo * kKilo * kKilo) {
    std::snprintf(text, sizeof text, "%.2f Gb", size / (kKilo * kKilo * kKilo));
  } else if (magnitude >= kKilo * kKilo) {
    std::snprintf(text, sizeof text, "%.2f Mb", size / (kKilo * kKilo));
  } else if (magnitude >= kKilo) {
    std::snprintf(text, sizeof text, "%.2f Kb", size / kKilo);
  } else {
    std::snprintf(text, sizeof text, "%lld b", static_cast<long long>(bytes));
  }
  return text;
}

std::int64_t value_of(const KeyAverage& row, KeyAverageOrder order) {
  switch (order) {
    case KeyAverageOrder::cpu_time_total:
      return row.cpu_ns;
    case KeyAverageOrder::self_cpu_time_total:
      return row.self_cpu_ns;
    case KeyAverageOrder::cuda_time_total:
      return row.device_ns;
    case KeyAverageOrder::self_cuda_time_total:
      return row.self_device_ns;
    case KeyAverageOrder::cpu_memory_usage:
      return row.cpu_bytes;
    case KeyAverageOrder::self_cpu_memory_usage:
      return row.self_cpu_bytes;
    case KeyAverageOrder::cuda_memory_usage:
      return row.device_bytes;
    case KeyAverageOrder::self_cuda_memory_usage:
      return row.self_device_bytes;
    case KeyAverageOrder::count:
      return static_cast<std::int64_t>(row.count);
    case KeyAverageOrder::none:
      break;
  }
  return 0;
}

constexpr OperatorTreeKinds kKeyKinds{.annotations = true, .runtime = true};
constexpr std::size_t kSearchedFrames = 64;  // for those that are shown

/// Where a group's events begin, for the order of rows.
using First = std::tuple<std::int64_t, std::int64_t, std::uint64_t>;

/// Frames that lie within PyTorch itself and tell nothing (profiler_legacy, _filter_stack_entry).
bool is_own_frame(std::string_view frame) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 6> kOwn{
      {{"autograd/__init__", "_make_grads"},
       {"autograd/__init__", "backward"},
       {"torch/tensor", "backward"},
       {"_internal/common_utils", "prof_callable"},
       {"_internal/common_utils", "prof_func_call"},
       {"_internal/common_utils", "prof_meth_call"}}};
  return std::any_of(kOwn.begin(), kOwn.end(), [frame](const auto& own) {
    return frame.find(own.first) != std::string_view::npos &&
           frame.find(own.second) != std::string_view::npos;
  });
}

std::vector<std::string> frames_of(std::string_view stack) {
  std::vector<std::string> frames;
  while (!stack.empty() && frames.size() < kStackFrames) {
    const std::size_t end = std::min(stack.find(';'), stack.size());
    if (end > 0 && !is_own_frame(stack.substr(0, end))) frames.emplace_back(stack.substr(0, end));
    stack.remove_prefix(std::min(end + 1, stack.size()));
  }
  return frames;
}

/// The end of a path, as PyTorch cuts it.
std::string trimmed_path(std::string_view path, std::size_t width) {
  if (path.size() <= width) return std::string(path);
  path.remove_prefix(path.size() - width);
  return path.size() > 3 ? "..." + std::string(path.substr(3)) : std::string(path);
}

/// Both are of one key.
void add_up(KeyAverage& to, const KeyAverage& from) {
  to.count += from.count;
  add_saturating(to.cpu_ns, from.cpu_ns);
  add_saturating(to.self_cpu_ns, from.self_cpu_ns);
  add_saturating(to.device_ns, from.device_ns);
  to.device_us += from.device_us;
  add_saturating(to.self_device_ns, from.self_device_ns);
  add_saturating(to.cpu_bytes, from.cpu_bytes);
  add_saturating(to.self_cpu_bytes, from.self_cpu_bytes);
  add_saturating(to.device_bytes, from.device_bytes);
  add_saturating(to.self_device_bytes, from.self_device_bytes);
}

/// The rows of what one thread has seen.
class KeyGatherer {
 public:
  KeyGatherer(const Trace& trace, KeyAverageGrouping grouping)
      : trace_(trace), grouping_(grouping), facts_(decode_facts(trace)), stacks_(trace, kSearchedFrames) {
    if (grouping == KeyAverageGrouping::name) by_name_.assign(2 * trace.names.size(), kNoRow);
  }

  /// The number of an event's row.
  std::uint32_t place_of(SliceId slice, bool on_device) {
    std::uint32_t& number = number_of(slice, on_device);
    if (number == kNoRow) number = row_like(key_of(slice, on_device));
    return number;
  }

  KeyAverage& row_of(SliceId slice, bool on_device) {
    const std::uint32_t number = place_of(slice, on_device);
    First& first = firsts_[number];
    const std::int64_t start = trace_.slices.start_ns[index_of(slice)];
    if (start <= std::get<0>(first))
      first = std::min(first, {start, -trace_.end_ns(slice), trace_.slices.source_offset[index_of(slice)]});
    return rows_[number];
  }

  void merge(const KeyGatherer& other) {
    for (std::size_t i = 0; i < other.rows_.size(); ++i) {
      const KeyAverage& from = other.rows_[i];
      KeyAverage key;
      key.key = from.key;
      key.input_shapes = from.input_shapes;
      key.stack = from.stack;
      key.on_device = from.on_device;
      const std::uint32_t number = row_like(std::move(key));
      add_up(rows_[number], from);
      if (from.longest != kNoSlice) take_longest(rows_[number], from.longest);
      firsts_[number] = std::min(firsts_[number], other.firsts_[i]);
    }
  }

  void take_longest(KeyAverage& row, SliceId slice) const {
    const auto key = [&](SliceId it) {
      return std::pair(-trace_.slices.duration_ns[index_of(it)], index_of(it));
    };
    if (row.longest == kNoSlice || key(slice) < key(row.longest)) row.longest = slice;
  }

  /// In order of their first events.
  std::vector<KeyAverage> rows() {
    std::vector<std::size_t> order(rows_.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::sort(order.begin(), order.end(),
              [&](std::size_t a, std::size_t b) { return firsts_[a] < firsts_[b]; });
    std::vector<KeyAverage> rows;
    rows.reserve(rows_.size());
    for (const std::size_t row : order) rows.push_back(std::move(rows_[row]));
    return rows;
  }

 private:
  static constexpr std::uint32_t kNoRow = 0xffffffffU;

  /// The place of its row's number, kNoRow in the beginning.
  std::uint32_t& number_of(SliceId slice, bool on_device) {
    const std::uint32_t name = index_of(trace_.slices.name[index_of(slice)]);
    if (grouping_ == KeyAverageGrouping::name) return by_name_[2 * name + (on_device ? 1 : 0)];
    std::uint32_t second = 0;
    if (grouping_ == KeyAverageGrouping::shape) second = facts_number(trace_, slice);
    if (grouping_ == KeyAverageGrouping::stack && !on_device) second = stacks_.of(slice);
    const std::uint64_t pair = (std::uint64_t{name} << 32 | second) << 1 | (on_device ? 1 : 0);
    return by_pair_.try_emplace(pair, kNoRow).first->second;
  }

  /// A row with nothing in it yet.
  KeyAverage key_of(SliceId slice, bool on_device) {
    const std::string_view name = trace_.name_of(slice);
    KeyAverage row;
    row.key = name.starts_with("ProfilerStep#") ? "ProfilerStep*" : std::string(name);
    row.on_device = on_device;
    if (grouping_ == KeyAverageGrouping::stack && !on_device)
      row.stack = frames_of(stacks_.text(stacks_.of(slice)));
    if (grouping_ == KeyAverageGrouping::shape) {
      const std::string_view dims =
          on_device ? std::string_view() : facts_[facts_number(trace_, slice)].input_dims;
      row.input_shapes = dims.empty() ? "[]" : std::string(dims);
    }
    return row;
  }

  std::uint32_t row_like(KeyAverage row) {
    const auto [place, fresh] = by_key_.try_emplace({row.key, row.input_shapes, row.stack, row.on_device},
                                                    static_cast<std::uint32_t>(rows_.size()));
    if (fresh) {
      rows_.push_back(std::move(row));
      firsts_.emplace_back(std::numeric_limits<std::int64_t>::max(), 0, 0);
    }
    return place->second;
  }

  const Trace& trace_;
  KeyAverageGrouping grouping_;
  std::vector<EventFacts> facts_;
  OperatorStacks stacks_;
  std::vector<KeyAverage> rows_;
  std::vector<First> firsts_;
  std::vector<std::uint32_t> by_name_;
  std::unordered_map<std::uint64_t, std::uint32_t> by_pair_;
  std::map<std::tuple<std::string, std::string, std::vector<std::string>, bool>, std::uint32_t> by_key_;
};

/// What all threads look at.
struct KeyInput {
  const Trace& trace;
  OperatorTree tree;
  std::vector<std::uint8_t> skipped;  // by NameId
  MemorySums host;
  MemorySums device;
  bool has_memory = false;
};

/// Adds nodes [first, last); returns when the first of them starts.
std::int64_t gather_nodes(const KeyInput& in, std::size_t first, std::size_t last, KeyGatherer& gather) {
  const Trace& trace = in.trace;
  std::int64_t base_ns = std::numeric_limits<std::int64_t>::max();
  for (std::size_t i = first; i < last; ++i) {
    const OperatorNode& node = in.tree.nodes[i];
    const std::int64_t begin_ns = trace.slices.start_ns[index_of(node.slice)];
    base_ns = std::min(base_ns, begin_ns);
    if (node.merged || in.skipped[index_of(trace.slices.name[index_of(node.slice)])] != 0) continue;
    KeyAverage& row = gather.row_of(node.slice, false);
    ++row.count;
    gather.take_longest(row, node.slice);
    add_saturating(row.cpu_ns, node.duration_ns);
    add_saturating(row.self_cpu_ns, saturating_subtract(node.duration_ns, node.children_ns));
    add_saturating(row.device_ns, in.tree.device_total_ns[i]);
    add_saturating(row.self_device_ns, node.device_ns);
    if (!in.has_memory) continue;
    const std::int64_t end_ns = trace.end_ns(node.slice);
    const std::int64_t host_bytes = in.host.within(begin_ns, end_ns);
    const std::int64_t device_bytes = in.device.within(begin_ns, end_ns);
    add_saturating(row.cpu_bytes, host_bytes);
    add_saturating(row.self_cpu_bytes, host_bytes);
    add_saturating(row.device_bytes, device_bytes);
    add_saturating(row.self_device_bytes, device_bytes);
    if (node.parent == OperatorNode::kNone) continue;
    KeyAverage& parent = gather.row_of(in.tree.nodes[node.parent].slice, false);
    subtract_saturating(parent.self_cpu_bytes, host_bytes);
    subtract_saturating(parent.self_device_bytes, device_bytes);
  }
  return base_ns;
}

}  // namespace

KeyAverages key_averages(const Trace& trace, TimeRange range, KeyAverageGrouping grouping,
                         const std::stop_token& stop, const std::shared_ptr<MemoryPool>& pool) {
  KeyInput in{trace,
              operator_tree(trace, range, kKeyKinds, stop, pool),
              std::vector<std::uint8_t>(trace.names.size()),
              {trace.arguments, false},
              {trace.arguments, true},
              !trace.arguments.memory_time_ns.empty()};
  for (std::uint32_t i = 0; i < trace.names.size(); ++i) in.skipped[i] = is_skipped(trace.names[i]) ? 1 : 0;
  const std::size_t nodes = in.tree.nodes.size();
  const std::size_t pieces = (nodes + kCancelStride - 1) / kCancelStride;
  std::vector<std::unique_ptr<KeyGatherer>> gatherers(
      std::max<std::size_t>(1, std::min<std::size_t>(thread_count_or_default(0), pieces)));
  for (auto& gatherer : gatherers) gatherer = std::make_unique<KeyGatherer>(trace, grouping);
  std::vector<std::int64_t> bases(pieces);
  parallel_for(
      static_cast<unsigned>(gatherers.size()), pieces, stop, [&](std::size_t piece, unsigned worker) {
        const std::size_t first = piece * kCancelStride;
        bases[piece] = gather_nodes(in, first, std::min(first + kCancelStride, nodes), *gatherers[worker]);
      });
  if (stop.stop_requested()) return {};
  KeyGatherer& gather = *gatherers.front();
  for (std::size_t i = 1; i < gatherers.size(); ++i) gather.merge(*gatherers[i]);
  const std::int64_t base_ns = bases.empty() ? 0 : *std::min_element(bases.begin(), bases.end());
  KeyAverages averages;
  averages.has_memory = in.has_memory;
  for (const StreamWork& stream : gpu_work_in(trace, range, stop).streams) {
    for (const SliceId slice : stream.slices) {
      KeyAverage& row = gather.row_of(slice, true);
      const TimeRange part = clipped(range, trace.slices.start_ns[index_of(slice)], trace.end_ns(slice));
      ++row.count;
      gather.take_longest(row, slice);
      add_saturating(row.device_ns, part.length_ns());
      row.device_us += us_since(base_ns, part.end_ns) - us_since(base_ns, part.begin_ns);
      add_saturating(row.self_device_ns, part.length_ns());
      averages.has_device = true;
    }
  }
  averages.rows = gather.rows();
  return averages;
}

std::vector<SliceId> key_average_instances(const Trace& trace, TimeRange range, KeyAverageGrouping grouping,
                                           SliceId example, const std::stop_token& stop,
                                           const std::shared_ptr<MemoryPool>& pool) {
  KeyGatherer gather(trace, grouping);
  const bool on_device = is_gpu_work(trace.slices.kind[index_of(example)]);
  const std::uint32_t wanted = gather.place_of(example, on_device);
  std::vector<SliceId> instances;
  if (on_device) {
    for (const StreamWork& stream : gpu_work_in(trace, range, stop).streams) {
      for (const SliceId slice : stream.slices) {
        if (gather.place_of(slice, true) == wanted) instances.push_back(slice);
      }
    }
    return instances;
  }
  const OperatorTree tree = operator_tree(trace, range, kKeyKinds, stop, pool);
  for (std::size_t i = 0; i < tree.nodes.size(); ++i) {
    if (i % kCancelStride == 0 && stop.stop_requested()) return {};
    const OperatorNode& node = tree.nodes[i];
    if (!node.merged && gather.place_of(node.slice, false) == wanted) instances.push_back(node.slice);
  }
  return instances;
}

std::string key_averages_text(const KeyAverages& averages, KeyAverageGrouping grouping,
                              KeyAverageOrder sort_by, std::int64_t row_limit) {
  constexpr std::size_t kWidth = 12;
  constexpr std::size_t kMostName = 80;
  constexpr std::size_t kMostShapes = 80;
  constexpr std::size_t kMostSource = 75;
  if (averages.rows.empty()) return "";
  std::vector<const KeyAverage*> rows;
  std::size_t name_width = 0;
  std::size_t shapes_width = 0;
  std::int64_t all_cpu_ns = 0;
  std::int64_t all_device_ns = 0;
  for (const KeyAverage& row : averages.rows) {
    rows.push_back(&row);
    name_width = std::max(name_width, row.key.size() + 4);
    shapes_width = std::max(shapes_width, row.input_shapes.size() + 4);
    add_saturating(all_cpu_ns, row.self_cpu_ns);
    if (row.on_device) add_saturating(all_device_ns, row.self_device_ns);
  }
  std::size_t source_width = 0;
  for (const KeyAverage* row : rows) {
    for (const std::string& frame : row->stack)
      source_width = std::max(source_width, std::min(frame.size() + 4, kMostSource));
  }
  const bool by_shape = grouping == KeyAverageGrouping::shape &&
                        std::any_of(rows.begin(), rows.end(),
                                    [](const KeyAverage* row) { return row->input_shapes.size() > 2; });
  name_width = std::min(name_width, kMostName);
  shapes_width = std::min(shapes_width, kMostShapes);
  if (sort_by != KeyAverageOrder::none) {
    std::stable_sort(rows.begin(), rows.end(), [sort_by](const KeyAverage* a, const KeyAverage* b) {
      return value_of(*a, sort_by) > value_of(*b, sort_by);
    });
  }
  std::vector<std::pair<std::string, std::size_t>> headers{{"Name", name_width},  {"Self CPU %", kWidth},
                                                           {"Self CPU", kWidth},  {"CPU total %", kWidth},
                                                           {"CPU total", kWidth}, {"CPU time avg", kWidth}};
  const auto add = [&](std::initializer_list<const char*> titles) {
    for (const char* title : titles) headers.emplace_back(title, kWidth);
  };
  if (averages.has_device) add({"Self CUDA", "Self CUDA %", "CUDA total", "CUDA time avg"});
  if (averages.has_memory) add({"CPU Mem", "Self CPU Mem"});
  if (averages.has_memory && averages.has_device) add({"CUDA Mem", "Self CUDA Mem"});
  add({"# of Calls"});
  if (by_shape) headers.emplace_back("Input Shapes", shapes_width);
  if (source_width > 0) headers.emplace_back("Source Location", source_width);
  std::string out;
  const auto cell = [&](std::string_view text, std::size_t width) {
    if (text.size() < width) out.append(width - text.size(), ' ');
    out.append(text).append("  ");
  };
  const auto rule = [&] {
    for (const auto& [title, width] : headers) out.append(width, '-').append("  ");
    out += '\n';
  };
  rule();
  const auto source_cell = [&](std::string_view text) {
    out.append(text).append(source_width - std::min(source_width, text.size()), ' ').append("  ");
  };
  for (std::size_t i = 0; i < headers.size(); ++i) {
    if (source_width > 0 && i + 1 == headers.size()) {
      source_cell(headers[i].first);
    } else {
      cell(headers[i].first, headers[i].second);
    }
  }
  out += '\n';
  rule();
  std::int64_t shown = 0;
  for (const KeyAverage* row : rows) {
    if (shown++ == row_limit) break;
    std::string name = row->key;
    if (name.size() >= kMostName - 3) name = name.substr(0, kMostName - 3) + "...";
    cell(name, name_width);
    cell(share_text(row->self_cpu_ns, all_cpu_ns), kWidth);
    cell(us_text(row->self_cpu_ns), kWidth);
    cell(share_text(row->cpu_ns, all_cpu_ns), kWidth);
    cell(us_text(row->cpu_ns), kWidth);
    cell(mean_us_text(row->cpu_ns, row->count), kWidth);
    if (averages.has_device) {
      cell(us_text(row->self_device_ns), kWidth);
      cell(share_text(row->self_device_ns, all_device_ns), kWidth);
      cell(us_text(row->device_ns), kWidth);
      cell(row->on_device ? us_text(row->device_us / static_cast<double>(row->count))
                          : mean_us_text(row->device_ns, row->count),
           kWidth);
    }
    if (averages.has_memory) {
      cell(bytes_text(row->cpu_bytes), kWidth);
      cell(bytes_text(row->self_cpu_bytes), kWidth);
      if (averages.has_device) {
        cell(bytes_text(row->device_bytes), kWidth);
        cell(bytes_text(row->self_device_bytes), kWidth);
      }
    }
    cell(std::to_string(row->count), kWidth);
    if (by_shape) cell(std::string_view(row->input_shapes).substr(0, shapes_width), shapes_width);
    if (source_width > 0)
      source_cell(row->stack.empty() ? "" : trimmed_path(row->stack.front(), source_width));
    out += '\n';
    if (source_width == 0) continue;
    // The other frames below, then an empty line.
    for (std::size_t frame = 1; frame <= std::max<std::size_t>(1, row->stack.size()); ++frame) {
      for (std::size_t i = 0; i + 1 < headers.size(); ++i) cell("", headers[i].second);
      source_cell(frame < row->stack.size() ? trimmed_path(row->stack[frame], source_width) : "");
      out += '\n';
    }
  }
  rule();
  out += "Self CPU time total: " + us_text(all_cpu_ns) + "\n";
  if (averages.has_device) out += "Self CUDA time total: " + us_text(all_device_ns) + "\n";
  return out;
}

}  // namespace kino
