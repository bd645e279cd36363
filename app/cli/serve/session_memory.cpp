#include "app/cli/serve/session_memory.hpp"

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <exception>
#include <new>
#include <string>

#include <imgui.h>
#include <nlohmann/json.hpp>

#include "core/base/byte_text.hpp"
#include "core/base/platform/process_limits.hpp"
#include "core/base/platform/space.hpp"

namespace kino {
namespace {

/// Made while there is memory.
struct LastMessage {
  SessionChannel* channel = nullptr;
  std::string text;
  std::terminate_handler otherwise = nullptr;
};

// Global, since a handler of std::terminate() has no arguments.
LastMessage& last_message() {
  static LastMessage message;
  return message;
}

/// Dear ImGui uses the memory without a check.
void* allocate_or_throw(std::size_t bytes, void* /*user*/) {
  void* const memory = std::malloc(bytes);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}

/// Handles std::bad_alloc that leaves a thread or a destructor. The JSON library allocates in destructors.
[[noreturn]] void end_by_terminate() {
  if (const std::exception_ptr error = std::current_exception()) {
    try {
      std::rethrow_exception(error);
    } catch (const std::bad_alloc&) {
      end_out_of_memory();
    } catch (...) {
      last_message().otherwise();
    }
  }
  last_message().otherwise();
  std::abort();
}

}  // namespace

void report_out_of_memory(SessionChannel& channel) {
  const std::uint64_t limit = memory_limit_bytes().value_or(memory_bytes());
  const nlohmann::json text{{"t", "end"}, {"why", "memory"}, {"limit", bytes_text(limit, ByteUnits::binary)}};
  last_message() = {&channel, text.dump(), std::set_terminate(end_by_terminate)};
  ImGui::SetAllocatorFunctions(allocate_or_throw, [](void* memory, void* /*user*/) { std::free(memory); });
}

void end_out_of_memory() {
  const LastMessage& last = last_message();
  // If another thread is sending at this moment, the server takes the end for a crash.
  if (last.channel != nullptr) last.channel->send(SessionMessage::Kind::end, last.text);
  std::_Exit(1);
}

}  // namespace kino
