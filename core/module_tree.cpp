#include "core/module_tree.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "core/autograd_pairs.hpp"
#include "core/event_facts.hpp"
#include "core/gpu_work.hpp"
#include "core/parallel.hpp"
#include "core/saturating.hpp"
#include "core/time_text.hpp"

namespace kino {
namespace {

constexpr std::uint32_t kNoModule = ModuleNode::kNone;
constexpr std::size_t kPhases = 3;

/// Autograd's call of one function of the backward pass.
bool is_backward_call(std::string_view name) {
  return name.starts_with("autograd::engine::evaluate_function: ");
}

/// "conv1 (Conv2d)" of "conv1(Conv2d)::forward"; empty for a module's call of its own method.
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
  TreeMaker(const Trace& trace, TimeRange range, ModuleSource source, const std::stop_token& stop,
            const std::shared_ptr<MemoryPool>& pool)
      : trace_(trace), stop_(stop), source_(source) {
    OperatorTreeKinds kinds;
    kinds.annotations = source == ModuleSource::annotation;
    kinds.modules = true;
    operators_ = operator_tree(trace, range, kinds, stop, pool);
    places_ = PooledColumn<Place>(pool, operators_.nodes.size());
    if (source == ModuleSource::hierarchy) facts_ = decode_facts(trace);
    for (std::uint32_t i = 0; i < trace.names.size(); ++i) {
      const std::string_view name = trace.names[i];
      backward_name_.push_back(is_backward_call(name) ? 1 : 0);
      module_name_.push_back(is_module_name(name) ? 1 : 0);
    }
  }

  ModuleTree run() {
    if (!place_all()) return {};
    add_kernels();
    roll_up();
    return std::move(tree_);
  }

  std::vector<SliceId> calls_like(SliceId example) {
    if (!place_all()) return {};
    const std::uint32_t like = node_of(example);
    if (like == OperatorNode::kNone) return {};
    std::vector<SliceId> calls;
    for (std::uint32_t i = 0; i < operators_.nodes.size(); ++i) {
      if (is_counted_call(operators_.nodes[i], places_[i]) && places_[i].module == places_[like].module)
        calls.push_back(operators_.nodes[i].slice);
    }
    return calls;
  }

  std::vector<SliceId> work_like(SliceId example) {
    if (!place_all()) return {};
    const auto key = [&](const OwnedWork& it) {
      const Place& place = places_[it.node];
      return std::tuple(place.module, place.phase, trace_.slices.name[index_of(it.slice)]);
    };
    const auto like = std::find_if(operators_.work.begin(), operators_.work.end(),
                                   [&](const OwnedWork& it) { return it.slice == example; });
    if (like == operators_.work.end()) return {};
    std::vector<SliceId> work;
    for (const OwnedWork& it : operators_.work) {
      if (key(it) == key(*like)) work.push_back(it.slice);
    }
    return work;
  }

 private:
  bool place_all() {
    tree_.source = source_;
    if (!place_forward()) return false;
    place_backward();
    return add_up();
  }

  /// Where an operator's time goes. All zero: nowhere yet.
  struct Place {
    std::uint32_t module;  // one more than the index; 0: none
    ModulePhase phase;
    bool in_backward;  // the backward pass calls it
    bool backward;     // the module is that of its forward operator
    bool module_call;
  };

  bool is_module_name(std::string_view name) const {
    if (source_ == ModuleSource::python) return is_module_call(name);
    return source_ == ModuleSource::annotation && !name.starts_with("ProfilerStep#");
  }

  bool is_module_node(const OperatorNode& node) const {
    const SliceKind kind = trace_.slices.kind[index_of(node.slice)];
    const bool wanted =
        source_ == ModuleSource::python ? kind == SliceKind::python : kind == SliceKind::annotation;
    return wanted && module_name_[index_of(trace_.slices.name[index_of(node.slice)])] != 0;
  }

  std::uint32_t name_of(const OperatorNode& node) const {
    return index_of(trace_.slices.name[index_of(node.slice)]);
  }

  std::uint32_t make(std::uint32_t parent, std::string name) {
    const auto index = static_cast<std::uint32_t>(tree_.nodes.size());
    ModuleNode& node = tree_.nodes.emplace_back();
    node.name = std::move(name);
    node.parent = parent;
    node.depth = parent == kNoModule ? 0 : tree_.nodes[parent].depth + 1;
    own_.emplace_back();
    return index;
  }

