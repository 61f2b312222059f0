#pragma once

// Only http_server.cpp includes this header, directly or through others, because Beast is slow to compile.
#include <algorithm>
#include <array>
#include <boost/asio/basic_stream_socket.hpp>
#include <boost/asio/basic_waitable_timer.hpp>
#include <boost/asio/dispatch.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ssl/stream.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <chrono>
#include <exception>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>  // must precede Asio of Boost 1.74, which uses std::exchange without it

#include "longrun/service/internal/deadline.h"
#include "longrun/service/internal/http_message.h"
#include "longrun/service/internal/request_reader.h"
#include "longrun/service/internal/server_core.h"

namespace longrun {

using Socket = boost::asio::basic_stream_socket<boost::asio::ip::tcp, Strand>;
using TlsSocket = boost::asio::ssl::stream<Socket>;
using Clock = Deadline::Clock;
using StrandTimer = boost::asio::basic_waitable_timer<Clock, boost::asio::wait_traits<Clock>, Strand>;

/// The time for which a closing connection reads what the client still sends. Without this, the client's system may
/// discard the answer; 2 s are several round trips around the world.
constexpr std::chrono::seconds kLingerTime{2};
/// The time for which a server that stops waits for the rest of a request and for readers of streams.
constexpr std::chrono::seconds kStopGrace{1};
constexpr std::size_t kHeaderChunk = std::size_t{2}
                                     << 10;  ///< bytes per read until a header is complete; most are smaller
constexpr std::size_t kBodyChunk = std::size_t{32} << 10;   ///< bytes per read of a body
constexpr std::size_t kWriteChunk = std::size_t{64} << 10;  ///< bytes per write of an answer
constexpr std::size_t kJoinedBody = std::size_t{16} << 10;  ///< a body up to this size is sent together with its header

/// A connection over TCP or TLS. It is a state machine; all private functions run on the strand of its socket, and at
/// most one of reading, handling and writing is under way, so requests are answered in order.
template <class Stream>
class SocketConnection final : public Connection, public std::enable_shared_from_this<SocketConnection<Stream>> {
  static constexpr bool kTls = std::is_same_v<Stream, TlsSocket>;
  using ErrorCode = boost::system::error_code;

 public:
  /// `refused`: the server has too many connections; this one is answered with 503 at once, and closed.
  SocketConnection(std::shared_ptr<ServerCore> core, Stream stream, bool refused)
      : core_(std::move(core)),
        stream_(std::move(stream)),
        strand_(stream_.get_executor()),
        timer_(strand_),
        refused_(refused),
        deadline_(core_->limits.minimum_rate) {}
  SocketConnection(const SocketConnection&) = delete;
  SocketConnection& operator=(const SocketConnection&) = delete;
  ~SocketConnection() override {
    if (state_ != State::closed) core_->remove(this, refused_);  // lost by an exception
  }

  void start() override {
    boost::asio::dispatch(strand_, [self = this->shared_from_this()] { self->begin(); });
  }
  void stop() override {
    core_->post(strand_, [self = this->shared_from_this()] { self->end_soon(); });
  }
  void answer(HttpResponse response) override {
    if (strand_.running_in_this_thread()) return respond(std::move(response));
    core_->post(strand_, [self = this->shared_from_this(), response = std::move(response)]() mutable {
      self->respond(std::move(response));
    });
  }
  void wake(const std::shared_ptr<StreamBuffer>& stream) override {
    core_->post(strand_, [self = this->shared_from_this(), stream] { self->flush(stream); });
  }

 private:
  enum class State {
    handshake,
    idle,       ///< no byte of a request has arrived
    reading,    ///< some have
    handling,   ///< the handler has the request
    writing,    ///< the answer
    streaming,  ///< server-sent events
    lingering,  ///< nothing more will be sent
    closed,
  };

  Socket& socket() {
    if constexpr (kTls) {
      return stream_.next_layer();
    } else {
      return stream_;
    }
  }

  // Deadlines.

