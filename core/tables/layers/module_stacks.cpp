#include "core/tables/layers/module_stacks.hpp"

#include <algorithm>
#include <cstddef>
#include <map>
#include <optional>
#include <span>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "core/base/parallel.hpp"
#include "core/base/saturating.hpp"

namespace kino {
namespace {

constexpr std::uint32_t kNone = ModuleAnchors::kNone;
constexpr std::size_t kLeastLayers = 3;

/// Returns "BertLayer_3" for "nn.Module: BertLayer_3". class_of() then returns "BertLayer".
std::string_view instance_of(std::string_view name) { return name.substr(name.find(' ') + 1); }
std::string_view class_of(std::string_view instance) { return instance.substr(0, instance.rfind('_')); }

/// Modules of one class in one container: candidates for the layers of a stack.
struct ModuleGroup {
  std::vector<std::pair<std::uint32_t, std::uint32_t>> layers;  ///< NameIds of container and module
  std::uint32_t first_placer = 0;
  std::vector<std::string> path;  ///< classes of the modules that contain the group, outermost first
  std::string module_class;
  bool outermost = true;
};

class ModuleFolder {
 public:
  ModuleFolder(const Trace& trace, const OperatorTreePart& calls, const ModuleAnchors& placers,
               const Steps& steps, bool operators, const std::stop_token& stop)
      : trace_(trace),
        calls_(calls),
        placers_(placers),
        steps_(steps),
        stop_(stop),
        names_(trace, ModuleSource::python),
        operators_(operators),
        around_(placers.placers.size(), kNone),
        in_backward_(placers.placers.size()) {}

  LayerFold run() {
    find_containers();
    find_groups();
    make_stacks();
    if (stop_.stop_requested() || fold_.stacks.empty()) return {};
    place_forward();
    place_backward();
    place_nested();
    collect_work();
    if (stop_.stop_requested()) return {};
    finish();
    return std::move(fold_);
  }

 private:
  struct Place {
    std::uint32_t call = kNone;  ///< index into layer_calls_
    LayerPhase phase = LayerPhase::forward;
    bool in_backward = false;
    bool backward = false;  ///< whether `call` was found by the forward operator
  };
  struct LayerCall {
    std::uint32_t stack = 0;
    std::uint32_t layer = 0;
    std::uint32_t pass = 0;
    SliceId slice = kNoSlice;
  };

  std::uint32_t name_at(std::uint32_t placer) const {
    return index_of(trace_.name(placers_.placers[placer].slice));
  }
  bool is_forward_call(std::uint32_t placer) const {
    const ModuleAnchors::Anchor& call = placers_.placers[placer];
    return call.module && !call.merged && !in_backward_[placer];
  }
  std::uint32_t container_name(std::uint32_t placer) const {
    return around_[placer] == kNone ? kNone : name_at(around_[placer]);
  }

  /// Finds the innermost module around each placer, and whether the placer is in the backward pass.
  void find_containers() {
    for (std::uint32_t i = 0; i < placers_.placers.size(); ++i) {
      const ModuleAnchors::Anchor& placer = placers_.placers[i];
      if (placer.around != kNone) {
        const bool module = placers_.placers[placer.around].module && !placers_.placers[placer.around].merged;
        around_[i] = module ? placer.around : around_[placer.around];
        in_backward_[i] = in_backward_[placer.around];
      }
      in_backward_[i] = in_backward_[i] || placer.backward;
    }
  }

  std::vector<std::string> path_of(std::uint32_t placer) const {
    std::vector<std::string> path;
    for (std::uint32_t at = around_[placer]; at != kNone; at = around_[at])
      path.emplace_back(class_of(instance_of(trace_.names[name_at(at)])));
    std::ranges::reverse(path);
    return path;
  }

