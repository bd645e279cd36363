#include "app/cli/slurm_script.hpp"

#include <algorithm>
#include <cstdint>

#include "app/pages/job/job_loader.hpp"

namespace kino {
namespace {

constexpr std::uint64_t kMegabyte = 1'000'000;
// Limits of a task. Indexing was measured on two cores. It takes less memory than the trace's text and
// columns together, and at most one second per 100 MB of text. The limits are higher, for nodes that are busy
// with other work.
constexpr std::uint64_t kLeastMegabytes = 1024;
constexpr std::uint64_t kMegabytesAMinute = 1000;
constexpr std::uint64_t kLeastMinutes = 5;
constexpr int kMostRestarts = 2;

}  // namespace

std::string shell_word(std::string_view text) {
  std::string word = "'";
  for (const char c : text) word += c == '\'' ? std::string(R"('\'')") : std::string(1, c);
  return word + "'";
}

std::string slurm_script(const std::vector<ContainedTrace>& traces, const std::vector<std::string>& options) {
  std::uint64_t largest = 0;
  for (const ContainedTrace& trace : traces) largest = std::max(largest, text_bytes_of(trace) / kMegabyte);
  const std::uint64_t megabytes = kLeastMegabytes + 2 * largest;
  const std::uint64_t minutes = kLeastMinutes + largest / kMegabytesAMinute;
  std::string script =
      "#!/bin/bash\n"
      "# Indexes " +
      std::to_string(traces.size()) +
      " traces, one per task. Submit it with sbatch. Finished traces are skipped, so it can be\n"
      "# submitted again. Memory and time are for the largest trace.\n"
      "#SBATCH --job-name=kinetoscope-index\n"
      "#SBATCH --array=0-" +
      std::to_string(traces.empty() ? 0 : traces.size() - 1) +
      "\n"
      "#SBATCH --ntasks=1\n"
      "#SBATCH --cpus-per-task=2\n"
      "#SBATCH --mem=" +
      std::to_string(megabytes) +
      "M\n"
      "#SBATCH --time=" +
      std::to_string(minutes) +
      "\n"
      "#SBATCH --requeue\n"
      "#SBATCH --open-mode=append\n\n"
      "traces=(\n";
  for (const ContainedTrace& trace : traces)
    script += "  " + shell_word(std::filesystem::absolute(trace.path).native()) + "\n";
  script += ")\n\nkinetoscope index";
  for (const std::string& option : options) script += " " + shell_word(option);
  script +=
      " \"${traces[$SLURM_ARRAY_TASK_ID]}\" && exit\n"
      "code=$?\n"
      "# Retry on any free node: the first node may have been drained, or short of memory.\n"
      "if [ \"${SLURM_RESTART_COUNT:-0}\" -lt " +
      std::to_string(kMostRestarts) +
      " ]; then\n"
      "  scontrol requeue \"${SLURM_ARRAY_JOB_ID}_${SLURM_ARRAY_TASK_ID}\"\n"
      "  sleep 60  # until this run is requeued\n"
      "fi\n"
      "exit \"$code\"\n";
  return script;
}

}  // namespace kino
