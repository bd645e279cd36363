// Commands for the user's own machine: the ssh command that reaches a server, and a hint at `kinetoscope serve`.
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <string_view>

namespace kino {

/// The destination of an ssh command that reaches this machine.
struct SshDestination {
  std::string user_at_host;
  std::string port;  ///< empty: the usual one
};

/// Returns the address that the user's ssh client has connected to, if `ssh_connection` (the variable
/// SSH_CONNECTION) has one; otherwise, the host name. Batch systems pass the variable on to other machines, so
/// the host name is also used unless `is_own_address`. `user` may be empty.
SshDestination ssh_destination(std::string_view user, std::string_view host_name,
                               std::string_view ssh_connection, bool (*is_own_address)(const std::string&));
/// Returns the destination by the environment of this process.
SshDestination ssh_destination();

/// Returns "ssh -N -L PORT:TARGET USER@HOST". `target` is an address with a port, or a Unix socket.
std::string ssh_command(std::string_view port, std::string_view target, const SshDestination& destination);

/// Returns a sentence with the command that serves the files, and the ssh command for another machine. Without
/// files, and for many files, the command has "FILE" in their place.
std::string serve_hint(std::span<const std::filesystem::path> files, const SshDestination& destination);

}  // namespace kino
