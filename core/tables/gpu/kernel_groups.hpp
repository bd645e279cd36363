// Assignment of GPU work to groups: by name, configuration or operator.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/tables/gpu/collective_facts.hpp"
#include "core/tables/gpu/kernel_table.hpp"
#include "core/trace/event_facts.hpp"
#include "core/trace/links/launch_calls.hpp"
#include "core/trace/name_text.hpp"
#include "core/trace/trace.hpp"

namespace kino {

/// Assigns an index to each configuration: the parameters of a kernel or copy that are fixed before it runs.
/// Measured values such as bandwidths are excluded, since they differ between equal calls.
class KernelConfigurations {
 public:
  explicit KernelConfigurations(const Trace& trace)
      : trace_(trace), facts_(decode_facts(trace)), by_facts_(facts_.size(), kNone) {}

  std::uint32_t of(SliceId slice) {
    const std::uint32_t facts = facts_index(trace_, slice);
    if (trace_.kind(slice) == SliceKind::communication) {
      // Communication kernels use one grid for all data sizes, so the amount of data is also part of the
      // configuration.
      const CollectiveFacts sent = collective_facts(trace_, facts_, slice);
      return index({launched_as(facts_[facts]), static_cast<std::int64_t>(sent.kind), std::string(sent.group),
                    sent.group_size, sent.in_elements, sent.out_elements, std::string(sent.dtype)});
    }
    if (by_facts_[facts] == kNone) {
      by_facts_[facts] =
          index({launched_as(facts_[facts]), -1, std::string(facts_[facts].direction), -1, -1, -1, ""});
    }
    return by_facts_[facts];
  }

  /// Whether the size of a copy or collective is recorded.
  bool has_bytes(SliceId slice) const {
    if (trace_.kind(slice) == SliceKind::communication)
      return collective_facts(trace_, facts_, slice).bytes() >= 0;
    return facts_[facts_index(trace_, slice)].bytes >= 0;
  }
  const EventFacts& facts(SliceId slice) const { return facts_[facts_index(trace_, slice)]; }

 private:
  static constexpr std::uint32_t kNone = 0xffffffffU;
  using Numbers = std::array<std::int64_t, 11>;
  using Key =
      std::tuple<Numbers, std::int64_t, std::string, std::int64_t, std::int64_t, std::int64_t, std::string>;

  static Numbers launched_as(const EventFacts& facts) {
    return {facts.grid[0],  facts.grid[1],  facts.grid[2],   facts.block[0],
            facts.block[1], facts.block[2], facts.registers, facts.shared_memory,
            facts.bytes,    facts.source,   facts.target};
  }
  std::uint32_t index(Key key) {
    return indices_.try_emplace(std::move(key), static_cast<std::uint32_t>(indices_.size())).first->second;
  }

  const Trace& trace_;
  std::vector<EventFacts> facts_;
  std::vector<std::uint32_t> by_facts_;
  std::map<Key, std::uint32_t> indices_;
};

/// Assigns an index to each combination of configuration, launching operator and its input shapes.
class KernelCalls {
 public:
  explicit KernelCalls(const Trace& trace) : trace_(trace), configurations_(trace) {
    std::unordered_map<std::string_view, std::uint32_t> first;
    const std::vector<EventFacts> facts = decode_facts(trace);
    for (std::uint32_t i = 0; i < facts.size(); ++i)
      same_dims_.push_back(first.try_emplace(facts[i].input_dims, i).first->second);
  }

  std::uint32_t of(SliceId slice) {
    const SliceId op = operator_of(slice);
    const std::uint32_t name = op == kNoSlice ? 0 : index_of(trace_.name(op));
    const std::uint32_t dims = op == kNoSlice ? 0 : same_dims_[facts_index(trace_, op)];
    const auto key = std::tuple(configurations_.of(slice), name, dims);
    return indices_.try_emplace(key, static_cast<std::uint32_t>(indices_.size())).first->second;
  }

  /// Whether calls with the same index do the same work. This requires that the shapes of the operator's
  /// inputs, or the bytes of a copy or collective, are recorded. False within graphs, whose kernels share one
  /// launch and have no operator.
  bool is_comparable_work(SliceId slice) const {
    const SliceId launch = trace_.link(slice);
    if (launch != kNoSlice && launches_graph(trace_.name_of(launch))) return false;
    if (trace_.kind(slice) != SliceKind::compute) return configurations_.has_bytes(slice);
    const SliceId op = operator_of(slice);
    return op != kNoSlice &&
           configurations_.facts(op).input_dims.find_first_of("0123456789") != std::string_view::npos;
  }

