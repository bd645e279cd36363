// Whether two runs may be compared at all, and what to keep in mind when they are.
#pragma once

#include <cstdint>
#include <string>
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
  kernels,   ///< how many of them are the same
  settings,  ///< of the profiler, and versions of the software
  rank,
  samples,
  damage,
  modules,  ///< when rows are joined by them
  last_step,
  file,
  ranks,    ///< of two jobs: which of them could be read
  waiting,  ///< of two jobs: who makes the others wait
};

/// One thing that was looked at, with what it is on both sides.
struct RunCheck {
  RunCheckKind kind{};
  CheckResult result = CheckResult::alike;
  Message what;  ///< "GPU"
  Message a;
  Message b;
  Message outcome;  ///< a sentence, in few words
  Message line;     ///< of a log: "other GPU: ['NVIDIA A100'], ['Tesla V100']"; empty when alike
};

/// Operators that have shapes on both sides, and those of them that share one.
struct SharedShapes {
  std::uint64_t sharing = 0;
  std::uint64_t both = 0;
};
SharedShapes shared_shapes(const RunFacts& a, const RunFacts& b);

/// In the order of RunCheckKind. `similarity` is that of the comparison, `same_file` whether they are the
/// same windows of one file, `modules` how rows are joined by them; null: they are not.
std::vector<RunCheck> run_checks(const RunRecord& a, const RunRecord& b, double similarity, bool same_file,
                                 const ModuleAlignment* modules);

}  // namespace kino
