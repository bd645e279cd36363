// Measures jobs of many ranks: reading digests, matching their collectives, laying their clocks over each
// other.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

namespace kino_test {

struct JobBenchOptions {
  std::filesystem::path folder;  ///< for the digests
  std::vector<std::size_t> ranks{8, 64, 1000};
  std::size_t kernels = 20'000;  ///< that communicate, of each rank
  bool world_group = false;      ///< what is of no tensors' group is of all ranks, not of every eighth
  int runs = 3;
  std::string self;  ///< this program, for a process a measurement
  bool csv = false;
};

/// Makes digests of jobs and prints the table; false when something failed.
bool run_job_bench(const JobBenchOptions& options);

/// Opens the job in the folder once and prints what that took, for run_job_bench(). Returns an exit code.
int run_job_child(const std::filesystem::path& folder);

}  // namespace kino_test
