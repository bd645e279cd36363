#include "app/system/portal_dialog.hpp"

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>

#ifdef KINETOSCOPE_WITH_DBUS
#include <unistd.h>

#include "app/system/bus.hpp"
#endif
#include "app/system/percent_text.hpp"

namespace kino {
namespace {

#ifdef KINETOSCOPE_WITH_DBUS

constexpr const char* kService = "org.freedesktop.portal.Desktop";
constexpr const char* kObject = "/org/freedesktop/portal/desktop";
constexpr const char* kChooser = "org.freedesktop.portal.FileChooser";
constexpr const char* kRequest = "org.freedesktop.portal.Request";
constexpr std::uint64_t kCallTimeoutUs =
    10'000'000;  // the portal may have to be started first, which takes some seconds
constexpr std::uint64_t kStopPollUs = 100'000;

struct Answer {
  bool arrived = false;
  DialogResult outcome;
};

// Reads the value of "uris" from a message positioned at a variant.
void read_uris(sd_bus_message* message, std::vector<std::filesystem::path>& files) {
  if (sd_bus_message_enter_container(message, 'v', "as") <= 0) return;
  if (sd_bus_message_enter_container(message, 'a', "s") > 0) {
    const char* uri = nullptr;
    while (sd_bus_message_read_basic(message, 's', &uri) > 0) {
      if (auto path = path_from_uri(uri)) files.push_back(std::move(*path));
    }
    sd_bus_message_exit_container(message);
  }
  sd_bus_message_exit_container(message);
}

// Handles the signal Response(u response, a{sv} results).
int on_response(sd_bus_message* message, void* data, sd_bus_error* /*error*/) {
  auto& answer = *static_cast<Answer*>(data);
  answer.arrived = true;
  answer.outcome.kind = DialogResult::Kind::cancelled;
  std::uint32_t response = 1;
  if (sd_bus_message_read_basic(message, 'u', &response) <= 0 || response != 0) return 0;
  if (sd_bus_message_enter_container(message, 'a', "{sv}") <= 0) return 0;
  while (sd_bus_message_enter_container(message, 'e', "sv") > 0) {
    const char* key = nullptr;
    if (sd_bus_message_read_basic(message, 's', &key) <= 0) break;
    if (std::string_view(key) == "uris") {
      read_uris(message, answer.outcome.files);
    } else {
      sd_bus_message_skip(message, "v");
    }
    sd_bus_message_exit_container(message);
  }
  if (!answer.outcome.files.empty()) answer.outcome.kind = DialogResult::Kind::chosen;
  return 0;
}

// Returns the path of the object that will send the response, made from the connection's name and our token.
// The path is known before the call, so the response cannot be missed.
std::string request_path(sd_bus* bus, const std::string& token) {
  const char* name = nullptr;
  if (sd_bus_get_unique_name(bus, &name) < 0) return {};
  std::string sender = name + (name[0] == ':' ? 1 : 0);
  std::ranges::replace(sender, '.', '_');
  return std::string(kObject) + "/request/" + sender + "/" + token;
}

BusSlot listen_for(sd_bus* bus, const std::string& path, Answer& answer) {
  sd_bus_slot* slot = nullptr;
  sd_bus_match_signal(bus, &slot, nullptr, path.c_str(), kRequest, "Response", on_response, &answer);
  return BusSlot(slot);
}

// Closes the innermost `count` containers. Returns a negative number after an error.
int close_containers(sd_bus_message* call, int count) {
  for (; count > 0; --count) {
    if (const int code = sd_bus_message_close_container(call); code < 0) return code;
  }
  return 0;
}

// Appends the filters of OpenFile: supported files, and all files.
int append_filters(sd_bus_message* call, const DialogTexts& texts) {
  const auto fails = [](int code) { return code < 0; };
  if (fails(sd_bus_message_open_container(call, 'e', "sv")) ||
      fails(sd_bus_message_append(call, "s", "filters")) ||
      fails(sd_bus_message_open_container(call, 'v', "a(sa(us))")) ||
      fails(sd_bus_message_open_container(call, 'a', "(sa(us))")) ||
      fails(sd_bus_message_open_container(call, 'r', "sa(us)")) ||
      fails(sd_bus_message_append(call, "s", texts.traces.c_str())) ||
      fails(sd_bus_message_open_container(call, 'a', "(us)"))) {
    return -1;
  }
  for (const std::string_view pattern : kRecordingPatterns) {
    if (fails(sd_bus_message_append(call, "(us)", 0U, std::string(pattern).c_str()))) return -1;
  }
  if (fails(close_containers(call, 2)) ||
      fails(sd_bus_message_append(call, "(sa(us))", texts.all_files.c_str(), 1, 0U, "*"))) {
    return -1;
  }
  return close_containers(call, 3);
}

// Appends the arguments of OpenFile: an empty parent window, the title, and options such as the filters.
// Portals before version 3 ignore the option "directory" and let the user choose a file.
int append_open(sd_bus_message* call, const std::string& token, const DialogTexts& texts) {
  const auto fails = [](int code) { return code < 0; };
  if (fails(sd_bus_message_append(call, "ss", "", texts.title.c_str())) ||
      fails(sd_bus_message_open_container(call, 'a', "{sv}")) ||
      fails(sd_bus_message_append(call, "{sv}", "handle_token", "s", token.c_str())) ||
      fails(sd_bus_message_append(call, "{sv}", texts.folder ? "directory" : "multiple", "b", 1)) ||
      (!texts.folder && fails(append_filters(call, texts)))) {
    return -1;
  }
  return sd_bus_message_close_container(call);
}

// Appends the arguments of SaveFile: title and options, with the suggested name and the folder as
// null-terminated bytes.
int append_save(sd_bus_message* call, const std::string& token, const std::string& folder,
                const DialogTexts& texts) {
  const auto fails = [](int code) { return code < 0; };
  if (fails(sd_bus_message_append(call, "ss", "", texts.title.c_str())) ||
      fails(sd_bus_message_open_container(call, 'a', "{sv}")) ||
      fails(sd_bus_message_append(call, "{sv}", "handle_token", "s", token.c_str())) ||
      fails(sd_bus_message_append(call, "{sv}", "current_name", "s", texts.save_as.c_str())) ||
      fails(sd_bus_message_open_container(call, 'e', "sv")) ||
      fails(sd_bus_message_append(call, "s", "current_folder")) ||
      fails(sd_bus_message_open_container(call, 'v', "ay")) ||
      fails(sd_bus_message_append_array(call, 'y', folder.c_str(), folder.size() + 1)) ||
      fails(sd_bus_message_close_container(call)) || fails(sd_bus_message_close_container(call))) {
    return -1;
  }
  return sd_bus_message_close_container(call);
}

// The reply to a call of the portal.
struct ChooserReply {
  bool arrived = false;
  std::string handle;  // path of the object that will send the response; empty if the call failed
};

int on_chooser_reply(sd_bus_message* message, void* data, sd_bus_error* /*error*/) {
  auto& reply = *static_cast<ChooserReply*>(data);
  reply.arrived = true;
  const char* handle = nullptr;
  const bool failed = sd_bus_message_is_method_error(message, nullptr) != 0;
  if (!failed && sd_bus_message_read_basic(message, 'o', &handle) > 0) reply.handle = handle;
  return 0;
}

// Calls the portal, without waiting for its reply. Returns nullptr if the call cannot be sent.
BusSlot call_chooser(sd_bus* bus, const std::string& token, const std::string& folder,
                     const DialogTexts& texts, ChooserReply& reply) {
  const bool saves = !texts.save_as.empty();
  sd_bus_message* raw = nullptr;
  if (sd_bus_message_new_method_call(bus, &raw, kService, kObject, kChooser,
                                     saves ? "SaveFile" : "OpenFile") < 0) {
    return nullptr;
  }
  const BusMessage call(raw);
  const int appended = saves ? append_save(raw, token, folder, texts) : append_open(raw, token, texts);
  sd_bus_slot* slot = nullptr;
  if (appended < 0 || sd_bus_call_async(bus, &slot, raw, on_chooser_reply, &reply, kCallTimeoutUs) < 0) {
    return nullptr;
  }
  return BusSlot(slot);
}

// Closes the dialog of a request, without waiting for a reply.
void close_request(sd_bus* bus, const std::string& handle) {
  sd_bus_message* raw = nullptr;
  if (sd_bus_message_new_method_call(bus, &raw, kService, handle.c_str(), kRequest, "Close") < 0) return;
  const BusMessage call(raw);
  sd_bus_message_set_expect_reply(raw, 0);
  sd_bus_send(bus, raw, nullptr);
}

enum class WaitEnd { arrived, stopped, disconnected };

// Processes messages until a callback sets `arrived`. A stop request ends the wait within kStopPollUs.
WaitEnd wait_until(const bool& arrived, sd_bus* bus, const std::stop_token& stop) {
  while (!arrived) {
    if (stop.stop_requested()) return WaitEnd::stopped;
    const int processed = sd_bus_process(bus, nullptr);
    if (processed < 0) return WaitEnd::disconnected;
    if (processed == 0) sd_bus_wait(bus, kStopPollUs);
  }
  return WaitEnd::arrived;
}

#endif

}  // namespace

std::optional<std::filesystem::path> path_from_uri(std::string_view uri) {
  constexpr std::string_view kScheme = "file://";
  constexpr std::string_view kLocalHost = "localhost";
  if (!uri.starts_with(kScheme)) return std::nullopt;
  uri.remove_prefix(kScheme.size());
  if (uri.starts_with(kLocalHost)) uri.remove_prefix(kLocalHost.size());
  if (!uri.starts_with('/')) return std::nullopt;
  return percent_decoded(uri);
}

#ifdef KINETOSCOPE_WITH_DBUS

DialogResult call_portal(const std::filesystem::path& folder, const DialogTexts& texts,
                         const std::stop_token& stop) {
  sd_bus* raw = nullptr;
  if (sd_bus_open_user(&raw) < 0) return {};
  const Bus bus(raw);
  Answer answer;
  const std::string token = "kinetoscope" + std::to_string(::getpid());
  const std::string expected = request_path(raw, token);
  if (expected.empty()) return {};
  const BusSlot slot = listen_for(raw, expected, answer);
  ChooserReply reply;
  const BusSlot call = call_chooser(raw, token, folder.string(), texts, reply);
  if (call == nullptr) return {};
  DialogResult cancelled_dialog{.kind = DialogResult::Kind::cancelled, .files = {}};
  if (wait_until(reply.arrived, raw, stop) == WaitEnd::stopped) {
    // The portal receives the messages in order, so it opens the dialog before it closes it.
    close_request(raw, expected);
    return cancelled_dialog;
  }
  if (reply.handle.empty()) return {};
  // Portals before 0.9 choose the path of the object themselves.
  const BusSlot second_slot = reply.handle == expected ? BusSlot() : listen_for(raw, reply.handle, answer);
  const WaitEnd end = wait_until(answer.arrived, raw, stop);
  if (end == WaitEnd::stopped) close_request(raw, reply.handle);
  if (end != WaitEnd::arrived) return cancelled_dialog;
  return answer.outcome;
}

#else

DialogResult call_portal(const std::filesystem::path& /*folder*/, const DialogTexts& /*texts*/,
                         const std::stop_token& /*stop*/) {
  return {};
}

#endif

}  // namespace kino
