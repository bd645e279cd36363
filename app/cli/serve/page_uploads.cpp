#include "app/cli/serve/page_uploads.hpp"

#include <span>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <nlohmann/json.hpp>

#include "core/base/platform/file_io.hpp"

namespace kino {

void PageUploads::answer(std::string_view state) {
  channel_.send(SessionMessage::Kind::text,
                nlohmann::json{{"t", "upload"}, {"state", std::string(state)}}.dump());
}

void PageUploads::begin(const UploadRequest& request) {
  remove_incomplete();
  if (request.bytes > left_bytes_) return fail("limit");
  if (drop_folder_.empty()) drop_folder_ = folder_.make_folder();
  if (drop_folder_.empty()) return fail("failed");
  std::filesystem::path path = drop_folder_ / plain_name(request.name);
  std::error_code code;
  if (std::filesystem::exists(path, code)) path = folder_.path_for(request.name);
  file_ = Descriptor(::open(path.c_str(), O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC | O_NOFOLLOW, 0600));
  if (file_.fd < 0) return fail("failed");
  path_ = std::move(path);
  size_ = request.bytes;
  received_ = 0;
  last_ = request.last;
  left_bytes_ -= size_;
  if (size_ == 0) return complete();
  answer("send");
}

void PageUploads::take(std::string_view piece) {
  if (path_.empty()) return;
  const bool fits = piece.size() <= size_ - received_;
  if (!fits || write_all(file_.fd, std::as_bytes(std::span(piece)))) return fail("failed");
  received_ += piece.size();
  answer("taken");
  if (received_ == size_) complete();
}

void PageUploads::complete() {
  file_ = Descriptor();
  complete_.push_back(std::exchange(path_, {}));
  all_complete_ = last_;
  drop_bytes_ = last_ ? 0 : drop_bytes_ + size_;
  if (last_) drop_folder_.clear();
  answer("done");
}

void PageUploads::fail(std::string_view state) {
  cancel();
  answer(state);
}

void PageUploads::cancel() {
  remove_incomplete();
  drop_folder_.clear();
  if (all_complete_) return;
  std::error_code ignored;
  for (const std::filesystem::path& path : std::exchange(complete_, {}))
    std::filesystem::remove(path, ignored);
  left_bytes_ += std::exchange(drop_bytes_, 0);
}

void PageUploads::remove_incomplete() {
  if (path_.empty()) return;
  file_ = Descriptor();
  std::error_code ignored;
  std::filesystem::remove(std::exchange(path_, {}), ignored);
  left_bytes_ += size_;
}

std::vector<std::filesystem::path> PageUploads::take_complete() {
  if (!std::exchange(all_complete_, false)) return {};
  return std::exchange(complete_, {});
}

}  // namespace kino
