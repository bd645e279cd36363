#include "core/tables/operators/operator_table.hpp"

#include <algorithm>
#include <array>
#include <memory>
#include <optional>
#include <tuple>
#include <utility>

#include "core/base/address_map.hpp"
#include "core/base/messages/message.hpp"
#include "core/base/parallel.hpp"
#include "core/base/saturating.hpp"
#include "core/base/step_words.hpp"
#include "core/tables/operators/device_side.hpp"
#include "core/tables/operators/operator_parts.hpp"

namespace kino {
namespace {

constexpr std::size_t kMaxFrames = 64;

/// Whether the name is an annotation of the profiler or of nn.DataParallel, which older versions record as an
/// operator.
bool is_no_call(std::string_view name) {
  return name == "DataParallel.forward" || name == "DistributedDataParallel.forward" ||
         name.starts_with("Optimizer.") || name.starts_with("enumerate(Data") || is_step_name(name);
}

/// Returns an index of the input shapes by facts index. Facts that differ in other attributes can have equal
/// shapes.
std::vector<std::uint32_t> indexed_shapes(const Trace& trace) {
  std::vector<std::uint32_t> shape_of;
  std::unordered_map<std::string_view, std::uint32_t> shapes;
  for (const EventFacts& event : decode_facts(trace)) {
    shape_of.push_back(
        shapes.try_emplace(event.input_dims, static_cast<std::uint32_t>(shape_of.size())).first->second);
  }
  return shape_of;
}

/// Accumulates operator rows on one worker, in any order of pieces.
class RowGatherer {
 public:
  explicit RowGatherer(const OperatorGroups& groups)
      : groups_(groups), row_of_(groups.groups.size(), kNoRow) {}

  void add(const OperatorTreePart::Piece& piece) {
    for (std::size_t i = 0; i < piece.nodes.size(); ++i) {
      const std::uint32_t group = groups_.of_node[piece.first + i];
      const OperatorNode& node = piece.nodes[i];
      if (group == OperatorGroups::kNone || node.merged) continue;
      Gathered& gathered = row_of(group);
      OperatorRow& row = gathered.row;
      ++row.calls;
      add_saturating(row.host_ns, node.duration_ns);
      add_saturating(
          row.host_self_ns,
          saturating_subtract(saturating_subtract(node.duration_ns, node.children_ns), node.runtime_ns));
      add_saturating(row.device_ns, piece.device_total_ns[i]);
      add_saturating(row.device_self_ns, node.device_ns);
      gathered.first = std::min(gathered.first, node.slice);
      gathered.take_longest(node.duration_ns, node.slice);
    }
  }

  void merge(const RowGatherer& other) {
    for (const Gathered& from : other.rows_) {
      Gathered& to = row_of(from.group);
      to.row.calls += from.row.calls;
      add_saturating(to.row.host_ns, from.row.host_ns);
      add_saturating(to.row.host_self_ns, from.row.host_self_ns);
      add_saturating(to.row.device_ns, from.row.device_ns);
      add_saturating(to.row.device_self_ns, from.row.device_self_ns);
      to.first = std::min(to.first, from.first);
      to.take_longest(from.longest_ns, from.row.longest);
    }
  }

  std::vector<OperatorRow> rows(const Trace& trace) {
    std::ranges::sort(rows_, [](const Gathered& a, const Gathered& b) {
      return std::tie(b.row.device_self_ns, b.row.host_self_ns, a.first) <
             std::tie(a.row.device_self_ns, a.row.host_self_ns, b.first);
    });
    std::vector<OperatorRow> rows;
    rows.reserve(rows_.size());
    for (Gathered& gathered : rows_) {
      const OperatorGroups::Group& group = groups_.groups[gathered.group];
      gathered.row.name = group.name;
      gathered.row.stack = group.stack;
      gathered.row.tensor_core_eligible = group.tensor_core_eligible;
      gathered.row.facts = facts_index(trace, gathered.first);
      rows.push_back(std::move(gathered.row));
    }
    return rows;
  }

 private:
  static constexpr std::uint32_t kNoRow = 0xffffffffU;

  struct Gathered {
    OperatorRow row;
    std::uint32_t group = 0;
    SliceId first = kNoSlice;  // first slice; kNoSlice is the largest id
    std::int64_t longest_ns = -1;