  void find_groups() {
    std::vector<bool> has_modules(trace_.names.size());
    std::map<std::pair<std::uint32_t, std::string_view>, ModuleGroup> by_container;
    std::map<std::pair<std::uint32_t, std::uint32_t>, bool> known;
    for (std::uint32_t i = 0; i < placers_.placers.size(); ++i) {
      if (!is_forward_call(i) || around_[i] == kNone) continue;
      const std::uint32_t container = container_name(i);
      const std::uint32_t name = name_at(i);
      has_modules[container] = true;
      if (!known.try_emplace({container, name}, true).second) continue;
      const std::string_view module_class = class_of(instance_of(trace_.names[name]));
      ModuleGroup& group = by_container[{container, module_class}];
      if (group.layers.empty()) group.first_placer = i;
      group.module_class = module_class;
      group.layers.emplace_back(container, name);
    }
    std::map<std::pair<std::vector<std::string>, std::string>, ModuleGroup> joined;
    for (auto& [key, group] : by_container) {
      const auto nested =
          std::ranges::count_if(group.layers, [&](const auto& layer) { return has_modules[layer.second]; });
      if (static_cast<std::size_t>(nested) * 2 < group.layers.size()) continue;
      group.path = path_of(group.first_placer);
      if (group.layers.size() >= kLeastLayers) {
        groups_.push_back(std::move(group));
        continue;
      }
      ModuleGroup& all = joined[{group.path, group.module_class}];
      if (all.layers.empty() || group.first_placer < all.first_placer) all.first_placer = group.first_placer;
      all.path = group.path;
      all.module_class = group.module_class;
      all.layers.insert(all.layers.end(), group.layers.begin(), group.layers.end());
    }
    for (auto& [key, group] : joined) {
      if (group.layers.size() >= kLeastLayers) groups_.push_back(std::move(group));
    }
    std::ranges::sort(groups_, {}, &ModuleGroup::first_placer);
  }

  /// Creates one stack per group, except for groups within the layers of another group.
  void make_stacks() {
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::size_t> group_of;
    for (std::size_t i = 0; i < groups_.size(); ++i) {
      for (const auto& layer : groups_[i].layers) group_of.emplace(layer, i);
    }
    for (std::size_t i = 0; i < groups_.size(); ++i) {
      for (std::uint32_t at = around_[groups_[i].first_placer]; at != kNone; at = around_[at]) {
        const auto outer = group_of.find({container_name(at), name_at(at)});
        if (outer != group_of.end() && outer->second != i) groups_[i].outermost = false;
      }
    }
    for (const ModuleGroup& group : groups_) {
      if (!group.outermost) continue;
      const auto number = static_cast<std::uint32_t>(fold_.stacks.size());
      LayerStack& stack = fold_.stacks.emplace_back();
      stack.module_class = group.module_class;
      stack.container = instance_of(trace_.names[group.layers.front().first]);
      stack.container_path = group.path;
      stack.layers = static_cast<std::uint32_t>(group.layers.size());
      for (std::uint32_t layer = 0; layer < group.layers.size(); ++layer) {
        stack.layer_names.emplace_back(instance_of(trace_.names[group.layers[layer].second]));
        layer_of_[group.layers[layer]] = {number, layer};
        layer_of_name_.try_emplace(group.layers[layer].second, number, layer);
      }
    }
  }

  Place around(const std::vector<Place>& places, std::uint32_t placer) const {
    const std::uint32_t outer = placers_.placers[placer].around;
    if (outer == kNone) return {};
    Place place = places[outer];
    place.backward = false;
    return place;
  }

  void place_forward() {
    places_.resize(placers_.placers.size());
    for (std::uint32_t i = 0; i < places_.size(); ++i) {
      Place& place = places_[i];
      place = around(places_, i);
      place.in_backward = in_backward_[i];
      if (place.call != kNone || !is_forward_call(i)) continue;
      const auto layer = layer_of_.find({container_name(i), name_at(i)});
      if (layer == layer_of_.end()) continue;
      place.call = static_cast<std::uint32_t>(layer_calls_.size());
      layer_calls_.push_back({layer->second.first, layer->second.second, 0, placers_.placers[i].slice});
    }
    forward_ = places_;
    number_passes();
  }

