#include "core/tables/ledger/work_costs.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <unordered_map>

#include "core/base/ascii.hpp"
#include "core/base/messages/message.hpp"
#include "core/base/parallel.hpp"
#include "core/base/saturating.hpp"
#include "core/base/slice_set.hpp"
#include "core/tables/compare/time_attribution.hpp"
#include "core/tables/ledger/call_bytes.hpp"
#include "core/tables/operators/flop_formulas.hpp"
#include "core/tables/operators/flops_table.hpp"
#include "core/trace/event_facts.hpp"
#include "core/trace/links/gpu_work.hpp"
#include "core/trace/links/work_categories.hpp"

namespace kino {
namespace {

constexpr std::string_view kOptimizerMark = "Optimizer.step#";
/// Bytes per duration may exceed the bandwidth of the data sheet by this factor before they are doubted.
constexpr double kBandwidthTolerance = 1.05;

/// The class of a kernel by the category of its name alone.
WorkClass class_of(std::optional<msg::Id> category, std::string_view kernel) {
  // Fused linear layers, and element-wise kernels of MIOpen, have names of no category.
  if (kernel.starts_with("triton_tem") || kernel.starts_with("linear_")) return WorkClass::matrix;
  if (kernel.starts_with("SubTensorOp") || kernel.starts_with("OpTensor")) return WorkClass::memory;
  constexpr std::array kMatrix{msg::matrix_product, msg::convolution, msg::attention};
  constexpr std::array kMemory{
      msg::elementwise,      msg::normalisation,          msg::softmax,
      msg::reduction,        msg::embedding_and_indexing, msg::pooling_and_resampling,
      msg::copy_by_a_kernel, msg::random_numbers,         msg::sorting_and_selection,
      msg::compiled_triton};
  if (std::ranges::find(kMatrix, category) != kMatrix.end()) return WorkClass::matrix;
  if (std::ranges::find(kMemory, category) != kMemory.end()) return WorkClass::memory;
  return category == msg::optimizer_and_foreach ? WorkClass::optimizer : WorkClass::other;
}

}  // namespace

/// Assigns kernels to classes and calls, one GPU stream after the other.
class CostGatherer {
 public:
  CostGatherer(const Trace& trace, const OperatorTreePart& tree, WorkCosts& costs,
               const std::stop_token& stop)
      : trace_(trace),
        categories_(trace, rules_),
        costs_(costs),
        stop_(stop),
        facts_(decode_facts(trace)),
        is_product_(trace.names.size()),
        marks_optimizer_(trace.names.size()),
        is_counted_(trace.slice_count()) {
    for (std::uint32_t i = 0; i < trace.names.size(); ++i) {
      is_product_[i] = has_flop_formula(trace.names[i]) ? 1 : 0;
      marks_optimizer_[i] = trace.names[i].starts_with(kOptimizerMark) ? 1 : 0;
      has_optimizer_marks_ = has_optimizer_marks_ || marks_optimizer_[i] != 0;
    }
    counted_ = counted_calls(trace, tree, stop);
    // The lengths of packed sequences were not recorded, so that an upper bound may be far too high. Padding of grouped
    // products is small.
    std::erase_if(counted_, [&](const CallFlop& call) {
      return call.at_most && !contains(trace.name_of(call.call), "grouped_mm");
    });
    std::ranges::sort(counted_, {}, [](const CallFlop& call) { return index_of(call.call); });
    for (const CallFlop& call : counted_) is_counted_.insert(index_of(call.call));
  }

  void run() {
    std::vector<SliceId> kernels;
    for (const StreamWork& stream : gpu_work_in(trace_, whole_range(trace_), stop_).streams) {
      for (const SliceId slice : stream.slices) {
        if (trace_.kind(slice) != SliceKind::copy && !is_attributed_collective(trace_.name_of(slice)))
          kernels.push_back(slice);
      }
    }
    std::ranges::sort(kernels, {}, [](SliceId slice) { return index_of(slice); });
    const SliceSet again = recomputed_work(trace_, kernels, stop_);
    costs_.pieces_.reserve(kernels.size());
    for (std::size_t i = 0; i < kernels.size(); ++i) {
      if (i % kCancelStride == 0 && stop_.stop_requested()) return;
      add(kernels[i], again.size() > 0 && again.contains(index_of(kernels[i])));
    }
    for (CallCost& cost : costs_.calls_) finish(cost);
  }

 private:
  /// The calls and marks around a launch.
  struct Around {
    SliceId owner = kNoSlice;    // the innermost operator
    SliceId counted = kNoSlice;  // the outermost call with FLOPs
    bool product = false;        // in a call with a formula and shapes
    bool optimizer = false;      // in Optimizer.step#
  };

  Around around(SliceId kernel) {
    const SliceId owner = owner_of(trace_, kernel);
    const SliceId launch = trace_.link(kernel);
    if (owner == last_.owner && owner != kNoSlice) return last_;
    Around found;
    found.owner = owner;
    for (SliceId at = owner != kNoSlice ? owner : launch; at != kNoSlice; at = trace_.parent(at)) {
      const std::uint32_t name = index_of(trace_.name(at));
      if (is_counted_.contains(index_of(at))) found.counted = at;
      found.product = found.product || (is_product_[name] != 0 && has_shapes(at));
      found.optimizer = found.optimizer || marks_optimizer_[name] != 0;
    }
    last_ = found;
    return found;
  }