 private:
  /// Returns the launching operator, or kNoSlice if unknown. Annotations are skipped, since their names may
  /// contain the step number.
  SliceId operator_of(SliceId slice) const {
    SliceId op = owner_of(trace_, slice);
    while (op != kNoSlice && trace_.kind(op) != SliceKind::cpu_op) op = trace_.parent(op);
    return op;
  }

  const Trace& trace_;
  KernelConfigurations configurations_;
  std::vector<std::uint32_t> same_dims_;  // first facts index with equal Input Dims, by facts index
  std::map<std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>, std::uint32_t> indices_;
};

/// Assigns group indices to GPU work, in order of first appearance.
class KernelGroups {
 public:
  KernelGroups(const Trace& trace, KernelGrouping grouping) : trace_(trace), grouping_(grouping) {
    const std::uint32_t graph = trace.categories.find("cuda_graph");
    graph_ = CategoryId{static_cast<std::uint16_t>(std::min<std::uint32_t>(graph, 0xffff))};
    if (grouping == KernelGrouping::name) by_name_.assign(trace.names.size() * 2, kNone);
    if (grouping == KernelGrouping::shape) configurations_.emplace(trace);
    if (grouping == KernelGrouping::call) calls_.emplace(trace);
  }

  /// Whether the work belongs to a group. False for graphs recorded as one piece, since their kernels were
  /// not recorded.
  bool takes(SliceId slice) const { return trace_.category(slice) != graph_; }

  /// Returns KernelCalls::is_comparable_work() for KernelGrouping::call; false for other groupings.
  bool is_comparable_work(SliceId slice) const { return calls_ && calls_->is_comparable_work(slice); }

  std::uint32_t of(SliceId slice) {
    const std::uint32_t name = index_of(trace_.name(slice));
    if (grouping_ == KernelGrouping::name) return index(by_name_[2 * name + (is_copy(slice) ? 1 : 0)]);
    std::uint64_t second = 0;
    if (grouping_ == KernelGrouping::shape)
      second = std::uint64_t{configurations_->of(slice)} << 1 | (is_copy(slice) ? 1 : 0);
    if (grouping_ == KernelGrouping::call)
      second = std::uint64_t{calls_->of(slice)} << 1 | (is_copy(slice) ? 1 : 0);
    if (grouping_ == KernelGrouping::op) second = index_of(operator_name(trace_, slice)) + 1ULL;
    if (grouping_ == KernelGrouping::short_name) return of_short_name(name, slice);
    return index(by_pair_.try_emplace(std::uint64_t{name} << 32 | second, kNone).first->second);
  }
  std::uint32_t size() const { return count_; }

  /// Returns the name of the launching operator or annotation, see owner_of(); the empty name if unknown.
  static NameId operator_name(const Trace& trace, SliceId slice) {
    const SliceId owner = owner_of(trace, slice);
    return owner == kNoSlice ? NameId{0} : trace.name(owner);
  }

 private:
  static constexpr std::uint32_t kNone = 0xffffffffU;
  bool is_copy(SliceId slice) const { return trace_.kind(slice) == SliceKind::copy; }
  std::uint32_t index(std::uint32_t& slot) {
    if (slot == kNone) slot = count_++;
    return slot;
  }
  std::uint32_t of_short_name(std::uint32_t name, SliceId slice) {
    std::uint32_t& slot =
        by_pair_.try_emplace(std::uint64_t{name} << 1 | (is_copy(slice) ? 1 : 0), kNone).first->second;
    if (slot != kNone) return slot;
    slot = index(by_text_.try_emplace(short_name(trace_.names[name]), kNone).first->second);
    return slot;
  }

  const Trace& trace_;
  KernelGrouping grouping_;
  std::optional<KernelConfigurations> configurations_;
  std::optional<KernelCalls> calls_;
  std::vector<std::uint32_t> by_name_;
  std::unordered_map<std::uint64_t, std::uint32_t> by_pair_;
  std::unordered_map<std::string, std::uint32_t> by_text_;
  std::uint32_t count_ = 0;
  CategoryId graph_{};
};

}  // namespace kino
