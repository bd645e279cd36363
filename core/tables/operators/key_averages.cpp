#include "core/tables/operators/key_averages.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <tuple>
#include <utility>

#include "core/base/address_map.hpp"
#include "core/base/ascii.hpp"
#include "core/base/messages/message.hpp"
#include "core/base/parallel.hpp"
#include "core/base/saturating.hpp"
#include "core/base/step_words.hpp"
#include "core/tables/operators/device_side.hpp"
#include "core/tables/operators/operator_parts.hpp"
#include "core/tables/operators/operator_table.hpp"
#include "core/trace/links/operator_tree.hpp"

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
  return std::ranges::find(kNames, name) != kNames.end();
}

/// Prefix sums of allocated minus freed bytes, in order of time.
class MemorySums {
 public:
  MemorySums(const ArgumentColumns& arguments, bool device) {
    for (std::size_t i = 0; i < arguments.memory_time_ns.size(); ++i) {
      if ((arguments.memory_device[i] != ArgumentColumns::kMemoryHost) != device) continue;
      times_.push_back(arguments.memory_time_ns[i]);
      sums_.push_back(saturating_add(sums_.back(), arguments.memory_bytes[i]));
    }
  }
  /// Returns the bytes allocated minus freed from begin_ns to end_ns, including both ends.
  std::int64_t within(std::int64_t begin_ns, std::int64_t end_ns) const {
    const auto first = std::ranges::lower_bound(times_, begin_ns) - times_.begin();
    const auto last = std::ranges::upper_bound(times_, end_ns) - times_.begin();
    return last > first ? saturating_subtract(sums_[static_cast<std::size_t>(last)],
                                              sums_[static_cast<std::size_t>(first)])
                        : 0;
  }

 private:
  std::vector<std::int64_t> times_;
  std::vector<std::int64_t> sums_{0};
};

/// Returns the time in us since `base_ns`. PyTorch's times start at the first CPU event.
double us_since(std::int64_t base_ns, std::int64_t time_ns) {
  return static_cast<double>(time_ns - base_ns) / 1000.0;
}

constexpr std::size_t kSearchedFrames = 64;  // number of frames searched for the kStackFrames that are shown

/// Sort key of a group's first event (start, negative end, file offset), for the order of rows.
using First = std::tuple<std::int64_t, std::int64_t, std::uint64_t>;

/// Whether the frame is within PyTorch itself and omitted from stacks (profiler_legacy, _filter_stack_entry).
bool is_own_frame(std::string_view frame) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 6> kOwn{
      {{"autograd/__init__", "_make_grads"},
       {"autograd/__init__", "backward"},
       {"torch/tensor", "backward"},
       {"_internal/common_utils", "prof_callable"},
       {"_internal/common_utils", "prof_func_call"},
       {"_internal/common_utils", "prof_meth_call"}}};
  return std::ranges::any_of(
      kOwn, [frame](const auto& own) { return contains(frame, own.first) && contains(frame, own.second); });
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

/// Adds the figures of `from` to `to`, a row of the same group. The key of `to` remains unchanged.
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

/// Assigns events to groups.
class KeyGrouper {
 public:
  KeyGrouper(const Trace& trace, KeyAverageGrouping grouping, KeyGroups& out)
      : trace_(trace),
        grouping_(grouping),
        out_(out),
        facts_(decode_facts(trace)),
        stacks_(trace, kSearchedFrames) {}

  std::uint32_t group_of(SliceId slice) {
    std::uint32_t second = 0;
    if (grouping_ == KeyAverageGrouping::shape) second = facts_index(trace_, slice);
    if (grouping_ == KeyAverageGrouping::stack) second = stacks_.of(slice);
    const std::uint64_t pair = std::uint64_t{index_of(trace_.name(slice))} << 32 | second;
    if (const std::uint32_t* known = by_pair_.find(pair)) return *known;
    KeyAverage key = key_of(trace_.name_of(slice));
    if (grouping_ == KeyAverageGrouping::stack) key.stack = frames_of(stacks_.text(second));
    if (grouping_ == KeyAverageGrouping::shape && !facts_[second].input_dims.empty())
      key.input_shapes = facts_[second].input_dims;
    const std::uint32_t group = group_like(std::move(key));
    by_pair_.set(pair, group);
    return group;
  }

