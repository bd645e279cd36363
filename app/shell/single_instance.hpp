// Lets `kinetoscope FILE` open its file in the running window, through a socket of this user.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "app/system/local_socket.hpp"
#include "core/base/result.hpp"

namespace kino {

/// A message consists of kInstanceMagic, the length of the payload as four little-endian bytes, and the
/// payload: absolute paths and links, each terminated by NUL. A payload without paths only raises the window.
/// The answer is the byte kInstanceAccepted. If the message is rejected, the connection is closed without an
/// answer. Nothing in a message is executed.
inline constexpr std::string_view kInstanceMagic = "KINOSCO1";
inline constexpr char kInstanceAccepted = '+';
inline constexpr std::size_t kLargestInstancePayload = 1 << 20;
inline constexpr std::size_t kMostInstancePaths = 1024;

/// Returns the message for these files. Relative paths are converted to absolute ones. Fails if the working
/// directory is missing or the receiver would reject the message.
Result<std::string> instance_message(std::span<const std::filesystem::path> files);
/// Parses a payload. Fails if it contains anything other than absolute paths and links, or exceeds the
/// limits.
Result<std::vector<std::filesystem::path>> paths_from_payload(std::string_view payload);

/// Returns the path of the socket of the instance for this display: KINETOSCOPE_SOCKET if it is an absolute
/// path, else DISPLAY.sock in $XDG_RUNTIME_DIR/kinetoscope, else DISPLAY.sock in the folder `run` of the
/// cache. Creates the folder and denies other users access to it. Uses the next folder if that fails or the
/// path is too long; fails if there is none.
Result<std::filesystem::path> instance_socket_path();

/// Sends the files to the instance listening on `socket`. Returns whether it accepted them within two
/// seconds; false if no instance listens or it belongs to another user.
bool hand_over(const std::filesystem::path& socket, std::span<const std::filesystem::path> files);

/// Receives the files of other processes. Accepts only processes with the same user id, as reported by the
/// kernel.
class InstanceServer {
 public:
  using Receiver = std::function<void(std::vector<std::filesystem::path>)>;

  /// Makes this process the instance of this socket. Returns null if another process already is the instance.
  /// Replaces a socket left by a process that has ended. Connections are queued until start().
  static Result<std::unique_ptr<InstanceServer>> claim(const std::filesystem::path& socket);
  InstanceServer(const InstanceServer&) = delete;
  InstanceServer& operator=(const InstanceServer&) = delete;
  /// Stops listening and removes the socket.
  ~InstanceServer();

  /// `received` is called on the server's thread, once per accepted message. Call start() once.
  void start(Receiver received);

 private:
  explicit InstanceServer(std::unique_ptr<LocalListener> listener);
  void answer(const LocalConnection& client) const;

  std::unique_ptr<LocalListener> listener_;
  Receiver received_;
  std::jthread thread_;  // last: joined before the members it uses are destroyed
};

}  // namespace kino
