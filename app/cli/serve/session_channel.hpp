// Messages between the server and the process of a session, over a pair of connected sockets.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "core/base/platform/descriptor.hpp"

namespace kino {

/// A message: kHeaderBytes, then the content. The header is the number of bytes of the content and the kind,
/// little-endian words of 4 bytes.
struct SessionMessage {
  enum class Kind : std::uint32_t {
    text,   ///< JSON for the page or from it
    frame,  ///< records of RecordingGpu for the page
    /// For the session: the first message of a page (JSON). The session answers with an empty message.
    /// Messages sent before this answer were for the previous page. The first frame after it is complete.
    attach,
    detach,  ///< for the session: the page has gone, so no frames are needed
    end,     ///< for the server: the session ends; the content is the reason, for the page (JSON)
    /// For the page: a piece of a downloaded file, after a word 0. For the session: a piece of an uploaded
    /// file.
    file,
  };
  static constexpr std::size_t kHeaderBytes = 8;
  /// Largest content from the page, and from a session.
  static constexpr std::size_t kMostFromPage = std::size_t{256} << 10;
  static constexpr std::size_t kMostFromSession = std::size_t{512} << 20;

  struct Header {
    std::uint32_t size = 0;
    Kind kind = Kind::text;
  };
  static std::array<std::byte, kHeaderBytes> header(Kind kind, std::size_t size);
  /// Returns nullopt if the kind is unknown or the content is larger than `most` bytes.
  static std::optional<Header> parse(std::span<const std::byte, kHeaderBytes> bytes, std::size_t most);
};

/// The connection to the server, as used by the session. UI thread only.
class SessionChannel {
 public:
  explicit SessionChannel(Descriptor socket);

  /// Sends a message, and waits until the operating system has accepted it. Returns false if the server has
  /// gone.
  bool send(SessionMessage::Kind kind, std::span<const std::byte> content);
  bool send(SessionMessage::Kind kind, std::string_view content) {
    return send(kind, std::as_bytes(std::span(content)));
  }

  struct Received {
    SessionMessage::Kind kind = SessionMessage::Kind::text;
    std::string content;
  };
  /// Returns the next message that has arrived; nullopt if none has. Does not wait.
  std::optional<Received> receive();
  /// Whether the server has gone or has sent an invalid message.
  bool closed() const { return closed_; }
  int descriptor() const { return socket_.fd; }

 private:
  void read_available();

  Descriptor socket_;
  std::string arrived_;  // bytes of messages that are not complete, or not taken yet
  bool closed_ = false;
};

}  // namespace kino