  std::uint32_t group_of_work(std::string_view name) {
    KeyAverage key = key_of(name);
    key.on_device = true;
    return group_like(std::move(key));
  }

 private:
  KeyAverage key_of(std::string_view name) const {
    KeyAverage key;
    key.key = is_step_name(name) ? all_steps_title() : std::string(name);
    if (grouping_ == KeyAverageGrouping::shape) key.input_shapes = "[]";
    return key;
  }

  std::uint32_t group_like(KeyAverage key) {
    const auto [found, added] = by_key_.try_emplace({key.key, key.input_shapes, key.stack, key.on_device},
                                                    static_cast<std::uint32_t>(out_.groups.size()));
    const bool skipped = is_skipped(key.key);
    if (added) out_.groups.push_back({std::move(key), skipped});
    return found->second;
  }

  const Trace& trace_;
  KeyAverageGrouping grouping_;
  KeyGroups& out_;
  std::vector<EventFacts> facts_;
  OperatorStacks stacks_;
  AddressMap by_pair_;  // group by name, and facts or stack
  std::map<std::tuple<std::string, std::string, std::vector<std::string>, bool>, std::uint32_t> by_key_;
};

/// Accumulates key-average rows on one worker; merge() combines workers.
class KeyGatherer {
 public:
  KeyGatherer(const Trace& trace, const KeyGroups& groups)
      : trace_(trace), groups_(groups), row_of_(groups.groups.size(), kNoRow) {}

  /// Returns the group's row. Also updates the group's first event, which determines the order of rows.
  KeyAverage& row_of(std::uint32_t group, SliceId slice) {
    Row& row = row_of(group);
    const std::int64_t start = trace_.start_ns(slice);
    if (start <= std::get<0>(row.first)) {
      row.first = std::min(row.first, {start, -trace_.end_ns(slice), trace_.source_offset(slice)});
    }
    return row.sums;
  }

  void merge(const KeyGatherer& other) {
    for (const Row& from : other.rows_) {
      Row& row = row_of(from.group);
      add_up(row.sums, from.sums);
      if (from.sums.longest != kNoSlice) take_longest(row.sums, from.sums.longest);
      row.first = std::min(row.first, from.first);
    }
  }

  void take_longest(KeyAverage& row, SliceId slice) const {
    const auto key = [&](SliceId call) { return std::pair(-trace_.duration_ns(call), index_of(call)); };
    if (row.longest == kNoSlice || key(slice) < key(row.longest)) row.longest = slice;
  }

  /// Returns the rows in order of their first events.
  std::vector<KeyAverage> rows() {
    std::ranges::sort(rows_, {}, &Row::first);
    std::vector<KeyAverage> rows;
    rows.reserve(rows_.size());
    for (const Row& row : rows_) {
      rows.push_back(groups_.groups[row.group].key);
      add_up(rows.back(), row.sums);
      rows.back().longest = row.sums.longest;
    }
    return rows;
  }

 private:
  static constexpr std::uint32_t kNoRow = 0xffffffffU;

  struct Row {
    std::uint32_t group = 0;
    First first{std::numeric_limits<std::int64_t>::max(), 0, 0};
    KeyAverage sums;  // figures of the row; its key is unused
  };

  Row& row_of(std::uint32_t group) {
    std::uint32_t& index = row_of_[group];
    if (index == kNoRow) {
      index = static_cast<std::uint32_t>(rows_.size());
      rows_.emplace_back().group = group;
    }
    return rows_[index];
  }

  const Trace& trace_;
  const KeyGroups& groups_;
  std::vector<std::uint32_t> row_of_;  // by group
  std::vector<Row> rows_;
};