    void take_longest(std::int64_t duration_ns, SliceId slice) {
      if (duration_ns < longest_ns || (duration_ns == longest_ns && row.longest < slice)) return;
      longest_ns = duration_ns;
      row.longest = slice;
    }
  };

  Gathered& row_of(std::uint32_t group) {
    std::uint32_t& index = row_of_[group];
    if (index == kNoRow) {
      index = static_cast<std::uint32_t>(rows_.size());
      rows_.emplace_back().group = group;
    }
    return rows_[index];
  }

  const OperatorGroups& groups_;
  std::vector<std::uint32_t> row_of_;  // by group
  std::vector<Gathered> rows_;
};

constexpr std::string_view kOperatorNameKeys[] = {"name"};
constexpr std::string_view kOperatorShapeKeys[] = {"name", "input_dims"};
constexpr std::string_view kOperatorStackKeys[] = {"name", "call_stack"};
/// In the order of OperatorGrouping.
constexpr TableGroup kOperatorGroups[] = {{"name", msg::by_name, kOperatorNameKeys},
                                          {"shape", msg::by_name_and_shape, kOperatorShapeKeys},
                                          {"stack", msg::by_name_and_call_stack, kOperatorStackKeys}};

}  // namespace

bool is_tensor_core_operator(std::string_view name) {
  constexpr std::array<std::string_view, 29> kNames{"aten::conv1d",
                                                    "aten::conv2d",
                                                    "aten::conv3d",
                                                    "aten::conv_tbc",
                                                    "aten::conv_transpose1d",
                                                    "aten::conv_transpose2d",
                                                    "aten::conv_transpose3d",
                                                    "aten::cudnn_convolution",
                                                    "aten::convolution",
                                                    "aten::_convolution",
                                                    "aten::convolution_backward",
                                                    "aten::cudnn_convolution_backward",
                                                    "aten::matmul",
                                                    "aten::mm",
                                                    "aten::mv",
                                                    "aten::addmm",
                                                    "aten::addmv",
                                                    "aten::addbmm",
                                                    "aten::baddbmm",
                                                    "aten::bmm",
                                                    "aten::addr",
                                                    "aten::linear",
                                                    "aten::gru_cell",
                                                    "aten::lstm_cell",
                                                    "aten::rnn_relu_cell",
                                                    "aten::rnn_tanh_cell",
                                                    "aten::chain_matmul",
                                                    "aten::scaled_dot_product_attention",
                                                    "aten::_scaled_mm"};
  return std::ranges::find(kNames, name) != kNames.end();
}

SliceSet tensor_core_work(const Trace& trace, const std::stop_token& stop) {
  std::vector<std::uint8_t> eligible(trace.names.size());
  for (std::uint32_t i = 0; i < trace.names.size(); ++i)
    eligible[i] = is_tensor_core_operator(trace.names[i]) ? 1 : 0;
  SliceSet work(trace.slice_count());
  const std::size_t pieces = (trace.slice_count() + kCancelStride - 1) / kCancelStride;
  parallel_for(thread_count_or_default(0), pieces, stop, [&](std::size_t piece, unsigned) {
    const std::size_t end = std::min(trace.slice_count(), (piece + 1) * kCancelStride);
    for (std::size_t i = piece * kCancelStride; i < end; ++i) {
      if (trace.slices.kind[i] != SliceKind::compute) continue;
      const auto slice = static_cast<std::uint32_t>(i);
      const SliceId owner = owner_of(trace, SliceId{slice});
      if (owner != kNoSlice && eligible[index_of(trace.name(owner))] != 0) work.insert(slice);
    }
  });
  return stop.stop_requested() ? SliceSet() : work;
}

OperatorGroups operator_groups(const Trace& trace, const OperatorTree& tree, OperatorGrouping grouping,
                               const std::stop_token& stop) {
  std::vector<std::uint8_t> left_out(trace.names.size());
  for (std::uint32_t i = 0; i < trace.names.size(); ++i) left_out[i] = is_no_call(trace.names[i]) ? 1 : 0;
  std::vector<std::uint32_t> shape_of;
  if (grouping == OperatorGrouping::shape) shape_of = indexed_shapes(trace);
  std::optional<OperatorStacks> stacks;
  if (grouping == OperatorGrouping::stack) stacks.emplace(trace, kMaxFrames);
  OperatorGroups groups;
  groups.of_node = PooledColumn<std::uint32_t>({}, tree.nodes.size());
  AddressMap by_key;  // name, and shape or stack
  for (std::size_t i = 0; i < tree.nodes.size(); ++i) {
    if (i % kCancelStride == 0 && stop.stop_requested()) return {};
    const SliceId slice = tree.nodes[i].slice;
    const NameId name = trace.name(slice);
    groups.of_node[i] = OperatorGroups::kNone;
    if (trace.kind(slice) != SliceKind::cpu_op || left_out[index_of(name)] != 0) continue;
    std::uint32_t second = 0;
    if (stacks) second = stacks->of(slice);
    if (!shape_of.empty()) second = shape_of[facts_index(trace, slice)];
    const std::uint64_t key = std::uint64_t{index_of(name)} << 32 | second;
    if (const std::uint32_t* known = by_key.find(key)) {
      groups.of_node[i] = *known;
      continue;
    }
    const auto group = static_cast<std::uint32_t>(groups.groups.size());
    by_key.set(key, groups.of_node[i] = group);
    groups.groups.push_back(
        {name, stacks ? stacks->text(second) : "", is_tensor_core_operator(trace.name_text(name))});
  }
  return groups;
}

std::vector<OperatorRow> operator_rows(const Trace& trace, const OperatorTreePart& part,
                                       const OperatorGroups& groups, const std::stop_token& stop) {
  const std::span<const OperatorTreePart::Piece> pieces = part.pieces();
  std::vector<std::unique_ptr<RowGatherer>> gatherers(
      std::max<std::size_t>(1, std::min<std::size_t>(thread_count_or_default(0), pieces.size())));
  for (auto& gatherer : gatherers) gatherer = std::make_unique<RowGatherer>(groups);
  parallel_for(static_cast<unsigned>(gatherers.size()), pieces.size(), stop,
               [&](std::size_t piece, unsigned worker) { gatherers[worker]->add(pieces[piece]); });
  if (stop.stop_requested()) return {};
  for (std::size_t i = 1; i < gatherers.size(); ++i) gatherers.front()->merge(*gatherers[i]);
  return gatherers.front()->rows(trace);
}

std::vector<OperatorRow> operator_rows(const Trace& trace, const OperatorTree& tree,
                                       OperatorGrouping grouping, const std::stop_token& stop) {
  return operator_rows(trace, OperatorTreePart(trace, tree), operator_groups(trace, tree, grouping, stop),
                       stop);
}

std::vector<SliceId> operator_instances(const OperatorTreePart& part, const OperatorGroups& groups,
                                        SliceId example, const std::stop_token& stop) {
  std::vector<SliceId> instances;
  const std::optional<std::uint32_t> like = part.find(example);
  if (stop.stop_requested() || !like || groups.of_node[*like] == OperatorGroups::kNone) return instances;
  for (const OperatorTreePart::Piece& piece : part.pieces()) {
    if (stop.stop_requested()) return {};
    for (std::size_t i = 0; i < piece.nodes.size(); ++i) {
      if (groups.of_node[piece.first + i] == groups.of_node[*like] && !piece.nodes[i].merged)
        instances.push_back(piece.nodes[i].slice);
    }
  }
  return instances;
}

OperatorStacks::OperatorStacks(const Trace& trace, std::size_t most_frames)
    : trace_(trace), most_frames_(most_frames), facts_(decode_facts(trace)), by_facts_(facts_.size()) {}

std::uint32_t OperatorStacks::of(SliceId slice) {
  const std::uint32_t facts = facts_index(trace_, slice);
  if (!facts_[facts].call_stack.empty()) {
    std::uint32_t& known = by_facts_[facts];
    if (known == 0) {
      std::string_view text = facts_[facts].call_stack;
      std::size_t end = 0;
      for (std::size_t frames = 0; frames < most_frames_ && end < text.size(); ++frames)
        end = std::min(text.find(';', end), text.size() - 1) + 1;
      text = text.substr(0, end);
      while (text.ends_with(';')) text.remove_suffix(1);
      known = number_of(std::string(text)) + 1;
    }
    return known - 1;
  }
  SliceId frame = trace_.parent(slice);
  while (frame != kNoSlice && trace_.kind(frame) != SliceKind::python) frame = trace_.parent(frame);
  if (frame == kNoSlice) return 0;
  const auto [found, added] = by_frame_.try_emplace(index_of(frame), 0);
  if (added) found->second = number_of(python_text(frame));
  return found->second;
}

std::string OperatorStacks::python_text(SliceId frame) const {
  std::string text;
  std::size_t frames = 0;
  for (; frame != kNoSlice && frames < most_frames_; frame = trace_.parent(frame)) {
    if (trace_.kind(frame) != SliceKind::python) continue;
    if (frames++ > 0) text += ';';
    text += trace_.name_of(frame);
  }
  return text;
}

std::uint32_t OperatorStacks::number_of(std::string text) {
  if (text.empty()) return 0;
  const auto [found, added] =
      by_text_.try_emplace(std::move(text), static_cast<std::uint32_t>(texts_.size()));
  if (added) texts_.push_back(found->first);
  return found->second;
}

Table operator_table(const Trace& trace, const std::vector<OperatorRow>& rows, OperatorGrouping grouping,
                     const LaunchCoverage& coverage) {
  const std::vector<EventFacts> facts = decode_facts(trace);
  Table table{.name = "operators", .title = msg::operators, .definition = msg::row_per_operator};
  table.texts_of(rows, "name", msg::name, msg::the_operator,
                 [&](const OperatorRow& row) { return std::string(trace.name_text(row.name)); });
  if (grouping == OperatorGrouping::shape) {
    table.texts_of(rows, "input_dims", msg::input_shapes, msg::as_recorded_empty_without_record_shapes,
                   [&](const OperatorRow& row) { return std::string(facts[row.facts].input_dims); });
  }
  if (grouping == OperatorGrouping::stack) {
    table.texts_of(rows, "call_stack", msg::call_stack, msg::innermost_frame_first_empty_without_with,
                   &OperatorRow::stack);
  }
  table.integers_of(rows, "calls", msg::calls, Unit::count, msg::number_of_calls, &OperatorRow::calls);
  const auto time = [&](const char* key, msg::Id title, msg::Id about, auto&& get) {
    table.integers_of(rows, key, title, Unit::ns, about, get);
  };
  time("host_total_ns", msg::host_total, msg::summed_durations_on_the_cpu_with, &OperatorRow::host_ns);
  time("host_self_ns", msg::host_self, msg::without_the_operators_and_runtime_calls,
       &OperatorRow::host_self_ns);
  const bool has_device = records_gpu_work(trace);
  const bool may_use_units = has_device || used_device(trace);
  time("device_total_ns", msg::device_total, msg::summed_durations_of_gpu_work_launched,
       [&](const OperatorRow& row) { return has_device ? row.device_ns : kNoInteger; });
  time("device_self_ns", msg::device_self, msg::gpu_work_launched_by_operator_itself,
       [&](const OperatorRow& row) { return has_device ? row.device_self_ns : kNoInteger; });
  table.text_column(rows, "tensor_cores_eligible", msg::tensor_cores_possible,
                    msg::whether_this_kind_of_operator_can, [&](const OperatorRow& row) {
                      return !may_use_units ? msg::nothing : row.tensor_core_eligible ? msg::yes : msg::no;
                    });
  for (const OperatorRow& row : rows) table.links.emplace_back(row.longest);
  if (Message note = launch_coverage_note(coverage); !note.empty()) table.notes.push_back(std::move(note));
  return table;
}

constexpr TableKind<OperatorParts> kOperatorTable{
    {.name = "operators",
     .title = msg::operators,
     .heading = msg::cpu,
     .about = msg::about_operators,
     .groups = kOperatorGroups},
    [](const OperatorParts& parts, const TableQuery& query, const std::stop_token& stop) -> Table {
      const auto grouping = static_cast<OperatorGrouping>(query.group);
      const LaunchCoverage coverage = parts.coverage(stop);
      Table table = grouping == OperatorGrouping::name
                        ? operator_table(parts.trace(), parts.operators(stop), grouping, coverage)
                        : operator_table(parts.trace(),
                                         operator_rows(parts.trace(), parts.tree(stop),
                                                       parts.operator_groups(grouping, stop), stop),
                                         grouping, coverage);
      if (Message note = no_device_note(parts.trace(), stop); !note.empty() && table.row_count() > 0)
        table.notes.push_back(std::move(note));
      return table;
    },
    [](const OperatorParts& parts, const RowQuery& query, const std::stop_token& stop) {
      const auto grouping = static_cast<OperatorGrouping>(query.group);
      return operator_instances(parts.tree(stop), parts.operator_groups(grouping, stop), query.example, stop);
    }};

}  // namespace kino
