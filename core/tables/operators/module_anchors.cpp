#include "core/tables/operators/module_anchors.hpp"

#include <optional>

#include "core/base/parallel.hpp"
#include "core/base/step_words.hpp"
#include "core/trace/autograd_pairs.hpp"
#include "core/trace/event_facts.hpp"

namespace kino {
namespace {

/// Whether the name is the call in which autograd executes a function of the backward pass.
bool is_backward_call(std::string_view name) {
  return name.starts_with("autograd::engine::evaluate_function: ");
}

ModuleAnchors::Arrow arrow_between(const OperatorTreePart& whole, const ModuleNames& names,
                                   std::uint32_t from, std::uint32_t to) {
  const auto unmerged = [&](std::uint32_t index) {
    const OperatorNode& node = *whole.node(index);
    return node.merged ? whole.parent_of(node) : index;
  };
  return {from, to, unmerged(from), unmerged(to), placed_by_arrow(whole, names, unmerged(to))};
}

}  // namespace

ModuleNames::ModuleNames(const Trace& trace, ModuleSource source) : trace_(trace), source_(source) {
  const auto is_module = [source](std::string_view name) {
    if (source == ModuleSource::python) return is_module_call(name);
    return source == ModuleSource::annotation && !is_step_name(name);
  };
  for (const std::string_view name : trace.names) {
    backward_.push_back(is_backward_call(name) ? 1 : 0);
    module_.push_back(is_module(name) ? 1 : 0);
  }
}

ModuleSource module_source(const Trace& trace) {
  bool annotations = false;
  for (std::uint32_t i = 0; i < trace.names.size(); ++i) {
    const std::string_view name = trace.names[i];
    if (trace.name_kind[i] == SliceKind::python && is_module_call(name)) return ModuleSource::python;
    annotations = annotations || (trace.name_kind[i] == SliceKind::annotation && !is_step_name(name));
  }
  for (const EventFacts& facts : decode_facts(trace)) {
    if (!facts.module_hierarchy.empty()) return ModuleSource::hierarchy;
  }
  return annotations ? ModuleSource::annotation : ModuleSource::none;
}

OperatorTreeKinds module_kinds(ModuleSource source) {
  OperatorTreeKinds kinds;
  kinds.annotations = source == ModuleSource::annotation;
  kinds.modules = true;
  return kinds;
}

std::uint32_t placed_by_arrow(const OperatorTreePart& part, const ModuleNames& names, std::uint32_t to_node) {
  const std::uint32_t parent = part.parent_of(*part.node(to_node));
  return parent != OperatorNode::kNone && names.backward(part.node(parent)->slice) ? parent : to_node;
}

ModuleAnchors module_placers(const Trace& trace, const OperatorTreePart& whole, ModuleSource source,
                             const std::stop_token& stop) {
  const ModuleNames names(trace, source);
  const std::vector<EventFacts> facts =
      source == ModuleSource::hierarchy ? decode_facts(trace) : std::vector<EventFacts>();
  ModuleAnchors placers;
  std::vector<bool> places(whole.whole_size());
  const FlowLinks& flows = trace.flows;
  const std::uint32_t wanted = trace.categories.find(kAutogradFlow);
  for (std::uint32_t arrow = 0; arrow < flows.size(); ++arrow) {
    if (arrow % kCancelStride == 0 && stop.stop_requested()) return {};
    if (index_of(flows.category[arrow]) != wanted) continue;
    const std::optional<std::uint32_t> from = whole.find(flows.from[arrow]);
    const std::optional<std::uint32_t> to = whole.find(flows.to[arrow]);
    if (!from || !to) continue;
    placers.arrows.push_back(arrow_between(whole, names, *from, *to));
    // Marks the end of the arrow, and the nodes into which it may be merged in the tree of some range.
    const NameId name = trace.name(flows.to[arrow]);
    for (std::uint32_t at = *to; at != OperatorNode::kNone;) {
      const OperatorNode& node = *whole.node(at);
      places[at] = true;
      at = trace.name(node.slice) == name ? whole.parent_of(node) : OperatorNode::kNone;
    }
  }
  placers.of_node = PooledColumn<std::uint32_t>({}, whole.whole_size());
  for (const OperatorTreePart::Piece& piece : whole.pieces()) {
    if (stop.stop_requested()) return {};
    for (std::uint32_t i = 0; i < piece.nodes.size(); ++i) {
      const OperatorNode& node = piece.nodes[i];
      const std::uint32_t index = piece.first + i;
      const std::uint32_t parent = whole.parent_of(node);
      std::uint32_t& of_node = placers.of_node[index];
      of_node = parent == OperatorNode::kNone ? ModuleAnchors::kNone : placers.of_node[parent];
      const bool module = names.module(node.slice);
      const bool backward = names.backward(node.slice);
      if (!places[index] && !module && !backward &&
          (facts.empty() || facts[facts_index(trace, node.slice)].module_hierarchy.empty())) {
        continue;
      }
      placers.placers.push_back({index, of_node, node.slice, module, backward, node.merged});
      of_node = static_cast<std::uint32_t>(placers.placers.size() - 1);
    }
  }
  return placers;
}

}  // namespace kino
