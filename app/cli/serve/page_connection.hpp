// Answers the HTTP request of a connection: the page, or its WebSocket.
#pragma once

#include <string>

#include "app/cli/serve/page_socket.hpp"
#include "app/cli/serve/serve_access.hpp"
#include "app/cli/serve/serve_network.hpp"

namespace kino {

struct PageAccess {
  HostNames names;
  std::string base_path = "/";  ///< see path_below()
};

/// Reads one request and answers it, for a limited time. A WebSocket becomes a PageSocket. `host` and
/// `access` outlive the connection.
void answer_connection(PageHost& host, const PageAccess& access, ServeSocket socket);

}  // namespace kino