  bool has_shapes(SliceId call) const { return !facts_[facts_index(trace_, call)].input_dims.empty(); }

  void add(SliceId kernel, bool recomputed) {
    const Around calls = around(kernel);
    const std::optional<msg::Id> category = rules_.all()[categories_.rule_of(kernel)].category.id();
    const WorkClass by_name = class_of(category, trace_.name_of(kernel));
    WorkCosts::Piece piece{kernel, WorkCosts::kNoCall, by_name};
    if (by_name == WorkClass::optimizer && has_optimizer_marks_) piece.work_class = WorkClass::memory;
    if (calls.counted != kNoSlice || calls.product) piece.work_class = WorkClass::matrix;
    const SliceId call = calls.counted != kNoSlice ? calls.counted : calls.owner;
    if (call != kNoSlice) {
      piece.call = call_index(call, calls.counted != kNoSlice);
      CallCost& cost = costs_.calls_[piece.call];
      add_saturating(cost.device_ns, trace_.duration_ns(kernel));
      if (category == msg::elementwise) elementwise_.insert(piece.call);
    }
    if (recomputed) piece.work_class = WorkClass::recompute;
    if (has_optimizer_marks_ ? calls.optimizer : by_name == WorkClass::optimizer)
      piece.work_class = WorkClass::optimizer;
    costs_.pieces_.push_back(piece);
  }

  std::uint32_t call_index(SliceId call, bool counted) {
    const auto [place, fresh] =
        call_indices_.try_emplace(index_of(call), static_cast<std::uint32_t>(costs_.calls_.size()));
    if (!fresh) return place->second;
    CallCost& cost = costs_.calls_.emplace_back();
    cost.call = call;
    cost.facts = facts_index(trace_, call);
    cost.counted = counted;
    if (counted) {
      const auto flop = std::ranges::lower_bound(counted_, index_of(call), {},
                                                 [](const CallFlop& each) { return index_of(each.call); });
      cost.hardware_flop = flop->flop;
      cost.model_flop = flop->model_flop;
      cost.dtype = flop->type;
      cost.at_most = flop->at_most;
      cost.recomputed = flop->recomputed;
    } else {
      cost.dtype = flop_type(trace_.name_of(call), facts_[cost.facts]);
    }
    return place->second;
  }

  /// Computes the times at the limits, once the duration of the call is known.
  void finish(CallCost& cost) {
    const DeviceRoofs& roofs = costs_.roofs_;
    if (cost.counted) {
      const double peak = roofs.flop_per_ns(cost.dtype);
      if (peak > 0) {
        cost.peak_ns = cost.hardware_flop / peak;
        cost.model_peak_ns = cost.model_flop / peak;
      }
    }
    const std::string_view op = trace_.name_of(cost.call);
    const auto index = static_cast<std::uint32_t>(&cost - costs_.calls_.data());
    const auto bytes = least_bytes(op, facts_[cost.facts], elementwise_.contains(index));
    if (!bytes) return;
    cost.bytes = *bytes;
    if (roofs.bytes_per_ns <= 0) return;
    cost.memory_ns = *bytes / roofs.bytes_per_ns;
    if (cost.memory_ns <= kBandwidthTolerance * static_cast<double>(cost.device_ns)) return;
    cost.above_bandwidth = true;
    if (op.starts_with("triton_") || *bytes > 2 * roofs.l2_bytes) {
      cost.bytes = -1;
      cost.memory_ns = -1;
    }
  }

  struct IndexSet {
    std::vector<std::uint8_t> has;
    void insert(std::uint32_t index) {
      if (index >= has.size()) has.resize(index + 1);
      has[index] = 1;
    }
    bool contains(std::uint32_t index) const { return index < has.size() && has[index] != 0; }
  };

  const Trace& trace_;
  const WorkRules& rules_ = *default_work_rules();  // of the definition, whatever rules the user has
  WorkCategories categories_;
  WorkCosts& costs_;
  const std::stop_token& stop_;
  std::vector<EventFacts> facts_;
  std::vector<std::uint8_t> is_product_;       // by name
  std::vector<std::uint8_t> marks_optimizer_;  // by name
  bool has_optimizer_marks_ = false;
  std::vector<CallFlop> counted_;  // sorted by call
  SliceSet is_counted_;
  std::unordered_map<std::uint32_t, std::uint32_t> call_indices_;  // by slice
  IndexSet elementwise_;                                           // indices of calls
  Around last_;                                                    // many kernels in a row have one owner
};

WorkCosts::WorkCosts(const Trace& trace, const OperatorTreePart& tree, const std::stop_token& stop)
    : roofs_(device_roofs(trace)) {
  CostGatherer(trace, tree, *this, stop).run();
  if (stop.stop_requested()) *this = {};
}

const WorkCosts::Piece* WorkCosts::find(SliceId kernel) const {
  const auto found = std::ranges::lower_bound(pieces_, index_of(kernel), {},
                                              [](const Piece& piece) { return index_of(piece.slice); });
  return found == pieces_.end() || found->slice != kernel ? nullptr : &*found;
}

}  // namespace kino
