#include "app/cli/serve/serve_hint.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdlib>
#include <sstream>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include "app/cli/serve/serve_access.hpp"
#include "app/cli/serve/serve_server.hpp"
#include "app/cli/slurm_script.hpp"
#include "core/base/ascii.hpp"
#include "core/base/messages/message.hpp"
#include "core/base/platform/descriptor.hpp"
#include "core/base/terminal_text.hpp"

namespace kino {
namespace {

constexpr std::size_t kMostHintedFiles = 4;

std::string own_host_name() {
  std::string name(256, '\0');
  if (::gethostname(name.data(), name.size() - 1) != 0) return "HOST";
  name.resize(name.find('\0'));
  return name;
}

std::string_view environment_text(const char* name) {
  const char* const value = std::getenv(name);
  return value != nullptr ? value : "";
}

bool is_port(const std::string& text) {
  return !text.empty() && text.size() <= 5 && std::ranges::all_of(text, is_digit);
}

/// Whether the address is one of this machine: sockets can use no others.
bool belongs_to_this_machine(const std::string& address) {
  sockaddr_in v4{};
  sockaddr_in6 v6{};
  v4.sin_family = AF_INET;
  v6.sin6_family = AF_INET6;
  const bool is_v4 = ::inet_pton(AF_INET, address.c_str(), &v4.sin_addr) == 1;
  if (!is_v4 && ::inet_pton(AF_INET6, address.c_str(), &v6.sin6_addr) != 1) return false;
  const Descriptor socket(::socket(is_v4 ? AF_INET : AF_INET6, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  const auto* const own = is_v4 ? reinterpret_cast<const sockaddr*>(&v4)   // NOLINT: as bind() requires
                                : reinterpret_cast<const sockaddr*>(&v6);  // NOLINT: as bind() requires
  return socket.fd >= 0 && ::bind(socket.fd, own, is_v4 ? sizeof v4 : sizeof v6) == 0;
}

/// Returns the path as a word of a shell command, in quotes if it needs them.
std::string path_word(const std::filesystem::path& path) {
  constexpr std::string_view kPlain = "/._-+=:,@%";
  const std::string text = path.string();
  const bool plain = !text.empty() && std::ranges::all_of(text, [&](char c) {
    return is_letter(c) || is_digit(c) || kPlain.find(c) != std::string_view::npos;
  });
  return plain ? text : shell_word(text);
}

}  // namespace

SshDestination ssh_destination(std::string_view user, std::string_view host_name,
                               std::string_view ssh_connection, bool (*is_own_address)(const std::string&)) {
  // The words are the address and port of the client, and the address and port of this machine.
  std::array<std::string, 4> words;
  std::istringstream text{std::string(ssh_connection)};
  for (std::string& word : words) text >> word;
  const bool connected = is_address(words[2]) && is_port(words[3]) && is_own_address(words[2]);
  SshDestination destination{connected ? words[2] : std::string(host_name), {}};
  if (connected && words[3] != "22") destination.port = words[3];
  if (!user.empty()) destination.user_at_host.insert(0, std::string(user) + "@");
  return destination;
}

SshDestination ssh_destination() {
  return ssh_destination(environment_text("USER"), own_host_name(), environment_text("SSH_CONNECTION"),
                         belongs_to_this_machine);
}

std::string ssh_command(std::string_view port, std::string_view target, const SshDestination& destination) {
  std::string command = "ssh -N -L ";
  command.append(port).append(":").append(target).append(" ");
  if (!destination.port.empty()) command += "-p " + destination.port + " ";
  return command + destination.user_at_host;
}

std::string serve_hint(std::span<const std::filesystem::path> files, const SshDestination& destination) {
  std::string command = "kinetoscope serve";
  if (files.empty()) command += " FILE";
  if (files.size() > kMostHintedFiles) {
    command += " FILE...";
  } else {
    for (const std::filesystem::path& file : files) command += " " + path_word(file);
  }
  const std::string port = std::to_string(ServeServer::kFirstPort);
  return Message(msg::serve_hint, escaped(command),
                 escaped(ssh_command(port, "127.0.0.1:" + port, destination)))
      .str();
}

}  // namespace kino
