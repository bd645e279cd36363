#include "core/tables/ledger/work_costs.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <optional>
#include <unordered_map>
#include <utility>

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
/// A computed bandwidth is plausible up to this multiple of the bandwidth in the data sheet.
constexpr double kBandwidthTolerance = 1.05;

/// Returns the class of a kernel by its name and the category of the name.
WorkClass class_of(std::optional<msg::Id> category, std::string_view kernel) {
  // Templates of Triton, fused linear layers and element-wise kernels of MIOpen have no category.
  if (kernel.starts_with("triton_tem") || kernel.starts_with("linear_")) return WorkClass::matrix;
  if (kernel.starts_with("SubTensorOp") || kernel.starts_with("OpTensor")) return WorkClass::memory;
  constexpr std::array kMatrix{msg::matrix_product, msg::convolution, msg::attention};
  constexpr std::array kMemory{
      msg::elementwise,      msg::normalization,          msg::softmax,
      msg::reduction,        msg::embedding_and_indexing, msg::pooling_and_resampling,
      msg::copy_by_a_kernel, msg::random_numbers,         msg::sorting_and_selection,
      msg::compiled_triton};
  if (std::ranges::find(kMatrix, category) != kMatrix.end()) return WorkClass::matrix;
  if (std::ranges::find(kMemory, category) != kMemory.end()) return WorkClass::memory;
  return category == msg::optimizer_and_foreach ? WorkClass::optimizer : WorkClass::other;
}

/// Returns the counted calls sorted by slice.
std::vector<CallFlop> sorted_calls(const Trace& trace, const OperatorTreePart& tree,
                                   const std::stop_token& stop) {
  std::vector<CallFlop> calls = counted_calls(trace, tree, stop);
  // Drop upper bounds of packed attention: lengths of sequences were not recorded, so the bound may be far
  // too high. Bounds of grouped products are retained, because their padding is small.
  std::erase_if(calls, [&](const CallFlop& call) {
    return call.at_most && !contains(trace.name_of(call.call), "grouped_mm");
  });
  const auto slice = [](const CallFlop& call) { return index_of(call.call); };
  if (!std::ranges::is_sorted(calls, {}, slice)) std::ranges::sort(calls, {}, slice);
  return calls;
}

}  // namespace

