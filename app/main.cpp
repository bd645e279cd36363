// The program's entry: checks the processor, reads the command line, runs the command.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <optional>
#include <string>

#include "app/cli/cache_command.hpp"
#include "app/cli/diff/diff_command.hpp"
#include "app/cli/export_command.hpp"
#include "app/cli/index_command.hpp"
#include "app/cli/info_command.hpp"
#include "app/cli/mcp/mcp_command.hpp"
#include "app/cli/pack_command.hpp"
#include "app/cli/query_command.hpp"
#include "app/cli/report_command.hpp"
#include "app/cli/screenshot_command.hpp"
#include "app/cli/table_command.hpp"
#include "app/cli/trim_command.hpp"
#include "app/cli/watch_command.hpp"
#include "app/shell/settings/command_line.hpp"
#include "app/shell/settings/kernel_categories.hpp"
#include "app/shell/settings/library_list.hpp"
#include "app/shell/window.hpp"
#include "app/system/shader_cache.hpp"
#include "app/ui/text/shown_bytes.hpp"
#include "core/base/platform/new_file.hpp"
#include "core/base/platform/process_limits.hpp"
#include "core/base/terminal_text.hpp"

#if defined(__x86_64__) && defined(__AVX2__)
// Runs before anything that may already use the instructions this program was built for, so it keeps to the
// oldest ones itself.
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

// Without a display what is in the files is printed; the exit code is then that of `info`.
static int window_or_summaries(const kino::CommandLine& command) {
  if (const std::optional<int> code = kino::run_window(command)) return *code;
  if (command.watches) return kino::run_watch_command(command);
  int worst = command.files.empty() ? 1 : 0;
  kino::CommandLine summary = command;
  summary.mode = kino::CommandLine::Mode::info;
  for (const std::filesystem::path& file : command.files) {
    summary.files = {file};
    worst = std::max(worst, kino::run_info_command(summary));
  }
  return worst;
}

/// The file or, of tables as Parquet, the folder that the command is to make.
static std::filesystem::path made_by(const kino::CommandLine& command) {
  const bool folder = command.parquet && !command.output.has_filename();
  return folder ? command.output.parent_path() : command.output;
}

static int run_command(const kino::CommandLine& command) {
  // `index` writes into a folder that has to be there, and says so itself.
  const bool writes = !command.output.empty() && command.mode != kino::CommandLine::Mode::index;
  if (const auto missing = writes ? kino::missing_folder(made_by(command)) : std::nullopt) {
    std::fprintf(stderr, "kinetoscope: %s\n",
                 kino::error_sentence(*missing, command.output.string()).c_str());
    return 1;
  }
  using Mode = kino::CommandLine::Mode;
  const bool draws = command.mode == Mode::window || command.mode == Mode::screenshot ||
                     command.mode == Mode::report || command.mode == Mode::mcp;
  if (const auto sentence = draws ? kino::switch_off_shader_cache_without_room() : std::nullopt)
    std::fprintf(stderr, "kinetoscope: %s\n", kino::escaped(*sentence).c_str());
  switch (command.mode) {
    case Mode::info:
      return kino::run_info_command(command);
    case Mode::screenshot:
      return kino::run_screenshot_command(command);
    case Mode::index:
      return kino::run_index_command(command);
    case Mode::watch:
      return kino::run_watch_command(command);
    case Mode::cache:
      return kino::run_cache_command(command);
    case Mode::query:
      return kino::run_query_command(command);
    case Mode::export_tables:
      return kino::run_export_command(command);
    case Mode::mcp:
      return kino::run_mcp_command(command);
    case Mode::report:
      return kino::run_report_command(command);
    case Mode::diff:
      return kino::run_diff_command(command);
    case Mode::trim:
      return kino::run_trim_command(command);
    case Mode::pack:
      return kino::run_pack_command(command);
    case Mode::table:
      return kino::run_table_command(command);
    case Mode::window:
      return window_or_summaries(command);
  }
  return 1;
}

int main(int argc, char** argv) {
  kino::give_back_large_blocks();
  try {
    const kino::ParsedCommandLine parsed = kino::parse_command_line(argc, argv);
    if (parsed.exit_code) {
      std::fputs(parsed.text.c_str(), *parsed.exit_code == 0 ? stdout : stderr);
      return *parsed.exit_code;
    }
    const std::string no_libraries = kino::use_libraries(parsed.command.libraries, kino::library_list_path());
    if (!no_libraries.empty()) std::fprintf(stderr, "kinetoscope: %s\n", kino::escaped(no_libraries).c_str());
    const bool asked = !parsed.command.kernel_categories.empty();
    const std::string no_categories = kino::use_kernel_categories(asked ? parsed.command.kernel_categories
                                                                        : kino::kernel_categories_path());
    if (!no_categories.empty())
      std::fprintf(stderr, "kinetoscope: %s\n", kino::escaped(no_categories).c_str());
    if (asked && !no_categories.empty()) return 2;
    kino::set_byte_units(parsed.command.units.value_or(kino::ByteUnits::decimal));
    return run_command(parsed.command);
  } catch (const std::bad_alloc&) {
    std::fputs("kinetoscope: there is not enough memory; close other programs or open a smaller file\n",
               stderr);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "kinetoscope: %s\n", kino::escaped(error.what()).c_str());
  }
  return 1;
}
