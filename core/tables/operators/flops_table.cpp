#include "core/tables/operators/flops_table.hpp"

#include <algorithm>
#include <cstdio>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>

#include "core/base/ascii.hpp"
#include "core/base/messages/message.hpp"
#include "core/base/parallel.hpp"
#include "core/base/saturating.hpp"
#include "core/base/time_text.hpp"
#include "core/tables/gpu/device_peaks.hpp"
#include "core/tables/gpu/gpu_parts.hpp"
#include "core/tables/operators/convolution_outputs.hpp"
#include "core/tables/operators/operator_table.hpp"
#include "core/trace/autograd_pairs.hpp"
#include "core/trace/event_facts.hpp"
#include "core/trace/flow_links.hpp"
#include "core/trace/links/gpu_work.hpp"
#include "core/trace/links/launch_calls.hpp"
#include "core/trace/links/operator_tree.hpp"

namespace kino {
namespace {

/// Returns an index of the input shapes by facts index. Facts that differ in other attributes can have equal
/// shapes.
std::vector<std::uint32_t> shape_indices(const std::vector<EventFacts>& facts) {
  std::vector<std::uint32_t> indices;
  std::unordered_map<std::string_view, std::uint32_t> known;
  indices.reserve(facts.size());
  for (const EventFacts& event : facts) {
    indices.push_back(
        known.try_emplace(event.input_dims, static_cast<std::uint32_t>(known.size())).first->second);
  }
  return indices;
}

/// Whether autograd's own formulas never call the operator, so a call within the backward pass repeats the
/// forward pass.
bool is_forward_only(std::string_view name) {
  return name == "aten::linear" || name == "aten::addmm" || name == "aten::convolution" ||
         name == "aten::scaled_dot_product_attention" || name.starts_with("aten::conv1d") ||
         name.starts_with("aten::conv2d") || name.starts_with("aten::conv3d") ||
         name.starts_with("aten::conv_transpose");
}

/// Determines whether calls repeat the forward pass.
class Recomputation {
 public:
  explicit Recomputation(const Trace& trace)
      : trace_(trace),
        autograd_(trace.categories.find(kAutogradFlow)),
        is_node_(trace.names.size()),
        forward_only_(trace.names.size()),
        is_module_(trace.names.size()),
        is_checkpoint_(trace.names.size()) {
    for (std::uint32_t i = 0; i < trace.names.size(); ++i) {
      is_module_[i] = is_module_call(trace.names[i]) ? 1 : 0;
      is_checkpoint_[i] = trace.names[i] == "CheckpointFunctionBackward" ? 1 : 0;
      forward_only_[i] = is_forward_only(trace.names[i]) ? 1 : 0;
      is_node_[i] = trace.names[i].starts_with("autograd::engine::evaluate_function: ") ? 1 : 0;
    }
  }

  /// Whether the call is recomputed. If `by_module`, calls within a module within an autograd node, and calls
  /// of activation checkpointing outside of nested autograd nodes, are also recomputed. O(depth * log
  /// arrows).
  bool has(SliceId call, bool by_module = false) const {
    bool differentiated = false;
    for (SliceId at = call; at != kNoSlice; at = trace_.parent(at)) {
      const std::uint32_t name = index_of(trace_.name(at));
      if (is_node_[name] != 0) return differentiated;
      if (by_module && is_checkpoint_[name] != 0) return true;
      differentiated = differentiated || forward_only_[name] != 0 || leaves_arrow(at) ||
                       (by_module && is_module_[name] != 0);
    }
    return false;
  }

 private:
  bool leaves_arrow(SliceId slice) const {
    for (const std::uint32_t arrow : flows_from(trace_, slice)) {
      if (index_of(trace_.flows.category[arrow]) == autograd_) return true;
    }
    return false;
  }

  const Trace& trace_;
  std::uint32_t autograd_;
  std::vector<std::uint8_t> is_node_;        // by name
  std::vector<std::uint8_t> forward_only_;   // by name
  std::vector<std::uint8_t> is_module_;      // by name
  std::vector<std::uint8_t> is_checkpoint_;  // by name: the autograd node of torch.utils.checkpoint
};

struct CountedCall {
  SliceId slice = kNoSlice;
  std::uint32_t facts = 0;
  std::uint64_t row = 0;  // key that is equal for all calls of a row
  FlopCount count;
  std::int64_t device_ns = 0;
};

/// Counts the operations of a tree's calls.
class Counter {
 public:
  Counter(const Trace& trace, const OperatorTreePart& part)
      : trace_(trace), part_(part), facts_(decode_facts(trace)), shapes_(shape_indices(facts_)) {
    has_formula_.reserve(trace.names.size());
    for (const std::string_view name : trace.names) has_formula_.push_back(has_flop_formula(name) ? 1 : 0);
  }

