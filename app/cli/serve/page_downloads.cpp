#include "app/cli/serve/page_downloads.hpp"

#include <algorithm>
#include <span>
#include <system_error>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "app/system/window_talk.hpp"
#include "app/ui/text/texts.hpp"
#include "core/base/platform/file_io.hpp"
#include "core/base/terminal_text.hpp"

namespace kino {
namespace {

/// Size of the word 0 at the start of a piece. No record of a frame has the number 0.
constexpr std::size_t kMarkBytes = 4;

std::string json_text(const nlohmann::json& message) {
  return message.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

}  // namespace

PageDownloads::PageDownloads(SessionChannel& channel, SessionFolder& folder)
    : channel_(channel), folder_(folder) {
  set_file_downloads(this);
}

PageDownloads::~PageDownloads() { set_file_downloads(nullptr); }

void PageDownloads::add(const std::filesystem::path& path) {
  Result<Descriptor> file = open_to_read(path, Links::refused);
  std::error_code code;
  const std::uint64_t size = std::filesystem::file_size(path, code);
  if (!file || code || size > kMostBytes) {
    std::filesystem::remove_all(path.parent_path(), code);
    const Text why = file && size > kMostBytes ? Text::serve_too_large : Text::serve_no_saving;
    return show_toast(filled(why, {escaped(path.filename().string())}), true);
  }
  downloads_.push_back({path, std::move(file).value(), size});
  if (downloads_.size() == 1) begin();
}

void PageDownloads::add_picture(const std::string& name, const PictureArea& area) {
  channel_.send(SessionMessage::Kind::text,
                json_text({{"t", "picture"},
                           {"name", plain_name(name)},
                           {"area", {area.left, area.bottom, area.width, area.height}}}));
}

void PageDownloads::attach() {
  attached_ = true;
  begin();
}

/// Sends the first file from its beginning.
void PageDownloads::begin() {
  offset_ = 0;
  on_the_way_ = 0;
  if (downloads_.empty() || !attached_) return;
  const Download& first = downloads_.front();
  channel_.send(SessionMessage::Kind::text,
                json_text({{"t", "file"}, {"name", first.path.filename().string()}, {"size", first.size}}));
  send_pieces();
}

void PageDownloads::send_pieces() {
  while (attached_ && !downloads_.empty() && on_the_way_ < kMostPiecesOnTheWay) {
    const Download& first = downloads_.front();
    if (offset_ == first.size) {
      if (on_the_way_ > 0) return;
      return finish();
    }
    std::vector<std::byte> piece(kMarkBytes + std::min<std::uint64_t>(kPieceBytes, first.size - offset_));
    const std::span<std::byte> content = std::span(piece).subspan(kMarkBytes);
    const Result<std::size_t> got = read_at(first.file.fd, content, offset_);
    if (!got || got.value() != content.size()) {  // such as an error of the disk
      show_toast(filled(Text::serve_no_saving, {escaped(first.path.filename().string())}), true);
      return finish();
    }
    if (!channel_.send(SessionMessage::Kind::file, piece)) return;
    offset_ += content.size();
    ++on_the_way_;
  }
}

void PageDownloads::finish() {
  std::error_code ignored;
  std::filesystem::remove_all(downloads_.front().path.parent_path(), ignored);
  downloads_.pop_front();
  begin();
}

void PageDownloads::acknowledged() {
  if (on_the_way_ == 0) return;
  --on_the_way_;
  send_pieces();
}

}  // namespace kino
