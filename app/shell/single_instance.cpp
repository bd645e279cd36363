#include "app/shell/single_instance.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <system_error>
#include <utility>

#include "app/system/enough_memory.hpp"
#include "app/ui/bookmarks/moment_link.hpp"
#include "core/base/messages/message.hpp"
#include "core/base/platform/file_facts.hpp"
#include "loaders/bytes/spool.hpp"

namespace kino {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::chrono::milliseconds kClientPatience{2000};
constexpr std::chrono::milliseconds kServerPatience{1000};
constexpr std::size_t kHeaderSize = kInstanceMagic.size() + 4;
constexpr std::size_t kLongestPath = 4096;

std::string environment(const char* name) {
  const char* value = std::getenv(name);
  return value != nullptr ? value : "";
}

// Returns the name of the display as a file name: ":0" and "host:10.0" become "_0" and "host_10.0". Keeps the
// last 48 characters.
std::string display_name() {
  std::string name = environment("DISPLAY");
  if (name.empty()) name = environment("WAYLAND_DISPLAY");
  if (name.empty()) name = "none";
  std::ranges::replace_if(
      name, [](char c) { return std::isalnum(static_cast<unsigned char>(c)) == 0 && c != '.' && c != '-'; },
      '_');
  return name.substr(name.size() > 48 ? name.size() - 48 : 0);
}

// Creates the folder with access for this user only. Returns whether only this user has access.
bool is_private_folder(const std::filesystem::path& folder) {
  std::error_code code;
  std::filesystem::create_directories(folder.parent_path(), code);
  make_private_folder(folder);
  return make_private(folder);
}

}  // namespace

Result<std::string> instance_message(std::span<const std::filesystem::path> files) {
  std::string payload;
  for (const std::filesystem::path& file : files) {
    std::error_code code;
    // A link already contains the path of its file.
    const std::filesystem::path path = is_link(file.native()) ? file : std::filesystem::absolute(file, code);
    if (code) return Error{Error::Kind::system, {msg::working_directory_missing, code.message()}};
    payload += path.native();
    payload += '\0';
  }
  // Do not send messages that the receiver would reject.
  if (auto paths = paths_from_payload(payload); !paths.ok()) return paths.error();
  std::string message(kInstanceMagic);
  for (unsigned shift = 0; shift < 32; shift += 8) {
    message += static_cast<char>(static_cast<unsigned char>(payload.size() >> shift));
  }
  return message + payload;
}

Result<std::vector<std::filesystem::path>> paths_from_payload(std::string_view payload) {
  const auto refused = [](msg::Id why) { return Error{Error::Kind::corrupt, why}; };
  if (payload.size() > kLargestInstancePayload) return refused(msg::the_message_is_too_large);
  if (!payload.empty() && payload.back() != '\0') return refused(msg::the_message_does_not_end_with_its_path);
  std::vector<std::filesystem::path> paths;
  while (!payload.empty()) {
    const std::string_view path = payload.substr(0, payload.find('\0'));
    payload.remove_prefix(path.size() + 1);
    if ((!path.starts_with('/') && !is_link(path)) || path.size() >= kLongestPath)
      return refused(msg::path_not_absolute);
    if (paths.size() == kMostInstancePaths) return refused(msg::the_message_has_too_many_paths);
    paths.emplace_back(path);
  }
  return paths;
}

Result<std::filesystem::path> instance_socket_path() {
  const std::string given = environment("KINETOSCOPE_SOCKET");
  if (given.starts_with('/')) return std::filesystem::path(given);
  std::vector<std::filesystem::path> folders;
  const std::string runtime = environment("XDG_RUNTIME_DIR");
  if (runtime.starts_with('/')) folders.push_back(std::filesystem::path(runtime) / "kinetoscope");
  const std::filesystem::path cache = default_cache_directory();
  if (!cache.empty()) folders.push_back(cache / "run");
  for (const std::filesystem::path& folder : folders) {
    std::filesystem::path socket = folder / (display_name() + ".sock");
    if (fits_socket_address(socket) && is_private_folder(folder)) return socket;
  }
  return Error{Error::Kind::no_permission, msg::there_is_no_private_folder};
}

bool hand_over(const std::filesystem::path& socket, std::span<const std::filesystem::path> files) {
  auto message = instance_message(files);
  if (!message.ok()) return false;
  const Clock::time_point deadline = Clock::now() + kClientPatience;
  const std::optional<LocalConnection> connection = LocalConnection::to(socket);
  char answer = 0;
  return connection && connection->write_exactly(message.value(), deadline) &&
         connection->read_exactly(&answer, 1, deadline) && answer == kInstanceAccepted;
}

Result<std::unique_ptr<InstanceServer>> InstanceServer::claim(const std::filesystem::path& socket) {
  Result<std::unique_ptr<LocalListener>> listener = LocalListener::claim(socket);
  if (!listener) return listener.error();
  if (*listener == nullptr) return std::unique_ptr<InstanceServer>();
  return std::unique_ptr<InstanceServer>(new InstanceServer(std::move(*listener)));
}

InstanceServer::InstanceServer(std::unique_ptr<LocalListener> listener) : listener_(std::move(listener)) {}

InstanceServer::~InstanceServer() {
  thread_.request_stop();
  listener_->wake();
}

void InstanceServer::start(Receiver received) {
  received_ = std::move(received);
  thread_ = std::jthread([this](const std::stop_token& stop) {
    const auto visited = [this](const LocalConnection& client) {
      run_catching_bad_alloc(
          [&] { answer(client); });  // if memory runs out, the client opens its files itself
    };
    listener_->serve(visited, stop);
  });
}

void InstanceServer::answer(const LocalConnection& client) const {
  const Clock::time_point deadline = Clock::now() + kServerPatience;
  std::array<char, kHeaderSize> header{};
  if (!client.read_exactly(header.data(), header.size(), deadline)) return;
  if (std::string_view(header.data(), kInstanceMagic.size()) != kInstanceMagic) return;
  std::size_t size = 0;
  for (std::size_t i = kHeaderSize; i-- > kInstanceMagic.size();) {
    size = size << 8 | static_cast<unsigned char>(header[i]);
  }
  if (size > kLargestInstancePayload) return;
  std::string payload(size, '\0');
  if (!client.read_exactly(payload.data(), size, deadline)) return;
  auto paths = paths_from_payload(payload);
  if (!paths.ok()) return;
  // If the client no longer waits for the answer, it opens the files itself.
  if (client.write_exactly(std::string_view(&kInstanceAccepted, 1), deadline))
    received_(std::move(paths).value());
}

}  // namespace kino