  /// Returns the number of calls in the last run() that only captured a graph, and computed nothing.
  std::uint64_t captured() const { return captured_calls_; }

  const EventFacts& facts(std::uint32_t index) const { return facts_[index]; }
  std::uint64_t row_of(SliceId call) const {
    return std::uint64_t{index_of(trace_.name(call))} << 32 | shapes_[facts_index(trace_, call)];
  }

  /// Calls on_counted(CountedCall) for each counted call, and on_uncounted(slice, own GPU time) for each
  /// uncounted call.
  template <class Counted, class Uncounted>
  void run(const std::stop_token& stop, const Counted& on_counted, const Uncounted& on_uncounted) {
    mark_captured(stop);
    std::vector<Inside> inside(part_.whole_size());  // state of each node, inherited from the enclosing node
    for (const OperatorTreePart::Piece& piece : part_.pieces()) {
      if (stop.stop_requested()) return;
      for (std::size_t i = 0; i < piece.nodes.size(); ++i) {
        const OperatorNode& node = piece.nodes[i];
        if (node.merged) continue;
        const std::uint32_t parent = part_.parent_of(node);
        const Inside around = parent == OperatorNode::kNone ? Inside::nothing : inside[parent];
        inside[piece.first + i] = around;
        if (around == Inside::summed) continue;
        const std::int64_t device_ns = piece.device_total_ns[i];
        if (device_ns == 0 && is_captured(node.slice) && is_product(node.slice)) {
          inside[piece.first + i] = Inside::summed;
          ++captured_calls_;
        } else if (const auto count = count_of(node.slice, parent)) {
          inside[piece.first + i] = Inside::summed;
          on_counted(CountedCall{node.slice, facts_index(trace_, node.slice), row_of(node.slice), *count,
                                 device_ns});
        } else if (node.device_ns > 0 && trace_.kind(node.slice) == SliceKind::cpu_op &&
                   has_shapes(node.slice)) {
          on_uncounted(node.slice, node.device_ns);
        } else if (device_ns == 0 && around == Inside::nothing && is_product(node.slice)) {
          // No call below has GPU work, so the outermost call represents all calls below.
          inside[piece.first + i] = Inside::lacking;
          on_uncounted(node.slice, 0);
        }
      }
    }
  }

 private:
  enum class Inside : std::uint8_t {
    nothing,
    summed,
    lacking,  ///< within a call with a formula whose arguments were not recorded
  };

  bool has_shapes(SliceId call) const { return !facts_[facts_index(trace_, call)].input_dims.empty(); }
  /// Whether the call has a formula and recorded shapes.
  bool is_product(SliceId call) const {
    return has_formula_[index_of(trace_.name(call))] != 0 && has_shapes(call);
  }

  bool is_captured(SliceId call) const { return captured_.size() > 0 && captured_.contains(index_of(call)); }
  /// Marks captured launches and the calls around them. O(slices); O(names) if there are no captures.
  void mark_captured(const std::stop_token& stop) {
    captured_calls_ = 0;
    captured_ = SliceSet();
    const std::vector<SliceId> launches = captured_work(trace_, stop).launches;
    if (launches.empty()) return;
    captured_ = SliceSet(trace_.slice_count());
    for (SliceId at : launches) {
      for (; at != kNoSlice && !captured_.contains(index_of(at)); at = trace_.parent(at))
        captured_.insert(index_of(at));
    }
  }

  std::optional<FlopCount> count_of(SliceId call, std::uint32_t parent) {
    const std::uint32_t name = index_of(trace_.name(call));
    if (has_formula_[name] == 0) return std::nullopt;
    const OperatorNode* const around = parent == OperatorNode::kNone ? nullptr : part_.node(parent);
    const std::uint32_t own = facts_index(trace_, call);
    const bool needs_caller = contains(trace_.names[name], "_backward_weight");
    const std::uint32_t outer = around == nullptr || !needs_caller ? 0 : facts_index(trace_, around->slice);
    Known& known = known_[std::uint64_t{name} << 32 | own];
    if (known.computed && known.outer == outer) return known.count;
    known = {true, outer, flops_of(trace_.names[name], facts_[own], outer == 0 ? nullptr : &facts_[outer])};
    if (!known.count && ConvolutionOutputs::is_forward(trace_.names[name])) {
      if (const auto flops = convolution_outputs().flops_of(facts_[own]))
        known.count = FlopCount{*flops, *flops, false};
    }
    return known.count;
  }

