#include "app/cli/watch_command.hpp"

#include <cstddef>
#include <cstdio>
#include <filesystem>
#include <string>
#include <system_error>

#include "app/cli/info_command.hpp"
#include "app/system/folder_watch.hpp"
#include "core/base/terminal_text.hpp"
#include "core/base/time_text.hpp"

namespace kino {
namespace {

void tell(const std::string& sentence) {
  std::fprintf(stderr, "kinetoscope: %s\n", escaped(sentence).c_str());
}

}  // namespace

int run_watch_command(const CommandLine& command) {
  const std::filesystem::path& folder = command.files.front();
  std::error_code code;
  if (!std::filesystem::is_directory(folder, code)) {
    tell(folder.string() + " is no folder, so nothing can be watched there");
    return 1;
  }
  FolderWatch watch(folder, command.all_files, {});
  const std::string there =
      command.all_files ? "" : "; " + grouped(watch.whole()) + " files that are there already are left out";
  tell("watching " + folder.string() +
       (watch.kernel_tells() ? there
                             : there + "; this disk does not tell of changes, so they are looked for"));
  std::string problem;
  std::size_t told = 0;
  while (command.most_files == 0 || told < command.most_files) {
    for (const std::filesystem::path& file : watch.look()) {
      if (command.most_files != 0 && told == command.most_files) break;
      CommandLine of = command;
      of.mode = CommandLine::Mode::info;
      of.files = {file};
      if (told > 0 && !command.json) std::putchar('\n');
      run_info_command(of);
      if (std::fflush(stdout) != 0) return 1;
      ++told;
    }
    if (watch.problem() != problem) {
      problem = watch.problem();
      tell(problem.empty() ? folder.string() + " can be read again" : folder.string() + ": " + problem);
    }
    if (command.most_files == 0 || told < command.most_files) watch.wait({});
  }
  return 0;
}

}  // namespace kino
