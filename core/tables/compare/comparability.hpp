// Checks of whether two runs are comparable.
#pragma once

#include <cstdint>
#include <vector>

#include "core/base/messages/message.hpp"
#include "core/tables/compare/module_alignment.hpp"
#include "core/tables/compare/run_record.hpp"

namespace kino {

enum class CheckResult : std::uint8_t { alike, warns, refuses };
enum class RunCheckKind : std::uint8_t {
  gpu,
  world_size,
  gpu_work,
  shapes,
  matmul_types,
  kernels,   ///< share of equal kernels
  settings,  ///< profiler settings and software versions
  rank,
  samples,
  damage,
  modules,  ///< whether modules were recorded; only if rows are joined by modules
  last_step,
  file,
  ranks,    ///< for two jobs: the ranks that could be read
  waiting,  ///< for two jobs: the ranks that others wait for
};

/// Result of one check, with the values of both sides.
struct RunCheck {
  RunCheckKind kind{};
  CheckResult result = CheckResult::alike;
  Message what;  ///< "GPU"
  Message a;
  Message b;
  Message outcome;  ///< short sentence
  Message line;     ///< log line: "other GPU: ['NVIDIA A100'], ['Tesla V100']"; empty if the values are
                    ///< alike, and for `samples`
};

/// Number of operators that have shapes on both sides (`both`), and how many of these have a shape in common
/// (`sharing`).
struct SharedShapes {
  std::uint64_t sharing = 0;
  std::uint64_t both = 0;
};
SharedShapes shared_shapes(const RunFacts& a, const RunFacts& b);

/// Returns the checks in order of RunCheckKind. `similarity`: see RunComparison::similarity. `same_file`:
/// whether both records contain the same windows of one file. `modules`: the alignment, or null if rows are
/// not joined by modules.
std::vector<RunCheck> run_checks(const RunRecord& a, const RunRecord& b, double similarity, bool same_file,
                                 const ModuleAlignment* modules);

}  // namespace kino
