// A socket that only processes of this user reach: one listens, others say something to it.
#pragma once

#include <chrono>
#include <cstddef>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string_view>
#include <utility>

#include "core/base/platform/descriptor.hpp"
#include "core/base/result.hpp"

namespace kino {

/// Whether the system takes a path of this length for a socket.
bool fits_socket_address(const std::filesystem::path& socket);

/// One end of a conversation with a process of the same user, which the system vouches for.
class LocalConnection {
 public:
  using Clock = std::chrono::steady_clock;

  /// nullopt when nobody listens there, or another user does.
  static std::optional<LocalConnection> to(const std::filesystem::path& socket);

  /// False at the deadline, when the other end is gone, or when the listener stops.
  bool read_exactly(char* data, std::size_t size, Clock::time_point deadline) const;
  /// False at the deadline, or when the other end is gone.
  bool write_exactly(std::string_view text, Clock::time_point deadline) const;

 private:
  friend class LocalListener;
  LocalConnection(Descriptor connection, int stopper)
      : connection_(std::move(connection)), stopper_(stopper) {}

  Descriptor connection_;
  int stopper_;  // the listener's; -1: nobody stops it
};

class LocalListener {
 public:
  /// Becomes the one that listens there; null when another process is. Replaces a socket that a dead process
  /// left. From here on connections wait until serve().
  static Result<std::unique_ptr<LocalListener>> claim(const std::filesystem::path& socket);
  LocalListener(const LocalListener&) = delete;
  LocalListener& operator=(const LocalListener&) = delete;
  /// Removes the socket.
  ~LocalListener();

  /// Calls `visited` for one connection after the other until a stop request and wake(). For a thread of its
  /// own.
  void serve(const std::function<void(const LocalConnection&)>& visited, const std::stop_token& stop);
  /// Ends what waits in serve() and in connections that it gave. After the stop request; any thread.
  void wake() const;

 private:
  LocalListener(std::filesystem::path socket, Descriptor lock, Descriptor listener, Descriptor stopper);

  std::filesystem::path socket_;
  Descriptor lock_;  // held by flock() as long as this is the one
  Descriptor listener_;
  Descriptor stopper_;  // an eventfd that ends every poll()
};

}  // namespace kino
