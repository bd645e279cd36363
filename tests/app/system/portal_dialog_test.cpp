// Covers: portal_dialog
// Tests the portal's protocol with a portal of our own on a private bus.
#include "app/system/portal_dialog.hpp"

#include <doctest/doctest.h>

#ifdef KINETOSCOPE_WITH_DBUS

#include <array>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>
#include <thread>

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <systemd/sd-bus.h>
#include <unistd.h>

extern char** environ;  // NOLINT(readability-redundant-declaration)

namespace {

using kino::DialogResult;

const kino::DialogTexts kPortalTexts{"Open traces", "Traces", "All files"};

// A message bus for one test; it needs the program dbus-daemon.
class PrivateBus {
 public:
  PrivateBus() {
    std::array<int, 2> ends{};
    REQUIRE(::pipe2(ends.data(), O_CLOEXEC) == 0);
    posix_spawn_file_actions_t actions;
    ::posix_spawn_file_actions_init(&actions);
    ::posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
    ::posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
    std::array<std::string, 4> arguments = {"dbus-daemon", "--session", "--nofork", "--print-address"};
    std::array<char*, 5> pointers{};
    for (std::size_t i = 0; i < arguments.size(); ++i) pointers[i] = arguments[i].data();
    if (::posix_spawnp(&pid_, "dbus-daemon", &actions, nullptr, pointers.data(), environ) != 0) pid_ = -1;
    ::posix_spawn_file_actions_destroy(&actions);
    ::close(ends[1]);
    char c = 0;
    while (::read(ends[0], &c, 1) == 1 && c != '\n') address_ += c;
    ::close(ends[0]);
    if (!address_.empty()) ::setenv("DBUS_SESSION_BUS_ADDRESS", address_.c_str(), 1);
  }
  PrivateBus(const PrivateBus&) = delete;
  PrivateBus& operator=(const PrivateBus&) = delete;
  ~PrivateBus() {
    ::unsetenv("DBUS_SESSION_BUS_ADDRESS");
    if (pid_ <= 0) return;
    ::kill(pid_, SIGTERM);
    ::waitpid(pid_, nullptr, 0);
  }
  bool running() const { return !address_.empty(); }