/// Input shared by all workers.
struct KeyInput {
  const Trace& trace;
  const OperatorTreePart& part;
  const KeyGroups& groups;
  MemorySums host;
  MemorySums device;
  bool has_memory = false;
};

void gather_nodes(const KeyInput& in, const OperatorTreePart::Piece& piece, KeyGatherer& gather) {
  const Trace& trace = in.trace;
  for (std::size_t i = 0; i < piece.nodes.size(); ++i) {
    const OperatorNode& node = piece.nodes[i];
    const std::uint32_t group = in.groups.of_node[piece.first + i];
    if (node.merged || in.groups.groups[group].skipped) continue;
    KeyAverage& row = gather.row_of(group, node.slice);
    ++row.count;
    gather.take_longest(row, node.slice);
    add_saturating(row.cpu_ns, node.duration_ns);
    add_saturating(row.self_cpu_ns, saturating_subtract(node.duration_ns, node.children_ns));
    add_saturating(row.device_ns, piece.device_total_ns[i]);
    add_saturating(row.self_device_ns, node.device_ns);
    if (!in.has_memory) continue;
    const std::int64_t begin_ns = trace.start_ns(node.slice);
    const std::int64_t end_ns = trace.end_ns(node.slice);
    const std::int64_t host_bytes = in.host.within(begin_ns, end_ns);
    const std::int64_t device_bytes = in.device.within(begin_ns, end_ns);
    add_saturating(row.cpu_bytes, host_bytes);
    add_saturating(row.self_cpu_bytes, host_bytes);
    add_saturating(row.device_bytes, device_bytes);
    add_saturating(row.self_device_bytes, device_bytes);
    const std::uint32_t around = in.part.parent_of(node);
    if (around == OperatorNode::kNone) continue;
    KeyAverage& parent = gather.row_of(in.groups.of_node[around], in.part.node(around)->slice);
    subtract_saturating(parent.self_cpu_bytes, host_bytes);
    subtract_saturating(parent.self_device_bytes, device_bytes);
  }
}

/// Adds all GPU work. Runs on one worker, since PyTorch sums rounded times and so the order of additions
/// matters.
void gather_work(const KeyInput& in, TimeRange range, const GpuWork& work, const std::stop_token& stop,
                 KeyGatherer& gather) {
  const Trace& trace = in.trace;
  const std::int64_t base_ns = in.part.first_start_ns().value_or(0);
  std::uint32_t visited = 0;
  for (const StreamWork& stream : work.streams) {
    for (const SliceId slice : stream.slices) {
      if (++visited % kCancelStride == 0 && stop.stop_requested()) return;
      KeyAverage& row = gather.row_of(in.groups.of_work[index_of(trace.name(slice))], slice);
      const TimeRange part = clipped(range, trace.start_ns(slice), trace.end_ns(slice));
      ++row.count;
      gather.take_longest(row, slice);
      add_saturating(row.device_ns, part.length_ns());
      row.device_us += us_since(base_ns, part.end_ns) - us_since(base_ns, part.begin_ns);
      add_saturating(row.self_device_ns, part.length_ns());
    }
  }
}

constexpr std::string_view kKeyNameKeys[] = {"name", "device"};
constexpr std::string_view kKeyShapeKeys[] = {"name", "device", "input_shapes"};
constexpr std::string_view kKeyStackKeys[] = {"name", "device", "source_location"};
/// In the order of KeyAverageGrouping.
constexpr TableGroup kKeyAverageGroups[] = {{"name", msg::by_name, kKeyNameKeys},
                                            {"shape", msg::by_name_and_shape, kKeyShapeKeys},
                                            {"stack", msg::by_name_and_call_stack, kKeyStackKeys}};

}  // namespace