  /// Returns the output shapes of convolutions in the whole trace. O(slices) for the first call.
  const ConvolutionOutputs& convolution_outputs() {
    if (outputs_) return *outputs_;
    outputs_.emplace();
    std::vector<std::uint8_t> backward(trace_.names.size());
    for (std::uint32_t i = 0; i < trace_.names.size(); ++i)
      backward[i] = ConvolutionOutputs::is_backward(trace_.names[i]) ? 1 : 0;
    for (std::uint32_t i = 0; i < trace_.slice_count(); ++i) {
      if (backward[index_of(trace_.slices.name[i])] != 0)
        outputs_->add(trace_.name_of(SliceId{i}), facts_[facts_index(trace_, SliceId{i})]);
    }
    return *outputs_;
  }

  struct Known {
    bool computed = false;
    std::uint32_t outer = 0;  // facts index of the caller
    std::optional<FlopCount> count;
  };

  const Trace& trace_;
  const OperatorTreePart& part_;
  std::vector<EventFacts> facts_;
  std::vector<std::uint32_t> shapes_;
  std::vector<std::uint8_t> has_formula_;  // by name
  SliceSet captured_;                      // captured launches and the calls around them; size 0 if there are
                                           // none
  std::uint64_t captured_calls_ = 0;
  std::unordered_map<std::uint64_t, Known> known_;  // by name and facts
  std::optional<ConvolutionOutputs> outputs_;
};

void add(FlopSum& sum, double flop, bool at_most, const std::optional<DevicePeak>& peak) {
  if (flop <= 0) return;
  if (at_most) sum.at_most_flop += flop;
  sum.flop += flop;
  constexpr double kPerNs = 1000;  // 1 TFLOP/s is 1,000 FLOP per ns
  if (peak) sum.peak_ns += flop / (peak->tflop_per_s * kPerNs);
  sum.peak_known = sum.peak_known && peak.has_value();
}

/// Returns the number of GPUs with a compute kernel.
std::uint32_t computing_gpus(const Trace& trace) {
  std::set<std::uint32_t> computing;
  for (const Row& row : trace.rows) {
    const Track& track = trace.track(row.track);
    if (track.kind != TrackKind::gpu_stream || computing.contains(track.process)) continue;
    const auto kinds = trace.slices.kind.sub(row.first_slice, row.slice_count);
    if (std::ranges::find(kinds, SliceKind::compute) != kinds.end()) computing.insert(track.process);
  }
  return static_cast<std::uint32_t>(computing.size());
}

/// Whether an uncounted operator may multiply matrices. PyTorch's own operators are recognized by name. Any
/// other operator may, except collectives and Inductor's elementwise and reduction kernels.
bool may_multiply(std::string_view name) {
  constexpr std::string_view kOwn = "aten::";
  if (!name.starts_with(kOwn)) {
    // Inductor uses these three Triton prefixes for elementwise and reduction kernels, and triton_tem_ for
    // products.
    return !name.starts_with("triton_poi_") && !name.starts_with("triton_red_") &&
           !name.starts_with("triton_per_") && !name.starts_with("c10d::") &&
           !name.starts_with("_c10d_functional::") && !name.starts_with("nccl:") &&
           name != "record_param_comms";
  }
  return has_flop_formula(name) || is_tensor_core_operator(name) || name.ends_with("mm") ||
         contains(name, "matmul") || contains(name, "_rnn") || contains(name, "attention") ||
         (contains(name, "conv") && !contains(name, "convert"));
}

/// Returns the number of compute kernels started by graph launches.
std::uint64_t kernels_of_graphs(const Trace& trace, const GpuWork& work) {
  std::vector<std::uint8_t> of_graph(trace.names.size());
  for (std::uint32_t i = 0; i < trace.names.size(); ++i) of_graph[i] = launches_graph(trace.names[i]) ? 1 : 0;
  std::uint64_t kernels = 0;
  for (const StreamWork& stream : work.streams) {
    for (const SliceId slice : stream.slices) {
      if (trace.kind(slice) != SliceKind::compute) continue;
      const SliceId launch = trace.link(slice);
      if (launch != kNoSlice && of_graph[index_of(trace.name(launch))] != 0) ++kernels;
    }
  }
  return kernels;
}

/// Adds the calls of a report to its rows and sums.
class FlopsGatherer {
 public:
  FlopsGatherer(const Trace& trace, const Counter& counter, FlopsReport& report)
      : trace_(trace),
        counter_(counter),
        report_(report),
        recomputation_(trace),
        device_(only_device_name(trace)) {}

