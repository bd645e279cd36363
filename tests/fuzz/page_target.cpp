// Covers: page_message, page_keys, session_channel, remote_input
// Fuzz target: the lines of the input are messages of a page of `kinetoscope serve`, and its bytes are what
// the process of a session receives.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <string_view>

#include <imgui.h>
#include <sys/socket.h>

#include "app/cli/serve/page_message.hpp"
#include "app/cli/serve/session_channel.hpp"
#include "app/ui/backend/remote_input.hpp"
#include "tests/fuzz/memory_file.hpp"

using kino::SessionChannel;
using kino::SessionMessage;
using kino_test::require;

namespace {

constexpr std::size_t kMostBytes = 32 << 10;  // fits the buffer of a socket, so that sending never waits
constexpr int kMostLines = 200;
constexpr int kMostFrames = 50;

void begin_interface() {
  static const bool begun = [] {
    ImGui::CreateContext();
    ImGuiIO& io = ImGui::GetIO();
    io.IniFilename = nullptr;
    io.DisplaySize = ImVec2(1000, 600);
    io.DeltaTime = 0.02F;
    unsigned char* pixels = nullptr;
    int width = 0;
    int height = 0;
    io.Fonts->GetTexDataAsAlpha8(&pixels, &width, &height);
    return true;
  }();
  static_cast<void>(begun);
}

void draw_frames(kino::RemoteInput& input) {
  for (int i = 0; i < kMostFrames && !input.empty(); ++i) {
    input.begin_frame();
    ImGui::NewFrame();
    ImGui::EndFrame();
  }
}

bool usable(const kino::PageSize& size) {
  return size.width >= 64 && size.width <= 16384 && size.height >= 64 && size.height <= 16384 &&
         size.ratio >= 0.5F && size.ratio <= 4;
}

void take_line(std::string_view line, kino::RemoteInput& input) {
  if (const auto hello = kino::parse_hello(line)) {
    require(usable(hello->size), "a hello has an unusable size");
    require(hello->largest_texture >= 2048 && hello->largest_texture <= 16384, "an unusable texture size");
    require(hello->open.size() <= 64, "a hello opens too many files");
  }
  if (const auto message = kino::parse_page_message(line, input)) {
    require(usable(message->size), "a message has an unusable size");
    require(message->request.bytes <= 1'000'000'000'000'000, "an upload has an unusable size");
  }
}

void take_lines(std::string_view text) {
  kino::RemoteInput input;
  for (int i = 0; i < kMostLines && !text.empty(); ++i) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    take_line(text.substr(0, end), input);
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  // Releases of keys and buttons are queued beyond the limit.
  require(input.size() <= kino::RemoteInput::kMostQueued + 1000, "the queue of input grows without limit");
  draw_frames(input);
  const ImVec2 mouse = ImGui::GetIO().MousePos;
  require(std::isfinite(mouse.x) && std::isfinite(mouse.y), "the position of the mouse is not finite");
}

struct Pair {
  int ends[2] = {-1, -1};
  Pair() { require(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) == 0, "no sockets"); }
};

/// The process of a session receives any bytes.
void receive_bytes(std::string_view bytes) {
  const Pair pair;
  SessionChannel channel{kino::Descriptor(pair.ends[1])};
  {
    const kino::Descriptor sender(pair.ends[0]);
    require(::send(sender.fd, bytes.data(), bytes.size(), MSG_NOSIGNAL) == static_cast<ssize_t>(bytes.size()),
            "the bytes do not fit the buffer");
  }
  std::size_t received = 0;
  while (const auto message = channel.receive())
    received += SessionMessage::kHeaderBytes + message->content.size();
  require(received <= bytes.size(), "more bytes arrive than were sent");
  require(!channel.receive() && channel.closed(), "the end of the channel is not noticed");
}

/// A message arrives as it was sent, with what follows it.
void exchange(std::string_view text) {
  const Pair pair;
  SessionChannel a{kino::Descriptor(pair.ends[0])};
  SessionChannel b{kino::Descriptor(pair.ends[1])};
  const bool sent = a.send(SessionMessage::Kind::text, text) && a.send(SessionMessage::Kind::detach, "");
  require(sent, "a message is not sent");
  const auto first = b.receive();
  require(first && first->kind == SessionMessage::Kind::text && first->content == text,
          "a message arrives changed");
  const auto second = b.receive();
  require(second && second->kind == SessionMessage::Kind::detach && second->content.empty(),
          "the next message is lost");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), std::min(size, kMostBytes));
  begin_interface();
  take_lines(text);
  receive_bytes(text);
  exchange(text);
  return 0;
}
