// A Slurm array job that indexes traces, one a task: printed, for a person to read and hand to sbatch.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "loaders/formats/contained_traces.hpp"

namespace kino {

/// `options` are those of `kinetoscope index` that each task gets. Memory and time are those of the largest
/// trace. A task that fails is queued again, at most twice; done ones end at once, so the script can be
/// handed in again.
std::string slurm_script(const std::vector<ContainedTrace>& traces, const std::vector<std::string>& options);

/// As one word of a shell, whatever it holds.
std::string shell_word(std::string_view text);

}  // namespace kino
