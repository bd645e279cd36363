// Covers: recording_gpu, frame_writer, es_shader_sources
#include "render/recording_gpu.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <vector>

#include <doctest/doctest.h>

#include "render/es_shader_sources.hpp"

using kino::FrameRecord;
using kino::RecordingGpu;
using kino::ShaderProgram;
using kino::TexelFormat;

namespace {

std::vector<std::uint32_t> words_of(const std::vector<std::byte>& bytes) {
  REQUIRE(bytes.size() % 4 == 0);
  std::vector<std::uint32_t> words(bytes.size() / 4);
  std::memcpy(words.data(), bytes.data(), bytes.size());
  return words;
}

/// Draws nothing; returns the words of the records since the last frame, without those of the frame itself.
std::vector<std::uint32_t> frame(RecordingGpu& gpu) {
  gpu.begin_frame(1, 1, 0);
  std::vector<std::uint32_t> words = words_of(gpu.end_frame());
  REQUIRE(words.size() >= 5);
  CHECK(words.back() == static_cast<std::uint32_t>(FrameRecord::end));
  words.resize(words.size() - 5);
  return words;
}

std::uint32_t number(FrameRecord record) { return static_cast<std::uint32_t>(record); }

}  // namespace

TEST_CASE("a texture is sent once, and then only its changed rows") {
  RecordingGpu gpu(4096);
  frame(gpu);
  const std::uint32_t texture = gpu.make_texture();
  std::array<std::uint32_t, 6> texels{1, 2, 3, 4, 5, 6};  // 2 columns, 3 rows
  const auto set = [&] {
    gpu.set_texture(texture, TexelFormat::rgba8, 2, 3, std::as_bytes(std::span(texels)));
  };
  set();
  CHECK(frame(gpu) == std::vector<std::uint32_t>{number(FrameRecord::texture), texture, 0, 2, 3,
                                                 number(FrameRecord::texels), texture, 0, 3, 24, 1, 2, 3, 4,
                                                 5, 6});
  set();
  CHECK(frame(gpu).empty());
  texels[3] = 40;
  set();
  CHECK(frame(gpu) == std::vector<std::uint32_t>{number(FrameRecord::texels), texture, 1, 1, 8, 3, 40});
}

TEST_CASE("a texture with too few texels is filled with zeros") {
  RecordingGpu gpu(4096);
  frame(gpu);
  const std::uint32_t texture = gpu.make_texture();
  const std::array<std::byte, 3> texels{std::byte{1}, std::byte{2}, std::byte{3}};
  gpu.set_texture(texture, TexelFormat::r8ui, 2, 2, texels);
  const std::vector<std::uint32_t> words = frame(gpu);
  CHECK(words.back() == 0x00030201);
}

TEST_CASE("pages are sent once, and a new page of a browser gets everything again") {
  RecordingGpu gpu(4096);
  gpu.prepare(ShaderProgram::memory);
  gpu.prepare(ShaderProgram::memory);
  const std::uint32_t page = gpu.make_page();
  const std::array<std::uint32_t, 8> texels{1, 2, 3, 4, 5, 6, 7, 8};
  gpu.write_page(page, 0, std::as_bytes(std::span(texels)));
  gpu.write_page(page, 2, std::as_bytes(std::span(texels).first<4>()));
  const std::uint32_t texture = gpu.make_texture();
  gpu.set_texture(texture, TexelFormat::rgba8, 1, 1, std::as_bytes(std::span(texels).first<1>()));
  frame(gpu);
  CHECK(frame(gpu).empty());
  gpu.resend();
  const std::vector<std::uint32_t> words = frame(gpu);
  CHECK(words.front() == number(FrameRecord::uniform_names));
  const std::vector<std::uint32_t> tail{number(FrameRecord::page),
                                        page,
                                        number(FrameRecord::page_texels),
                                        page,
                                        0,
                                        48,
                                        1,
                                        2,
                                        3,
                                        4,
                                        5,
                                        6,
                                        7,
                                        8,
                                        1,
                                        2,
                                        3,
                                        4};
  REQUIRE(words.size() > tail.size());
  CHECK(std::equal(tail.rbegin(), tail.rend(), words.rbegin()));
}

TEST_CASE("deleted objects are not sent again") {
  RecordingGpu gpu(4096);
  const std::uint32_t page = gpu.make_page();
  gpu.delete_page(page);
  const std::uint32_t texture = gpu.make_texture();
  gpu.set_texture(texture, TexelFormat::rgba8, 1, 1, {});
  gpu.delete_texture(texture);
  frame(gpu);
  gpu.resend();
  RecordingGpu empty(4096);
  CHECK(frame(gpu) == frame(empty));
}

TEST_CASE("drawing is recorded in order") {
  RecordingGpu gpu(4096);
  frame(gpu);
  gpu.begin_frame(8, 6, 0xff010203);
  gpu.begin_drawing({1, 2, 3, 4});
  gpu.use(ShaderProgram::counter);
  gpu.set(kino::Uniform::size, std::array<std::int32_t, 2>{-1, 7});
  gpu.bind_page(9);
  gpu.draw_instances(5);
  CHECK(words_of(gpu.end_frame()) ==
        std::vector<std::uint32_t>{number(FrameRecord::frame),
                                   8,
                                   6,
                                   0xff010203,
                                   number(FrameRecord::viewport),
                                   1,
                                   2,
                                   3,
                                   4,
                                   number(FrameRecord::use),
                                   2,
                                   number(FrameRecord::uniform),
                                   static_cast<std::uint32_t>(kino::Uniform::size),
                                   1,
                                   2,
                                   0xffffffff,
                                   7,
                                   number(FrameRecord::bind_page),
                                   9,
                                   number(FrameRecord::instances),
                                   5,
                                   number(FrameRecord::end)});
}

TEST_CASE("no shader of a browser uses buffer textures or the version of OpenGL") {
  for (std::size_t i = 0; i < kino::kShaderPrograms; ++i) {
    const kino::ShaderSource source = kino::es_shader_source(static_cast<ShaderProgram>(i));
    for (const std::string& text : {source.vertex, source.fragment}) {
      CHECK(text.starts_with("#version 300 es\n"));
      CHECK(text.find("Buffer") == std::string::npos);
      CHECK(text.find("330") == std::string::npos);
      CHECK(text.find("texelFetch(instances, int") == std::string::npos);
    }
  }
}

TEST_CASE("marked pixels are a record of the frame") {
  RecordingGpu gpu(4096);
  gpu.end_frame();
  gpu.begin_frame(8, 4, 0);
  gpu.mark_pixels();
  const std::vector<std::uint32_t> words = words_of(gpu.end_frame());
  CHECK(words == std::vector<std::uint32_t>{number(FrameRecord::frame), 8, 4, 0, number(FrameRecord::mark),
                                            number(FrameRecord::end)});
}