  /// The module of this name below `parent`.
  std::uint32_t module_below(std::uint32_t parent, std::uint32_t name) {
    const auto [found, fresh] = by_name_.try_emplace(std::uint64_t{parent} << 32 | name, kNoModule);
    if (fresh) {
      std::string_view text = trace_.names[name];
      if (source_ == ModuleSource::python) text.remove_prefix(text.find(' ') + 1);
      found->second = make(parent, std::string(text));
      anywhere_.try_emplace(name, found->second);
    }
    return found->second;
  }

  /// The module of an operator's Module Hierarchy; kNoModule without.
  std::uint32_t module_of_hierarchy(SliceId slice) {
    const std::uint32_t number = facts_number(trace_, slice);
    std::string_view rest = facts_[number].module_hierarchy;
    if (rest.empty()) return kNoModule;
    const auto [found, fresh] = by_facts_.try_emplace(number, kNoModule);
    if (!fresh) return found->second;
    std::uint32_t at = kNoModule;
    while (!rest.empty()) {
      const std::size_t end = std::min(rest.find('.', std::min(rest.find(')'), rest.size())), rest.size());
      std::string label = hierarchy_label(rest.substr(0, end));
      rest.remove_prefix(std::min(end + 1, rest.size()));
      if (label.empty()) continue;
      const auto [place, made] = by_label_.try_emplace({at, label}, kNoModule);
      if (made) place->second = make(at, std::move(label));
      at = place->second;
    }
    return by_facts_[number] = at;
  }

  bool place_forward() {
    for (std::uint32_t i = 0; i < operators_.nodes.size(); ++i) {
      if (i % kCancelStride == 0 && stop_.stop_requested()) return false;
      const OperatorNode& node = operators_.nodes[i];
      Place& place = places_[i];
      place = node.parent != OperatorNode::kNone ? places_[node.parent] : Place{};
      place.module_call = false;
      place.in_backward = place.in_backward || backward_name_[name_of(node)] != 0;
      if (place.in_backward || node.merged) continue;
      const std::uint32_t around = place.module - 1;
      if (is_module_node(node)) {
        place.module = module_below(around, name_of(node)) + 1;
        place.module_call = true;
      } else if (source_ == ModuleSource::hierarchy) {
        const std::uint32_t own = module_of_hierarchy(node.slice);
        place.module_call = own != kNoModule && own != around;
        if (own != kNoModule) place.module = own + 1;
      }
    }
    return true;
  }

  std::uint32_t node_of(SliceId slice) const {
    const std::span<const OperatorNode> nodes = operators_.nodes.span();
    const auto found =
        std::lower_bound(nodes.begin(), nodes.end(), slice,
                         [](const OperatorNode& node, SliceId wanted) { return node.slice < wanted; });
    if (found == nodes.end() || found->slice != slice) return OperatorNode::kNone;
    const auto index = static_cast<std::uint32_t>(found - nodes.begin());
    return found->merged ? found->parent : index;
  }

  /// Each function of the backward pass goes to the module of its forward operator, what it calls with it,
  /// and modules that it calls are recomputed.
  void place_backward() {
    const std::uint32_t wanted = trace_.categories.find(kAutogradFlow);
    const FlowLinks& flows = trace_.flows;
    for (std::uint32_t arrow = 0; arrow < flows.size(); ++arrow) {
      if (index_of(flows.category[arrow]) != wanted) continue;
      const std::uint32_t from = node_of(flows.from[arrow]);
      std::uint32_t to = node_of(flows.to[arrow]);
      if (from == OperatorNode::kNone || to == OperatorNode::kNone || places_[from].module == 0) continue;
      const std::uint32_t parent = operators_.nodes[to].parent;
      if (parent != OperatorNode::kNone && backward_name_[name_of(operators_.nodes[parent])] != 0)
        to = parent;
      if (places_[to].backward || places_[from].in_backward) continue;
      places_[to].module = places_[from].module;
      places_[to].backward = true;
      places_[to].in_backward = true;
    }
  }

