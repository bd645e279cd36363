#include "app/report_command.hpp"

#include <cstdio>

#include "app/atomic_file.hpp"
#include "app/report_page.hpp"
#include "app/screenshot_command.hpp"
#include "app/terminal_text.hpp"

namespace kino {
namespace {

int failed(const Error& error, const std::string& file) {
  std::fprintf(stderr, "kinetoscope: %s\n", error_sentence(error, file).c_str());
  return 1;
}

}  // namespace

int run_report_command(const CommandLine& command) {
  const std::filesystem::path& path = command.files.front();
  LoadProgress progress;
  const Result<OpenedTrace> opened = open_trace(path, open_options(command), progress, {});
  if (!opened.ok()) return failed(opened.error(), path.string());
  Error no_picture{Error::Kind::not_found, "the standard input is not there a second time to draw it",
                   kNoOffset};
  std::string picture;
  if (path != "-") {
    CommandLine drawn = command;
    if (!drawn.dark) drawn.dark = false;
    Result<std::string> png = screenshot_png(drawn);
    if (png.ok()) {
      picture = std::move(png).value();
    } else {
      no_picture = png.error();
    }
  }
  const std::string page =
      report_page(RangeAnalyses(*opened.value().trace), path.filename().string(), picture,
                  "There is no picture of the timeline: " + no_picture.what + ".");
  if (auto error = write_file_atomically(command.output, page, Durability::process_crash))
    return failed(*error, command.output.string());
  return 0;
}

}  // namespace kino
