// Measures jobs of many ranks: reading digests, matching collectives, fitting clock offsets.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

namespace kino_test {

struct JobBenchOptions {
  std::filesystem::path folder;  ///< for the digests
  std::vector<std::size_t> ranks{8, 64, 1000};
  std::size_t kernels = 20'000;  ///< communication kernels per rank
  bool world_group = false;      ///< the data-parallel group has all ranks instead of every eighth
  int runs = 3;
  std::string self;  ///< this program; each measurement runs in a new process
  bool csv = false;
};

/// Makes digests of jobs, measures them and prints a table. Returns false on failure.
bool run_job_bench(const JobBenchOptions& options);

/// Opens the job in `folder` once and prints its figures for run_job_bench(). Returns an exit code.
int run_job_child(const std::filesystem::path& folder);

}  // namespace kino_test