/// Assigns the kernels of a trace to classes and calls, and computes the costs of the calls.
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
        counted_(sorted_calls(trace, tree, stop)),
        is_counted_(trace, counted_, [](const CallFlop& call) { return call.call; }) {
    for (std::uint32_t i = 0; i < trace.names.size(); ++i) {
      is_product_[i] = has_flop_formula(trace.names[i]) ? 1 : 0;
      marks_optimizer_[i] = trace.names[i].starts_with(kOptimizerMark) ? 1 : 0;
      has_optimizer_marks_ = has_optimizer_marks_ || marks_optimizer_[i] != 0;
    }
  }

  void run() {
    list_kernels();
    classify();
    if (stop_.stop_requested()) return;
    number_calls();
    for (std::size_t i = 0; i < costs_.calls_.size(); ++i) finish(costs_.calls_[i], kind_of_call_[i]);
  }

 private:
  /// Set of slices that also returns the number of slices before each of its slices.
  class RankedSlices {
   public:
    /// Adds slice_of(item) of all items, unless it is kNoSlice.
    template <class Items, class SliceOf>
    RankedSlices(const Trace& trace, const Items& items, const SliceOf& slice_of)
        : slices_(trace.slice_count()), before_(slices_.word_count()) {
      for (const auto& item : items) {
        if (const SliceId slice = slice_of(item); slice != kNoSlice) slices_.insert(index_of(slice));
      }
      for (std::size_t i = 0; i < before_.size(); ++i) {
        before_[i] = size_;
        size_ += static_cast<std::uint32_t>(std::popcount(slices_.word(i)));
      }
    }
    std::size_t size() const { return size_; }
    bool contains(SliceId slice) const { return slices_.contains(index_of(slice)); }
    /// Returns the rank of a slice of the set. O(1).
    std::uint32_t rank(SliceId slice) const {
      const std::uint32_t i = index_of(slice);
      const std::uint64_t below = slices_.word(i / 64) & ((std::uint64_t{1} << (i % 64)) - 1);
      return before_[i / 64] + static_cast<std::uint32_t>(std::popcount(below));
    }

   private:
    SliceSet slices_;
    std::vector<std::uint32_t> before_;  // by word of slices_
    std::uint32_t size_ = 0;
  };

  /// Class of the kernels of one name.
  struct NameClass {
    bool known = false;
    bool library_collective = false;  ///< see is_attributed_collective()
    bool elementwise = false;         ///< whether the category is elementwise work
    WorkClass work_class = WorkClass::other;
  };

  /// Costs that are equal for all calls of one name and one set of facts. They are computed once.
  struct CallKind {
    std::string_view dtype;
    double flop_per_ns = 0;
    std::array<std::optional<double>, 2> bytes;  ///< without and with elementwise kernels
    std::array<bool, 2> has_bytes{};             ///< whether `bytes` were computed
  };

  static constexpr std::size_t kChunk = 1U << 14;  // number of kernels that a thread classifies at once

  /// Calls and annotations that contain the launch of a kernel.
  struct Around {
    SliceId owner = kNoSlice;    // the innermost operator
    SliceId counted = kNoSlice;  // the outermost call with FLOPs
    bool product = false;        // whether a call has a FLOP formula and shapes
    bool optimizer = false;      // whether an annotation Optimizer.step# contains it
  };

  /// Adds a piece per kernel, sorted by slice, and fills the classes of their names.
  void list_kernels() {
    name_classes_.resize(2 * trace_.names.size());
    const GpuWork work = gpu_work_in(trace_, whole_range(trace_), stop_);
    costs_.pieces_.reserve(work.size());
    for (const StreamWork& stream : work.streams) {
      for (const SliceId slice : stream.slices) {
        if (trace_.kind(slice) != SliceKind::copy && !name_class(slice).library_collective)
          costs_.pieces_.push_back({slice, WorkCosts::kNoCall, WorkClass::other});
      }
    }
    const auto slice = [](const WorkCosts::Piece& piece) { return index_of(piece.slice); };
    if (!std::ranges::is_sorted(costs_.pieces_, {}, slice)) std::ranges::sort(costs_.pieces_, {}, slice);
  }

  std::size_t name_index(SliceId kernel) const {
    return 2 * std::size_t{index_of(trace_.name(kernel))} +
           (trace_.kind(kernel) == SliceKind::communication ? 1 : 0);
  }
  const NameClass& name_class(SliceId kernel) {
    NameClass& found = name_classes_[name_index(kernel)];
    if (found.known) return found;
    const std::string_view name = trace_.name_of(kernel);
    const std::optional<msg::Id> category = rules_.all()[categories_.rule_of(kernel)].category.id();
    found = {true, is_attributed_collective(name), category == msg::elementwise, class_of(category, name)};
    return found;
  }

  /// Sets the class of each piece, and the slice of its call as Piece::call.
  void classify() {
    std::vector<WorkCosts::Piece>& pieces = costs_.pieces_;
    std::vector<SliceId> kernels;
    kernels.reserve(pieces.size());
    for (const WorkCosts::Piece& piece : pieces) kernels.push_back(piece.slice);
    const SliceSet again = recomputed_work(trace_, kernels, stop_);
    parallel_for(thread_count_or_default(0), (pieces.size() + kChunk - 1) / kChunk, stop_,
                 [&](std::size_t chunk, unsigned) {
                   Around around;
                   const std::size_t end = std::min(pieces.size(), (chunk + 1) * kChunk);
                   for (std::size_t i = chunk * kChunk; i < end; ++i) {
                     find_around(pieces[i].slice, around);
                     const bool recomputed = again.size() > 0 && again.contains(index_of(pieces[i].slice));
                     classify(pieces[i], around, recomputed);
                   }
                 });
  }

  /// Replaces `around` by the calls around a kernel, unless the kernel has the same owner.
  void find_around(SliceId kernel, Around& around) const {
    const SliceId owner = owner_of(trace_, kernel);
    if (owner == around.owner && owner != kNoSlice) return;
    around = {};
    around.owner = owner;
    for (SliceId at = owner != kNoSlice ? owner : trace_.link(kernel); at != kNoSlice;
         at = trace_.parent(at)) {
      const std::uint32_t name = index_of(trace_.name(at));
      if (is_counted_.contains(at)) around.counted = at;
      around.product = around.product || (is_product_[name] != 0 && has_shapes(at));
      around.optimizer = around.optimizer || marks_optimizer_[name] != 0;
    }
  }

  bool has_shapes(SliceId call) const { return !facts_[facts_index(trace_, call)].input_dims.empty(); }

  void classify(WorkCosts::Piece& piece, const Around& around, bool recomputed) const {
    const WorkClass by_name = name_classes_[name_index(piece.slice)].work_class;
    piece.work_class = by_name;
    if (by_name == WorkClass::optimizer && has_optimizer_marks_) piece.work_class = WorkClass::memory;
    if (around.counted != kNoSlice || around.product) piece.work_class = WorkClass::matrix;
    const SliceId call = around.counted != kNoSlice ? around.counted : around.owner;
    piece.call = call == kNoSlice ? WorkCosts::kNoCall : index_of(call);
    if (recomputed) piece.work_class = WorkClass::recompute;
    if (has_optimizer_marks_ ? around.optimizer : by_name == WorkClass::optimizer)
      piece.work_class = WorkClass::optimizer;
  }

  /// Adds one cost per call, in order of their first kernels, and replaces slices in Piece::call by indices.
  void number_calls() {
    const auto call_of = [](const WorkCosts::Piece& piece) {
      return piece.call == WorkCosts::kNoCall ? kNoSlice : SliceId{piece.call};
    };
    const RankedSlices called(trace_, costs_.pieces_, call_of);
    std::vector<std::uint32_t> indices(called.size(), WorkCosts::kNoCall);
    costs_.calls_.reserve(called.size());
    kind_of_call_.reserve(called.size());
    elementwise_.resize(called.size());
    for (WorkCosts::Piece& piece : costs_.pieces_) {
      if (piece.call == WorkCosts::kNoCall) continue;
      const SliceId call{piece.call};
      std::uint32_t& index = indices[called.rank(call)];
      if (index == WorkCosts::kNoCall) {
        index = static_cast<std::uint32_t>(costs_.calls_.size());
        add_call(call);
      }
      piece.call = index;
      add_saturating(costs_.calls_[index].device_ns, trace_.duration_ns(piece.slice));
      if (name_classes_[name_index(piece.slice)].elementwise) elementwise_[index] = 1;
    }
  }

  void add_call(SliceId call) {
    CallCost& cost = costs_.calls_.emplace_back();
    cost.call = call;
    cost.facts = facts_index(trace_, call);
    cost.counted = is_counted_.contains(call);
    const std::uint64_t key = std::uint64_t{index_of(trace_.name(call))} << 32 | cost.facts;
    const auto [known, added] = kind_indices_.try_emplace(key, static_cast<std::uint32_t>(kinds_.size()));
    if (added) {
      CallKind& kind = kinds_.emplace_back();
      kind.dtype = flop_type(trace_.name_of(call), facts_[cost.facts]);
      kind.flop_per_ns = costs_.roofs_.flop_per_ns(kind.dtype);
    }
    kind_of_call_.push_back(known->second);
    cost.dtype = kinds_[known->second].dtype;
    if (!cost.counted) return;
    const CallFlop& flop = counted_[is_counted_.rank(call)];
    cost.hardware_flop = flop.flop;
    cost.model_flop = flop.model_flop;
    cost.at_most = flop.at_most;
    cost.recomputed = flop.recomputed;
  }

  const std::optional<double>& bytes_of(const CallCost& cost, CallKind& kind) {
    const std::uint8_t elementwise = elementwise_[static_cast<std::size_t>(&cost - costs_.calls_.data())];
    if (!std::exchange(kind.has_bytes[elementwise], true))
      kind.bytes[elementwise] = least_bytes(trace_.name_of(cost.call), facts_[cost.facts], elementwise != 0);
    return kind.bytes[elementwise];
  }

  /// Computes the bytes of a call and its times at the limits. All of its kernels must have been added.
  void finish(CallCost& cost, std::uint32_t kind_index) {
    CallKind& kind = kinds_[kind_index];
    const DeviceRoofs& roofs = costs_.roofs_;
    if (cost.counted && kind.flop_per_ns > 0) {
      cost.peak_ns = cost.hardware_flop / kind.flop_per_ns;
      cost.model_peak_ns = cost.model_flop / kind.flop_per_ns;
    }
    const std::optional<double>& bytes = bytes_of(cost, kind);
    if (!bytes) return;
    cost.bytes = *bytes;
    if (roofs.bytes_per_ns <= 0) return;
    cost.memory_ns = *bytes / roofs.bytes_per_ns;
    if (cost.memory_ns <= kBandwidthTolerance * static_cast<double>(cost.device_ns)) return;
    cost.above_bandwidth = true;
    if (trace_.name_of(cost.call).starts_with("triton_") || *bytes > 2 * roofs.l2_bytes) {
      cost.bytes = -1;
      cost.memory_ns = -1;
    }
  }

  const Trace& trace_;
  const WorkRules& rules_ = *default_work_rules();  // built-in; user-defined rules do not affect the rows
  WorkCategories categories_;
  WorkCosts& costs_;
  const std::stop_token& stop_;
  std::vector<EventFacts> facts_;
  std::vector<std::uint8_t> is_product_;       // by name
  std::vector<std::uint8_t> marks_optimizer_;  // by name
  bool has_optimizer_marks_ = false;
  std::vector<CallFlop> counted_;        // sorted by call
  RankedSlices is_counted_;              // ranks are indices into counted_
  std::vector<NameClass> name_classes_;  // by name and whether the kernel's kind is communication
  std::vector<CallKind> kinds_;
  std::unordered_map<std::uint64_t, std::uint32_t> kind_indices_;  // by name and facts
  std::vector<std::uint32_t> kind_of_call_;                        // by call: index into kinds_
  std::vector<std::uint8_t> elementwise_;                          // by call: whether a kernel is elementwise
};

WorkCosts::WorkCosts(const Trace& trace, const OperatorTreePart& tree, const std::stop_token& stop)
    : roofs_(device_roofs(trace)) {
  CostGatherer(trace, tree, *this, stop).run();
  if (stop.stop_requested()) *this = {};
}

const WorkCosts::Piece* WorkCosts::find(SliceId kernel) const {
  std::size_t near = pieces_.size();
  return find(kernel, near);
}

const WorkCosts::Piece* WorkCosts::find(SliceId kernel, std::size_t& near) const {
  if (near >= pieces_.size() || pieces_[near].slice != kernel) {
    const auto found = std::ranges::lower_bound(pieces_, index_of(kernel), {},
                                                [](const Piece& piece) { return index_of(piece.slice); });
    if (found == pieces_.end() || found->slice != kernel) return nullptr;
    near = static_cast<std::size_t>(found - pieces_.begin());
  }
  return &pieces_[near++];
}

}  // namespace kino
