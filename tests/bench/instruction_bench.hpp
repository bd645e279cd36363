// Counts the processor instructions of the product's three hot loops, and compares them with stored numbers.
#pragma once

#include <filesystem>
#include <string>

namespace kino_test {

struct InstructionBenchOptions {
  std::string self;                ///< this program
  std::filesystem::path folder;    ///< for the trace that is parsed
  std::filesystem::path baseline;  ///< CSV: kernel, instructions an event
  bool update = false;             ///< write the baseline instead of comparing
  bool csv = false;
};

/// Runs the kernels under valgrind, whose count is the same on every machine, and prints them beside the
/// baseline. Without valgrind it says so, and true. False when something fails.
bool run_instruction_bench(const InstructionBenchOptions& options);

/// What valgrind watches: prepares `kernel` ("parse", "build" or "tiles") and repeats it. The exit code.
int run_instruction_child(const std::string& kernel, int repeats, const std::filesystem::path& file);

}  // namespace kino_test
