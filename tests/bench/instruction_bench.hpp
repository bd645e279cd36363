// Counts the processor instructions of the product's three hot loops, and compares them with stored numbers.
#pragma once

#include <filesystem>
#include <string>

namespace kino_test {

struct InstructionBenchOptions {
  std::string self;                ///< this program
  std::filesystem::path folder;    ///< for the trace that is parsed
  std::filesystem::path baseline;  ///< CSV: kernel, instructions per event
  bool update = false;             ///< write the baseline instead of comparing
  bool csv = false;
};

/// Counts instructions under valgrind, which counts the same on every machine, and prints them next to the
/// baseline. Returns false on failure. Without valgrind it prints so and returns true.
bool run_instruction_bench(const InstructionBenchOptions& options);

/// Runs under valgrind: prepares `kernel` ("parse", "build" or "tiles") and repeats it. Returns an exit code.
int run_instruction_child(const std::string& kernel, int repeats, const std::filesystem::path& file);

}  // namespace kino_test
