// Lets `kinetoscope FILE` open its file in the window that runs already, through a socket of this user only.
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

/// A message is kInstanceMagic, the payload's length as four little-endian bytes, and the payload: absolute
/// paths, each ended by a NUL. No path at all only raises the window. The answer is one byte,
/// kInstanceAccepted, or the end of the connection. Nothing in a message is executed.
inline constexpr std::string_view kInstanceMagic = "KINOSCO1";
inline constexpr char kInstanceAccepted = '+';
inline constexpr std::size_t kLargestInstancePayload = 1 << 20;
inline constexpr std::size_t kMostInstancePaths = 1024;

/// The message for these files; relative ones are completed with the working directory.
Result<std::string> instance_message(std::span<const std::filesystem::path> files);
/// What a payload says; an Error when it says anything else than absolute paths within the bounds.
Result<std::vector<std::filesystem::path>> paths_from_payload(std::string_view payload);

/// Where the instance of this display listens: KINETOSCOPE_SOCKET when that is an absolute path, else
/// $XDG_RUNTIME_DIR/kinetoscope/DISPLAY.sock, else in the cache folder. Makes the folder, private to the
/// user; an Error when it belongs to somebody else.
Result<std::filesystem::path> instance_socket_path();

/// Gives the files to the instance that listens there. False when none does, or it is another user's, or it
/// does not answer within two seconds.
bool hand_over(const std::filesystem::path& socket, std::span<const std::filesystem::path> files);

/// The listening end. The user's other processes can only reach it through their own user id, which the
/// kernel vouches for.
class InstanceServer {
 public:
  using Receiver = std::function<void(std::vector<std::filesystem::path>)>;

  /// Becomes the instance of this socket; null when another process is. Replaces a socket that a dead process
  /// left. From here on connections wait until start().
  static Result<std::unique_ptr<InstanceServer>> claim(const std::filesystem::path& socket);
  InstanceServer(const InstanceServer&) = delete;
  InstanceServer& operator=(const InstanceServer&) = delete;
  /// Stops listening and removes the socket.
  ~InstanceServer();

  /// `received` is called from a thread of the server's own, once a message. Call once.
  void start(Receiver received);

 private:
  explicit InstanceServer(std::unique_ptr<LocalListener> listener);
  void answer(const LocalConnection& client) const;

  std::unique_ptr<LocalListener> listener_;
  Receiver received_;
  std::jthread thread_;  // last: joined before what it uses is gone
};

}  // namespace kino
