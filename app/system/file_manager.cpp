#include "app/system/file_manager.hpp"

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <optional>

#ifdef KINETOSCOPE_WITH_DBUS
#include "app/system/bus.hpp"
#endif
#include "app/system/enough_memory.hpp"
#include "app/system/percent_text.hpp"
#include "app/system/program_start.hpp"
#include "core/base/messages/message.hpp"

namespace kino {
namespace {

#ifdef KINETOSCOPE_WITH_DBUS

constexpr msg::Id kNoAnswer = msg::log_no_file_manager;
constexpr std::uint64_t kBusPollUs = 50'000;
constexpr std::chrono::seconds kLongestCall{8};  // starting a file manager takes some seconds

enum class ShowAnswer { none, shown, refused };

int on_answer(sd_bus_message* message, void* data, sd_bus_error* /*error*/) {
  *static_cast<ShowAnswer*>(data) =
      sd_bus_message_is_method_error(message, nullptr) > 0 ? ShowAnswer::refused : ShowAnswer::shown;
  return 0;
}

bool show_by_bus(const std::string& uri, const std::stop_token& stop) {
  sd_bus* raw = nullptr;
  if (sd_bus_open_user(&raw) < 0) return false;
  const Bus bus(raw);
  ShowAnswer answer = ShowAnswer::none;
  sd_bus_slot* raw_slot = nullptr;
  if (sd_bus_call_method_async(raw, &raw_slot, "org.freedesktop.FileManager1",
                               "/org/freedesktop/FileManager1", "org.freedesktop.FileManager1", "ShowItems",
                               on_answer, &answer, "ass", 1, uri.c_str(), "") < 0) {
    return false;
  }
  const BusSlot slot(raw_slot);
  const auto give_up = std::chrono::steady_clock::now() + kLongestCall;
  while (answer == ShowAnswer::none && std::chrono::steady_clock::now() < give_up) {
    if (stop.stop_requested()) return true;
    const int processed = sd_bus_process(raw, nullptr);
    if (processed < 0) return false;
    if (processed == 0) sd_bus_wait(raw, kBusPollUs);
  }
  return answer == ShowAnswer::shown;
}

#else

constexpr msg::Id kNoAnswer = msg::log_no_file_manager_without_dbus;

bool show_by_bus(const std::string& /*uri*/, const std::stop_token& /*stop*/) { return false; }

#endif

bool open_by_desktop(const std::string& path, const std::stop_token& stop) {
  const std::optional<std::string> program = find_program("xdg-open");
  return program && run_program({*program, path}, stop);
}

}  // namespace

std::string uri_from_path(const std::filesystem::path& path) {
  return "file://" + percent_encoded(path.native());
}

void FileManager::reveal(const std::filesystem::path& file) {
  worker_.request_stop();
  worker_ = std::jthread(
      [uri = uri_from_path(file), folder = file.parent_path().string()](const std::stop_token& stop) {
        bool shown = false;
        run_catching_bad_alloc([&] { shown = show_by_bus(uri, stop) || open_by_desktop(folder, stop); });
        if (shown) return;
        std::fprintf(stderr, "kinetoscope: %s\n", english(kNoAnswer).data());
      });
}

void FileManager::open(const std::filesystem::path& file) {
  worker_.request_stop();
  worker_ = std::jthread([path = file.string()](const std::stop_token& stop) {
    bool opened = false;
    run_catching_bad_alloc([&] { opened = open_by_desktop(path, stop); });
    if (!opened)
      std::fprintf(stderr, "kinetoscope: %s: %s\n", english(msg::log_no_program_opens).data(), path.c_str());
  });
}

}  // namespace kino
