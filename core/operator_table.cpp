#include "core/operator_table.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <memory>
#include <tuple>
#include <unordered_map>

#include "core/gpu_work.hpp"
#include "core/parallel.hpp"
#include "core/saturating.hpp"

namespace kino {
namespace {

constexpr std::size_t kMostFrames = 64;

/// Annotations of the profiler and of nn.DataParallel that older writers put down as operators.
bool is_no_call(std::string_view name) {
  return name == "DataParallel.forward" || name == "DistributedDataParallel.forward" ||
         name.starts_with("Optimizer.") || name.starts_with("enumerate(Data") ||
         name.starts_with("ProfilerStep#");
}

/// What a trace's names and facts tell, found once for all threads.
struct OperatorNames {
  explicit OperatorNames(const Trace& trace)
      : left_out(trace.names.size()), eligible(trace.names.size()), facts(decode_facts(trace)) {
    for (std::uint32_t i = 0; i < trace.names.size(); ++i) {
      left_out[i] = is_no_call(trace.names[i]) ? 1 : 0;
      eligible[i] = is_tensor_core_operator(trace.names[i]) ? 1 : 0;
    }
    // Facts differ in more than shapes; equal shapes are one group.
    std::unordered_map<std::string_view, std::uint32_t> shapes;
    for (const EventFacts& of : facts) {
      shape_of.push_back(
          shapes.try_emplace(of.input_dims, static_cast<std::uint32_t>(shape_of.size())).first->second);
    }
  }

  std::vector<std::uint8_t> left_out;
  std::vector<std::uint8_t> eligible;
  std::vector<EventFacts> facts;
  std::vector<std::uint32_t> shape_of;  // by number of the facts
};

/// The rows of what one thread has seen, in any order of pieces.
class RowGatherer {
 public:
  RowGatherer(const Trace& trace, const OperatorTree& tree, const OperatorNames& names,
              OperatorGrouping grouping)
      : trace_(trace),
        tree_(tree),
        names_(names),
        grouping_(grouping),
        by_name_(grouping == OperatorGrouping::name ? trace.names.size() : 0, kNoRow) {
    if (grouping == OperatorGrouping::stack) stacks_ = std::make_unique<OperatorStacks>(trace, kMostFrames);
  }

  /// Nodes [first, last).
  void add(std::size_t first, std::size_t last) {
    for (std::size_t i = first; i < last; ++i) {
      const OperatorNode& node = tree_.nodes[i];
      if (!counts(node)) continue;
      const std::uint32_t name = index_of(trace_.slices.name[index_of(node.slice)]);
      const std::uint32_t second = second_key(node.slice);
      Gathered& it = row_of(name, second);
      if (it.row.calls == 0) {
        it.row.name = NameId{name};
        it.second = second;
        if (stacks_) it.row.stack = stacks_->text(second);
        it.row.tensor_core_eligible = names_.eligible[name] != 0;
      }
      OperatorRow& row = it.row;
      ++row.calls;
      add_saturating(row.host_ns, node.duration_ns);
      add_saturating(
          row.host_self_ns,
          saturating_subtract(saturating_subtract(node.duration_ns, node.children_ns), node.runtime_ns));
      add_saturating(row.device_ns, tree_.device_total_ns[i]);
      add_saturating(row.device_self_ns, node.device_ns);
      it.take_first(i);
      it.take_longest(node.duration_ns, node.slice);
    }
  }

  /// Whether a node is a call in a row.
  bool counts(const OperatorNode& node) const {
    return !node.merged && trace_.slices.kind[index_of(node.slice)] == SliceKind::cpu_op &&
           names_.left_out[index_of(trace_.slices.name[index_of(node.slice)])] == 0;
  }
  /// What a call's row has in common besides the name: shape or stack.
  std::uint32_t second_key(SliceId slice) {
    if (stacks_) return stacks_->of(slice);
    return grouping_ == OperatorGrouping::shape ? names_.shape_of[facts_number(trace_, slice)] : 0;
  }

  void merge(const RowGatherer& other) {
    for (const Gathered& from : other.rows_) {
      Gathered& it = row_of(index_of(from.row.name), from.second);
      if (it.row.calls == 0) {
        it = from;
        continue;
      }
      it.row.calls += from.row.calls;
      add_saturating(it.row.host_ns, from.row.host_ns);
      add_saturating(it.row.host_self_ns, from.row.host_self_ns);
      add_saturating(it.row.device_ns, from.row.device_ns);
      add_saturating(it.row.device_self_ns, from.row.device_self_ns);
      it.take_first(from.first);
      it.take_longest(from.longest_ns, from.row.longest);
    }
  }

