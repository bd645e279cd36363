#include "core/tables/operators/module_tree.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "core/base/address_map.hpp"
#include "core/base/parallel.hpp"
#include "core/base/saturating.hpp"
#include "core/tables/operators/device_side.hpp"
#include "core/tables/operators/operator_parts.hpp"
#include "core/trace/event_facts.hpp"

namespace kino {
namespace {

constexpr std::uint32_t kNoModule = ModuleNode::kNone;
constexpr std::size_t kPhases = 3;

/// Returns "conv1 (Conv2d)" for "conv1(Conv2d)::forward"; empty for "SELF", where a module calls its own
/// method.
std::string hierarchy_label(std::string_view part) {
  part = part.substr(0, part.find("::"));
  const std::size_t open = part.find('(');
  const std::string_view name = part.substr(0, open);
  if (name.empty() || name == "SELF") return "";
  if (open == std::string_view::npos) return std::string(name);
  const std::size_t close = std::min(part.find(')', open), part.size());
  const std::string_view type = part.substr(open + 1, close - open - 1);
  return name == "TOP" ? std::string(type) : std::string(name) + " (" + std::string(type) + ")";
}

class TreeMaker {
 public:
  TreeMaker(const Trace& trace, const OperatorTreePart& part, const ModuleAnchors& placers,
            ModuleSource source, const std::stop_token& stop)
      : trace_(trace),
        part_(part),
        placers_(placers),
        stop_(stop),
        source_(source),
        names_(trace, source),
        forward_(placers.placers.size()) {
    if (source == ModuleSource::hierarchy) facts_ = decode_facts(trace);
  }

  ModuleTree run() {
    tree_.source = source_;
    place_all();
    add_up();
    add_kernels();
    if (stop_.stop_requested()) return {};
    roll_up();
    return std::move(tree_);
  }

  std::vector<SliceId> calls_like(SliceId example) {
    place_all();
    if (stop_.stop_requested()) return {};
    const std::optional<std::uint32_t> like = part_.find(example);
    if (!like) return {};
    const OperatorNode& node = *part_.node(*like);
    const std::uint32_t module = place_of(node.merged ? part_.parent_of(node) : *like).module;
    std::vector<SliceId> calls;
    for_each_placer([&](std::uint32_t i) {
      if (is_counted_call(places_[i]) && places_[i].module == module)
        calls.push_back(placers_.placers[i].slice);
    });
    return calls;
  }

  std::vector<SliceId> work_like(SliceId example) {
    place_all();
    if (stop_.stop_requested()) return {};
    const auto key = [&](const OwnedSlice& owned) {
      const Place place = place_of(owned.node);
      return std::tuple(place.module, place.phase, trace_.name(owned.slice));
    };
    const auto like = std::ranges::find(part_.work(), example, &OwnedSlice::slice);
    if (like == part_.work().end()) return {};
    std::vector<SliceId> work;
    for (const OwnedSlice& owned : part_.work()) {
      if (key(owned) == key(*like)) work.push_back(owned.slice);
    }
    return work;
  }

 private:
  /// Module and phase of an operator's time.
  struct Place {
    std::uint32_t module = 0;  // index of the module + 1; 0 if there is none
    ModulePhase phase{};
    bool in_backward = false;  // whether the backward pass calls the operator
    bool backward = false;     // whether the module is derived from the forward operator
    bool module_call = false;
  };

  void place_all() {
    find_placers();
    place_forward();
    places_ = forward_;
    place_backward();
    for_each_placer([&](std::uint32_t i) { place_below_backward(placers_.placers[i], places_[i]); });
  }

  /// Finds the anchors in the range.
  void find_placers() {
    auto at = placers_.placers.begin();
    const auto from = [&](std::uint32_t node) {
      at = std::ranges::lower_bound(at, placers_.placers.end(), node, {}, &ModuleAnchors::Anchor::node);
      return static_cast<std::uint32_t>(at - placers_.placers.begin());
    };
    for (const OperatorTreePart::Piece& piece : part_.pieces()) {
      const std::uint32_t first = from(piece.first);
      const std::uint32_t last = from(piece.first + static_cast<std::uint32_t>(piece.nodes.size()));
      if (first < last) in_range_.emplace_back(first, last);
    }
  }

