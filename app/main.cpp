// Entry point: checks the processor, parses the command line, runs the command.
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <optional>

#include "app/cli/command_line/parse_command_line.hpp"
#include "app/cli/program/command_table.hpp"
#include "app/system/shader_cache.hpp"
#include "app/ui/text/shown_bytes.hpp"
#include "core/base/messages/message.hpp"
#include "core/base/platform/new_file.hpp"
#include "core/base/platform/process_limits.hpp"
#include "core/base/terminal_text.hpp"

#if defined(__x86_64__) && defined(__AVX2__)
// Runs before any code that uses newer instructions. It is compiled without them, so that an old processor
// can run it.
__attribute__((constructor(101), target("arch=x86-64"))) static void check_processor() {
  __builtin_cpu_init();
  if (__builtin_cpu_supports("avx2") != 0 && __builtin_cpu_supports("bmi2") != 0) return;
  static constexpr char kMessage[] =
      "kinetoscope: this build needs a processor with AVX2; build it on this machine, or with "
      "-DKINETOSCOPE_MARCH=x86-64\n";
  std::fputs(kMessage, stderr);
  std::_Exit(1);
}
#endif

static int run(const kino::CommandText& text, const kino::Command& command) {
  if (const std::optional<int> code = command.opening.apply()) return *code;
  const auto no_room = text.draws ? kino::switch_off_shader_cache_without_room() : std::nullopt;
  if (no_room) std::fprintf(stderr, "kinetoscope: %s\n", kino::escaped(no_room->str()).c_str());
  return command.run();
}

int main(int argc, char** argv) {
  kino::unmap_large_blocks_on_free();
  try {
    const kino::ParsedCommandLine parsed = kino::parse_command_line(kino::command_table(), argc, argv);
    if (parsed.command != nullptr) return run(*parsed.words, *parsed.command);
    std::fputs(parsed.text.c_str(), parsed.exit_code == 0 ? stdout : stderr);
    return parsed.exit_code;
  } catch (const std::bad_alloc&) {
    std::fprintf(stderr, "kinetoscope: %s\n", kino::english(kino::msg::not_enough_memory_to_run).data());
  } catch (const std::exception& error) {
    std::fprintf(stderr, "kinetoscope: %s\n", kino::escaped(error.what()).c_str());
  }
  return 1;
}
