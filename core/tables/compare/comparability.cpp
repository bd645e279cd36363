#include "core/tables/compare/comparability.hpp"

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

#include "core/base/time_text.hpp"

namespace kino {
namespace {

constexpr double kMinAlike = 0.9;
constexpr double kMaxDamage = 0.01;
constexpr double kMaxIdleEnd = 0.1;
constexpr std::size_t kMinSamples = 4;

/// Returns "['NVIDIA A100', 'Tesla V100']".
std::string list_text(const std::vector<std::string>& list) {
  std::string text = "[";
  for (const std::string& entry : list) text += (text.size() > 1 ? ", '" : "'") + entry + "'";
  return text + "]";
}

Message joined(const std::vector<std::string>& list) {
  return list.empty() ? Message(msg::not_recorded) : comma_list({list.begin(), list.end()});
}

Message number_text(std::int64_t number) {
  return number < 0 ? Message(msg::not_recorded) : Message(std::to_string(number));
}

double damage_share(const RunFacts& facts) {
  return facts.events == 0 ? 0
                           : static_cast<double>(facts.damaged_events) / static_cast<double>(facts.events);
}

RunCheck alike(RunCheckKind kind, Message what, Message a, Message b, Message outcome) {
  return {kind, CheckResult::alike, std::move(what), std::move(a), std::move(b), std::move(outcome), {}};
}

void mark(RunCheck& check, CheckResult result, Message outcome, Message line) {
  check.result = result;
  check.outcome = std::move(outcome);
  check.line = std::move(line);
}

RunCheck gpu_check(const RunFacts& a, const RunFacts& b) {
  RunCheck check = alike(RunCheckKind::gpu, msg::gpu, joined(a.gpus), joined(b.gpus), msg::check_equal);
  if (a.gpus.empty() || b.gpus.empty()) {
    check.outcome = msg::not_recorded_in_both_runs;
  } else if (a.gpus != b.gpus) {
    mark(check, CheckResult::refuses, msg::different_hardware_refused,
         {msg::line_different_gpu, list_text(a.gpus), list_text(b.gpus)});
  }
  return check;
}

RunCheck world_size_check(const RunFacts& a, const RunFacts& b) {
  RunCheck check = alike(RunCheckKind::world_size, msg::world_size, number_text(a.world_size),
                         number_text(b.world_size), msg::check_equal);
  if (a.world_size < 0 || b.world_size < 0) {
    check.outcome = msg::not_recorded_in_both_runs;
  } else if (a.world_size != b.world_size) {
    mark(check, CheckResult::refuses, msg::different_number_of_ranks_refused,
         {msg::line_different_world_size, std::to_string(a.world_size), std::to_string(b.world_size)});
  }
  return check;
}

RunCheck gpu_work_check(const RunFacts& a, const RunFacts& b) {
  RunCheck check =
      alike(RunCheckKind::gpu_work, msg::gpu_work, {msg::kernels_and_copies, std::to_string(a.gpu_work)},
            {msg::kernels_and_copies, std::to_string(b.gpu_work)},
            a.gpu_work > 0 ? msg::in_both_runs : msg::in_neither_run_cpu_time);
  if ((a.gpu_work > 0) != (b.gpu_work > 0)) {
    mark(check, CheckResult::refuses, msg::in_one_run_refused,
         {msg::line_gpu_work_in_one, a.gpu_work > 0 ? msg::a : msg::b});
  }
  return check;
}

RunCheck shapes_check(const RunFacts& a, const RunFacts& b) {
  const SharedShapes shared = shared_shapes(a, b);
  RunCheck check = alike(RunCheckKind::shapes, msg::operators_with_shapes, std::to_string(a.shapes.size()),
                         std::to_string(b.shapes.size()), msg::not_recorded_in_both_runs);
  if (!a.shapes.empty() && !b.shapes.empty()) check.outcome = msg::no_operator_with_shapes_in_common;
  if (shared.both == 0) return check;
  const std::string sharing = std::to_string(shared.sharing);
  const std::string both = std::to_string(shared.both);
  check.outcome = {msg::share_a_shape, sharing, both};
  if (shared.sharing * 2 < shared.both) {
    mark(check, CheckResult::refuses, {msg::share_a_shape_refused, sharing, both},
         {msg::line_different_shapes, sharing, both});
  }
  return check;
}

RunCheck types_check(const RunFacts& a, const RunFacts& b) {
  RunCheck check = alike(RunCheckKind::matmul_types, msg::matmul_types, joined(a.matmul_types),
                         joined(b.matmul_types), msg::common_type);
  if (a.matmul_types.empty() || b.matmul_types.empty()) {
    check.outcome = msg::not_recorded_in_both_runs;
    return check;
  }
  const bool common = std::ranges::any_of(a.matmul_types, [&](const std::string& type) {
    return std::ranges::binary_search(b.matmul_types, type);
  });
  if (common) return check;
  mark(check, CheckResult::refuses, msg::different_types_refused,
       {msg::line_different_types, list_text(a.matmul_types), list_text(b.matmul_types)});
  return check;
}

std::string setting_of(const RunFacts& facts, const std::string& key) {
  for (const auto& [name, value] : facts.settings) {
    if (name == key) return value;
  }
  return "None";
}

Message setting_title(const std::string& key) {
  if (key == "cuda_runtime_version") return msg::cuda_runtime;
  if (key == "cuda_driver_version") return msg::cuda_driver;
  if (key == "hip_runtime_version") return msg::hip_runtime;
  if (key == "hip_driver_version") return msg::hip_driver;
  return key;
}

void add_setting_checks(const RunFacts& a, const RunFacts& b, std::vector<RunCheck>& checks) {
  std::set<std::string> keys;
  for (const auto& [key, value] : a.settings) keys.insert(key);
  for (const auto& [key, value] : b.settings) keys.insert(key);
  for (const std::string& key : keys) {
    const std::string of_a = setting_of(a, key);
    const std::string of_b = setting_of(b, key);
    RunCheck check = alike(RunCheckKind::settings, setting_title(key), of_a, of_b, msg::check_equal);
    if (of_a != of_b) {
      mark(check, CheckResult::warns, msg::check_different,
           {msg::line_other_setting, check.what, of_a, of_b});
    }
    checks.push_back(std::move(check));
  }
}

RunCheck rank_check(const RunFacts& a, const RunFacts& b) {
  RunCheck check =
      alike(RunCheckKind::rank, msg::rank, number_text(a.rank), number_text(b.rank), msg::check_equal);
  if (a.rank >= 0 && b.rank >= 0 && a.rank != b.rank) {
    mark(check, CheckResult::warns, msg::different_ranks,
         {msg::line_different_rank, std::to_string(a.rank), std::to_string(b.rank)});
  }
  return check;
}

RunCheck kernels_check(const RunRecord& a, const RunRecord& b, double similarity) {
  const auto kernels = [](const RunRecord& run) -> Message {
    std::int64_t count = 0;
    for (const RunRow& row : run.rows) {
      for (const RunCell& cell : row.cells) count += cell.instances;
    }
    return {run.facts.gpu_work > 0 ? msg::kernels_and_copies : msg::calls_counted, std::to_string(count)};
  };
  const std::string share = text_from_share(similarity);
  RunCheck check =
      alike(RunCheckKind::kernels, msg::similar_work, kernels(a), kernels(b), {msg::similar_per_step, share});
  if (similarity < kMinAlike) {
    mark(check, CheckResult::warns, {msg::similar_per_step_too_few, share},
         {msg::line_few_kernels_match, share});
  }
  return check;
}

RunCheck samples_check(const RunRecord& a, const RunRecord& b) {
  RunCheck check =
      alike(RunCheckKind::samples, a.of_runs ? msg::runs : msg::steps, std::to_string(a.windows.size()),
            std::to_string(b.windows.size()), msg::enough_for_a_test);
  if (a.windows.size() < kMinSamples || b.windows.size() < kMinSamples) {
    check.result = CheckResult::warns;
    check.outcome = msg::too_few_samples_for_a_test;
  }
  return check;
}

RunCheck damage_check(const RunFacts& a, const RunFacts& b) {
  RunCheck check = alike(RunCheckKind::damage, msg::damage, text_from_share(damage_share(a)),
                         text_from_share(damage_share(b)), msg::no_significant_damage);
  if (damage_share(a) > kMaxDamage || damage_share(b) > kMaxDamage) {
    mark(check, CheckResult::warns, msg::more_than_1_percent_of_events,
         {msg::line_damaged_events, check.a, check.b});
  }
  return check;
}

/// Checks whether both runs recorded modules, for a comparison by modules.
RunCheck modules_check(const RunRecord& a, const RunRecord& b, const ModuleAlignment& modules) {
  const auto recorded = [](const RunRecord& run) {
    return std::ranges::any_of(run.rows, [](const RunRow& row) { return !row.module.empty(); });
  };
  const bool has_a = recorded(a);
  const bool has_b = recorded(b);
  RunCheck check = alike(RunCheckKind::modules, msg::modules, has_a ? msg::recorded : msg::not_recorded,
                         has_b ? msg::recorded : msg::not_recorded, msg::in_both_runs);
  if (has_a && has_b) {
    const std::string& around = modules.around_a().empty() ? modules.around_b() : modules.around_a();
    if (around.empty()) return check;
    const msg::Id side = modules.around_a().empty() ? msg::b : msg::a;
    mark(check, CheckResult::warns, {msg::in_both_runs_within, side, around},
         {msg::line_modules_within, side, around});
    return check;
  }
  mark(check, CheckResult::warns,
       has_a || has_b ? msg::in_one_run_compare_by_operator : msg::in_neither_run_compare_by_operator,
       {msg::line_no_modules, has_a   ? Message(msg::b)
                              : has_b ? Message(msg::a)
                                      : Message(msg::and_pair, msg::a, msg::b)});
  return check;
}

void add_last_step(const RunRecord& run, msg::Id side, std::vector<RunCheck>& checks) {
  if (run.facts.last_step_idle_end <= kMaxIdleEnd) return;
  const std::string share = std::to_string(std::lround(run.facts.last_step_idle_end * 100)) + " %";
  RunCheck check{RunCheckKind::last_step, CheckResult::warns, msg::last_step, {}, {}, {}, {}};
  (side == msg::a ? check.a : check.b) = {msg::after_the_last_gpu_work, share};
  check.outcome = msg::exclude_with_drop_last;
  check.line = {msg::line_last_step, side, share};
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
  add_last_step(a, msg::a, checks);
  add_last_step(b, msg::b, checks);
  if (same_file) {
    checks.push_back({RunCheckKind::file, CheckResult::warns, msg::file, a.name, b.name, msg::same_file_twice,
                      msg::line_same_file});
  }
  return checks;
}

}  // namespace kino