  /// Calls body(i) for the anchors in the range, in order.
  template <class Body>
  void for_each_placer(const Body& body) const {
    for (const auto& [first, last] : in_range_) {
      if (stop_.stop_requested()) return;
      for (std::uint32_t i = first; i < last; ++i) body(i);
    }
  }

  bool is_placer(std::uint32_t node) const {
    const std::uint32_t placer = placers_.of_node[node];
    return placer != ModuleAnchors::kNone && placers_.placers[placer].node == node;
  }

  /// Returns the place of a node that is not an anchor, from the place of the enclosing anchor.
  static Place below(Place place) {
    place.backward = false;
    place.module_call = false;
    return place;
  }
  Place place_around(const std::vector<Place>& places, std::uint32_t placer) const {
    return placer == ModuleAnchors::kNone ? Place() : below(places[placer]);
  }
  Place place_of(std::uint32_t node) const {
    const std::uint32_t placer = placers_.of_node[node];
    if (placer == ModuleAnchors::kNone) return {};
    return placers_.placers[placer].node == node ? places_[placer] : below(places_[placer]);
  }

  std::uint32_t name_of(const ModuleAnchors::Anchor& placer) const {
    return index_of(trace_.name(placer.slice));
  }

  std::uint32_t make(std::uint32_t parent, std::string name) {
    const auto index = static_cast<std::uint32_t>(tree_.nodes.size());
    ModuleNode& node = tree_.nodes.emplace_back();
    node.name = std::move(name);
    node.parent = parent;
    node.depth = parent == kNoModule ? 0 : tree_.nodes[parent].depth + 1;
    return index;
  }

  /// Returns the module of this name below `parent`, which is created if it does not exist.
  std::uint32_t module_below(std::uint32_t parent, std::uint32_t name) {
    const auto [found, added] = by_name_.try_emplace(std::uint64_t{parent} << 32 | name, kNoModule);
    if (added) {
      std::string_view text = trace_.names[name];
      if (source_ == ModuleSource::python) text.remove_prefix(text.find(' ') + 1);
      found->second = make(parent, std::string(text));
      anywhere_.try_emplace(name, found->second);
    }
    return found->second;
  }

  /// Returns the module from an operator's Module Hierarchy, or kNoModule.
  std::uint32_t module_of_hierarchy(SliceId slice) {
    const std::uint32_t facts = facts_index(trace_, slice);
    std::string_view rest = facts_[facts].module_hierarchy;
    if (rest.empty()) return kNoModule;
    const auto [found, added] = by_facts_.try_emplace(facts, kNoModule);
    if (!added) return found->second;
    std::uint32_t at = kNoModule;
    while (!rest.empty()) {
      const std::size_t end = std::min(rest.find('.', std::min(rest.find(')'), rest.size())), rest.size());
      std::string label = hierarchy_label(rest.substr(0, end));
      rest.remove_prefix(std::min(end + 1, rest.size()));
      if (label.empty()) continue;
      const auto [child, made] = by_label_.try_emplace({at, label}, kNoModule);
      if (made) child->second = make(at, std::move(label));
      at = child->second;
    }
    return by_facts_[facts] = at;
  }

  void place_forward() {
    for_each_placer([&](std::uint32_t i) {
      const ModuleAnchors::Anchor& placer = placers_.placers[i];
      Place& place = forward_[i];
      place = place_around(forward_, placer.around);
      place.in_backward = place.in_backward || placer.backward;
      if (place.in_backward || is_merged(placer)) return;
      const std::uint32_t around = place.module - 1;
      if (placer.module) {
        place.module = module_below(around, name_of(placer)) + 1;
        place.module_call = true;
      } else if (source_ == ModuleSource::hierarchy) {
        const std::uint32_t own = module_of_hierarchy(placer.slice);
        place.module_call = own != kNoModule && own != around;
        if (own != kNoModule) place.module = own + 1;
      }
    });
  }

