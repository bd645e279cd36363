#include "core/tables/compare/run_modules.hpp"

#include <algorithm>

#include "core/base/ascii.hpp"
#include "core/trace/links/operator_tree.hpp"
#include "core/trace/links/slice_relations.hpp"

namespace kino {
namespace {

bool all_digits(std::string_view text) { return !text.empty() && std::ranges::all_of(text, is_digit); }

constexpr std::string_view kModulePrefix = "nn.Module: ";

/// Returns the path for a module hierarchy such as "TOP(Net).layers.3(Block)". Dots within brackets are part
/// of a type's name.
std::string path_of_hierarchy(std::string_view text) {
  std::string path;
  std::size_t depth = 0;
  std::size_t begin = 0;
  for (std::size_t i = 0; i <= text.size(); ++i) {
    if (i < text.size() && text[i] == '(') ++depth;
    if (i < text.size() && text[i] == ')' && depth > 0) --depth;
    if (i < text.size() && (text[i] != '.' || depth > 0)) continue;
    if (!path.empty()) path += kBetweenModules;
    path += folded_module(text.substr(begin, i - begin));
    begin = i + 1;
  }
  return path;
}

}  // namespace

std::string folded_module(std::string_view name) {
  if (name.starts_with(kModulePrefix)) name.remove_prefix(kModulePrefix.size());
  const std::size_t line = name.rfind('_');
  if (line != std::string_view::npos && line > 0 && all_digits(name.substr(line + 1)))
    name = name.substr(0, line);
  std::string folded;
  for (std::size_t at = 0; at <= name.size();) {
    const std::size_t end = std::min(name.find('.', at), name.size());
    const std::string_view part = name.substr(at, end - at);
    if (at > 0) folded += '.';
    folded += all_digits(part) ? std::string_view("*") : part;
    at = end + 1;
  }
  return folded;
}

RunModules::RunModules(const Trace& trace)
    : trace_(trace), facts_(decode_facts(trace)), module_(trace.names.size()) {
  for (std::uint32_t i = 0; i < trace.names.size(); ++i) module_[i] = is_module_call(trace.names[i]) ? 1 : 0;
}

std::uint32_t RunModules::of(SliceId slice) {
  const SliceId cpu = cpu_side_of(trace_, slice);
  if (cpu == kNoSlice) return 0;
  const std::uint32_t own = around(cpu);
  if (own != 0) return own;
  const std::vector<SliceId> forward = forward_of(trace_, slice);
  return forward.empty() ? 0 : around(forward.front());
}

std::uint32_t RunModules::around(SliceId cpu) {
  const SliceId start = trace_.parent(cpu);
  const auto found = known_.find(index_of(start));
  if (found != known_.end() && start != kNoSlice && facts_index(trace_, cpu) == 0) return found->second;
  std::vector<SliceId> modules;
  std::string_view hierarchy = facts_[facts_index(trace_, cpu)].module_hierarchy;
  for (SliceId at = start; at != kNoSlice; at = trace_.parent(at)) {
    if (module_[index_of(trace_.name(at))] != 0) modules.push_back(at);
    if (hierarchy.empty()) hierarchy = facts_[facts_index(trace_, at)].module_hierarchy;
  }
  std::string path;
  std::ranges::reverse(modules);  // outermost first
  for (const auto& module : modules) {
    if (!path.empty()) path += kBetweenModules;
    path += folded_module(trace_.name_of(module));
  }
  if (path.empty() && !hierarchy.empty()) path = path_of_hierarchy(hierarchy);
  const std::uint32_t index = path.empty() ? 0 : add_path(std::move(path));
  if (start != kNoSlice && facts_index(trace_, cpu) == 0) known_.emplace(index_of(start), index);
  return index;
}

std::uint32_t RunModules::add_path(std::string path) {
  const auto [found, added] = indices_.try_emplace(path, static_cast<std::uint32_t>(paths_.size()));
  if (added) paths_.push_back(std::move(path));
  return found->second;
}

}  // namespace kino
