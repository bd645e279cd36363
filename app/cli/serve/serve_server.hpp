// The server of `kinetoscope serve`: HTTP and WebSocket for pages, and one process per session.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "core/base/result.hpp"

namespace kino {

struct ServeServerOptions {
  std::string address = "127.0.0.1";
  std::uint16_t port = 0;               ///< 0: the first free one from kFirstPort
  std::filesystem::path socket;         ///< Unix socket to serve on instead of a port; empty: none
  std::string token;                    ///< token that the page must send; empty: none
  std::string base_path = "/";          ///< path of the page behind a proxy; begins and ends with a slash
  std::vector<std::string> host_names;  ///< hosts of proxies in front of the server; see HostNames
};

/// One thread serves all connections; no connection waits for another. Each page has a session, which is a
/// process of its own. If the connection of a page is lost, its session remains for kDetachedMinutes. At most
/// kMostSessions run.
class ServeServer {
 public:
  static constexpr std::uint16_t kFirstPort = 8642;
  static constexpr std::size_t kMostSessions = 16;

  /// Listens on a port or a Unix socket, which only this user can use.
  static Result<std::unique_ptr<ServeServer>> listen(const ServeServerOptions& options);
  ServeServer(const ServeServer&) = delete;
  ServeServer& operator=(const ServeServer&) = delete;
  ~ServeServer();

  /// The port; 0 for a Unix socket.
  std::uint16_t port() const;
  /// Serves until SIGINT or SIGTERM.
  void run();

 private:
  class Impl;
  explicit ServeServer(std::unique_ptr<Impl> impl);

  std::unique_ptr<Impl> impl_;
};

}  // namespace kino
