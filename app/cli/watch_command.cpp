#include "app/cli/watch_command.hpp"

#include <cstdio>
#include <filesystem>
#include <string>
#include <system_error>

#include <CLI/CLI.hpp>

#include "app/cli/command_line/command_output.hpp"
#include "app/cli/info_command.hpp"
#include "app/system/folder_watch.hpp"
#include "core/base/terminal_text.hpp"
#include "core/base/time_text.hpp"

namespace kino {

void WatchCommand::declare(CLI::App& app) {
  folder.add_to(app, "The folder that a run writes to", "DIR");
  app.add_flag("--all", all_files, "Start with the existing files");
  app.add_option("--files", most_files, "Stop after this number of files")
      ->type_name("N")
      ->check(CLI::Range(std::int64_t{1}, std::int64_t{1} << 40).description(""));
  app.add_flag("--json", json, "Print one JSON object per file instead of text");
  opening.add_to(app);
  app.footer(
      "Prints the output of `kinetoscope info` for each trace and snapshot as soon as the file is complete: "
      "closed or moved there by its writer, or unchanged for 3 seconds. A file that changes later is printed "
      "again. Ctrl+C stops the command. `kinetoscope DIR --watch` opens a window that adds new files.");
}

int WatchCommand::run() const {
  const std::filesystem::path& path = folder.file;
  std::error_code code;
  if (!std::filesystem::is_directory(path, code)) {
    complain(escaped(path.string() + " is not a folder and cannot be watched"));
    return 1;
  }
  FolderWatch watch(path, all_files, {});
  const std::string left_out = all_files ? "" : "; " + grouped(watch.whole()) + " existing files are skipped";
  complain(escaped("watching " + path.string() +
                   (watch.uses_inotify()
                        ? left_out
                        : left_out + "; this disk does not report changes, so the folder is polled")));
  Message problem;
  std::size_t printed = 0;
  while (most_files == 0 || printed < most_files) {
    for (const std::filesystem::path& file : watch.look()) {
      if (most_files != 0 && printed == most_files) break;
      InfoCommand info;
      info.opening = opening;
      info.input.files = {file};
      info.json = json;
      if (printed > 0 && !json) std::putchar('\n');
      info.run();
      if (std::fflush(stdout) != 0) return 1;
      ++printed;
    }
    if (watch.problem() != problem) {
      problem = watch.problem();
      complain(escaped(path.string() + (problem.empty() ? " can be read again" : ": " + problem.str())));
    }
    if (most_files == 0 || printed < most_files) watch.wait({});
  }
  return 0;
}

}  // namespace kino
