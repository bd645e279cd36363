#include "app/shell/menus/report_export.hpp"

#include <system_error>
#include <utility>

#include "app/system/enough_memory.hpp"
#include "app/system/file_downloads.hpp"
#include "app/system/program_start.hpp"
#include "app/system/window_talk.hpp"
#include "app/ui/text/texts.hpp"
#include "core/base/terminal_text.hpp"

namespace kino {
namespace {

// The running program, even if its file has been replaced since it was started.
constexpr const char* kThisProgram = "/proc/self/exe";

/// Returns the first line, which names the problem; later lines are details.
std::string first_line(const std::string& text) { return text.substr(0, text.find('\n')); }

}  // namespace

void ReportExport::save(const std::filesystem::path& source) {
  request_save_path(suggested_name(source, ".report", ".html"), asker_,
                    [this, source](const std::filesystem::path& chosen) { start(source, chosen); });
}

void ReportExport::start(const std::filesystem::path& source, const std::filesystem::path& out) {
  if (std::exchange(running_, true)) return;
  show_toast(filled(Text::trim_running, {escaped(out.filename().string())}), false);
  std::error_code code;
  const std::filesystem::path absolute = std::filesystem::absolute(source, code);
  worker_ = std::jthread([this, file = code ? source : absolute, out](const std::stop_token& stop) {
    Outcome outcome{false, out, {}};
    run_catching_bad_alloc([&] {
      const auto end = run_for_output({kThisProgram, "report", file.string(), out.string()}, stop,
                                      ProgramOutput::with_errors);
      outcome.written = end && end->exit_code == 0;
      if (end) outcome.printed = first_line(end->output);
    });
    {
      const std::lock_guard lock(mutex_);
      outcome_ = std::move(outcome);
    }
    wake_();
  });
}

void ReportExport::update() {
  std::optional<Outcome> done;
  {
    const std::lock_guard lock(mutex_);
    done = std::exchange(outcome_, std::nullopt);
  }
  if (!done) return;
  running_ = false;
  if (done->written) return show_toast(filled(Text::table_saved, {escaped(report_saved(done->out))}), false);
  show_toast(filled(Text::report_not_written, {escaped(done->printed)}), true);
}

}  // namespace kino