  /// Sets the time after which the present state ends.
  void set_deadline(Clock::duration time) { set_deadline_at(Clock::now() + time); }
  void set_deadline_at(Clock::time_point time) {
    if (deadline_.set(time)) set_alarm();
  }
  void begin_transfer(Clock::duration longest_pause) {
    if (deadline_.begin_transfer(longest_pause)) set_alarm();
  }
  void note_transferred(std::size_t all_bytes, Clock::duration longest_pause) {
    if (deadline_.note_transferred(all_bytes, longest_pause)) set_alarm();
  }
  void set_alarm() {
    timer_.expires_at(deadline_.alarm());
    timer_.async_wait([self = this->shared_from_this()](ErrorCode error) {
      if (!error) self->on_alarm();
    });
  }
  void on_alarm() {
    const bool has_passed = deadline_.has_passed();
    if (state_ == State::closed) return;
    if (!has_passed) {
      if (deadline_.alarm() != Clock::time_point::max()) set_alarm();
      return;
    }
    switch (state_) {
      case State::reading:  // what waits for the socket now answers 408
        timed_out_ = true;
        socket().cancel(ignored_);
        break;
      case State::handling:
      case State::writing:
      case State::streaming:
        abort();
        break;
      default:
        close();
    }
  }
  /// Returns the time for what depends on the client, which is short once the server stops.
  Clock::duration client_time(Clock::duration time) const {
    return core_->stopping() ? std::min<Clock::duration>(time, kStopGrace) : time;
  }

  // Beginning and end.

  void begin() {
    if (core_->stopping()) deadline_.limit(Clock::now() + core_->limits.response_time);
    if constexpr (kTls) {
      set_deadline(client_time(core_->limits.request_time));
      stream_.async_handshake(boost::asio::ssl::stream_base::server,
                              [self = this->shared_from_this()](ErrorCode error) {
                                if (self->state_ == State::closed) return;
                                if (error) return self->close();
                                self->first_request();
                              });
    } else {
      first_request();
    }
  }

  void first_request() {
    if (!refused_) return next_request();
    began_ = Clock::now();
    refuse(503, "the server has too many connections; try again later");
  }

  /// Ends the connection because the server stops.
  void end_soon() {
    if (state_ == State::closed) return;
    deadline_.limit(Clock::now() + core_->limits.response_time);
    switch (state_) {
      case State::idle:
        if (!has_input()) return close();
        set_deadline(kStopGrace);
        break;
      case State::handshake:
      case State::reading:
        set_deadline_at(std::min<Clock::time_point>(deadline_.time(), Clock::now() + kStopGrace));
        break;
      case State::streaming:
        stream_buffer_->close();
        set_deadline(kStopGrace);
        flush(stream_buffer_);
        break;
      default:
        set_deadline_at(deadline_.time());
    }
  }

  /// Returns whether bytes of another request have arrived.
  bool has_input() { return buffer_.size() > 0 || socket().available(ignored_) > 0; }

  /// Closes the connection after the client has had time to read everything.
  void linger() {
    const bool discards = std::exchange(state_, State::lingering) == State::streaming;  // since the stream began
    set_deadline(client_time(kLingerTime));
    if constexpr (kTls) {
      stream_.async_shutdown([self = this->shared_from_this(), discards](ErrorCode) {
        if (self->state_ == State::closed) return;
        self->socket().shutdown(Socket::shutdown_send, self->ignored_);
        if (!discards) self->discard(self->socket());
      });
    } else {
      stream_.shutdown(Socket::shutdown_send, ignored_);
      if (!discards) discard(stream_);
    }
  }

  /// Reads and ignores bytes until the client closes.
  template <class From>
  void discard(From& from) {
    from.async_read_some(boost::asio::buffer(discarded_),
                         [self = this->shared_from_this(), &from](ErrorCode error, std::size_t) {
                           if (self->state_ == State::closed) return;
                           if (error) return self->close();
                           self->discard(from);
                         });
  }

  /// Closes the connection, and discards what the client has not received.
  void abort() {
    socket().set_option(boost::asio::socket_base::linger(true, 0), ignored_);
    close();
  }

  void close() {
    if (state_ == State::closed) return;
    state_ = State::closed;
    timer_.cancel();
    socket().close(ignored_);
    large_body_.reset();
    if (stream_buffer_) stream_buffer_->close();
    core_->remove(this, refused_);
  }

  // Requests.

  void next_request() {
    if (core_->stopping() && !has_input()) return linger();
    reader_.emplace(core_->limits);
    is_head_ = false;
    RequestReader::skip_line_breaks(buffer_);
    if (buffer_.size() > 0) {
      begin_reading();
      return parse();
    }
    state_ = State::idle;
    if (buffer_.capacity() > kHeaderChunk) buffer_.shrink_to_fit();  // little memory for idle connections
    set_deadline(client_time(core_->limits.idle_time));
    read();
  }

  void begin_reading() {
    state_ = State::reading;
    began_ = Clock::now();
    set_deadline(client_time(core_->limits.request_time));
  }