  /// Assigns passes to the calls in order of start: the k-th call of a layer in a step is in pass k.
  void number_passes() {
    std::vector<std::uint32_t> order(layer_calls_.size());
    for (std::uint32_t i = 0; i < order.size(); ++i) order[i] = i;
    std::ranges::stable_sort(order, {},
                             [&](std::uint32_t i) { return trace_.start_ns(layer_calls_[i].slice); });
    std::map<std::tuple<std::uint32_t, std::uint32_t, std::size_t>, std::uint32_t> calls;
    std::map<std::tuple<std::uint32_t, std::size_t, std::uint32_t>, std::uint32_t> passes;
    for (const std::uint32_t i : order) {
      LayerCall& call = layer_calls_[i];
      LayerStack& stack = fold_.stacks[call.stack];
      const std::size_t step = steps_.at(trace_.start_ns(call.slice));
      const std::uint32_t turn = calls[{call.stack, call.layer, step}]++;
      const auto [pass, made] =
          passes.try_emplace({call.stack, step, turn}, static_cast<std::uint32_t>(stack.passes.size()));
      if (made) {
        LayerPass& added = stack.passes.emplace_back();
        if (step != Steps::kNone) added.step = steps_.steps[step].number;
        added.microbatch = turn;
      }
      call.pass = pass->second;
      calls_of_layer_[{call.stack, call.layer}].push_back(i);
    }
  }

  bool is_placer(std::uint32_t node) const {
    const std::uint32_t placer = placers_.of_node[node];
    return placer != kNone && placers_.placers[placer].node == node;
  }
  Place place_of(const std::vector<Place>& places, std::uint32_t node) const {
    const std::uint32_t placer = placers_.of_node[node];
    if (placer == kNone) return {};
    Place place = places[placer];
    if (placers_.placers[placer].node != node) place.backward = false;
    return place;
  }

  void place_backward() {
    std::uint32_t visited = 0;
    OperatorTreePart::Members from_nodes(calls_);
    OperatorTreePart::Members to_nodes(calls_);
    for (const ModuleAnchors::Arrow& arrow : placers_.arrows) {
      if (++visited % kCancelStride == 0 && stop_.stop_requested()) return;
      if (!from_nodes.have(arrow.from) || !to_nodes.have(arrow.to)) continue;
      const Place origin = place_of(forward_, calls_.merged_target(arrow.from_node));
      if (origin.in_backward) continue;
      const std::uint32_t to = calls_.merged_target(arrow.to_node);
      const std::uint32_t target =
          to == arrow.to_node ? calls_.merged_target(arrow.placed) : placed_by_arrow(calls_, names_, to);
      if (placers_.of_node[target] == kNone) continue;
      Place& place = places_[placers_.of_node[target]];
      if (place.backward) continue;
      place.call = origin.call;
      place.backward = true;
      place.in_backward = true;
    }
  }

  void place_nested() {
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::size_t> recomputed;
    for (std::uint32_t i = 0; i < places_.size(); ++i) {
      Place& place = places_[i];
      const Place outer = around(places_, i);
      if (outer.in_backward) {
        place.in_backward = true;
        if (!place.backward) place.call = outer.call;
        place.phase = outer.phase;
      }
      if (!place.in_backward) continue;
      if (place.phase != LayerPhase::recompute) place.phase = LayerPhase::backward;
      const ModuleAnchors::Anchor& placer = placers_.placers[i];
      if (!placer.module || placer.merged) continue;
      place.phase = LayerPhase::recompute;
      const auto layer = layer_of_name_.find(name_at(i));
      if (layer == layer_of_name_.end()) continue;
      const std::vector<std::uint32_t>& calls = calls_of_layer_[layer->second];
      const std::size_t turn = recomputed[layer->second]++;
      const bool same = place.call != kNone && layer_calls_[place.call].stack == layer->second.first &&
                        layer_calls_[place.call].layer == layer->second.second;
      if (!same && !calls.empty()) place.call = calls[turn % calls.size()];
    }
  }

  void add_work(SliceId slice, const Place& place) {
    add_saturating(fold_.total_ns, trace_.duration_ns(slice));
    if (place.call == kNone) return;
    add_saturating(fold_.placed_ns, trace_.duration_ns(slice));
    const LayerCall& call = layer_calls_[place.call];
    work_[call.stack].push_back(
        {place.call * static_cast<std::uint32_t>(kLayerPhases) + static_cast<std::uint32_t>(place.phase),
         slice});
  }