KeyGroups key_groups(const Trace& trace, const OperatorTree& tree, KeyAverageGrouping grouping,
                     const std::stop_token& stop) {
  KeyGroups groups;
  KeyGrouper grouper(trace, grouping, groups);
  groups.of_node = PooledColumn<std::uint32_t>({}, tree.nodes.size());
  for (std::size_t i = 0; i < tree.nodes.size(); ++i) {
    if (i % kCancelStride == 0 && stop.stop_requested()) return {};
    groups.of_node[i] = grouper.group_of(tree.nodes[i].slice);
  }
  std::vector<std::uint8_t> of_work(trace.names.size());
  for (std::size_t i = 0; i < trace.slice_count(); ++i) {
    if (i % kCancelStride == 0 && stop.stop_requested()) return {};
    if (is_gpu_work(trace.slices.kind[i])) of_work[index_of(trace.slices.name[i])] = 1;
  }
  groups.of_work.resize(trace.names.size());
  for (std::uint32_t i = 0; i < trace.names.size(); ++i) {
    if (of_work[i] != 0) groups.of_work[i] = grouper.group_of_work(trace.names[i]);
  }
  return groups;
}

KeyAverages key_averages(const Trace& trace, TimeRange range, const GpuWork& work,
                         const OperatorTreePart& part, const KeyGroups& groups, const std::stop_token& stop) {
  const KeyInput in{trace,
                    part,
                    groups,
                    {trace.arguments, false},
                    {trace.arguments, true},
                    !trace.arguments.memory_time_ns.empty()};
  const std::span<const OperatorTreePart::Piece> pieces = part.pieces();
  // GPU work is the first task, since it takes longer than any other.
  std::vector<std::unique_ptr<KeyGatherer>> gatherers(
      std::max<std::size_t>(1, std::min<std::size_t>(thread_count_or_default(0), 1 + pieces.size())));
  for (auto& gatherer : gatherers) gatherer = std::make_unique<KeyGatherer>(trace, groups);
  parallel_for(static_cast<unsigned>(gatherers.size()), 1 + pieces.size(), stop,
               [&](std::size_t i, unsigned worker) {
                 if (i == 0) {
                   gather_work(in, range, work, stop, *gatherers[worker]);
                 } else {
                   gather_nodes(in, pieces[i - 1], *gatherers[worker]);
                 }
               });
  if (stop.stop_requested()) return {};
  for (std::size_t i = 1; i < gatherers.size(); ++i) gatherers.front()->merge(*gatherers[i]);
  KeyAverages averages;
  averages.has_memory = in.has_memory;
  averages.has_device = work.size() > 0;
  averages.rows = gatherers.front()->rows();
  return averages;
}

KeyAverages key_averages(const Trace& trace, TimeRange range, KeyAverageGrouping grouping,
                         const std::stop_token& stop) {
  const OperatorTree tree = operator_tree(trace, range, kKeyAverageKinds, stop);
  return key_averages(trace, range, gpu_work_in(trace, range, stop), OperatorTreePart(trace, tree),
                      key_groups(trace, tree, grouping, stop), stop);
}

std::vector<SliceId> key_average_instances(const Trace& trace, const GpuWork& work,
                                           const OperatorTreePart& part, const KeyGroups& groups,
                                           SliceId example, const std::stop_token& stop) {
  std::vector<SliceId> instances;
  if (stop.stop_requested()) return instances;
  if (is_gpu_work(trace.kind(example))) {
    const auto group_of = [&](SliceId slice) { return groups.of_work[index_of(trace.name(slice))]; };
    for (const StreamWork& stream : work.streams) {
      for (const SliceId slice : stream.slices) {
        if (group_of(slice) == group_of(example)) instances.push_back(slice);
      }
    }
    return instances;
  }
  const std::optional<std::uint32_t> like = part.find(example);
  if (!like) return instances;
  for (const OperatorTreePart::Piece& piece : part.pieces()) {
    if (stop.stop_requested()) return {};
    for (std::size_t i = 0; i < piece.nodes.size(); ++i) {
      if (!piece.nodes[i].merged && groups.of_node[piece.first + i] == groups.of_node[*like])
        instances.push_back(piece.nodes[i].slice);
    }
  }
  return instances;
}

