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
/// payload: absolute paths, each terminated by NUL. A payload without paths only raises the window. The
/// answer is the byte kInstanceAccepted, or the connection is closed. Nothing in a message is executed.
inline constexpr std::string_view kInstanceMagic = "KINOSCO1";
inline constexpr char kInstanceAccepted = '+';
inline constexpr std::size_t kLargestInstancePayload = 1 << 20;
inline constexpr std::size_t kMostInstancePaths = 1024;

/// Returns the message for these files. Relative paths are converted to absolute ones.
Result<std::string> instance_message(std::span<const std::filesystem::path> files);
/// Parses a payload. Fails if it contains anything other than absolute paths and links, or exceeds the
/// limits.
Result<std::vector<std::filesystem::path>> paths_from_payload(std::string_view payload);

/// Returns the path of the socket of the instance for this display: KINETOSCOPE_SOCKET if it is an absolute
/// path, else $XDG_RUNTIME_DIR/kinetoscope/DISPLAY.sock, else in the cache folder. Creates the folder,
/// private to the user. Fails if the folder belongs to another user.
Result<std::filesystem::path> instance_socket_path();

/// Sends the files to the instance listening on `socket`. Returns false if no instance listens, if it belongs
/// to another user, or if it does not answer within two seconds.
bool hand_over(const std::filesystem::path& socket, std::span<const std::filesystem::path> files);

/// Receives the files of other processes. Only processes with the same user id, as verified by the kernel,
/// can connect.
class InstanceServer {
 public:
  using Receiver = std::function<void(std::vector<std::filesystem::path>)>;

  /// Makes this process the instance of this socket; returns null if another process already is. Replaces a
  /// socket left by a process that has ended. Connections are queued until start().
  static Result<std::unique_ptr<InstanceServer>> claim(const std::filesystem::path& socket);
  InstanceServer(const InstanceServer&) = delete;
  InstanceServer& operator=(const InstanceServer&) = delete;
  /// Stops listening and removes the socket.
  ~InstanceServer();

  /// `received` is called once per message from the server's thread. Call start() once.
  void start(Receiver received);

 private:
  explicit InstanceServer(std::unique_ptr<LocalListener> listener);
  void answer(const LocalConnection& client) const;

  std::unique_ptr<LocalListener> listener_;
  Receiver received_;
  std::jthread thread_;  // last: joined before the members it uses are destroyed
};

}  // namespace kino