  bool is_merged(const ModuleAnchors::Anchor& placer) const {
    return placer.merged || part_.merged_target(placer.node) != placer.node;
  }

  /// Assigns each function of the backward pass, with its calls, to the module of its forward operator.
  /// Modules called within the function are recomputed.
  void place_backward() {
    std::uint32_t visited = 0;
    OperatorTreePart::Members from_nodes(part_);
    OperatorTreePart::Members to_nodes(part_);
    for (const ModuleAnchors::Arrow& arrow : placers_.arrows) {
      if (++visited % kCancelStride == 0 && stop_.stop_requested()) return;
      if (!from_nodes.have(arrow.from) || !to_nodes.have(arrow.to)) continue;
      // Earlier arrows have moved their targets into the backward pass, but not yet the nodes below these.
      // For nodes that are not anchors, places of the forward pass are used.
      const std::uint32_t from = part_.merged_target(arrow.from_node);
      const Place origin = is_placer(from) ? place_of(from) : place_around(forward_, placers_.of_node[from]);
      if (origin.module == 0 || origin.in_backward) continue;
      const std::uint32_t to = part_.merged_target(arrow.to_node);
      Place& place = places_[placers_.of_node[to == arrow.to_node ? part_.merged_target(arrow.placed)
                                                                  : placed_by_arrow(part_, names_, to)]];
      if (place.backward) continue;
      place.module = origin.module;
      place.backward = true;
      place.in_backward = true;
    }
  }

  void place_below_backward(const ModuleAnchors::Anchor& placer, Place& place) {
    const Place around = place_around(places_, placer.around);
    if (around.in_backward) {
      place.in_backward = true;
      if (!place.backward) place.module = around.module;
      place.phase = around.phase;
    }
    if (!place.in_backward) return;
    if (place.phase != ModulePhase::recompute) place.phase = ModulePhase::backward;
    if (source_ != ModuleSource::python || !placer.module || is_merged(placer)) return;
    const auto known = anywhere_.find(name_of(placer));
    place.module =
        known != anywhere_.end() ? known->second + 1 : module_below(kNoModule, name_of(placer)) + 1;
    place.phase = ModulePhase::recompute;
  }

  /// Whether a call counts as a call of its module in the forward pass. Merged calls do not count.
  static bool is_counted_call(const Place& place) {
    return place.module_call && place.phase == ModulePhase::forward && place.module != 0;
  }

  struct Own {
    std::array<std::int64_t, kPhases> host_ns{};
    std::array<std::int64_t, kPhases> device_ns{};
    std::int64_t below_device_ns = 0;
    std::int64_t self_device_ns() const { return device_ns[0] - below_device_ns; }
  };

  /// Sums of one module, accumulated by one worker.
  struct Sums {
    std::array<std::int64_t, kPhases> host_ns{};
    std::int64_t host_self_ns = 0;
    std::uint64_t operators = 0;
    std::uint64_t calls = 0;
    SliceId longest = kNoSlice;
  };

  /// Adds the time of all nodes to their modules, in parallel.
  void add_up() {
    const std::span<const OperatorTreePart::Piece> pieces = part_.pieces();
    std::vector<std::vector<Sums>> sums(thread_count_or_default(0));
    parallel_for(pieces.size() > 1 ? static_cast<unsigned>(sums.size()) : 1, pieces.size(), stop_,
                 [&](std::size_t i, unsigned worker) {
                   sums[worker].resize(tree_.nodes.size());
                   add(pieces[i], sums[worker]);
                 });
    own_.resize(tree_.nodes.size());
    for (const std::vector<Sums>& some : sums) {
      for (std::size_t i = 0; i < some.size(); ++i) {
        ModuleNode& module = tree_.nodes[i];
        for (std::size_t phase = 0; phase < kPhases; ++phase)
          add_saturating(own_[i].host_ns[phase], some[i].host_ns[phase]);
        add_saturating(module.host_self_ns, some[i].host_self_ns);
        module.operators += some[i].operators;
        module.calls += some[i].calls;
        take_longest(module.longest, some[i].longest);
      }
    }
  }