  void collect_work() {
    work_.resize(fold_.stacks.size());
    if (!operators_) {
      for (const OwnedSlice& work : calls_.work()) add_work(work.slice, place_of(places_, work.node));
      fold_.total_ns = calls_.device_ns();
      return;
    }
    std::vector<bool> in_operator(calls_.whole_size());
    for (const OperatorTreePart::Piece& piece : calls_.pieces()) {
      if (stop_.stop_requested()) return;
      for (std::uint32_t i = 0; i < piece.nodes.size(); ++i) {
        const OperatorNode& node = piece.nodes[i];
        const std::uint32_t parent = node.parent;
        const bool is_operator = trace_.kind(node.slice) == SliceKind::cpu_op;
        const bool nested = parent != OperatorNode::kNone && in_operator[parent];
        in_operator[piece.first + i] = nested || is_operator;
        if (is_operator && !nested && !node.merged) add_work(node.slice, place_of(places_, piece.first + i));
      }
    }
  }

  void finish() {
    fold_.source = LayerSource::modules;
    fold_.operators = operators_;
    for (std::size_t i = 0; i < fold_.stacks.size(); ++i) {
      LayerStack& stack = fold_.stacks[i];
      // Sort the copies by pass, layer and phase, then update the indices of copies in the work.
      std::vector<std::pair<std::uint32_t, LayerCopy>> copies;
      for (std::uint32_t call = 0; call < layer_calls_.size(); ++call) {
        if (layer_calls_[call].stack != i) continue;
        for (std::uint32_t phase = 0; phase < kLayerPhases; ++phase) {
          LayerCopy copy;
          copy.pass = layer_calls_[call].pass;
          copy.layer = layer_calls_[call].layer;
          copy.phase = static_cast<LayerPhase>(phase);
          copy.call = phase == 0 ? layer_calls_[call].slice : kNoSlice;
          copies.emplace_back(call * static_cast<std::uint32_t>(kLayerPhases) + phase, copy);
        }
      }
      std::ranges::sort(copies, [](const auto& a, const auto& b) {
        return std::tuple(a.second.pass, a.second.layer, a.second.phase, a.first) <
               std::tuple(b.second.pass, b.second.layer, b.second.phase, b.first);
      });
      std::vector<std::uint32_t> index(layer_calls_.size() * kLayerPhases);
      stack.copies.reserve(copies.size());
      for (const auto& [key, copy] : copies) {
        index[key] = static_cast<std::uint32_t>(stack.copies.size());
        stack.copies.push_back(copy);
      }
      for (PlacedWork& work : work_[i]) work.copy = index[work.copy];
      place_work(trace_, std::move(work_[i]), fold_, stack);
    }
    std::ranges::stable_sort(fold_.stacks, std::ranges::greater(), &LayerStack::work_ns);
  }

