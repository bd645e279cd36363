#include "app/system/window_talk.hpp"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <limits>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

#include <unistd.h>

#include "loaders/bytes/trace_path.hpp"

namespace kino {
namespace {

using FrameClock = std::chrono::steady_clock;

struct Talk {
  std::optional<SaveRequest> question;
  std::optional<Told> told;
  std::optional<FrameClock::time_point> frame_at;
};

// Global like ImGui's context, since any panel may send requests, and there is only one window.
Talk& talk() {
  static Talk only;
  return only;
}

}  // namespace

void request_save_path(std::filesystem::path suggested, std::weak_ptr<const void> asker,
                       std::function<void(const std::filesystem::path&)> chosen) {
  talk().question =
      SaveRequest{std::move(suggested),
                  [asker = std::move(asker), chosen = std::move(chosen)](const std::filesystem::path& file) {
                    if (!asker.expired()) chosen(file);
                  }};
}

std::optional<SaveRequest> take_save_request() { return std::exchange(talk().question, std::nullopt); }

void show_toast(std::string sentence, bool problem) { talk().told = Told{std::move(sentence), problem}; }

std::optional<Told> take_toast() { return std::exchange(talk().told, std::nullopt); }

void request_frame_after(double seconds) {
  const std::chrono::duration<double> wait(seconds);
  talk().frame_at = FrameClock::now() + std::chrono::duration_cast<FrameClock::duration>(wait);
}

double seconds_to_requested_frame() {
  std::optional<FrameClock::time_point>& frame_at = talk().frame_at;
  if (!frame_at) return std::numeric_limits<double>::infinity();
  const double left = std::chrono::duration<double>(*frame_at - FrameClock::now()).count();
  if (left <= 0) frame_at.reset();
  return std::max(0.02, left);
}

std::filesystem::path suggested_name(const std::filesystem::path& trace_path, std::string_view middle,
                                     std::string_view extension) {
  const std::string name =
      is_standard_input(trace_path) ? "trace" : trace_path.filename().string() + std::string(middle);
  std::filesystem::path folder = split_trace_path(trace_path).file.parent_path();
  const char* home = std::getenv("HOME");
  if (::access(folder.c_str(), W_OK) != 0 && home != nullptr && home[0] == '/') folder = home;
  std::filesystem::path path;
  for (int i = 1; i < 1000; ++i) {
    path = folder / (name + (i == 1 ? "" : "-" + std::to_string(i)) + std::string(extension));
    std::error_code code;
    if (!std::filesystem::exists(path, code)) break;
  }
  return path;
}

}  // namespace kino
