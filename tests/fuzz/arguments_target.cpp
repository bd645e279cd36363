// Covers: args_reader, argument_search
// Fuzz target: the input is a line KEY=VALUE followed by an event. The search in arguments and the details
// reader read the event.
#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>

#include "core/base/ascii.hpp"
#include "loaders/bytes/file_source.hpp"
#include "loaders/bytes/text_needle.hpp"
#include "loaders/formats/chrome_trace/args_reader.hpp"
#include "loaders/formats/chrome_trace/argument_search.hpp"
#include "tests/fuzz/memory_file.hpp"

namespace {

/// Lower case, as the search bar converts.
std::string lower(std::string_view text) {
  std::string out(text);
  std::transform(out.begin(), out.end(), out.begin(), kino::lower);
  return out;
}

std::size_t found_simply(const std::string& text, const std::string& literal) {
  return lower(text).find(lower(literal));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using kino_test::require;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const std::size_t line_end = std::min(text.find('\n'), text.size());
  const std::string_view line = text.substr(0, line_end);
  const std::string event(text.substr(std::min(line_end + 1, text.size())));
  const std::size_t equals = line.find('=');
  kino::ArgumentTerm term;
  if (equals != std::string_view::npos) term.key = lower(line.substr(0, equals));
  term.value = lower(line.substr(equals == std::string_view::npos ? 0 : equals + 1));
  std::erase_if(term.key, [](char c) { return (c < 'a' || c > 'z') && (c < '0' || c > '9'); });
  if (!term.value.empty()) kino::event_has_arguments(event, {&term, 1});

  if (!line.empty()) {
    const kino::TextNeedle needle(line);
    require(needle.find_in(event) == found_simply(event, std::string(line)), "a literal is found elsewhere");
  }

  const kino_test::MemoryFile file(reinterpret_cast<const std::uint8_t*>(event.data()), event.size());
  kino::FileSource source{kino::Descriptor(::dup(file.fd()))};
  source.set_size_bytes(event.size());
  const auto tree = kino::read_event(source, 0);
  require(tree.ok() || !tree.error().what.str().empty(), "an event that cannot be read says nothing");
  return 0;
}