  /// The last pass over the nodes: what the backward pass calls gets its place, and all add their time.
  bool add_up() {
    for (std::uint32_t i = 0; i < operators_.nodes.size(); ++i) {
      if (i % kCancelStride == 0 && stop_.stop_requested()) return false;
      const OperatorNode& node = operators_.nodes[i];
      place_below_backward(node, places_[i]);
      if (!node.merged && places_[i].module != 0) add(node, places_[i]);
    }
    return true;
  }

  void place_below_backward(const OperatorNode& node, Place& place) {
    if (node.parent != OperatorNode::kNone && places_[node.parent].in_backward) {
      const Place& around = places_[node.parent];
      place.in_backward = true;
      if (!place.backward) place.module = around.module;
      place.phase = around.phase;
    }
    if (!place.in_backward) return;
    if (place.phase != ModulePhase::recompute) place.phase = ModulePhase::backward;
    if (source_ != ModuleSource::python || !is_module_node(node) || node.merged) return;
    const auto known = anywhere_.find(name_of(node));
    place.module = known != anywhere_.end() ? known->second + 1 : module_below(kNoModule, name_of(node)) + 1;
    place.phase = ModulePhase::recompute;
  }

  void add(const OperatorNode& node, const Place& place) {
    ModuleNode& module = tree_.nodes[place.module - 1];
    const std::int64_t self_ns = saturating_subtract(node.duration_ns, node.children_ns);
    add_saturating(own_[place.module - 1].host_ns[static_cast<std::size_t>(place.phase)], self_ns);
    if (place.phase != ModulePhase::forward) return;
    const bool operator_node = trace_.slices.kind[index_of(node.slice)] == SliceKind::cpu_op;
    if (operator_node &&
        (node.parent == OperatorNode::kNone || places_[node.parent].module_call || place.module_call)) {
      ++module.operators;
    }
    if (!operator_node || source_ == ModuleSource::hierarchy) add_saturating(module.host_self_ns, self_ns);
    if (!is_counted_call(node, place)) return;
    ++module.calls;
    if (module.longest == kNoSlice || trace_.slices.duration_ns[index_of(module.longest)] <
                                          trace_.slices.duration_ns[index_of(node.slice)]) {
      module.longest = node.slice;
    }
  }

  static bool is_counted_call(const OperatorNode& node, const Place& place) {
    return !node.merged && place.module_call && place.phase == ModulePhase::forward && place.module != 0;
  }