 private:
  pid_t pid_ = -1;
  std::string address_;
};

struct PortalScript {
  bool answers = true;
  unsigned response = 0;
  const char* uri = "file:///tmp/a%20b.json";
  std::atomic<bool> closed{false};
  std::string asked_name{};    // suggested name in a save dialog
  std::string asked_folder{};  // folder of a save dialog, without the terminating NUL
  std::string filters{};       // filters of an open dialog, such as "Traces: *.json *.gz; All files: *; "
};

void read_filters(sd_bus_message* message, std::string& filters) {
  sd_bus_message_enter_container(message, 'v', "a(sa(us))");
  sd_bus_message_enter_container(message, 'a', "(sa(us))");
  while (sd_bus_message_enter_container(message, 'r', "sa(us)") > 0) {
    const char* text = nullptr;
    sd_bus_message_read_basic(message, 's', &text);
    filters += std::string(text) + ":";
    sd_bus_message_enter_container(message, 'a', "(us)");
    unsigned kind = 1;
    while (sd_bus_message_read(message, "(us)", &kind, &text) > 0) {
      if (kind == 0) filters += std::string(" ") + text;
    }
    sd_bus_message_exit_container(message);
    sd_bus_message_exit_container(message);
    filters += "; ";
  }
  sd_bus_message_exit_container(message);
  sd_bus_message_exit_container(message);
}

int on_close(sd_bus_message* message, void* data, sd_bus_error* /*error*/) {
  static_cast<PortalScript*>(data)->closed = true;
  return sd_bus_reply_method_return(message, "");
}

const sd_bus_vtable kRequestTable[] = {SD_BUS_VTABLE_START(0), SD_BUS_METHOD("Close", "", "", on_close, 0),
                                       SD_BUS_VTABLE_END};

int on_open_file(sd_bus_message* message, void* data, sd_bus_error* /*error*/) {
  auto& script = *static_cast<PortalScript*>(data);
  const char* parent = nullptr;
  const char* title = nullptr;
  if (sd_bus_message_read(message, "ss", &parent, &title) < 0) return -EINVAL;
  std::string token;
  if (sd_bus_message_enter_container(message, 'a', "{sv}") < 0) return -EINVAL;
  while (sd_bus_message_enter_container(message, 'e', "sv") > 0) {
    const char* key = nullptr;
    sd_bus_message_read_basic(message, 's', &key);
    if (std::string(key) == "handle_token") {
      const char* text = nullptr;
      sd_bus_message_read(message, "v", "s", &text);
      token = text;
    } else if (std::string(key) == "filters") {
      read_filters(message, script.filters);
    } else if (std::string(key) == "current_name") {
      const char* text = nullptr;
      sd_bus_message_read(message, "v", "s", &text);
      script.asked_name = text;
    } else if (std::string(key) == "current_folder") {
      const void* bytes = nullptr;
      std::size_t size = 0;
      sd_bus_message_enter_container(message, 'v', "ay");
      sd_bus_message_read_array(message, 'y', &bytes, &size);
      sd_bus_message_exit_container(message);
      if (size > 0) script.asked_folder.assign(static_cast<const char*>(bytes), size - 1);
    } else {
      sd_bus_message_skip(message, "v");
    }
    sd_bus_message_exit_container(message);
  }
  std::string sender = sd_bus_message_get_sender(message) + 1;
  for (char& c : sender) c = c == '.' ? '_' : c;
  const std::string handle = "/org/freedesktop/portal/desktop/request/" + sender + "/" + token;
  sd_bus* bus = sd_bus_message_get_bus(message);
  sd_bus_add_object_vtable(bus, nullptr, handle.c_str(), "org.freedesktop.portal.Request", kRequestTable,
                           &script);
  sd_bus_reply_method_return(message, "o", handle.c_str());
  if (!script.answers) return 1;
  sd_bus_emit_signal(bus, handle.c_str(), "org.freedesktop.portal.Request", "Response", "ua{sv}",
                     script.response, 2, "choices", "as", 0, "uris", "as", 2, script.uri,
                     "https://example.org/no.json");
  return 1;
}

const sd_bus_vtable kChooserTable[] = {
    SD_BUS_VTABLE_START(0), SD_BUS_METHOD("OpenFile", "ssa{sv}", "o", on_open_file, 0),
    SD_BUS_METHOD("SaveFile", "ssa{sv}", "o", on_open_file, 0), SD_BUS_VTABLE_END};

// A portal on the session bus, with its own thread.
class FakePortal {
 public:
  explicit FakePortal(PortalScript& script) {
    REQUIRE(sd_bus_open_user(&bus_) >= 0);
    REQUIRE(sd_bus_add_object_vtable(bus_, nullptr, "/org/freedesktop/portal/desktop",
                                     "org.freedesktop.portal.FileChooser", kChooserTable, &script) >= 0);
    REQUIRE(sd_bus_request_name(bus_, "org.freedesktop.portal.Desktop", 0) >= 0);
    thread_ = std::jthread([this](const std::stop_token& stop) {
      while (!stop.stop_requested()) {
        if (sd_bus_process(bus_, nullptr) == 0) sd_bus_wait(bus_, 10'000);
      }
    });
  }
  FakePortal(const FakePortal&) = delete;
  FakePortal& operator=(const FakePortal&) = delete;
  ~FakePortal() {
    thread_.request_stop();
    thread_.join();
    sd_bus_flush_close_unref(bus_);
  }

 private:
  sd_bus* bus_ = nullptr;
  std::jthread thread_;
};

}  // namespace

TEST_CASE("files chosen in the portal's dialog are returned, other addresses are not") {
  const PrivateBus bus;
  if (!bus.running()) return;
  PortalScript script;
  const FakePortal portal(script);
  const DialogResult outcome = kino::call_portal("/some folder", kPortalTexts, {});
  CHECK(outcome.kind == DialogResult::Kind::chosen);
  CHECK(outcome.files == std::vector<std::filesystem::path>{"/tmp/a b.json"});
  std::string filters = "Traces:";
  for (const std::string_view pattern : kino::kRecordingPatterns) filters += " " + std::string(pattern);
  CHECK(script.filters == filters + "; All files: *; ");
}

TEST_CASE("the portal asks where to save, with a suggested name and folder") {
  const PrivateBus bus;
  if (!bus.running()) return;
  PortalScript script;
  const FakePortal portal(script);
  kino::DialogTexts texts = kPortalTexts;
  texts.save_as = "a.note.json";
  const DialogResult outcome = kino::call_portal("/some folder", texts, {});
  CHECK(outcome.kind == DialogResult::Kind::chosen);
  CHECK(outcome.files == std::vector<std::filesystem::path>{"/tmp/a b.json"});
  CHECK(script.asked_name == "a.note.json");
  CHECK(script.asked_folder == "/some folder");
}

TEST_CASE("a cancelled portal dialog returns no files and opens no further dialog") {
  const PrivateBus bus;
  if (!bus.running()) return;
  PortalScript script;
  script.response = 1;
  const FakePortal portal(script);
  CHECK(kino::call_portal("/some folder", kPortalTexts, {}).kind == DialogResult::Kind::cancelled);
}

TEST_CASE("without a portal or a bus, the dialog is unavailable") {
  {
    const PrivateBus bus;
    if (bus.running())
      CHECK(kino::call_portal("/some folder", kPortalTexts, {}).kind == DialogResult::Kind::unavailable);
  }
  ::setenv("DBUS_SESSION_BUS_ADDRESS", "unix:path=/nonexistent", 1);
  CHECK(kino::call_portal("/some folder", kPortalTexts, {}).kind == DialogResult::Kind::unavailable);
  ::unsetenv("DBUS_SESSION_BUS_ADDRESS");
}

TEST_CASE("a portal dialog is closed when the program no longer waits for it") {
  const PrivateBus bus;
  if (!bus.running()) return;
  PortalScript script;
  script.answers = false;
  const FakePortal portal(script);
  std::stop_source stop;
  stop.request_stop();
  CHECK(kino::call_portal("/some folder", kPortalTexts, stop.get_token()).kind ==
        DialogResult::Kind::cancelled);
  for (int i = 0; i < 1000 && !script.closed.load(); ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  CHECK(script.closed.load());
}

TEST_CASE("a stop request ends the wait for a portal that does not even reply") {
  const PrivateBus bus;
  if (!bus.running()) return;
  sd_bus* silent = nullptr;  // owns the portal's name, but never processes a message
  REQUIRE(sd_bus_open_user(&silent) >= 0);
  REQUIRE(sd_bus_request_name(silent, "org.freedesktop.portal.Desktop", 0) >= 0);
  std::stop_source stop;
  stop.request_stop();
  // Without the stop, the call would time out and the dialog would be unavailable.
  CHECK(kino::call_portal("/some folder", kPortalTexts, stop.get_token()).kind ==
        DialogResult::Kind::cancelled);
  sd_bus_flush_close_unref(silent);
}

#else

TEST_CASE("without D-Bus, the portal's dialog is unavailable") {
  MESSAGE("left out: the tests of the desktop's portal, since this build has no D-Bus");
  const kino::DialogResult outcome = kino::call_portal("/", {"Open traces", "Traces", "All files"}, {});
  CHECK(outcome.kind == kino::DialogResult::Kind::unavailable);
}

#endif
