// What operators, key averages and modules are in a range, twice: as parts of the whole trace's trees, and
// from trees of the range alone.
#pragma once

#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "core/flops_table.hpp"
#include "core/range_analysis.hpp"

namespace kino_test {

/// Every cell, example and note.
inline std::string text_of(const kino::Table& table) {
  std::string text = table.name + "\n";
  const auto add = [&](const std::string& cell) { text += cell + "|"; };
  for (std::size_t row = 0; row < table.row_count(); ++row) {
    for (const kino::TableColumn& column : table.columns) {
      if (const auto* texts = std::get_if<kino::TableColumn::Texts>(&column.values)) add((*texts)[row]);
      if (const auto* numbers = std::get_if<kino::TableColumn::Numbers>(&column.values))
        add(std::to_string((*numbers)[row]));
      if (const auto* integers = std::get_if<kino::TableColumn::Integers>(&column.values))
        add(std::to_string((*integers)[row]));
    }
    if (!table.examples.empty()) add(std::to_string(index_of(table.examples[row])));
    if (!table.depths.empty()) add(std::to_string(table.depths[row]));
    text += "\n";
  }
  for (const std::string& note : table.notes) text += note + "\n";
  return text;
}

inline std::string text_of(const kino::KeyAverages& averages, kino::KeyAverageGrouping grouping) {
  std::string text = key_averages_text(averages, grouping, kino::KeyAverageOrder::none, -1);
  for (const kino::KeyAverage& row : averages.rows) {
    for (const std::int64_t figure :
         {static_cast<std::int64_t>(row.count), row.cpu_ns, row.self_cpu_ns, row.device_ns,
          row.self_device_ns, row.cpu_bytes, row.self_cpu_bytes, row.device_bytes, row.self_device_bytes,
          std::int64_t{index_of(row.longest)}}) {
      text += std::to_string(figure) + "|";
    }
    text += row.key + row.input_shapes + std::to_string(row.device_us) + "\n";
  }
  return text;
}

/// A line a node. What merged nodes have, nobody asks for.
inline std::string text_of_nodes(const kino::Trace& trace, const kino::OperatorTreePart& part) {
  std::string text;
  for (const kino::OperatorTreePart::Piece& piece : part.pieces()) {
    for (std::size_t i = 0; i < piece.nodes.size(); ++i) {
      const kino::OperatorNode& node = piece.nodes[i];
      const std::uint32_t parent = part.parent_of(node);
      text += std::to_string(index_of(node.slice)) + " " + std::string(trace.name_of(node.slice)) + " in ";
      text +=
          parent == kino::OperatorNode::kNone ? "none" : std::to_string(index_of(part.node(parent)->slice));
      text += node.merged ? " merged" : "";
      if (!node.merged) {
        for (const std::int64_t figure : {node.duration_ns, node.children_ns, node.runtime_ns, node.device_ns,
                                          piece.device_total_ns.empty() ? 0 : piece.device_total_ns[i]}) {
          text += " " + std::to_string(figure);
        }
      }
      text += "\n";
    }
  }
  for (const kino::OwnedSlice& it : part.work()) {
    text += std::to_string(index_of(it.slice)) + " of " +
            std::to_string(index_of(part.node(it.node)->slice)) + "\n";
  }
  return text + "owned " + std::to_string(part.owned_device_ns()) + " of " + std::to_string(part.device_ns());
}

inline std::string text_of(std::vector<kino::SliceId> slices) {
  std::sort(slices.begin(), slices.end());
  std::string text;
  for (const kino::SliceId slice : slices) text += std::to_string(index_of(slice)) + " ";
  return text;
}

/// Checks operators, FLOPs, key averages and modules in all their groups, with what some of their rows count.
inline void check_range_tables(const kino::RangeAnalysis& analysis) {
  using namespace kino;
  constexpr std::size_t kInstances = 5;  // rows of which they are compared
  const Trace& trace = analysis.trace();
  const TimeRange range = analysis.range();
  CAPTURE(range.begin_ns);
  CAPTURE(range.end_ns);
  const OperatorTree tree = operator_tree(trace, range, {.annotations = true});
  const OperatorTreePart alone(trace, tree);
  REQUIRE(text_of_nodes(trace, analysis.tree()) == text_of_nodes(trace, alone));
  for (const auto grouping : {OperatorGrouping::name, OperatorGrouping::shape, OperatorGrouping::stack}) {
    const auto& groups = analysis.operator_groups(grouping);
    const auto rows = operator_rows(trace, analysis.tree(), groups);
    const auto rows_alone = operator_rows(trace, tree, grouping);
    REQUIRE(text_of(operator_table(trace, rows, grouping, {})) ==
            text_of(operator_table(trace, rows_alone, grouping, {})));
    const OperatorGroups groups_alone = operator_groups(trace, tree, grouping);
    for (std::size_t i = 0; i < std::min(kInstances, rows.size()); ++i) {
      const auto calls = operator_instances(analysis.tree(), groups, rows[i].longest);
      CHECK(calls.size() == rows[i].calls);
      CHECK(text_of(calls) == text_of(operator_instances(alone, groups_alone, rows[i].longest)));
    }
  }
  for (const auto grouping : {FlopsGrouping::shape, FlopsGrouping::uncounted}) {
    CHECK(text_of(flops_table(trace, flops_report(trace, analysis.tree(), range), grouping)) ==
          text_of(flops_table(trace, flops_report(trace, alone, range), grouping)));
  }

  const OperatorTree key_tree = operator_tree(trace, range, kKeyAverageKinds);
  const OperatorTreePart keys_alone(trace, key_tree);
  REQUIRE(text_of_nodes(trace, analysis.key_tree()) == text_of_nodes(trace, keys_alone));
  for (const auto grouping :
       {KeyAverageGrouping::name, KeyAverageGrouping::shape, KeyAverageGrouping::stack}) {
    const KeyGroups& groups = analysis.key_groups(grouping);
    const KeyAverages averages = key_averages(trace, range, analysis.work(), analysis.key_tree(), groups);
    REQUIRE(text_of(averages, grouping) == text_of(key_averages(trace, range, grouping), grouping));
    const KeyGroups groups_alone = key_groups(trace, key_tree, grouping);
    for (std::size_t i = 0; i < std::min(kInstances, averages.rows.size()); ++i) {
      if (averages.rows[i].longest == kNoSlice) continue;
      CHECK(text_of(key_average_instances(trace, analysis.work(), analysis.key_tree(), groups,
                                          averages.rows[i].longest)) ==
            text_of(key_average_instances(trace, gpu_work_in(trace, range), keys_alone, groups_alone,
                                          averages.rows[i].longest)));
    }
  }

  for (const ModuleSource source : {module_source(trace), ModuleSource::annotation}) {
    if (source == ModuleSource::none) continue;
    const OperatorTree calls = operator_tree(trace, range, module_kinds(source));
    const OperatorTreePart calls_alone(trace, calls);
    const OperatorTreePart& part = analysis.module_calls(source);
    REQUIRE(text_of_nodes(trace, part) == text_of_nodes(trace, calls_alone));
    const ModulePlacers& placers = analysis.module_placers(source);
    const ModuleTree modules = module_tree(trace, part, placers, source);
    const ModuleTree modules_alone = module_tree(trace, range, source);
    REQUIRE(text_of(module_table(modules)) == text_of(module_table(modules_alone)));
    REQUIRE(text_of(module_kernel_table(trace, modules)) ==
            text_of(module_kernel_table(trace, modules_alone)));
    const ModulePlacers placers_alone = module_placers(trace, calls_alone, source);
    for (std::size_t i = 0; i < std::min(kInstances, modules.nodes.size()); ++i) {
      const auto check = [&](SliceId example, bool by_kernel) {
        if (example == kNoSlice) return;
        CHECK(text_of(module_instances(trace, part, placers, source, example, by_kernel)) ==
              text_of(module_instances(trace, calls_alone, placers_alone, source, example, by_kernel)));
      };
      check(modules.nodes[i].longest, false);
      if (!modules.nodes[i].kernels.empty()) check(modules.nodes[i].kernels.front().longest, true);
    }
  }
}

}  // namespace kino_test
