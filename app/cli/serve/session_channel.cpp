#include "app/cli/serve/session_channel.hpp"

#include <algorithm>
#include <cerrno>
#include <utility>

#include <sys/socket.h>
#include <sys/uio.h>

namespace kino {
namespace {

/// Write and read a little-endian word of 4 bytes.
void put_word(std::span<std::byte> bytes, std::uint32_t word) {
  for (std::size_t i = 0; i < 4; ++i) bytes[i] = static_cast<std::byte>(word >> (8 * i));
}

std::uint32_t word_at(std::span<const std::byte> bytes) {
  std::uint32_t word = 0;
  for (std::size_t i = 4; i-- > 0;) word = word << 8 | std::to_integer<std::uint32_t>(bytes[i]);
  return word;
}

}  // namespace

std::array<std::byte, SessionMessage::kHeaderBytes> SessionMessage::header(Kind kind, std::size_t size) {
  std::array<std::byte, kHeaderBytes> bytes{};
  put_word(std::span(bytes).first(4), static_cast<std::uint32_t>(size));
  put_word(std::span(bytes).last(4), static_cast<std::uint32_t>(kind));
  return bytes;
}

std::optional<SessionMessage::Header> SessionMessage::parse(std::span<const std::byte, kHeaderBytes> bytes,
                                                            std::size_t most) {
  const std::uint32_t size = word_at(bytes.first<4>());
  const std::uint32_t kind = word_at(bytes.last<4>());
  if (size > most || kind > static_cast<std::uint32_t>(Kind::file)) return std::nullopt;
  return Header{size, static_cast<Kind>(kind)};
}

SessionChannel::SessionChannel(Descriptor socket) : socket_(std::move(socket)) {}

bool SessionChannel::send(SessionMessage::Kind kind, std::span<const std::byte> content) {
  std::array<std::byte, SessionMessage::kHeaderBytes> header = SessionMessage::header(kind, content.size());
  std::array<std::span<const std::byte>, 2> left{header, content};
  while (!closed_ && left[0].size() + left[1].size() > 0) {
    std::array<iovec, 2> parts{};
    for (std::size_t i = 0; i < parts.size(); ++i)
      parts[i] = {const_cast<std::byte*>(left[i].data()), left[i].size()};  // NOLINT: sendmsg() only reads
    msghdr message{};
    message.msg_iov = parts.data();
    message.msg_iovlen = parts.size();
    const ssize_t sent = ::sendmsg(socket_.fd, &message, MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) continue;
    if (sent <= 0) {
      closed_ = true;
      break;
    }
    const std::size_t of_header = std::min(static_cast<std::size_t>(sent), left[0].size());
    left[0] = left[0].subspan(of_header);
    left[1] = left[1].subspan(static_cast<std::size_t>(sent) - of_header);
  }
  return !closed_;
}

void SessionChannel::read_available() {
  std::array<char, 65536> buffer;
  for (;;) {
    const ssize_t got = ::recv(socket_.fd, buffer.data(), buffer.size(), MSG_DONTWAIT);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) return;
    if (got <= 0) {
      closed_ = true;
      return;
    }
    arrived_.append(buffer.data(), static_cast<std::size_t>(got));
    if (arrived_.size() > 2 * SessionMessage::kMostFromPage) return;  // the rest waits in the socket
  }
}

std::optional<SessionChannel::Received> SessionChannel::receive() {
  constexpr std::size_t kHeader = SessionMessage::kHeaderBytes;
  std::size_t needed = kHeader;
  for (bool read = false;; read = true) {
    if (arrived_.size() >= kHeader) {
      const auto bytes = std::as_bytes(std::span<const char, kHeader>(arrived_.data(), kHeader));
      const auto header = SessionMessage::parse(bytes, SessionMessage::kMostFromPage);
      if (!header) {
        closed_ = true;
        return std::nullopt;
      }
      needed = kHeader + header->size;
      if (arrived_.size() >= needed) {
        Received message{header->kind, arrived_.substr(kHeader, header->size)};
        arrived_.erase(0, needed);
        return message;
      }
    }
    if (read || closed_) return std::nullopt;
    read_available();
  }
}

}  // namespace kino
