// Writes the records of a frame for the page of `kinetoscope serve`: little-endian words of 4 bytes.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

namespace kino {

/// Version of the records. A page with another version reloads itself. Change this number together with
/// assets/serve/page.html.
inline constexpr std::uint32_t kFrameVersion = 3;

/// First word of a record, followed by its fields in this order. Unless stated otherwise, a field is a word.
/// A blob is its number of bytes, followed by the bytes, padded to words.
enum class FrameRecord : std::uint32_t {
  program = 1,     ///< program, vertex shader (blob), fragment shader (blob), 3 sampler names (blobs)
  texture,         ///< texture, format, width, height: new content, which is zero until texels follow
  texels,          ///< texture, first row, number of rows, rows (blob)
  delete_texture,  ///< texture
  page,            ///< page: new content, which is unspecified
  page_texels,     ///< page, first texel, texels (blob)
  delete_page,     ///< page
  viewport,        ///< left, bottom, width, height; also the scissor
  scissor,         ///< left, bottom, width, height
  use,             ///< program
  uniform,         ///< uniform, type (0 float, 1 int, 2 unsigned), number of values, values
  bind_texture,    ///< unit, texture
  bind_page,       ///< page
  instances,       ///< number of instances
  whole_viewport,  ///< no fields
  /// slot, number of vertices, number of indices, vertices, indices; becomes current. The vertices are 5
  /// columns of words: x, y, u, v, color. Each x, y and index is the difference to the previous one, as an
  /// integer of its size. The indices have 2 bytes each and are padded to words.
  list,
  use_list,       ///< slot: becomes current
  triangles,      ///< texture, scissor (left, bottom, width, height), first index, indices, first vertex
  frame,          ///< width, height, color 0xAABBGGRR: begins a frame filled with this color
  end,            ///< no fields: the frame is complete
  uniform_names,  ///< number of names, names (blobs)
  mark,           ///< no fields: the pixels are those of a requested picture
};

class FrameWriter {
 public:
  void add(std::uint32_t word) {
    if constexpr (std::endian::native == std::endian::big) word = __builtin_bswap32(word);
    const std::size_t size = bytes_.size();
    bytes_.resize(size + sizeof word);
    std::memcpy(&bytes_[size], &word, sizeof word);
  }
  void add(std::int32_t value) { add(static_cast<std::uint32_t>(value)); }
  void add(float value) { add(std::bit_cast<std::uint32_t>(value)); }
  template <class... Fields>
  void record(FrameRecord kind, Fields... fields) {
    add(static_cast<std::uint32_t>(kind));
    (add(fields), ...);
  }
  /// Adds bytes that are little-endian already.
  void blob(std::span<const std::byte> bytes) {
    add(static_cast<std::uint32_t>(bytes.size()));
    bytes_.insert(bytes_.end(), bytes.begin(), bytes.end());
    bytes_.resize((bytes_.size() + 3) & ~std::size_t{3});
  }
  void blob(std::string_view text) { blob(std::as_bytes(std::span(text))); }

  const std::vector<std::byte>& bytes() const { return bytes_; }
  std::vector<std::byte> take() { return std::exchange(bytes_, {}); }

 private:
  std::vector<std::byte> bytes_;
};

}  // namespace kino