  std::vector<OperatorRow> rows() {
    std::sort(rows_.begin(), rows_.end(), [](const Gathered& a, const Gathered& b) {
      return std::tie(b.row.device_self_ns, b.row.host_self_ns, a.first) <
             std::tie(a.row.device_self_ns, a.row.host_self_ns, b.first);
    });
    std::vector<OperatorRow> rows;
    rows.reserve(rows_.size());
    for (Gathered& it : rows_) {
      it.row.facts = facts_number(trace_, tree_.nodes[it.first].slice);
      rows.push_back(std::move(it.row));
    }
    return rows;
  }

 private:
  static constexpr std::uint32_t kNoRow = 0xffffffffU;

  struct Gathered {
    OperatorRow row;
    std::uint32_t second = 0;                                     // shape or stack
    std::size_t first = std::numeric_limits<std::size_t>::max();  // node
    std::int64_t longest_ns = -1;

    void take_first(std::size_t node) { first = std::min(first, node); }
    void take_longest(std::int64_t duration_ns, SliceId slice) {
      if (duration_ns < longest_ns || (duration_ns == longest_ns && row.longest < slice)) return;
      longest_ns = duration_ns;
      row.longest = slice;
    }
  };

  Gathered& row_of(std::uint32_t name, std::uint32_t second) {
    std::uint32_t& number =
        grouping_ == OperatorGrouping::name
            ? by_name_[name]
            : by_key_.try_emplace(std::uint64_t{name} << 32 | second, kNoRow).first->second;
    if (number == kNoRow) {
      number = static_cast<std::uint32_t>(rows_.size());
      rows_.emplace_back();
    }
    return rows_[number];
  }

  const Trace& trace_;
  const OperatorTree& tree_;
  const OperatorNames& names_;
  OperatorGrouping grouping_;
  std::unique_ptr<OperatorStacks> stacks_;
  std::vector<std::uint32_t> by_name_;
  std::unordered_map<std::uint64_t, std::uint32_t> by_key_;
  std::vector<Gathered> rows_;
};

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
  const OperatorNames names(trace);
  // Stacks are numbered as they are found, so one thread finds them all.
  const std::size_t pieces = (tree.nodes.size() + kCancelStride - 1) / kCancelStride;
  const unsigned threads = grouping == OperatorGrouping::stack ? 1 : thread_count_or_default(0);
  std::vector<std::unique_ptr<RowGatherer>> gatherers(
      std::max<std::size_t>(1, std::min<std::size_t>(threads, pieces)));
  for (auto& gatherer : gatherers) gatherer = std::make_unique<RowGatherer>(trace, tree, names, grouping);
  parallel_for(static_cast<unsigned>(gatherers.size()), pieces, stop,
               [&](std::size_t piece, unsigned worker) {
                 const std::size_t first = piece * kCancelStride;
                 gatherers[worker]->add(first, std::min(first + kCancelStride, tree.nodes.size()));
               });
  if (stop.stop_requested()) return {};
  for (std::size_t i = 1; i < gatherers.size(); ++i) gatherers.front()->merge(*gatherers[i]);
  return gatherers.front()->rows();
}

std::vector<SliceId> operator_instances(const Trace& trace, const OperatorTree& tree,
                                        OperatorGrouping grouping, SliceId example,
                                        const std::stop_token& stop) {
  const OperatorNames names(trace);
  RowGatherer gatherer(trace, tree, names, grouping);
  const NameId name = trace.slices.name[index_of(example)];
  const std::uint32_t second = gatherer.second_key(example);
  std::vector<SliceId> instances;
  for (std::size_t i = 0; i < tree.nodes.size(); ++i) {
    if (i % kCancelStride == 0 && stop.stop_requested()) return {};
    const OperatorNode& node = tree.nodes[i];
    if (trace.slices.name[index_of(node.slice)] == name && gatherer.counts(node) &&
        gatherer.second_key(node.slice) == second) {
      instances.push_back(node.slice);
    }
  }
  return instances;
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