  void count(const CountedCall& call) {
    const auto [found, added] = by_key_.try_emplace(call.row, report_.rows.size());
    if (added) {
      FlopsRow& row = report_.rows.emplace_back();
      row.name = trace_.name(call.slice);
      row.facts = call.facts;
      longest_.push_back(-1);
    }
    FlopsRow& row = report_.rows[found->second];
    const std::string_view type = flop_type(trace_.name_of(call.slice), counter_.facts(call.facts));
    if (std::ranges::find(row.types, type) == row.types.end()) row.types.push_back(type);
    const bool recomputed = recomputation_.has(call.slice);
    const double model = recomputed ? 0 : call.count.model;
    const std::optional<DevicePeak>& peak = peak_of(type);
    ++row.calls;
    row.recomputed += recomputed ? 1 : 0;
    row.model_flop += model;
    add(row.hardware, call.count.hardware, call.count.at_most, peak);
    add_saturating(row.device_ns, call.device_ns);
    add_saturating(report_.counted_ns, call.device_ns);
    const std::int64_t start_ns = trace_.start_ns(call.slice);
    if (start_ns >= report_.base.calls.begin_ns && start_ns < report_.base.calls.end_ns) {
      add(report_.hardware, call.count.hardware, call.count.at_most, peak);
      add(report_.model, model, call.count.at_most, peak);
    }
    if (call.device_ns > longest_[found->second]) {
      longest_[found->second] = call.device_ns;
      row.longest = call.slice;
    }
  }

  void leave_out(SliceId call, std::int64_t device_ns) {
    const NameId name = trace_.name(call);
    const auto [found, added] = by_name_.try_emplace(index_of(name), report_.uncounted.size());
    if (added) {
      report_.uncounted.emplace_back().name = name;
      longest_left_out_.push_back(-1);
    }
    UncountedRow& row = report_.uncounted[found->second];
    ++row.calls;
    add_saturating(row.device_ns, device_ns);
    add_saturating(report_.uncounted_ns, device_ns);
    if (device_ns > longest_left_out_[found->second]) {
      longest_left_out_[found->second] = device_ns;
      row.longest = call;
    }
  }

 private:
  const std::optional<DevicePeak>& peak_of(std::string_view type) {
    const auto [found, added] = peaks_.try_emplace(type);
    if (added) found->second = device_peak(device_, type);
    return found->second;
  }

