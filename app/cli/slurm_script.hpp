// A Slurm array job that indexes traces, one per task. It is printed for the user to check and submit.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "loaders/formats/contained_traces.hpp"

namespace kino {

/// Returns the script. `options` are passed to `kinetoscope index` in each task. All tasks have the memory
/// and time limits of the largest trace. A failed task is requeued at most twice. `kinetoscope index` skips
/// traces whose output is up to date, so the script can be submitted again.
std::string slurm_script(const std::vector<ContainedTrace>& traces, const std::vector<std::string>& options);

/// Returns `text` quoted as one word of a shell command.
std::string shell_word(std::string_view text);

}  // namespace kino
