// Takes a transcript's pieces to where they belong: their events are told, and their text is written.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <exception>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "loaders/bytes/spool_writer.hpp"
#include "loaders/chrome_trace/told_events.hpp"
#include "loaders/transcript/transcript_piece.hpp"

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
  std::unique_ptr<TranscriptPiece> empty_piece();
  void take(std::unique_ptr<TranscriptPiece> piece);
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
  std::atomic<bool> good_{true};
  std::uint64_t written_ = 0;  // of the thread

  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::unique_ptr<TranscriptPiece>> waiting_;  // guarded by mutex_
  std::vector<std::unique_ptr<TranscriptPiece>> empty_;   // guarded by mutex_
  std::size_t pieces_ = 0;                                // that there are
  bool ended_ = false;                                    // guarded by mutex_
  bool closed_ = false;                                   // guarded by mutex_
  std::exception_ptr failure_;                            // of the thread
  std::thread thread_;
};

}  // namespace kino