  const Trace& trace_;
  const Counter& counter_;
  FlopsReport& report_;
  Recomputation recomputation_;
  std::string_view device_;
  std::unordered_map<std::uint64_t, std::size_t> by_key_;
  std::unordered_map<std::uint32_t, std::size_t> by_name_;
  std::vector<std::int64_t> longest_;
  std::vector<std::int64_t> longest_left_out_;
  std::unordered_map<std::string_view, std::optional<DevicePeak>> peaks_;
};

constexpr std::string_view kFlopsShapeKeys[] = {"name", "input_dims", "dtype"};
constexpr std::string_view kUncountedKeys[] = {"name"};
/// In the order of FlopsGrouping.
constexpr TableGroup kFlopsGroups[] = {{"shape", msg::by_name_and_shape, kFlopsShapeKeys},
                                       {"uncounted", msg::not_counted, kUncountedKeys}};

}  // namespace

FlopsReport flops_report(const Trace& trace, const OperatorTreePart& part, const FlopsScope& scope,
                         const std::stop_token& stop) {
  FlopsReport report;
  report.base = scope.base;
  report.device = only_device_name(trace);
  report.device_ns = scope.device_ns;
  report.graph_kernels = scope.graph_kernels;
  report.gpus = computing_gpus(trace);
  Counter counter(trace, part);
  FlopsGatherer gatherer(trace, counter, report);
  counter.run(
      stop, [&](const CountedCall& call) { gatherer.count(call); },
      [&](SliceId call, std::int64_t device_ns) { gatherer.leave_out(call, device_ns); });
  if (stop.stop_requested()) return {};
  report.captured = counter.captured();
  for (const UncountedRow& row : report.uncounted) {
    if (has_flop_formula(trace.name_text(row.name))) report.lacking += row.calls;
    if (may_multiply(trace.name_text(row.name))) add_saturating(report.unknown_ns, row.device_ns);
  }
  const std::int64_t known_ns = saturating_add(report.counted_ns, report.uncounted_ns);
  add_saturating(report.unknown_ns,
                 std::max<std::int64_t>(0, saturating_subtract(report.device_ns, known_ns)));
  for (FlopsRow& row : report.rows) {
    if (row.device_ns <= 0) continue;
    constexpr double kPerTera = 1000;  // 1 TFLOP/s is 1,000 FLOP per ns
    const auto device_ns = static_cast<double>(row.device_ns);
    row.tflop_per_s = row.hardware.flop / device_ns / kPerTera;
    if (row.hardware.peak_known) row.peak_share = row.hardware.peak_ns / device_ns;
  }
  std::ranges::stable_sort(report.rows, std::ranges::greater(),
                           [](const FlopsRow& row) { return row.hardware.flop; });
  std::ranges::stable_sort(report.uncounted, std::ranges::greater(), &UncountedRow::device_ns);
  return report;
}

std::vector<CallFlop> counted_calls(const Trace& trace, const OperatorTreePart& part,
                                    const std::stop_token& stop) {
  std::vector<CallFlop> calls;
  Counter counter(trace, part);
  const Recomputation recomputation(trace);
  counter.run(
      stop,
      [&](const CountedCall& call) {
        calls.push_back({call.slice, call.count.hardware, call.count.at_most, call.count.model,
                         flop_type(trace.name_of(call.slice), counter.facts(call.facts)),
                         recomputation.has(call.slice)});
      },
      [](SliceId, std::int64_t) {});
  return calls;
}

SliceSet recomputed_work(const Trace& trace, std::span<const SliceId> work, const std::stop_token& stop) {
  constexpr std::size_t kChunk = 1U << 14;
  const Recomputation recomputation(trace);
  std::vector<std::uint8_t> found(work.size());
  parallel_for(thread_count_or_default(0), (work.size() + kChunk - 1) / kChunk, stop,
               [&](std::size_t chunk, unsigned) {
                 SliceId last = kNoSlice;  // cached owner, since most calls launch several pieces of work
                 bool last_is = false;
                 for (std::size_t i = chunk * kChunk; i < std::min(work.size(), (chunk + 1) * kChunk); ++i) {
                   const SliceId owner = owner_of(trace, work[i]);
                   if (owner == kNoSlice) continue;
                   if (owner != last) last_is = recomputation.has(owner, true);
                   last = owner;
                   found[i] = last_is ? 1 : 0;
                 }
               });
  if (stop.stop_requested()) return SliceSet{};
  SliceSet recomputed(trace.slice_count());
  for (std::size_t i = 0; i < work.size(); ++i) {
    if (found[i] != 0) recomputed.insert(index_of(work[i]));
  }
  return recomputed;
}

std::vector<SliceId> flops_instances(const Trace& trace, const OperatorTreePart& part, SliceId example,
                                     const std::stop_token& stop) {
  std::vector<SliceId> instances;
  Counter counter(trace, part);
  const std::uint64_t wanted = counter.row_of(example);
  counter.run(
      stop,
      [&](const CountedCall& call) {
        if (call.row == wanted) instances.push_back(call.slice);
      },
      [](SliceId, std::int64_t) {});
  return instances;
}

std::vector<SliceId> uncounted_instances(const Trace& trace, const OperatorTreePart& part, SliceId example,
                                         const std::stop_token& stop) {
  std::vector<SliceId> instances;
  const NameId wanted = trace.name(example);
  Counter counter(trace, part);
  counter.run(
      stop, [](const CountedCall&) {},
      [&](SliceId call, std::int64_t) {
        if (trace.name(call) == wanted) instances.push_back(call);
      });
  return instances;
}

FlopsReport flops_report(const GpuParts& parts, const std::stop_token& stop) {
  const FlopsScope scope{parts.base(stop), parts.coverage(stop).all_ns,
                         kernels_of_graphs(parts.trace(), parts.work(stop))};
  return flops_report(parts.trace(), parts.tree(stop), scope, stop);
}

constexpr TableKind<GpuParts> kFlopsTable{
    {.name = "flops",
     .title = msg::flops,
     .heading = msg::cpu,
     .about = msg::about_flops,
     .groups = kFlopsGroups},
    [](const GpuParts& parts, const TableQuery& query, const std::stop_token& stop) -> Table {
      return flops_table(parts.trace(), flops_report(parts, stop), static_cast<FlopsGrouping>(query.group));
    },
    [](const GpuParts& parts, const RowQuery& query, const std::stop_token& stop) {
      return static_cast<FlopsGrouping>(query.group) == FlopsGrouping::uncounted
                 ? uncounted_instances(parts.trace(), parts.tree(stop), query.example, stop)
                 : flops_instances(parts.trace(), parts.tree(stop), query.example, stop);
    }};

}  // namespace kino
