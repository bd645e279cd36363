// Covers: session_channel
#include "app/cli/serve/session_channel.hpp"

#include <array>
#include <string>

#include <doctest/doctest.h>
#include <sys/socket.h>
#include <unistd.h>

using kino::Descriptor;
using kino::SessionChannel;
using kino::SessionMessage;
using MessageKind = SessionMessage::Kind;

namespace {

struct Pair {
  std::array<int, 2> ends{};
  Pair() { REQUIRE(::socketpair(AF_UNIX, SOCK_STREAM, 0, ends.data()) == 0); }
};

}  // namespace

TEST_CASE("messages arrive in order and whole") {
  const Pair pair;
  SessionChannel a{Descriptor(pair.ends[0])};
  SessionChannel b{Descriptor(pair.ends[1])};
  CHECK_FALSE(b.receive());
  const std::string large(100000, 'x');
  CHECK(a.send(MessageKind::attach, "{}"));
  CHECK(a.send(MessageKind::text, ""));
  CHECK(a.send(MessageKind::text, large));
  CHECK(b.receive()->kind == MessageKind::attach);
  CHECK(b.receive()->content.empty());
  std::optional<SessionChannel::Received> last;
  while (!last) last = b.receive();
  CHECK(last->content == large);
  CHECK_FALSE(b.receive());
  CHECK_FALSE(b.closed());
}

TEST_CASE("a message that arrives in parts is received once") {
  const Pair pair;
  const Descriptor sender(pair.ends[0]);
  SessionChannel receiver{Descriptor(pair.ends[1])};
  const auto header = SessionMessage::header(MessageKind::text, 2);
  std::string bytes(reinterpret_cast<const char*>(header.data()), header.size());
  bytes += "ab";
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    CHECK_FALSE(receiver.receive());
    REQUIRE(::write(sender.fd, &bytes[i], 1) == 1);
  }
  CHECK(receiver.receive()->content == "ab");
}

TEST_CASE("messages that are too large or unknown close the channel") {
  for (const auto& header : {SessionMessage::header(MessageKind::text, SessionMessage::kMostFromPage + 1),
                             SessionMessage::header(static_cast<MessageKind>(99), 0)}) {
    const Pair pair;
    const Descriptor sender(pair.ends[0]);
    SessionChannel receiver{Descriptor(pair.ends[1])};
    REQUIRE(::write(sender.fd, header.data(), header.size()) == static_cast<ssize_t>(header.size()));
    CHECK_FALSE(receiver.receive());
    CHECK(receiver.closed());
  }
}

TEST_CASE("the end of the other side is noticed") {
  const Pair pair;
  SessionChannel channel{Descriptor(pair.ends[1])};
  ::close(pair.ends[0]);
  CHECK_FALSE(channel.receive());
  CHECK(channel.closed());
  CHECK_FALSE(channel.send(MessageKind::text, "x"));
}
