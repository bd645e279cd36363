// Takes a transcript's pieces to where they belong: their events are told, and their text is written.
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
#include "loaders/formats/chrome_trace/told_events.hpp"
#include "loaders/formats/json_import/transcript_piece.hpp"

namespace kino {

/// Does so on a thread of its own, in the order in which they come, so that who reads the recording need not
/// wait for it: half of the time goes here. Holds at most four pieces. Used by one thread.
class TranscriptTeller {
 public:
  /// Both outlive this, and are left alone until finish() or the destructor has returned.
  TranscriptTeller(SpoolWriter& out, ToldEvents& events);
  TranscriptTeller(const TranscriptTeller&) = delete;
  TranscriptTeller& operator=(const TranscriptTeller&) = delete;
  /// Without finish() the document stays cut behind the last piece.
  ~TranscriptTeller();

  /// An empty piece, as soon as there is one.
  std::unique_ptr<TranscriptPiece> empty_piece() { return pieces_.to_fill(); }
  void take(std::unique_ptr<TranscriptPiece> piece) { pieces_.filled(std::move(piece)); }
  /// The last piece was taken, with the end of the document. Returns when all is done; throws what the thread
  /// has thrown.
  void finish();
  /// False when nothing more can or shall be written.
  bool good() const { return good_.load(std::memory_order_relaxed); }

 private:
  void run();
  void tell(const TranscriptPiece& piece);
  void end(bool closed);

  static constexpr std::size_t kMostPieces = 4;

  SpoolWriter& out_;
  ToldEvents& told_;
  BufferRelay<TranscriptPiece> pieces_{kMostPieces};
  std::atomic<bool> good_{true};
  bool closed_ = false;  // before the pieces end
  // Of the thread.
  std::uint64_t written_ = 0;
  std::exception_ptr failure_;
  std::thread thread_;
};

}  // namespace kino