Table key_average_table(const Trace& trace, const KeyAverages& averages, KeyAverageGrouping grouping) {
  Table table{.name = "key-averages",
              .title = msg::key_averages,
              .definition = recorded_by_pytorch(trace) ? msg::values_of_key_averages
                                                       : msg::computed_as_pytorchs_key_averages_does};
  const auto& rows = averages.rows;
  table.texts_of(rows, "name", msg::name, msg::operator_runtime_call_or_gpu_work, &KeyAverage::key);
  if (grouping == KeyAverageGrouping::stack) {
    table.texts_of(rows, "source_location", msg::source_location_other, msg::the_innermost_frames_of_the_call,
                   [](const KeyAverage& row) {
                     std::string text;
                     for (const std::string& frame : row.stack) text += (text.empty() ? "" : "; ") + frame;
                     return text;
                   });
  }
  if (grouping == KeyAverageGrouping::shape) {
    table.texts_of(rows, "input_shapes", msg::input_shapes, msg::as_recorded, &KeyAverage::input_shapes);
  }
  const std::string device = key_device_word(trace);
  table.texts_of(rows, "device", msg::device, msg::the_processor_that_ran_it_cpu,
                 [&device](const KeyAverage& row) { return row.on_device ? device : "CPU"; });
  table.integers_of(rows, "count", msg::calls, Unit::count, msg::number_of_events, &KeyAverage::count);
  const auto time = [&](const char* key, msg::Id title, auto&& get) {
    table.integers_of(rows, key, title, Unit::ns, "ns", get);
  };
  const bool has_device = records_gpu_work(trace);
  const auto device_time = [&](const char* key, msg::Id title, std::int64_t KeyAverage::*value) {
    time(key, title, [&](const KeyAverage& row) { return has_device ? row.*value : kNoInteger; });
  };
  const auto memory = [&](const char* key, msg::Id title, std::int64_t KeyAverage::*value) {
    table.integers_of(rows, key, title, Unit::bytes, msg::bytes_empty_without_profile_memory,
                      [&](const KeyAverage& row) { return averages.has_memory ? row.*value : kNoInteger; });
  };
  time("self_cpu_time_total", msg::self_cpu, &KeyAverage::self_cpu_ns);
  time("cpu_time_total", msg::cpu_total, &KeyAverage::cpu_ns);
  device_time("self_cuda_time_total", msg::self_cuda, &KeyAverage::self_device_ns);
  device_time("cuda_time_total", msg::cuda_total, &KeyAverage::device_ns);
  memory("cpu_memory_usage", msg::cpu_memory, &KeyAverage::cpu_bytes);
  memory("self_cpu_memory_usage", msg::self_cpu_memory, &KeyAverage::self_cpu_bytes);
  memory("cuda_memory_usage", msg::cuda_memory, &KeyAverage::device_bytes);
  memory("self_cuda_memory_usage", msg::self_cuda_memory, &KeyAverage::self_device_bytes);
  for (const KeyAverage& row : rows) table.links.emplace_back(row.longest);
  return table;
}

constexpr TableKind<OperatorParts> kKeyAverageTable{
    {.name = "key-averages",
     .title = msg::key_averages,
     .heading = msg::cpu,
     .about = msg::about_key_averages,
     .groups = kKeyAverageGroups},
    [](const OperatorParts& parts, const TableQuery& query, const std::stop_token& stop) -> Table {
      const auto grouping = static_cast<KeyAverageGrouping>(query.group);
      Table table =
          key_average_table(parts.trace(),
                            key_averages(parts.trace(), parts.gpu_range(stop), parts.work(stop),
                                         parts.key_tree(stop), parts.key_groups(grouping, stop), stop),
                            grouping);
      if (Message note = no_device_note(parts.trace(), stop); !note.empty())
        table.notes.push_back(std::move(note));
      return table;
    },
    [](const OperatorParts& parts, const RowQuery& query, const std::stop_token& stop) {
      const auto grouping = static_cast<KeyAverageGrouping>(query.group);
      return key_average_instances(parts.trace(), parts.work(stop), parts.key_tree(stop),
                                   parts.key_groups(grouping, stop), query.example, stop);
    }};

}  // namespace kino
