// Passes the events of pieces to the trace builder, and writes the pieces' text.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <thread>
#include <utility>

#include "loaders/bytes/buffer_relay.hpp"
#include "loaders/bytes/spool_writer.hpp"
#include "loaders/formats/chrome_trace/event_sink.hpp"
#include "loaders/formats/json_import/transcript_piece.hpp"

namespace kino {

/// Works through pieces in order on a separate thread, so that the recording is read at the same time. Holds
/// at most four pieces.
class JsonEventWriter {
 public:
  /// Both arguments must outlive this object, and must not be used before finish() or the destructor returns.
  JsonEventWriter(SpoolWriter& out, EventSink& events);
  JsonEventWriter(const JsonEventWriter&) = delete;
  JsonEventWriter& operator=(const JsonEventWriter&) = delete;
  /// If finish() was not called, the document is truncated after the last piece.
  ~JsonEventWriter();

  /// Returns an empty piece; waits if none is free.
  std::unique_ptr<TranscriptPiece> empty_piece() { return pieces_.next_empty(); }
  void take(std::unique_ptr<TranscriptPiece> piece) { pieces_.filled(std::move(piece)); }
  /// Call after the last piece, which includes the end of the document. Waits for the thread, and rethrows
  /// its exception.
  void finish();
  /// Returns false after an error, or once a limit was reached.
  bool good() const { return good_.load(std::memory_order_relaxed); }

 private:
  void run();
  void tell(const TranscriptPiece& piece);
  void end(bool closed);

  static constexpr std::size_t kMostPieces = 4;

  SpoolWriter& out_;
  EventSink& events_;
  BufferRelay<TranscriptPiece> pieces_{kMostPieces};
  std::atomic<bool> good_{true};
  bool closed_ = false;  // set before the pieces end
  // Used only by the thread:
  std::uint64_t written_ = 0;
  std::exception_ptr failure_;
  std::thread thread_;
};

}  // namespace kino
