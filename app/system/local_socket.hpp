// A socket that only processes of the same user can use: one listens, others connect.
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

/// Whether the path is short enough for a socket.
bool fits_socket_address(const std::filesystem::path& socket);

/// A connection to a process of the same user, as verified by the kernel.
class LocalConnection {
 public:
  using Clock = std::chrono::steady_clock;

  /// Connects to a socket. Returns nullopt if no process listens there, or if a process of another user does.
  static std::optional<LocalConnection> to(const std::filesystem::path& socket);

  /// Reads `size` bytes. Returns false at the deadline, if the other end has closed, or when the listener
  /// stops.
  bool read_exactly(char* data, std::size_t size, Clock::time_point deadline) const;
  /// Writes the whole text. Returns false at the deadline, or if the other end has closed.
  bool write_exactly(std::string_view text, Clock::time_point deadline) const;

 private:
  friend class LocalListener;
  LocalConnection(Descriptor connection, int stopper)
      : connection_(std::move(connection)), stopper_(stopper) {}

  Descriptor connection_;
  int stopper_;  // the listener's eventfd; -1: none
};

class LocalListener {
 public:
  /// Makes this process the listener of this path. Returns null if another process is the listener. Replaces
  /// a socket left by a process that has ended. Connections are queued until serve() is called.
  static Result<std::unique_ptr<LocalListener>> claim(const std::filesystem::path& socket);
  LocalListener(const LocalListener&) = delete;
  LocalListener& operator=(const LocalListener&) = delete;
  ~LocalListener();

  /// Calls `visited` for each connection of the same user, one after the other. Returns after a stop request
  /// followed by wake(). Requires a thread of its own.
  void serve(const std::function<void(const LocalConnection&)>& visited, const std::stop_token& stop);
  /// Interrupts serve() and its connections after a stop request. May be called from any thread.
  void wake() const;

 private:
  LocalListener(std::filesystem::path socket, Descriptor lock, Descriptor listener, Descriptor stopper);

  std::filesystem::path socket_;
  Descriptor lock_;  // held by flock() as long as this process listens
  Descriptor listener_;
  Descriptor stopper_;  // an eventfd that ends every poll()
};

}  // namespace kino
