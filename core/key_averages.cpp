#include "core/key_averages.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <numeric>
#include <tuple>
#include <unordered_map>

#include "core/gpu_work.hpp"
#include "core/operator_table.hpp"
#include "core/operator_tree.hpp"
#include "core/parallel.hpp"

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
      sums_.push_back(sums_.back() + arguments.memory_bytes[i]);
    }
  }
  /// With both ends.
  std::int64_t within(std::int64_t begin_ns, std::int64_t end_ns) const {
    const auto first = std::lower_bound(times_.begin(), times_.end(), begin_ns) - times_.begin();
    const auto last = std::upper_bound(times_.begin(), times_.end(), end_ns) - times_.begin();
    return last > first ? sums_[static_cast<std::size_t>(last)] - sums_[static_cast<std::size_t>(first)] : 0;
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

struct Gatherer {
  const Trace& trace;
  KeyAverageGrouping grouping;
  std::vector<EventFacts> facts = decode_facts(trace);
  OperatorStacks stacks{trace, 64};
  std::vector<KeyAverage> rows{};
  std::vector<First> firsts{};
  std::unordered_map<std::uint64_t, std::size_t> by_pair{};
  std::map<std::tuple<std::string, std::string, std::vector<std::string>, bool>, std::size_t> by_key{};

  KeyAverage& row_of(SliceId slice, bool on_device) {
    const std::uint32_t name = index_of(trace.slices.name[index_of(slice)]);
    std::uint32_t second = 0;
    if (grouping == KeyAverageGrouping::shape) second = facts_number(trace, slice);
    if (grouping == KeyAverageGrouping::stack && !on_device) second = stacks.of(slice);
    const std::uint64_t pair = (std::uint64_t{name} << 32 | second) << 1 | (on_device ? 1 : 0);
    const auto [place, fresh] = by_pair.try_emplace(pair, 0);
    if (fresh) place->second = number_of(slice, on_device);
    const std::int64_t start = trace.slices.start_ns[index_of(slice)];
    First& first = firsts[place->second];
    first = std::min(first, First{start, -trace.end_ns(slice), trace.slices.source_offset[index_of(slice)]});
    return rows[place->second];
  }

  std::size_t number_of(SliceId slice, bool on_device) {
    const std::string_view name = trace.name_of(slice);
    KeyAverage row;
    row.key = name.starts_with("ProfilerStep#") ? "ProfilerStep*" : std::string(name);
    row.on_device = on_device;
    if (grouping == KeyAverageGrouping::stack && !on_device)
      row.stack = frames_of(stacks.text(stacks.of(slice)));
    if (grouping == KeyAverageGrouping::shape) {
      const std::string_view dims =
          on_device ? std::string_view() : facts[facts_number(trace, slice)].input_dims;
      row.input_shapes = dims.empty() ? "[]" : std::string(dims);
    }
    const auto [place, fresh] =
        by_key.try_emplace({row.key, row.input_shapes, row.stack, on_device}, rows.size());
    if (fresh) {
      rows.push_back(std::move(row));
      firsts.emplace_back(std::numeric_limits<std::int64_t>::max(), 0, 0);
    }
    return place->second;
  }
};

}  // namespace

KeyAverages key_averages(const Trace& trace, TimeRange range, KeyAverageGrouping grouping,
                         const std::stop_token& stop) {
  OperatorTreeKinds kinds;
  kinds.annotations = true;
  kinds.runtime = true;
  const OperatorTree tree = operator_tree(trace, range, kinds, stop);
  std::vector<std::uint8_t> skipped(trace.names.size());
  for (std::uint32_t i = 0; i < trace.names.size(); ++i) skipped[i] = is_skipped(trace.names[i]) ? 1 : 0;
  const MemorySums host(trace.arguments, false);
  const MemorySums device(trace.arguments, true);
  const bool has_memory = !trace.arguments.memory_time_ns.empty();
  std::vector<std::int64_t> host_bytes(has_memory ? tree.nodes.size() : 0);
  std::vector<std::int64_t> device_bytes(host_bytes.size());
  Gatherer gather{trace, grouping};
  for (std::size_t i = 0; i < tree.nodes.size(); ++i) {
    if (i % kCancelStride == 0 && stop.stop_requested()) return {};
    const OperatorNode& node = tree.nodes[i];
    if (node.merged || skipped[index_of(trace.slices.name[index_of(node.slice)])] != 0) continue;
    KeyAverage& row = gather.row_of(node.slice, false);
    ++row.count;
    row.cpu_ns += node.duration_ns;
    row.self_cpu_ns += node.duration_ns - node.children_ns;
    row.device_ns += tree.device_total_ns[i];
    row.self_device_ns += node.device_ns;
    if (!has_memory) continue;
    const std::int64_t begin = trace.slices.start_ns[index_of(node.slice)];
    host_bytes[i] = host.within(begin, begin + trace.slices.duration_ns[index_of(node.slice)]);
    device_bytes[i] = device.within(begin, begin + trace.slices.duration_ns[index_of(node.slice)]);
    row.cpu_bytes += host_bytes[i];
    row.self_cpu_bytes += host_bytes[i];
    row.device_bytes += device_bytes[i];
    row.self_device_bytes += device_bytes[i];
    if (node.parent == OperatorNode::kNone) continue;
    KeyAverage& parent = gather.row_of(tree.nodes[node.parent].slice, false);
    parent.self_cpu_bytes -= host_bytes[i];
    parent.self_device_bytes -= device_bytes[i];
  }
  std::int64_t base_ns = std::numeric_limits<std::int64_t>::max();
  for (const OperatorNode& node : tree.nodes)
    base_ns = std::min(base_ns, trace.slices.start_ns[index_of(node.slice)]);
  if (tree.nodes.empty()) base_ns = 0;
  KeyAverages averages;
  averages.has_memory = has_memory;
  for (const StreamWork& stream : gpu_work_in(trace, range, stop).streams) {
    for (const SliceId slice : stream.slices) {
      KeyAverage& row = gather.row_of(slice, true);
      const TimeRange part = clipped(range, trace.slices.start_ns[index_of(slice)], trace.end_ns(slice));
      ++row.count;
      row.device_ns += part.length_ns();
      row.device_us += us_since(base_ns, part.end_ns) - us_since(base_ns, part.begin_ns);
      row.self_device_ns += part.length_ns();
      averages.has_device = true;
    }
  }
  std::vector<std::size_t> order(gather.rows.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(),
            [&](std::size_t a, std::size_t b) { return gather.firsts[a] < gather.firsts[b]; });
  for (const std::size_t row : order) averages.rows.push_back(std::move(gather.rows[row]));
  return averages;
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
    all_cpu_ns += row.self_cpu_ns;
    if (row.on_device) all_device_ns += row.self_device_ns;
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