  void add(const OperatorTreePart::Piece& piece, std::vector<Sums>& sums) const {
    for (std::uint32_t i = 0; i < piece.nodes.size(); ++i) {
      const OperatorNode& node = piece.nodes[i];
      if (node.merged) continue;
      const Place place = place_of(piece.first + i);
      if (place.module == 0) continue;
      Sums& module = sums[place.module - 1];
      const std::int64_t self_ns = saturating_subtract(node.duration_ns, node.children_ns);
      add_saturating(module.host_ns[static_cast<std::size_t>(place.phase)], self_ns);
      if (place.phase != ModulePhase::forward) continue;
      const bool operator_node = trace_.kind(node.slice) == SliceKind::cpu_op;
      if (operator_node && (place.module_call || is_called_by_module(node))) ++module.operators;
      if (!operator_node || source_ == ModuleSource::hierarchy) add_saturating(module.host_self_ns, self_ns);
      if (!place.module_call) continue;
      ++module.calls;
      take_longest(module.longest, node.slice);
    }
  }

  bool is_called_by_module(const OperatorNode& node) const {
    const std::uint32_t parent = part_.parent_of(node);
    return parent == OperatorNode::kNone || place_of(parent).module_call;
  }

  /// Sets `longest` to the longer of both slices; to the one with the smaller id if they are equally long.
  void take_longest(SliceId& longest, SliceId slice) const {
    const auto key = [&](SliceId call) { return std::pair(-trace_.duration_ns(call), call); };
    if (slice != kNoSlice && (longest == kNoSlice || key(slice) < key(longest))) longest = slice;
  }

  void add_kernels() {
    const std::span<const OwnedSlice> work = part_.work();
    const std::size_t pieces = (work.size() + kCancelStride - 1) / kCancelStride;
    std::vector<Kernels> kernels(thread_count_or_default(0));
    parallel_for(pieces > 1 ? static_cast<unsigned>(kernels.size()) : 1, pieces, stop_,
                 [&](std::size_t piece, unsigned worker) {
                   const std::size_t first = piece * kCancelStride;
                   const std::size_t count = std::min<std::size_t>(kCancelStride, work.size() - first);
                   for (const OwnedSlice& owned : work.subspan(first, count))
                     add_kernel(owned, kernels[worker]);
                 });
    for (std::size_t i = 1; i < kernels.size(); ++i) {
      for (const auto& [module, kernel] : kernels[i].list) add_kernel(kernels[0], module, kernel);
    }
    tree_.device_ns = part_.device_ns();
    tree_.device_recorded = records_gpu_work(trace_);
    for (const auto& [module, kernel] : kernels[0].list) {
      add_saturating(tree_.owned_device_ns, kernel.total_ns);
      add_saturating(own_[module].device_ns[static_cast<std::size_t>(kernel.phase)], kernel.total_ns);
      tree_.nodes[module].kernels.push_back(kernel);
    }
    for (ModuleNode& node : tree_.nodes) {
      std::ranges::sort(node.kernels, {}, [](const ModuleKernel& kernel) {
        return std::tuple(-kernel.total_ns, kernel.name, kernel.phase);
      });
    }
  }

  struct Kernels {
    std::array<AddressMap, kPhases> indices;  // by module and name
    std::vector<std::pair<std::uint32_t, ModuleKernel>> list;
  };

