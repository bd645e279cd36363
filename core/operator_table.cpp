#include "core/operator_table.hpp"

#include <algorithm>
#include <array>
#include <tuple>
#include <unordered_map>

#include "core/gpu_work.hpp"
#include "core/parallel.hpp"

namespace kino {
namespace {

constexpr std::size_t kMostFrames = 64;

/// Annotations of the profiler and of nn.DataParallel that older writers put down as operators.
bool is_no_call(std::string_view name) {
  return name == "DataParallel.forward" || name == "DistributedDataParallel.forward" ||
         name.starts_with("Optimizer.") || name.starts_with("enumerate(Data") ||
         name.starts_with("ProfilerStep#");
}

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
  return std::find(kNames.begin(), kNames.end(), name) != kNames.end();
}

std::vector<OperatorRow> operator_rows(const Trace& trace, const OperatorTree& tree,
                                       OperatorGrouping grouping, const std::stop_token& stop) {
  std::vector<std::uint8_t> left_out(trace.names.size());
  std::vector<std::uint8_t> eligible(trace.names.size());
  for (std::uint32_t i = 0; i < trace.names.size(); ++i) {
    left_out[i] = is_no_call(trace.names[i]) ? 1 : 0;
    eligible[i] = is_tensor_core_operator(trace.names[i]) ? 1 : 0;
  }
  // Facts differ in more than shapes; equal shapes are one group.
  const std::vector<EventFacts> facts = decode_facts(trace);
  std::vector<std::uint32_t> shape_of(facts.size());
  std::unordered_map<std::string_view, std::uint32_t> shapes;
  for (std::size_t i = 0; i < facts.size(); ++i) {
    shape_of[i] = shapes.try_emplace(facts[i].input_dims, static_cast<std::uint32_t>(i)).first->second;
  }
  OperatorStacks stacks(trace, kMostFrames);
  std::vector<OperatorRow> rows;
  std::vector<std::int64_t> longest;
  std::unordered_map<std::uint64_t, std::uint32_t> by_key;
  constexpr std::uint32_t kNoRow = 0xffffffffU;
  std::vector<std::uint32_t> by_name(trace.names.size(), kNoRow);
  for (std::size_t i = 0; i < tree.nodes.size(); ++i) {
    if (i % kCancelStride == 0 && stop.stop_requested()) return {};
    const OperatorNode& node = tree.nodes[i];
    if (node.merged || trace.slices.kind[index_of(node.slice)] != SliceKind::cpu_op) continue;
    const std::uint32_t name = index_of(trace.slices.name[index_of(node.slice)]);
    if (left_out[name] != 0) continue;
    const std::uint32_t own_facts = facts_number(trace, node.slice);
    const std::uint32_t second = grouping == OperatorGrouping::stack   ? stacks.of(node.slice)
                                 : grouping == OperatorGrouping::shape ? shape_of[own_facts]
                                                                       : 0;
    std::uint32_t& row_number =
        grouping == OperatorGrouping::name
            ? by_name[name]
            : by_key.try_emplace(std::uint64_t{name} << 32 | second, kNoRow).first->second;
    if (row_number == kNoRow) {
      row_number = static_cast<std::uint32_t>(rows.size());
      OperatorRow& fresh = rows.emplace_back();
      fresh.name = NameId{name};
      fresh.facts = own_facts;
      if (grouping == OperatorGrouping::stack) fresh.stack = stacks.text(second);
      fresh.tensor_core_eligible = eligible[name] != 0;
      longest.push_back(-1);
    }
    OperatorRow& row = rows[row_number];
    ++row.calls;
    row.host_ns += node.duration_ns;
    row.host_self_ns += node.duration_ns - node.children_ns - node.runtime_ns;
    row.device_ns += tree.device_total_ns[i];
    row.device_self_ns += node.device_ns;
    if (node.duration_ns > longest[row_number]) {
      longest[row_number] = node.duration_ns;
      row.longest = node.slice;
    }
  }
  std::stable_sort(rows.begin(), rows.end(), [](const OperatorRow& a, const OperatorRow& b) {
    return std::tie(a.device_self_ns, a.host_self_ns) > std::tie(b.device_self_ns, b.host_self_ns);
  });
  return rows;
}

OperatorStacks::OperatorStacks(const Trace& trace, std::size_t most_frames)
    : trace_(trace), most_frames_(most_frames), facts_(decode_facts(trace)), by_facts_(facts_.size()) {}

std::uint32_t OperatorStacks::of(SliceId slice) {
  const std::uint32_t facts = facts_number(trace_, slice);
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
  SliceId frame = trace_.slices.parent[index_of(slice)];
  while (frame != kNoSlice && trace_.slices.kind[index_of(frame)] != SliceKind::python)
    frame = trace_.slices.parent[index_of(frame)];
  if (frame == kNoSlice) return 0;
  const auto [found, fresh] = by_frame_.try_emplace(index_of(frame), 0);
  if (fresh) found->second = number_of(python_text(frame));
  return found->second;
}

std::string OperatorStacks::python_text(SliceId frame) const {
  std::string text;
  std::size_t frames = 0;
  for (; frame != kNoSlice && frames < most_frames_; frame = trace_.slices.parent[index_of(frame)]) {
    if (trace_.slices.kind[index_of(frame)] != SliceKind::python) continue;
    if (frames++ > 0) text += ';';
    text += trace_.name_of(frame);
  }
  return text;
}

std::uint32_t OperatorStacks::number_of(std::string text) {
  if (text.empty()) return 0;
  const auto [found, fresh] =
      by_text_.try_emplace(std::move(text), static_cast<std::uint32_t>(texts_.size()));
  if (fresh) texts_.push_back(found->first);
  return found->second;
}

Table operator_table(const Trace& trace, const OperatorTree& tree, const std::vector<OperatorRow>& rows,
                     OperatorGrouping grouping) {
  const std::vector<EventFacts> facts = decode_facts(trace);
  Table table;
  table.name = "operators";
  table.title = "Operators";
  table.definition =
      "A row an operator (TensorBoard plugin, operator view). An operator that calls itself under the same "
      "name and nothing else counts once.";
  table.texts_of(rows, "name", "Name", "The operator",
                 [&](const OperatorRow& row) { return std::string(trace.names[index_of(row.name)]); });
  if (grouping == OperatorGrouping::shape) {
    table.texts_of(rows, "input_dims", "Input shapes", "As recorded; empty without record_shapes",
                   [&](const OperatorRow& row) { return std::string(facts[row.facts].input_dims); });
  }
  if (grouping == OperatorGrouping::stack) {
    table.texts_of(rows, "call_stack", "Call stack", "Innermost frame first; empty without with_stack",
                   [](const OperatorRow& row) { return row.stack; });
  }
  table.integers_of(rows, "calls", "Calls", Unit::count, "How often it was called",
                    [](const OperatorRow& row) { return row.calls; });
  const auto time = [&](const char* key, const char* title, const char* about, auto&& get) {
    table.integers_of(rows, key, title, Unit::ns, about, get);
  };
  time("host_total_ns", "Host total", "Summed durations on the CPU, with what it calls",
       [](const OperatorRow& row) { return row.host_ns; });
  time("host_self_ns", "Host self", "Without the operators and runtime calls directly below it",
       [](const OperatorRow& row) { return row.host_self_ns; });
  time("device_total_ns", "Device total", "Summed durations of GPU work launched by it and by what it calls",
       [](const OperatorRow& row) { return row.device_ns; });
  time("device_self_ns", "Device self", "Of GPU work launched by itself",
       [](const OperatorRow& row) { return row.device_self_ns; });
  table.texts_of(rows, "tensor_cores_eligible", "Tensor Cores possible",
                 "Whether this kind of operator can use Tensor Cores",
                 [](const OperatorRow& row) { return row.tensor_core_eligible ? "yes" : "no"; });
  for (const OperatorRow& row : rows) table.examples.push_back(row.longest);
  if (tree.device_ns > 0) {
    table.notes.push_back(launch_coverage(tree.owned_device_ns, tree.device_ns));
  }
  return table;
}

}  // namespace kino