  void add_kernels() {
    std::array<std::unordered_map<std::uint64_t, ModuleKernel>, kPhases> kernels;  // by module and name
    tree_.device_ns = operators_.device_ns;
    for (const OwnedWork& it : operators_.work) {
      const Place& place = places_[it.node];
      if (place.module == 0) continue;
      const std::uint32_t module = place.module - 1;
      const std::int64_t duration = trace_.slices.duration_ns[index_of(it.slice)];
      add_saturating(tree_.owned_device_ns, duration);
      add_saturating(own_[module].device_ns[static_cast<std::size_t>(place.phase)], duration);
      const NameId name = trace_.slices.name[index_of(it.slice)];
      ModuleKernel& kernel =
          kernels[static_cast<std::size_t>(place.phase)][std::uint64_t{module} << 32 | index_of(name)];
      kernel.name = name;
      kernel.phase = place.phase;
      ++kernel.calls;
      add_saturating(kernel.total_ns, duration);
      if (kernel.longest == kNoSlice || trace_.slices.duration_ns[index_of(kernel.longest)] < duration)
        kernel.longest = it.slice;
    }
    for (const auto& of_phase : kernels) {
      for (const auto& [key, kernel] : of_phase) tree_.nodes[key >> 32].kernels.push_back(kernel);
    }
    for (ModuleNode& node : tree_.nodes) {
      std::sort(node.kernels.begin(), node.kernels.end(), [](const ModuleKernel& a, const ModuleKernel& b) {
        return std::tie(b.total_ns, a.name, a.phase) < std::tie(a.total_ns, b.name, b.phase);
      });
    }
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

  struct Own {
    std::array<std::int64_t, kPhases> host_ns{};
    std::array<std::int64_t, kPhases> device_ns{};
    std::int64_t below_device_ns = 0;
    std::int64_t self_device_ns() const { return device_ns[0] - below_device_ns; }
  };

  const Trace& trace_;
  const std::stop_token& stop_;
  ModuleSource source_;
  OperatorTree operators_;
  std::vector<EventFacts> facts_;
  std::vector<std::uint8_t> backward_name_;                    // by NameId
  std::vector<std::uint8_t> module_name_;                      // likewise
  PooledColumn<Place> places_;                                 // by node of operators_
  std::vector<Own> own_;                                       // by module
  std::unordered_map<std::uint64_t, std::uint32_t> by_name_;   // (parent, name)
  std::unordered_map<std::uint32_t, std::uint32_t> anywhere_;  // name: the first module that bears it
  std::unordered_map<std::uint32_t, std::uint32_t> by_facts_;
  std::map<std::pair<std::uint32_t, std::string>, std::uint32_t> by_label_;
  ModuleTree tree_;
};

/// Parents before their children, a module's children directly behind it.
std::vector<std::uint32_t> depth_first(const ModuleTree& tree) {
  std::vector<std::vector<std::uint32_t>> below(tree.nodes.size() + 1);  // the last: outermost ones
  for (std::uint32_t i = 0; i < tree.nodes.size(); ++i)
    below[std::min<std::size_t>(tree.nodes[i].parent, tree.nodes.size())].push_back(i);
  std::vector<std::uint32_t> order;
  std::vector<std::uint32_t> open(below.back().rbegin(), below.back().rend());
  while (!open.empty()) {
    const std::uint32_t at = open.back();
    open.pop_back();
    order.push_back(at);
    open.insert(open.end(), below[at].rbegin(), below[at].rend());
  }
  return order;
}

std::string path_of(const ModuleTree& tree, std::uint32_t module) {
  std::string path = tree.nodes[module].name;
  for (std::uint32_t at = tree.nodes[module].parent; at != kNoModule; at = tree.nodes[at].parent)
    path.insert(0, tree.nodes[at].name + " / ");
  return path;
}

std::string_view text_of(ModulePhase phase) {
  constexpr std::array<std::string_view, kPhases> kTexts{"forward", "backward", "recompute"};
  return kTexts[static_cast<std::size_t>(phase)];
}

void add_notes(Table& table, const ModuleTree& tree) {
  switch (tree.source) {
    case ModuleSource::none:
      table.notes.emplace_back(
          "The trace tells no modules: they are recorded by profile(with_stack=True), by with_modules=True "
          "or "
          "as annotations of record_function().");
      return;
    case ModuleSource::python:
      break;
    case ModuleSource::hierarchy:
      table.notes.emplace_back("Modules are told by the Module Hierarchy of operators; times are theirs.");
      break;
    case ModuleSource::annotation:
      table.notes.emplace_back("The trace names no modules; these are the annotations of the program.");
      break;
  }
  if (tree.device_ns > 0) {
    table.notes.push_back(
        text_from_share(static_cast<double>(tree.owned_device_ns) / static_cast<double>(tree.device_ns)) +
        " of GPU time belongs to a module.");
  }
}

}  // namespace

ModuleSource module_source(const Trace& trace) {
  bool annotations = false;
  for (std::uint32_t i = 0; i < trace.names.size(); ++i) {
    const std::string_view name = trace.names[i];
    if (trace.name_kind[i] == SliceKind::python && is_module_call(name)) return ModuleSource::python;
    annotations =
        annotations || (trace.name_kind[i] == SliceKind::annotation && !name.starts_with("ProfilerStep#"));
  }
  for (const EventFacts& facts : decode_facts(trace)) {
    if (!facts.module_hierarchy.empty()) return ModuleSource::hierarchy;
  }
  return annotations ? ModuleSource::annotation : ModuleSource::none;
}

ModuleTree module_tree(const Trace& trace, TimeRange range, ModuleSource source, const std::stop_token& stop,
                       const std::shared_ptr<MemoryPool>& pool) {
  if (source == ModuleSource::none) return {};
  return TreeMaker(trace, range, source, stop, pool).run();
}

std::vector<SliceId> module_instances(const Trace& trace, TimeRange range, ModuleSource source,
                                      SliceId example, bool by_kernel, const std::stop_token& stop,
                                      const std::shared_ptr<MemoryPool>& pool) {
  if (source == ModuleSource::none) return {};
  TreeMaker maker(trace, range, source, stop, pool);
  return by_kernel ? maker.work_like(example) : maker.calls_like(example);
}

Table module_table(const ModuleTree& tree) {
  Table table;
  table.name = "modules";
  table.title = "Modules";
  table.definition =
      "A row a module at one place of the tree, with the calls from there (TensorBoard plugin, module view). "
      "The backward pass counts where the forward operators are that it belongs to, joined by their Sequence "
      "numbers.";
  const std::vector<std::uint32_t> order = depth_first(tree);
  const auto node = [&](std::uint32_t module) -> const ModuleNode& { return tree.nodes[module]; };
  table.texts_of(order, "name", "Module", "The module; those it calls stand below it",
                 [&](std::uint32_t it) { return node(it).name; });
  table.texts_of(order, "path", "Path", "The modules around it and itself",
                 [&](std::uint32_t it) { return path_of(tree, it); });
  table.columns.back().export_only = true;
  const auto count = [&](const char* key, const char* title, const char* about, auto&& get) {
    table.integers_of(order, key, title, Unit::count, about, [&](std::uint32_t it) { return get(node(it)); });
  };
  const auto time = [&](const char* key, const char* title, const char* about, auto&& get) {
    table.integers_of(order, key, title, Unit::ns, about, [&](std::uint32_t it) { return get(node(it)); });
  };
  count("calls", "Calls", "Of the forward pass", [](const ModuleNode& it) { return it.calls; });
  count("operators", "Operators", "Those that it calls itself",
        [](const ModuleNode& it) { return it.operators; });
  time("host_total_ns", "Host total", "Forward on the CPU, with all below",
       [](const ModuleNode& it) { return it.host_ns; });
  time("host_self_ns", "Host self", "Without the operators and modules it calls",
       [](const ModuleNode& it) { return it.host_self_ns; });
  time("device_total_ns", "Device total", "GPU work launched forward, by it and all below",
       [](const ModuleNode& it) { return it.device_ns; });
  time("device_self_ns", "Device self", "GPU work launched forward by its own operators",
       [](const ModuleNode& it) { return it.device_self_ns; });
  time("backward_host_ns", "Backward host", "The backward pass of its operators on the CPU, with all below",
       [](const ModuleNode& it) { return it.backward_host_ns; });
  time("backward_device_ns", "Backward device",
       "GPU work of the backward pass of its operators, with all below",
       [](const ModuleNode& it) { return it.backward_device_ns; });
  time("recompute_host_ns", "Recompute host",
       "Its calls by the backward pass (activation checkpointing) on the CPU, with all below",
       [](const ModuleNode& it) { return it.recompute_host_ns; });
  time("recompute_device_ns", "Recompute device", "GPU work launched by these calls",
       [](const ModuleNode& it) { return it.recompute_device_ns; });
  for (const std::uint32_t it : order) {
    table.examples.push_back(node(it).longest);
    table.depths.push_back(node(it).depth);
  }
  add_notes(table, tree);
  return table;
}

Table module_kernel_table(const Trace& trace, const ModuleTree& tree) {
  struct Line {
    std::uint32_t module;
    const ModuleKernel* kernel;
  };
  std::vector<Line> lines;
  for (const std::uint32_t module : depth_first(tree)) {
    for (const ModuleKernel& kernel : tree.nodes[module].kernels) lines.push_back({module, &kernel});
  }
  Table table;
  table.name = "modules";
  table.title = "Modules";
  table.definition = "A row a module, phase and kernel: GPU work of the module's own operators.";
  table.texts_of(lines, "module", "Module", "The module",
                 [&](const Line& it) { return tree.nodes[it.module].name; });
  table.texts_of(lines, "path", "Path", "The modules around it and itself",
                 [&](const Line& it) { return path_of(tree, it.module); });
  table.columns.back().export_only = true;
  table.texts_of(lines, "phase", "Phase", "forward, backward or recompute",
                 [](const Line& it) { return std::string(text_of(it.kernel->phase)); });
  table.texts_of(lines, "name", "Kernel", "The kernel or copy",
                 [&](const Line& it) { return std::string(trace.names[index_of(it.kernel->name)]); });
  table.integers_of(lines, "calls", "Calls", Unit::count, "How often it ran",
                    [](const Line& it) { return it.kernel->calls; });
  table.integers_of(lines, "total_ns", "Total", Unit::ns, "Summed durations",
                    [](const Line& it) { return it.kernel->total_ns; });
  for (const Line& it : lines) table.examples.push_back(it.kernel->longest);
  add_notes(table, tree);
  return table;
}

}  // namespace kino
