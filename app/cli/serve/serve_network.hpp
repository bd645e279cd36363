// The types of Boost that the server uses. Only this file includes Boost, whose headers take long to compile.
#pragma once

#include <cstddef>
#include <string>
#include <utility>  // needed by Boost 1.74

#include <boost/asio.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/http.hpp>
#include <boost/beast/websocket.hpp>
#include <nlohmann/json.hpp>

namespace kino {

namespace net = boost::asio;
namespace beast = boost::beast;
namespace http = boost::beast::http;
namespace websocket = boost::beast::websocket;
using boost::system::error_code;
/// A TCP or Unix socket.
using ServeSocket = net::generic::stream_protocol::socket;
using ServeStream = beast::basic_stream<net::generic::stream_protocol>;
using ServeRequest = http::request<http::empty_body>;

inline std::string serve_text(const nlohmann::json& message) {
  return message.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

/// Counts an object in `count` during its lifetime.
class CountedConnection {
 public:
  explicit CountedConnection(std::size_t& count) : count_(count) { ++count_; }
  CountedConnection(const CountedConnection&) = delete;
  CountedConnection& operator=(const CountedConnection&) = delete;
  ~CountedConnection() { --count_; }

 private:
  std::size_t& count_;
};

}  // namespace kino
