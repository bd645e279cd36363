// Covers: module_alignment, run_modules
// Modules of two runs matched by path, with wrappers and new subtrees.
#include "core/tables/compare/module_alignment.hpp"

#include <initializer_list>

#include <doctest/doctest.h>

#include "core/tables/compare/run_comparison.hpp"

namespace {

/// One step with a row of 10 ns per module.
kino::RunRecord run_of(std::initializer_list<const char*> modules) {
  kino::RunRecord run;
  run.facts.gpu_work = 1;
  for (const char* module : modules)
    run.rows.push_back({kino::TimeCategory::compute, "gemm", "aten::mm", {}, module, {{0, 10, 1}}});
  kino::RunWindow& window = run.windows.emplace_back();
  window.range = {0, static_cast<std::int64_t>(10 * modules.size())};
  window.causes[static_cast<std::size_t>(kino::TimeCategory::compute)] = window.length_ns();
  return run;
}

}  // namespace

TEST_CASE("leaves a wrapper around all modules of one run out of their paths") {
  const kino::RunRecord plain = run_of({"Net > Block > Linear", "Net > Block > Norm"});
  const kino::RunRecord wrapped =
      run_of({"DistributedDataParallel", "DistributedDataParallel > Net > Block > Linear",
              "DistributedDataParallel > Net > Block > Norm"});
  const kino::ModuleAlignment modules(plain, wrapped);
  CHECK(modules.around_a().empty());
  CHECK(modules.around_b() == "DistributedDataParallel");
  CHECK(modules.key("DistributedDataParallel > Net > Block > Norm") == "Net > Block > Norm");
  CHECK(modules.key("Net > Block > Norm") == "Net > Block > Norm");
  CHECK(modules.key("DistributedDataParallel") == "DistributedDataParallel");
  CHECK(modules.key("") == "(no module)");
  const kino::ModuleAlignment other_way(wrapped, plain);
  CHECK(other_way.around_a() == "DistributedDataParallel");
  CHECK(other_way.key("DistributedDataParallel > Net > Block") == "Net > Block");

  kino::CompareOptions options;
  options.key = kino::RunKey::module;
  const kino::RunComparison it = kino::compare_runs(plain, wrapped, options);
  CHECK(it.rows.size() == 3);
  CHECK(it.statuses[static_cast<std::size_t>(kino::RowStatus::added)] == 1);  // self time of the wrapper
  bool said = false;
  for (const kino::Message& line : it.lines(kino::CheckResult::warns))
    said = said || line.str().find("inside DistributedDataParallel") != std::string::npos;
  CHECK(said);
}

TEST_CASE("removes two wrappers as one, and none of another model") {
  const kino::RunRecord plain = run_of({"Net > Linear"});
  const kino::RunRecord wrapped = run_of({"OptimizedModule > DistributedDataParallel > Net > Linear"});
  CHECK(kino::ModuleAlignment(plain, wrapped).around_b() == "OptimizedModule > DistributedDataParallel");
  const kino::RunRecord other = run_of({"Transformer > Layer > Linear"});
  const kino::ModuleAlignment none(plain, other);
  CHECK(none.around_a().empty());
  CHECK(none.around_b().empty());
  CHECK(none.key("Transformer > Layer > Linear") == "Transformer");  // entirely new, so it is one row
}

TEST_CASE("shows a module of one run alone as one row with everything below it") {
  const kino::RunRecord a = run_of({"Net > Block > Attention > Linear", "Net > Block > Norm"});
  const kino::RunRecord b =
      run_of({"Net > Block > Norm", "Net > Block > Mixer > Conv", "Net > Block > Mixer > Gate > Linear"});
  const kino::ModuleAlignment modules(a, b);
  CHECK(modules.key("Net > Block > Attention > Linear") == "Net > Block > Attention");
  CHECK(modules.key("Net > Block > Mixer > Gate > Linear") == "Net > Block > Mixer");
  CHECK(modules.key("Net > Block > Norm") == "Net > Block > Norm");
  kino::CompareOptions options;
  options.key = kino::RunKey::module;
  const kino::RunComparison it = kino::compare_runs(a, b, options);
  REQUIRE(it.rows.size() == 3);
  std::int64_t sum = 0;
  for (const kino::ComparedRow& row : it.rows) sum += row.change;
  CHECK(sum == it.step_change);  // counted once
  CHECK(it.statuses[static_cast<std::size_t>(kino::RowStatus::added)] == 1);
  CHECK(it.statuses[static_cast<std::size_t>(kino::RowStatus::removed)] == 1);
}

TEST_CASE("aligns nothing in runs without modules") {
  const kino::RunRecord a = run_of({""});
  const kino::ModuleAlignment modules(a, a);
  CHECK(modules.around_a().empty());
  CHECK(modules.key("") == "(no module)");
}