  void read() {
    const std::size_t chunk = reader_->has_header() ? kBodyChunk : kHeaderChunk;
    stream_.async_read_some(
        buffer_.prepare(chunk),
        [self = this->shared_from_this()](ErrorCode error, std::size_t bytes) { self->on_read(error, bytes); });
  }

  void on_read(ErrorCode error, std::size_t bytes) {
    if (state_ == State::closed) return;
    if (timed_out_) return refuse(408, "the request did not arrive in time");
    if (error) return close();
    buffer_.commit(bytes);
    if (reader_->has_header() && !core_->stopping())
      note_transferred(deadline_.transferred() + bytes, core_->limits.request_time);
    if (state_ == State::idle) {
      RequestReader::skip_line_breaks(buffer_);
      if (buffer_.size() == 0) return read();
      begin_reading();
    }
    parse();
  }

  /// Parses what has been read. Then reads more, or answers.
  void parse() {
    switch (reader_->read(buffer_)) {
      case RequestReader::Progress::incomplete:
        return read();
      case RequestReader::Progress::header_complete:
        return on_header();
      case RequestReader::Progress::continue_wanted:
        return send_continue();
      case RequestReader::Progress::refused:
        is_head_ = reader_->is_head();
        return refuse(reader_->refusal().status, reader_->refusal().detail);
      case RequestReader::Progress::complete:
        return dispatch();
    }
  }

  /// Decides whether the body is read, which is not kept for clients without permission.
  void on_header() {
    is_head_ = reader_->is_head();
    std::optional<HttpResponse> refusal;
    try {
      refusal = core_->handler.refuse(reader_->request());
    } catch (const std::exception& error) {
      core_->log(std::string("a request failed: ") + error.what());
      refusal = problem(500, "the server failed");
    }
    if (refusal) {
      keep_alive_ = reader_->is_complete() && reader_->keep_alive();
      state_ = State::handling;
      return respond(*std::move(refusal));
    }
    if (reader_->body_bytes() > core_->limits.body_bytes) {
      large_body_ = ServerCore::try_large_body(core_);
      if (!large_body_) return refuse(503, "the server reads as many large bodies as it can; try again later");
    }
    if (!reader_->is_complete() && !core_->stopping()) begin_transfer(core_->limits.request_time);
    parse();
  }

  void send_continue() {
    static constexpr std::string_view kContinue = "HTTP/1.1 100 Continue\r\n\r\n";
    boost::asio::async_write(stream_, boost::asio::buffer(kContinue.data(), kContinue.size()),
                             [self = this->shared_from_this()](ErrorCode error, std::size_t) {
                               if (self->state_ == State::closed) return;
                               if (self->timed_out_) return self->refuse(408, "the request did not arrive in time");
                               if (error) return self->close();
                               self->parse();
                             });
  }

  /// Passes a complete request to the handler.
  void dispatch() {
    keep_alive_ = reader_->keep_alive();
    is_head_ = reader_->is_head();
    HttpRequest request = reader_->take();
    reader_.reset();
    state_ = State::handling;
    set_deadline_at(deadline_.latest());
    const auto answering =
        std::make_shared<Answering>(core_, this->shared_from_this(), std::exchange(large_body_, nullptr));
    try {
      if (core_->handler.is_stream(request)) {
        if (!is_head_) return open_stream(request, answering);
        answering->dismiss();
        keep_alive_ = false;
        return send(stream_head(), "");
      }
      core_->handler.handle(std::move(request),
                            [answering](HttpResponse response) { answering->answer(std::move(response)); });
    } catch (const std::exception& error) {
      answering->fail(error.what());
    } catch (...) {
      answering->fail("an exception of unknown type");
    }
  }

  // Answers.

  /// Answers without the handler.
  void refuse(int status, std::string_view detail) {
    RefusedRequest refused{.status = status, .time = Clock::now() - began_};
    if (reader_) {
      refused.method = reader_->received().method;
      refused.path = reader_->received().path;
    }
    core_->note_refused(refused);
    large_body_.reset();
    keep_alive_ = false;  // where the next request begins is unknown
    HttpResponse response = problem(status, detail);
    if (status == 503) response.headers.emplace_back("retry-after", "1");
    write(std::move(response));
  }

  void respond(HttpResponse response) {
    if (state_ != State::handling) return;
    const std::string fault = fault_of(response);
    if (!fault.empty()) {
      core_->log("an answer could not be sent: " + fault);
      response = problem(500, "the server failed");
    }
    write(std::move(response));
  }

  void write(HttpResponse response) {
    if (core_->stopping() && !has_input()) keep_alive_ = false;
    std::string head = response_head(response, keep_alive_);
    if (is_head_ || !has_body(response.status)) response.body.clear();
    send(std::move(head), std::move(response.body));
  }