  const Trace& trace_;
  const OperatorTreePart& calls_;
  const ModuleAnchors& placers_;
  const Steps& steps_;
  const std::stop_token& stop_;
  ModuleNames names_;
  bool operators_;
  std::vector<std::uint32_t> around_;  // by placer: the innermost module around it
  std::vector<bool> in_backward_;      // by placer
  std::vector<ModuleGroup> groups_;
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::pair<std::uint32_t, std::uint32_t>> layer_of_;
  std::map<std::uint32_t, std::pair<std::uint32_t, std::uint32_t>> layer_of_name_;
  std::vector<Place> places_;   // by placer
  std::vector<Place> forward_;  // by placer, before the backward pass is placed
  std::vector<LayerCall> layer_calls_;
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::vector<std::uint32_t>> calls_of_layer_;
  std::vector<std::vector<PlacedWork>> work_;  // by stack
  LayerFold fold_;
};

/// Sorts work by copy, then start, then slice. O(work) if the work of each copy is already in order.
void sort_by_copy(const Trace& trace, std::size_t copies, std::vector<PlacedWork>& work) {
  std::vector<std::uint32_t> next(copies + 1);  // by copy: place of its next work
  for (const PlacedWork& item : work) ++next[item.copy + 1];
  for (std::size_t i = 0; i < copies; ++i) next[i + 1] += next[i];
  std::vector<PlacedWork> sorted(work.size());
  for (const PlacedWork& item : work) sorted[next[item.copy]++] = item;
  const auto key = [&](const PlacedWork& item) { return std::pair(trace.start_ns(item.slice), item.slice); };
  std::uint32_t first = 0;
  for (std::size_t i = 0; i < copies; ++i) {
    const std::span<PlacedWork> of_copy = std::span(sorted).subspan(first, next[i] - first);
    if (!std::ranges::is_sorted(of_copy, {}, key)) std::ranges::sort(of_copy, {}, key);
    first = next[i];
  }
  work = std::move(sorted);
}

}  // namespace

void place_work(const Trace& trace, std::vector<PlacedWork> work, LayerFold& fold, LayerStack& stack) {
  sort_by_copy(trace, stack.copies.size(), work);
  fold.kernels.reserve(fold.kernels.size() + work.size());
  std::vector<std::uint64_t> bodies(stack.copies.size());
  for (const PlacedWork& item : work) {
    LayerCopy& copy = stack.copies[item.copy];
    if (copy.count == 0) {
      copy.first = fold.kernels.size();
      copy.span = trace.range_of(item.slice);
    }
    ++copy.count;
    copy.span.end_ns = std::max(copy.span.end_ns, trace.end_ns(item.slice));
    fold.kernels.push_back(item.slice);
    if (trace.kind(item.slice) == SliceKind::communication) {
      add_saturating(copy.cost.communication_ns, trace.duration_ns(item.slice));
      continue;
    }
    if (trace.kind(item.slice) != SliceKind::copy) ++copy.cost.kernels;
    add_saturating(copy.cost.work_ns, trace.duration_ns(item.slice));
    std::uint64_t& body = bodies[item.copy];
    body = (body ^ (index_of(trace.name(item.slice)) + std::uint64_t{1})) * 0x9e3779b97f4a7c15U;
    body ^= body >> 29;
  }
  // Only copies of the same phase are compared.
  for (std::size_t phase = 0; phase < kLayerPhases; ++phase) {
    struct Body {
      std::uint32_t count = 0;
      std::int64_t work_ns = 0;
      std::uint32_t kernels = 0;
    };
    std::map<std::uint64_t, Body> counts;
    for (std::size_t i = 0; i < stack.copies.size(); ++i) {
      const LayerCopy& copy = stack.copies[i];
      if (static_cast<std::size_t>(copy.phase) != phase || copy.count == 0) continue;
      Body& body = counts[bodies[i]];
      ++body.count;
      body.kernels = static_cast<std::uint32_t>(copy.cost.kernels);
      add_saturating(body.work_ns, copy.cost.work_ns);
    }
    // If several bodies are equally common, choose the one with the median total time.
    std::uint32_t most = 0;
    for (const auto& [hash, body] : counts) most = std::max(most, body.count);
    std::vector<std::pair<std::int64_t, std::uint64_t>> usual;
    for (const auto& [hash, body] : counts) {
      if (body.count == most) usual.emplace_back(body.work_ns, hash);
    }
    if (usual.empty()) continue;
    std::ranges::sort(usual);
    const std::uint64_t body = usual[usual.size() / 2].second;
    if (phase == 0) stack.body_kernels = counts[body].kernels;
    for (std::size_t i = 0; i < stack.copies.size(); ++i) {
      if (static_cast<std::size_t>(stack.copies[i].phase) == phase) stack.copies[i].odd = bodies[i] != body;
    }
  }
  std::erase_if(stack.copies, [](const LayerCopy& copy) { return copy.count == 0; });
  stack.work_ns = 0;
  for (const LayerCopy& copy : stack.copies) add_saturating(stack.work_ns, copy.cost.work_ns);
}

LayerFold fold_by_modules(const Trace& trace, const OperatorTreePart& calls, const ModuleAnchors& placers,
                          const Steps& steps, bool operators, const std::stop_token& stop) {
  return ModuleFolder(trace, calls, placers, steps, operators, stop).run();
}

}  // namespace kino