  void add_kernel(const OwnedSlice& owned, Kernels& kernels) const {
    const Place place = place_of(owned.node);
    if (place.module == 0) return;
    add_kernel(kernels, place.module - 1,
               {trace_.name(owned.slice), place.phase, 1, trace_.duration_ns(owned.slice), owned.slice});
  }

  void add_kernel(Kernels& kernels, std::uint32_t module, const ModuleKernel& kernel) const {
    AddressMap& indices = kernels.indices[static_cast<std::size_t>(kernel.phase)];
    const std::uint64_t key = std::uint64_t{module} << 32 | index_of(kernel.name);
    const std::uint32_t* known = indices.find(key);
    if (known == nullptr) {
      indices.set(key, static_cast<std::uint32_t>(kernels.list.size()));
      kernels.list.emplace_back(module, kernel);
      return;
    }
    ModuleKernel& to = kernels.list[*known].second;
    to.calls += kernel.calls;
    add_saturating(to.total_ns, kernel.total_ns);
    take_longest(to.longest, kernel.longest);
  }

  void roll_up() {
    for (std::size_t i = tree_.nodes.size(); i-- > 0;) {
      ModuleNode& node = tree_.nodes[i];
      const Own& own = own_[i];
      node.device_self_ns = own.self_device_ns();
      std::tie(node.host_ns, node.backward_host_ns, node.recompute_host_ns) =
          std::tie(own.host_ns[0], own.host_ns[1], own.host_ns[2]);
      std::tie(node.device_ns, node.backward_device_ns, node.recompute_device_ns) =
          std::tie(own.device_ns[0], own.device_ns[1], own.device_ns[2]);
      if (node.parent == kNoModule) continue;
      Own& around = own_[node.parent];
      add_saturating(around.below_device_ns, own.device_ns[0]);
      for (std::size_t phase = 0; phase < kPhases; ++phase) {
        add_saturating(around.host_ns[phase], own.host_ns[phase]);
        add_saturating(around.device_ns[phase], own.device_ns[phase]);
      }
    }
  }

  const Trace& trace_;
  const OperatorTreePart& part_;
  const ModuleAnchors& placers_;
  const std::stop_token& stop_;
  ModuleSource source_;
  ModuleNames names_;
  std::vector<EventFacts> facts_;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> in_range_;  // ranges of anchors [first, last)
  std::vector<Place> forward_;                                     // place by anchor, before the backward
                                                                   // pass is assigned
  std::vector<Place> places_;                                      // place by anchor
  std::vector<Own> own_;                                           // by module
  std::unordered_map<std::uint64_t, std::uint32_t> by_name_;       // (parent, name)
  std::unordered_map<std::uint32_t, std::uint32_t> anywhere_;      // first module of each name, by NameId
  std::unordered_map<std::uint32_t, std::uint32_t> by_facts_;
  std::map<std::pair<std::uint32_t, std::string>, std::uint32_t> by_label_;
  ModuleTree tree_;
};

}  // namespace

ModuleTree module_tree(const Trace& trace, const OperatorTreePart& part, const ModuleAnchors& placers,
                       ModuleSource source, const std::stop_token& stop) {
  if (source == ModuleSource::none) return {};
  return TreeMaker(trace, part, placers, source, stop).run();
}

ModuleTree module_tree(const Trace& trace, TimeRange range, ModuleSource source,
                       const std::stop_token& stop) {
  if (source == ModuleSource::none) return {};
  const OperatorTree tree = operator_tree(trace, range, module_kinds(source), stop);
  const OperatorTreePart part(trace, tree);
  return module_tree(trace, part, module_placers(trace, part, source, stop), source, stop);
}

std::vector<SliceId> module_instances(const Trace& trace, const OperatorTreePart& part,
                                      const ModuleAnchors& placers, ModuleSource source, SliceId example,
                                      bool by_kernel, const std::stop_token& stop) {
  if (source == ModuleSource::none) return {};
  TreeMaker maker(trace, part, placers, source, stop);
  return by_kernel ? maker.work_like(example) : maker.calls_like(example);
}

}  // namespace kino