  /// Returns the function that is called after each part that the system took of what is written. It returns how many
  /// bytes the next part may have.
  auto write_progress() {
    return [this](ErrorCode error, std::size_t sent) -> std::size_t {
      const bool may_go_on = state_ == State::writing || (state_ == State::streaming && !core_->stopping());
      if (may_go_on && sent > deadline_.transferred()) note_transferred(sent, core_->limits.response_time);
      return error ? 0 : kWriteChunk;
    };
  }

  void send(std::string head, std::string body) {
    state_ = State::writing;
    outgoing_ = std::move(head);
    body_ = std::move(body);
    if (body_.size() <= kJoinedBody) outgoing_ += std::exchange(body_, {});
    begin_transfer(core_->limits.response_time);
    const std::array<boost::asio::const_buffer, 2> parts{boost::asio::buffer(outgoing_), boost::asio::buffer(body_)};
    boost::asio::async_write(stream_, parts, write_progress(),
                             [self = this->shared_from_this()](ErrorCode error, std::size_t) {
                               if (self->state_ == State::closed) return;
                               if (error) return self->close();
                               self->outgoing_ = {};  // may be large
                               self->body_ = {};
                               if (!self->keep_alive_) return self->linger();
                               self->next_request();
                             });
  }

  // Streams.

  void open_stream(const HttpRequest& request, const std::shared_ptr<Answering>& answering) {
    const auto buffer = std::make_shared<StreamBuffer>(core_->limits.stream_bytes);
    std::optional<HttpResponse> refusal;
    bool is_held = false;
    try {
      const auto stream = std::make_shared<ConnectionStream>(this->shared_from_this(), buffer, answering);
      refusal = core_->handler.open_stream(request, stream);
      is_held = stream->is_held();
      if (refusal) buffer->close();
    } catch (...) {
      buffer->close();
      throw;
    }
    if (refusal) return answering->answer(std::move(*refusal));
    stream_buffer_ = buffer;
    if (is_held) return;  // flush() begins it
    answering->dismiss();
    begin_stream();
  }

  void begin_stream() {
    state_ = State::streaming;
    keep_alive_ = false;
    outgoing_ = stream_head();
    write_stream(0);
    buffer_.clear();
    discard(stream_);  // finds out that the client has gone
  }

  /// Sends what the handler has sent, or ends the stream.
  void flush(const std::shared_ptr<StreamBuffer>& stream) {
    if (stream != stream_buffer_) return;
    if (state_ == State::handling) return begin_stream();  // it was held until now
    if (state_ != State::streaming) return;
    if (stream->overflowed()) return abort();
    if (!outgoing_.empty()) return;       // being written; this function follows
    const bool open = stream->is_open();  // before take(): what was sent before close() is taken
    outgoing_ = stream->take();
    if (!outgoing_.empty()) return write_stream(outgoing_.size());
    if (!open) return linger();
    set_deadline_at(deadline_.latest());
  }

  /// Writes outgoing_, of which `counted` bytes are from stream_buffer_.
  void write_stream(std::size_t counted) {
    begin_transfer(client_time(core_->limits.response_time));
    boost::asio::async_write(stream_, boost::asio::buffer(outgoing_), write_progress(),
                             [self = this->shared_from_this(), counted](ErrorCode error, std::size_t) {
                               if (self->state_ == State::closed) return;
                               if (error) return self->close();
                               self->stream_buffer_->sent(counted);
                               self->outgoing_.clear();
                               self->flush(self->stream_buffer_);
                             });
  }

  const std::shared_ptr<ServerCore> core_;  ///< the first member, because sockets and timers need its context
  Stream stream_;
  const Strand strand_;
  StrandTimer timer_;
  const bool refused_;
  State state_ = State::handshake;
  Deadline deadline_;       ///< of the present state
  bool timed_out_ = false;  ///< the deadline passed while reading
  ErrorCode ignored_;

  boost::beast::flat_buffer buffer_;     ///< read, but not parsed
  std::optional<RequestReader> reader_;  ///< of the request that is being read
  Clock::time_point began_;              ///< when its first byte arrived
  ServerCore::LargeBody large_body_;     ///< while a large body is read
  bool is_head_ = false;                 ///< that request is answered without a body
  bool keep_alive_ = true;               ///< another request may follow

  std::string outgoing_;  ///< being written
  std::string body_;      ///< being written after outgoing_
  std::shared_ptr<StreamBuffer> stream_buffer_;
  std::array<char, 512> discarded_;
};

}  // namespace longrun
