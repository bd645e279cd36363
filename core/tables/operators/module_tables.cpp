// Tables of a module tree.
#include <algorithm>
#include <array>
#include <functional>
#include <string>
#include <utility>

#include "core/base/messages/message.hpp"
#include "core/base/time_text.hpp"
#include "core/tables/operators/device_side.hpp"
#include "core/tables/operators/module_tree.hpp"
#include "core/tables/operators/operator_parts.hpp"

namespace kino {
namespace {

/// Returns the indices of all modules in depth-first order: parents before their children.
std::vector<std::uint32_t> depth_first(const ModuleTree& tree) {
  std::vector<std::vector<std::uint32_t>> below(tree.nodes.size() + 1);  // children by module; the last entry
                                                                         // contains the outermost modules
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

/// Creates paths such as "GPT_0 / Block_3 / Linear_7". For deeply nested modules, the size of all paths would
/// be quadratic. Therefore a long path is shortened to the number of omitted outer modules and its inner
/// part.
class Paths {
 public:
  /// `rows`: number of rows in the table.
  Paths(const ModuleTree& tree, std::size_t rows)
      : tree_(tree), most_bytes_(std::clamp(kAllBytes / std::max<std::size_t>(rows, 1), kMin, kMax)) {}

  /// Returns the path of a module. O(length of the path).
  std::string of(std::uint32_t module) const {
    std::vector<std::string_view> names;
    std::size_t bytes = 0;
    std::uint32_t at = module;
    do {
      names.emplace_back(tree_.nodes[at].name);
      bytes += names.back().size() + kBetween.size();
      at = tree_.nodes[at].parent;
    } while (at != ModuleNode::kNone && bytes < most_bytes_);
    std::string path;
    if (at != ModuleNode::kNone) {
      path =
          Message(msg::outer_modules_left_out, grouped(std::uint64_t{tree_.nodes[at].depth} + 1)).str() + " ";
    }
    for (std::size_t i = names.size(); i-- > 0;) {
      path += names[i];
      if (i > 0) path += kBetween;
    }
    return path;
  }

 private:
  static constexpr std::string_view kBetween = " / ";
  static constexpr std::size_t kAllBytes = std::size_t{4} << 20;
  static constexpr std::size_t kMin = 64;
  static constexpr std::size_t kMax = 512;

  const ModuleTree& tree_;
  const std::size_t most_bytes_;
};

msg::Id text_of(ModulePhase phase) {
  constexpr std::array<msg::Id, 3> kTexts{msg::forward, msg::backward, msg::recompute};
  return kTexts[static_cast<std::size_t>(phase)];
}

void add_notes(Table& table, const ModuleTree& tree) {
  switch (tree.source) {
    case ModuleSource::none:
      table.notes.emplace_back(msg::trace_has_no_modules);
      return;
    case ModuleSource::python:
      break;
    case ModuleSource::hierarchy:
      table.notes.emplace_back(msg::modules_from_module_hierarchy);
      break;
    case ModuleSource::annotation:
      table.notes.emplace_back(msg::modules_are_annotations);
      break;
  }
  if (tree.device_ns > 0) {
    table.notes.emplace_back(
        tree.source == ModuleSource::annotation ? msg::of_gpu_time_belongs_to_an
                                                : msg::of_gpu_time_belongs_to_a,
        text_from_share(static_cast<double>(tree.owned_device_ns) / static_cast<double>(tree.device_ns)));
  }
}

constexpr std::string_view kModuleKeys[] = {"path"};
constexpr std::string_view kModuleKernelKeys[] = {"path", "phase", "name"};
constexpr std::size_t kByAnnotation = 1;
constexpr std::size_t kByKernel = 2;
constexpr TableGroup kModuleGroups[] = {{"module", msg::by_module, kModuleKeys},
                                        {"annotation", msg::by_annotation, kModuleKeys},
                                        {"kernel", msg::by_module_and_kernel, kModuleKernelKeys}};

}  // namespace

Table module_table(const ModuleTree& tree) {
  Table table{.name = "modules", .title = msg::modules, .definition = msg::row_per_module_position};
  const std::vector<std::uint32_t> order = depth_first(tree);
  const Paths paths(tree, order.size());
  const auto node = [&](std::uint32_t module) -> const ModuleNode& { return tree.nodes[module]; };
  table.texts_of(order, "name", msg::module, msg::module_with_called_below,
                 [&](std::uint32_t module) { return node(module).name; });
  table.texts_of(order, "path", msg::path, msg::enclosing_modules_and_itself,
                 [&](std::uint32_t module) { return paths.of(module); });
  table.columns.back().export_only = true;
  const auto count = [&](const char* key, msg::Id title, msg::Id about, auto&& get) {
    table.integers_of(order, key, title, Unit::count, about,
                      [&](std::uint32_t module) { return std::invoke(get, node(module)); });
  };
  const auto time = [&](const char* key, msg::Id title, msg::Id about, auto&& get) {
    table.integers_of(order, key, title, Unit::ns, about,
                      [&](std::uint32_t module) { return std::invoke(get, node(module)); });
  };
  count("calls", msg::calls, msg::number_in_forward_pass, &ModuleNode::calls);
  count("operators", msg::operators, msg::directly_called_operators, &ModuleNode::operators);
  time("host_total_ns", msg::host_total, msg::forward_on_the_cpu_with_all, &ModuleNode::host_ns);
  time("host_self_ns", msg::host_self, msg::without_the_operators_and_modules_it, &ModuleNode::host_self_ns);
  const auto device_time = [&](const char* key, msg::Id title, msg::Id about,
                               std::int64_t ModuleNode::*value) {
    time(key, title, about,
         [&](const ModuleNode& module) { return tree.device_recorded ? module.*value : kNoInteger; });
  };
  device_time("device_total_ns", msg::device_total, msg::forward_gpu_work_with_below, &ModuleNode::device_ns);
  device_time("device_self_ns", msg::device_self, msg::forward_gpu_work_of_own_operators,
              &ModuleNode::device_self_ns);
  time("backward_host_ns", msg::backward_host, msg::the_backward_pass_of_its_operators,
       &ModuleNode::backward_host_ns);
  device_time("backward_device_ns", msg::backward_device, msg::gpu_work_of_the_backward_pass,
              &ModuleNode::backward_device_ns);
  time("recompute_host_ns", msg::recompute_host, msg::its_calls_by_the_backward_pass,
       &ModuleNode::recompute_host_ns);
  device_time("recompute_device_ns", msg::recompute_device, msg::gpu_work_launched_by_these_calls,
              &ModuleNode::recompute_device_ns);
  for (const std::uint32_t module : order) {
    table.links.emplace_back(node(module).longest);
    table.depths.push_back(node(module).depth);
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
  const Paths paths(tree, lines.size());
  Table table{.name = "modules", .title = msg::modules, .definition = msg::row_per_module_phase_kernel};
  table.texts_of(lines, "module", msg::module, msg::the_module,
                 [&](const Line& line) { return tree.nodes[line.module].name; });
  table.texts_of(lines, "path", msg::path, msg::enclosing_modules_and_itself,
                 [&](const Line& line) { return paths.of(line.module); });
  table.columns.back().export_only = true;
  table.text_column(lines, "phase", msg::phase, msg::forward_backward_or_recompute,
                    [](const Line& line) { return text_of(line.kernel->phase); });
  table.texts_of(lines, "name", msg::kernel, msg::the_kernel_or_copy,
                 [&](const Line& line) { return std::string(trace.name_text(line.kernel->name)); });
  table.integers_of(lines, "calls", msg::calls, Unit::count, msg::number_of_executions,
                    [](const Line& line) { return line.kernel->calls; });
  table.integers_of(lines, "total_ns", msg::total, Unit::ns, msg::summed_durations,
                    [](const Line& line) { return line.kernel->total_ns; });
  for (const Line& line : lines) table.links.emplace_back(line.kernel->longest);
  add_notes(table, tree);
  return table;
}

constexpr TableKind<OperatorParts> kModuleTable{
    {.name = "modules",
     .title = msg::modules,
     .heading = msg::cpu,
     .about = msg::about_modules,
     .groups = kModuleGroups},
    [](const OperatorParts& parts, const TableQuery& query, const std::stop_token& stop) -> Table {
      Table table = query.group == kByAnnotation
                        ? module_table(parts.modules_by(ModuleSource::annotation, stop))
                    : query.group == kByKernel ? module_kernel_table(parts.trace(), parts.modules(stop))
                                               : module_table(parts.modules(stop));
      if (query.group != kByKernel && table.row_count() == 0) return table;
      if (Message note = no_device_note(parts.trace(), stop); !note.empty())
        table.notes.push_back(std::move(note));
      return table;
    },
    [](const OperatorParts& parts, const RowQuery& query,
       const std::stop_token& stop) -> std::vector<SliceId> {
      const ModuleSource source =
          query.group == kByAnnotation ? ModuleSource::annotation : module_source(parts.trace());
      if (source == ModuleSource::none) return {};
      return module_instances(parts.trace(), parts.module_calls(source, stop),
                              parts.module_placers(source, stop), source, query.example,
                              query.group == kByKernel, stop);
    }};

}  // namespace kino
