#include "core/tables/compare/comparability.hpp"

#include <algorithm>
#include <cmath>
#include <set>

#include "core/base/time_text.hpp"

namespace kino {
namespace {

constexpr double kLeastAlike = 0.9;
constexpr double kMostDamage = 0.01;
constexpr double kMostIdleEnd = 0.1;
constexpr std::size_t kLeastSamples = 4;

/// "['NVIDIA A100', 'Tesla V100']".
std::string list_text(const std::vector<std::string>& list) {
  std::string text = "[";
  for (const std::string& it : list) text += (text.size() > 1 ? ", '" : "'") + it + "'";
  return text + "]";
}

std::string joined(const std::vector<std::string>& list, const char* unless) {
  std::string text;
  for (const std::string& it : list) text += (text.empty() ? "" : ", ") + it;
  return text.empty() ? unless : text;
}

std::string number_or(std::int64_t number, const char* unless) {
  return number < 0 ? unless : std::to_string(number);
}

double damage_share(const RunFacts& facts) {
  return facts.events == 0 ? 0
                           : static_cast<double>(facts.damaged_events) / static_cast<double>(facts.events);
}

RunCheck gpu_check(const RunFacts& a, const RunFacts& b) {
  RunCheck check{RunCheckKind::gpu,
                 CheckResult::alike,
                 "GPU",
                 joined(a.gpus, "not recorded"),
                 joined(b.gpus, "not recorded"),
                 "The same",
                 {}};
  if (a.gpus.empty() || b.gpus.empty()) {
    check.outcome = "Not recorded on both sides";
  } else if (a.gpus != b.gpus) {
    check.result = CheckResult::refuses;
    check.outcome = "Other hardware: refused";
    check.line = "other GPU: " + list_text(a.gpus) + ", " + list_text(b.gpus);
  }
  return check;
}

RunCheck world_size_check(const RunFacts& a, const RunFacts& b) {
  RunCheck check{RunCheckKind::world_size,
                 CheckResult::alike,
                 "World size",
                 number_or(a.world_size, "not recorded"),
                 number_or(b.world_size, "not recorded"),
                 "The same",
                 {}};
  if (a.world_size < 0 || b.world_size < 0) {
    check.outcome = "Not recorded on both sides";
  } else if (a.world_size != b.world_size) {
    check.result = CheckResult::refuses;
    check.outcome = "Other number of ranks: refused";
    check.line = "other world size: " + std::to_string(a.world_size) + ", " + std::to_string(b.world_size);
  }
  return check;
}

RunCheck gpu_work_check(const RunFacts& a, const RunFacts& b) {
  RunCheck check{RunCheckKind::gpu_work,
                 CheckResult::alike,
                 "GPU work",
                 std::to_string(a.gpu_work) + " kernels and copies",
                 std::to_string(b.gpu_work) + " kernels and copies",
                 a.gpu_work > 0 ? "On both sides" : "On neither side: the CPU's time is compared",
                 {}};
  if ((a.gpu_work > 0) != (b.gpu_work > 0)) {
    check.result = CheckResult::refuses;
    check.outcome = "On one side only: refused";
    check.line = std::string("GPU work in ") + (a.gpu_work > 0 ? "A" : "B") + " only";
  }
  return check;
}

RunCheck shapes_check(const RunFacts& a, const RunFacts& b) {
  const SharedShapes shared = shared_shapes(a, b);
  RunCheck check{RunCheckKind::shapes,
                 CheckResult::alike,
                 "Operators with shapes",
                 std::to_string(a.shapes.size()),
                 std::to_string(b.shapes.size()),
                 shared.both == 0 ? "Not recorded on both sides"
                                  : std::to_string(shared.sharing) + " of " + std::to_string(shared.both) +
                                        " share a shape",
                 {}};
  if (shared.sharing * 2 < shared.both) {
    check.result = CheckResult::refuses;
    check.outcome += ": refused";
    check.line = "other shapes: " + std::to_string(shared.sharing) + " of " + std::to_string(shared.both) +
                 " operators share one";
  }
  return check;
}

RunCheck types_check(const RunFacts& a, const RunFacts& b) {
  RunCheck check{RunCheckKind::matmul_types,
                 CheckResult::alike,
                 "Matrix products of",
                 joined(a.matmul_types, "not recorded"),
                 joined(b.matmul_types, "not recorded"),
                 "A type in common",
                 {}};
  if (a.matmul_types.empty() || b.matmul_types.empty()) {
    check.outcome = "Not recorded on both sides";
    return check;
  }
  const bool common = std::ranges::any_of(a.matmul_types, [&](const std::string& type) {
    return std::ranges::binary_search(b.matmul_types, type);
  });
  if (common) return check;
  check.result = CheckResult::refuses;
  check.outcome = "Other types: refused";
  check.line =
      "other types of matrix products: " + list_text(a.matmul_types) + ", " + list_text(b.matmul_types);
  return check;
}

std::string setting_of(const RunFacts& facts, const std::string& key) {
  for (const auto& [name, value] : facts.settings) {
    if (name == key) return value;
  }
  return "None";
}

std::string setting_title(const std::string& key) {
  if (key == "cuda_runtime_version") return "CUDA runtime";
  if (key == "cuda_driver_version") return "CUDA driver";
  if (key == "hip_runtime_version") return "HIP runtime";
  if (key == "hip_driver_version") return "HIP driver";
  return key;
}

void add_setting_checks(const RunFacts& a, const RunFacts& b, std::vector<RunCheck>& checks) {
  std::set<std::string> keys;
  for (const auto& [key, value] : a.settings) keys.insert(key);
  for (const auto& [key, value] : b.settings) keys.insert(key);
  for (const std::string& key : keys) {
    const std::string of_a = setting_of(a, key);
    const std::string of_b = setting_of(b, key);
    RunCheck check{
        RunCheckKind::settings, CheckResult::alike, setting_title(key), of_a, of_b, "The same", {}};
    if (of_a != of_b) {
      check.result = CheckResult::warns;
      check.outcome = "Not the same";
      check.line = check.what;
      check.line += " ";
      check.line += of_a;
      check.line += ", ";
      check.line += of_b;
    }
    checks.push_back(std::move(check));
  }
}

RunCheck rank_check(const RunFacts& a, const RunFacts& b) {
  RunCheck check{RunCheckKind::rank,
                 CheckResult::alike,
                 "Rank",
                 number_or(a.rank, "not recorded"),
                 number_or(b.rank, "not recorded"),
                 "The same",
                 {}};
  if (a.rank >= 0 && b.rank >= 0 && a.rank != b.rank) {
    check.result = CheckResult::warns;
    check.outcome = "Other ranks";
    check.line = "other rank: " + std::to_string(a.rank) + ", " + std::to_string(b.rank);
  }
  return check;
}

RunCheck kernels_check(const RunRecord& a, const RunRecord& b, double similarity) {
  const auto kernels = [](const RunRecord& run) {
    std::int64_t count = 0;
    for (const RunRow& row : run.rows) {
      for (const RunCell& cell : row.cells) count += cell.instances;
    }
    return std::to_string(count) + (run.facts.gpu_work > 0 ? " kernels and copies" : " calls");
  };
  RunCheck check{RunCheckKind::kernels,
                 CheckResult::alike,
                 "Alike",
                 kernels(a),
                 kernels(b),
                 text_from_share(similarity) + " of them a step",
                 {}};
  if (similarity < kLeastAlike) {
    check.result = CheckResult::warns;
    check.outcome += "; below 90 % compare by operator or shape";
    check.line = "kernels are " + text_from_share(similarity) + " alike: compare by operator or shape";
  }
  return check;
}

RunCheck samples_check(const RunRecord& a, const RunRecord& b) {
  RunCheck check{RunCheckKind::samples,
                 CheckResult::alike,
                 a.of_runs ? "Runs" : "Steps",
                 std::to_string(a.windows.size()),
                 std::to_string(b.windows.size()),
                 "Enough for a test",
                 {}};
  if (a.windows.size() < kLeastSamples || b.windows.size() < kLeastSamples) {
    check.result = CheckResult::warns;
    check.outcome = "Fewer than 4 a side: no test is possible";
  }
  return check;
}

RunCheck damage_check(const RunFacts& a, const RunFacts& b) {
  RunCheck check{RunCheckKind::damage,
                 CheckResult::alike,
                 "Damage",
                 text_from_share(damage_share(a)),
                 text_from_share(damage_share(b)),
                 "Nothing worth a warning",
                 {}};
  if (damage_share(a) > kMostDamage || damage_share(b) > kMostDamage) {
    check.result = CheckResult::warns;
    check.outcome = "Above 1 % of the events";
    check.line = "damaged events: " + check.a + ", " + check.b;
  }
  return check;
}

/// Of a comparison by modules.
RunCheck modules_check(const RunRecord& a, const RunRecord& b, const ModuleAlignment& modules) {
  const auto recorded = [](const RunRecord& run) {
    return std::ranges::any_of(run.rows, [](const RunRow& row) { return !row.module.empty(); });
  };
  const bool has_a = recorded(a);
  const bool has_b = recorded(b);
  RunCheck check{RunCheckKind::modules,
                 CheckResult::alike,
                 "Modules",
                 has_a ? "recorded" : "not recorded",
                 has_b ? "recorded" : "not recorded",
                 "On both sides",
                 {}};
  if (has_a && has_b) {
    const std::string& around = modules.around_a().empty() ? modules.around_b() : modules.around_a();
    if (around.empty()) return check;
    const std::string side = modules.around_a().empty() ? "B" : "A";
    check.result = CheckResult::warns;
    check.outcome = "On both sides; all of " + side + " within " + around;
    check.line = "all modules of " + side + " are within " + around + ", which is left out of their paths";
    return check;
  }
  check.result = CheckResult::warns;
  check.outcome =
      has_a || has_b ? "On one side only: compare by operator" : "On neither side: compare by operator";
  check.line = std::string("no modules are recorded in ") +
               (has_a   ? "B"
                : has_b ? "A"
                        : "A and B") +
               " (with_stack or with_modules)";
  return check;
}

void add_last_step(const RunRecord& run, const char* side, std::vector<RunCheck>& checks) {
  if (run.facts.last_step_idle_end <= kMostIdleEnd) return;
  const std::string share = std::to_string(std::lround(run.facts.last_step_idle_end * 100)) + " %";
  RunCheck check{RunCheckKind::last_step, CheckResult::warns, "Last step", {}, {}, {}, {}};
  (side[0] == 'A' ? check.a : check.b) = share + " lies after the last GPU work";
  check.outcome = "Leave it out: --drop-last";
  check.line = std::string("last step of ") + side + ": " + share +
               " of it lies after the last GPU work: leave it out (--drop-last)";
  checks.push_back(std::move(check));
}

}  // namespace

SharedShapes shared_shapes(const RunFacts& a, const RunFacts& b) {
  SharedShapes shared;
  for (const auto& [op, of_a] : a.shapes) {
    const auto found = b.shapes.find(op);
    if (found == b.shapes.end()) continue;
    ++shared.both;
    const bool one = std::ranges::any_of(
        of_a, [&](std::uint64_t shape) { return std::ranges::binary_search(found->second, shape); });
    shared.sharing += one ? 1 : 0;
  }
  return shared;
}

std::vector<RunCheck> run_checks(const RunRecord& a, const RunRecord& b, double similarity, bool same_file,
                                 const ModuleAlignment* modules) {
  std::vector<RunCheck> checks{gpu_check(a.facts, b.facts),      world_size_check(a.facts, b.facts),
                               gpu_work_check(a.facts, b.facts), shapes_check(a.facts, b.facts),
                               types_check(a.facts, b.facts),    kernels_check(a, b, similarity)};
  add_setting_checks(a.facts, b.facts, checks);
  checks.push_back(rank_check(a.facts, b.facts));
  checks.push_back(samples_check(a, b));
  checks.push_back(damage_check(a.facts, b.facts));
  if (modules != nullptr) checks.push_back(modules_check(a, b, *modules));
  add_last_step(a, "A", checks);
  add_last_step(b, "B", checks);
  if (same_file) {
    checks.push_back({RunCheckKind::file, CheckResult::warns, "File", a.name, b.name, "One file twice",
                      "A and B are the same steps of one file"});
  }
  return checks;
}

}  // namespace kino
