#include "core/tables/compare/module_alignment.hpp"

#include <algorithm>
#include <cstddef>
#include <set>

#include "core/base/messages/message.hpp"
#include "core/tables/compare/run_modules.hpp"

namespace kino {
namespace {

using PathSet = std::set<std::string_view>;

constexpr int kMaxAround = 8;

PathSet paths_of(const RunRecord& run) {
  PathSet paths;
  for (const RunRow& row : run.rows) {
    if (!row.module.empty()) paths.insert(row.module);
  }
  return paths;
}

std::string_view first_of(std::string_view path) { return path.substr(0, path.find(kBetweenModules)); }

/// Returns the path with its first module removed; empty for a single module.
std::string_view below(std::string_view path) {
  const std::size_t end = path.find(kBetweenModules);
  return end == std::string_view::npos ? std::string_view() : path.substr(end + kBetweenModules.size());
}

/// Returns the outermost modules of the paths.
PathSet roots_of(const PathSet& paths) {
  PathSet roots;
  for (const std::string_view path : paths) roots.insert(first_of(path));
  return roots;
}

/// Removes wrappers: modules around all of `paths` that the other run does not have, until the roots include
/// the other run's roots. Returns the path of removed modules. If this fails, returns an empty path, and
/// `paths` is unspecified.
std::string unwrap(PathSet& paths, const PathSet& other_roots) {
  std::string around;
  for (int i = 0; i < kMaxAround; ++i) {
    const PathSet roots = roots_of(paths);
    if (roots.size() != 1 || other_roots.contains(*roots.begin())) break;
    PathSet inside;
    for (const std::string_view path : paths) {
      if (const std::string_view rest = below(path); !rest.empty()) inside.insert(rest);
    }
    if (inside.empty()) break;
    around += (around.empty() ? "" : std::string(kBetweenModules)) + std::string(*roots.begin());
    paths = std::move(inside);
    const PathSet now = roots_of(paths);
    if (std::ranges::includes(now, other_roots)) return around;
  }
  return {};
}

/// Returns all paths and their prefixes.
PathSet with_parents(const PathSet& paths) {
  PathSet all;
  for (const std::string_view path : paths) {
    for (std::size_t end = path.find(kBetweenModules); end != std::string_view::npos;
         end = path.find(kBetweenModules, end + kBetweenModules.size()))
      all.insert(path.substr(0, end));
    all.insert(path);
  }
  return all;
}

/// Returns the shortest prefix of `path` that is not in `other`; `path` itself if `other` contains all proper
/// prefixes.
std::string_view highest_new(std::string_view path, const PathSet& other) {
  for (std::size_t end = path.find(kBetweenModules); end != std::string_view::npos;
       end = path.find(kBetweenModules, end + kBetweenModules.size())) {
    if (!other.contains(path.substr(0, end))) return path.substr(0, end);
  }
  return path;
}

}  // namespace

ModuleAlignment::ModuleAlignment(const RunRecord& a, const RunRecord& b) {
  PathSet of_a = paths_of(a);
  PathSet of_b = paths_of(b);
  if (of_a.empty() || of_b.empty()) return;
  const PathSet roots_a = roots_of(of_a);
  const PathSet roots_b = roots_of(of_b);
  PathSet inside_a = of_a;
  around_a_ = unwrap(inside_a, roots_b);
  if (!around_a_.empty()) {
    of_a = std::move(inside_a);
  } else {
    PathSet inside_b = of_b;
    around_b_ = unwrap(inside_b, roots_a);
    if (!around_b_.empty()) of_b = std::move(inside_b);
  }
  const PathSet all_a = with_parents(of_a);
  const PathSet all_b = with_parents(of_b);
  const auto find_added = [&](const PathSet& paths, const PathSet& other) {
    for (const std::string_view path : paths) {
      const std::string_view top = highest_new(path, other);
      if (top != path) added_.emplace(path, top);
    }
  };
  find_added(of_a, all_b);
  find_added(of_b, all_a);
}

std::string_view ModuleAlignment::path(std::string_view module) const {
  for (const std::string* const around : {&around_a_, &around_b_}) {
    if (around->empty() || !module.starts_with(*around)) continue;
    const std::string_view rest = module.substr(around->size());
    if (rest.starts_with(kBetweenModules)) return rest.substr(kBetweenModules.size());
  }
  return module;
}

std::string ModuleAlignment::key(std::string_view module) const {
  if (module.empty()) return std::string(english(msg::row_no_module));
  const std::string_view at = path(module);
  const auto found = added_.find(at);
  return found == added_.end() ? std::string(at) : found->second;
}

}  // namespace kino
