#include "longrun/service/http_client.h"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "longrun/base/input_error.h"
#include "longrun/base/system_error.h"
#include "tests/error_of.h"
#include "tests/made_certificate.h"

namespace longrun {
namespace {

using std::chrono::milliseconds;

/// A server whose answers a test defines. It runs while the object lives.
class AnsweringServer : HttpHandler {
 public:
  explicit AnsweringServer(std::function<HttpResponse(const HttpRequest&)> answer, const HttpOptions& options = {})
      : answer_(std::move(answer)), server_(options, *this), thread_([this] { server_.run(); }) {}
  ~AnsweringServer() override {
    server_.stop();
    thread_.join();
  }
  std::uint16_t port() const { return server_.port(); }
  std::string url() const { return "http://127.0.0.1:" + std::to_string(server_.port()); }

 private:
  void handle(HttpRequest request, std::function<void(HttpResponse)> respond) override { respond(answer_(request)); }
  bool is_stream(const HttpRequest& /*request*/) const override { return false; }
  std::optional<HttpResponse> open_stream(const HttpRequest& /*request*/,
                                          std::shared_ptr<EventStream> /*stream*/) override {
    return std::nullopt;
  }

  std::function<HttpResponse(const HttpRequest&)> answer_;
  HttpServer server_;
  std::thread thread_;
};

TEST(BlockingHttpClient, SendsWhatItIsGivenAndReturnsTheAnswer) {
  HttpRequest seen;
  const AnsweringServer server([&](const HttpRequest& request) {
    seen = request;
    return HttpResponse{.status = 201,
                        .content_type = "text/csv",
                        .body = std::string(3'000'000, 'x'),
                        .headers = {{"Idempotent-Replayed", "true"}}};
  });
  const BlockingHttpClient client(server.url() + "/under/");
  const HttpRequest request{.method = "PUT",
                            .path = "/v1/two words",
                            .query = {{"compare", "minimum_share +0.1&x"}, {"empty", ""}},
                            .headers = {{"Idempotency-Key", "k 1"}, {"Content-Type", "application/json"}},
                            .body = "{\"a\": 1}"};
  const HttpResponse response = client.send(request, milliseconds(10'000));
  EXPECT_EQ(response.status, 201);
  EXPECT_EQ(response.content_type, "text/csv");
  EXPECT_EQ(response.body.size(), 3'000'000U);
  EXPECT_NE(std::find(response.headers.begin(), response.headers.end(),
                      std::pair<std::string, std::string>("idempotent-replayed", "true")),
            response.headers.end());
  EXPECT_EQ(seen.method, "PUT");
  EXPECT_EQ(seen.path, "/under/v1/two words");
  EXPECT_EQ(seen.query, request.query);
  EXPECT_EQ(seen.body, request.body);
  ASSERT_NE(seen.header("idempotency-key"), nullptr);
  EXPECT_EQ(*seen.header("idempotency-key"), "k 1");
}

TEST(BlockingHttpClient, SendsTheSameRequestUntilTheServerIsAvailable) {
  std::atomic<int> requests = 0;
  const AnsweringServer server([&](const HttpRequest& request) {
    EXPECT_EQ(*request.header("idempotency-key"), "k");
    return HttpResponse{.status = ++requests < 3 ? 503 : 201};
  });
  const BlockingHttpClient client(server.url());
  const HttpRequest request{.method = "POST", .path = "/", .headers = {{"idempotency-key", "k"}}};
  EXPECT_EQ(client.send_until_answered(request, milliseconds(10'000), milliseconds(60'000)).status, 201);
  EXPECT_EQ(requests, 3);
  requests = -1000;
  EXPECT_EQ(client.send_until_answered(request, milliseconds(10'000), milliseconds(0)).status, 503);
  EXPECT_EQ(requests, -999);
}

TEST(BlockingHttpClient, NamesTheServerThatDoesNotAnswer) {
  std::string url;
  {
    const AnsweringServer server([](const HttpRequest&) { return HttpResponse{}; });
    url = server.url();
  }
  const BlockingHttpClient client(url);
  EXPECT_EQ(error_of<SystemError>([&] { client.send({.method = "GET", .path = "/"}, milliseconds(10'000)); }),
            url + ": Connection refused");
  EXPECT_THROW(client.send_until_answered({.method = "GET", .path = "/"}, milliseconds(10'000), milliseconds(150)),
               SystemError);
}

TEST(BlockingHttpClient, SpeaksTlsOnlyWithAServerWhoseCertificateIsTrusted) {
  const CertificateFiles files = made_certificate("client_test");
  const CertificateFiles others = made_certificate("client_test_other");
  std::atomic<int> requests = 0;
  const AnsweringServer server(
      [&](const HttpRequest& request) {
        ++requests;
        return HttpResponse{.body = request.body + std::string(3'000'000, 'x')};
      },
      {.certificate_file = files.certificate, .key_file = files.key});
  const std::string port = std::to_string(server.port());
  const auto send = [&](const std::string& host, const std::string& authority) {
    return BlockingHttpClient("https://" + host + ":" + port, authority)
        .send({.method = "POST", .path = "/", .body = std::string(500'000, 'y')}, milliseconds(10'000));
  };
  EXPECT_EQ(send("localhost", files.certificate).body.size(), 3'500'000U);
  EXPECT_EQ(requests, 1);
  const auto refused = [&](const std::string& host, const std::string& authority) {
    const std::string message = error_of<InputError>([&] { send(host, authority); });
    const std::string begin = "https://" + host + ":" + port + ": the certificate of the server is not accepted: ";
    EXPECT_TRUE(message.starts_with(begin)) << message;
    return message.substr(std::min(begin.size(), message.size()));
  };
  EXPECT_EQ(refused("127.0.0.1", files.certificate), "IP address mismatch");
  EXPECT_FALSE(refused("localhost", others.certificate).empty());
  EXPECT_FALSE(refused("localhost", "").empty());  // the system does not trust it
  EXPECT_EQ(requests, 1);                          // nothing was sent to these
  EXPECT_EQ(error_of<InputError>([&] { BlockingHttpClient("https://localhost", files.key); }),
            files.key + ": not a certificate in PEM form");
  EXPECT_THROW(BlockingHttpClient("https://localhost", "absent.pem"), InputError);
  EXPECT_EQ(error_of<InputError>([&] { BlockingHttpClient("http://localhost", files.certificate); }),
            "URL 'http://localhost': a certificate is checked only with https");
}

TEST(BlockingHttpClient, RefusesOtherUrls) {
  for (const char* url : {"", "localhost:8042", "http://", "http:///x", "http://localhost:", "http://localhost:0",
                          "http://localhost:65536", "http://localhost:x", "http://a b", "http://me@localhost",
                          "http://localhost/?a=b", "http://[::1", "ftp://localhost"}) {
    EXPECT_EQ(error_of<InputError>([&] { BlockingHttpClient client{url}; }),
              std::string("URL '") + url + "': must be one such as http://127.0.0.1:8042");
  }
  EXPECT_NO_THROW(BlockingHttpClient("https://localhost"));
  EXPECT_NO_THROW(BlockingHttpClient("http://[::1]:8042/"));
  EXPECT_NO_THROW(BlockingHttpClient("http://localhost"));
}

}  // namespace
}  // namespace longrun
