#include "loaders/bytes/text_source.hpp"

namespace kino {

Result<std::string> TextSource::read_text(std::uint64_t offset, std::size_t length) const {
  std::string text(length, '\0');
  Result<std::size_t> got = read(offset, {text.data(), text.size()});
  if (!got) return got.error();
  text.resize(*got);
  return text;
}

std::vector<std::uint64_t> TextSource::cuts(std::uint64_t bytes) const {
  std::vector<std::uint64_t> begins;
  for (std::uint64_t at = 0; at < size_bytes(); at += bytes) begins.push_back(at);
  return begins;
}

}  // namespace kino
