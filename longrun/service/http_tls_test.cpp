// The server with TLS.
#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "longrun/service/http_server.h"
#include "tests/error_of.h"
#include "tests/http_client.h"
#include "tests/made_certificate.h"

namespace longrun {
namespace {

HttpOptions tls_options(const HttpLimits& limits = {}) {
  static const CertificateFiles files = made_certificate("server");
  return {.certificate_file = files.certificate, .key_file = files.key, .threads = 2, .limits = limits};
}

std::string tls_post(const std::string& body) {
  return "POST /a HTTP/1.1\r\nHost: h\r\nContent-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body;
}

TEST(HttpTls, AnswersRequestsSmallAndLarge) {
  FunctionHandler handler;
  RunningServer running(handler, tls_options());
  HttpClient client(running.port(), HttpClient::Tls::yes);
  for (const std::size_t size : {0U, 100U, 100'000U, 1'000'000U}) {
    const std::string body(size, 'x');
    EXPECT_TRUE(client.request(tls_post(body)).body == "POST /a " + body) << size;
  }
  client.send(tls_post("1") + tls_post("2"));
  EXPECT_EQ(client.answer().body, "POST /a 1");
  EXPECT_EQ(client.answer().body, "POST /a 2");
  client.send("GET / HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n");
  EXPECT_EQ(client.answer().status, 200);
  EXPECT_EQ(client.read_to_end(), "");
}

TEST(HttpTls, SendsStreams) {
  FunctionHandler handler;
  handler.on_stream = [](const std::shared_ptr<EventStream>& stream) -> std::optional<HttpResponse> {
    for (int i = 0; i < 1000; ++i) stream->send("data: x\n\n");
    return std::nullopt;
  };
  RunningServer running(handler, tls_options());
  HttpClient client(running.port(), HttpClient::Tls::yes);
  client.send("GET /stream HTTP/1.1\r\nHost: h\r\n\r\n");
  EXPECT_EQ(client.answer().status, 200);
  EXPECT_EQ(client.read_to_end().size(), 9000U);
}

TEST(HttpTls, AppliesTheLimits) {
  FunctionHandler handler;
  RunningServer running(
      handler, tls_options({.body_bytes = 10, .connections = 1, .request_time = std::chrono::milliseconds(300)}));
  {
    HttpClient client(running.port(), HttpClient::Tls::yes);
    EXPECT_EQ(client.request(tls_post("1")).status, 200);
    EXPECT_EQ(HttpClient(running.port(), HttpClient::Tls::yes).answer().status, 503);
    EXPECT_EQ(client.request(tls_post("12345678901")).status, 413);
  }
  EXPECT_TRUE(eventually([&] { return running.server().connections() == 0; }));
  HttpClient late(running.port(), HttpClient::Tls::yes);
  EXPECT_EQ(late.request("GET / HT").status, 408);
}

TEST(HttpTls, ClosesConnectionsThatDoNotSpeakIt) {
  FunctionHandler handler;
  RunningServer running(handler, tls_options({.request_time = std::chrono::milliseconds(200)}));
  HttpClient plain(running.port());
  plain.send("GET / HTTP/1.1\r\nHost: h\r\n\r\n");
  EXPECT_EQ(plain.read_to_end().find("HTTP"), std::string::npos);  // an alert of TLS at most
  EXPECT_EQ(HttpClient(running.port()).read_to_end(), "");         // sends nothing
  EXPECT_EQ(HttpClient(running.port(), HttpClient::Tls::yes).request(tls_post("a")).status, 200);
}

TEST(HttpTls, RefusesVersionsBefore12) {
  FunctionHandler handler;
  RunningServer running(handler, tls_options());
  for (const auto& [version, accepted] : {std::pair(TLS1_1_VERSION, false), std::pair(TLS1_2_VERSION, true)}) {
    // The client offers only this version, with the weak ciphers and signatures that old versions need.
    const std::shared_ptr<SSL_CTX> context(SSL_CTX_new(TLS_client_method()), SSL_CTX_free);
    SSL_CTX_set_security_level(context.get(), 0);
    SSL_CTX_set_min_proto_version(context.get(), version);
    SSL_CTX_set_max_proto_version(context.get(), version);
    const std::shared_ptr<BIO> connection(BIO_new_ssl_connect(context.get()), BIO_free_all);
    BIO_set_conn_hostname(connection.get(), ("127.0.0.1:" + std::to_string(running.port())).c_str());
    EXPECT_EQ(BIO_do_handshake(connection.get()) == 1, accepted) << version;
  }
}

TEST(HttpTls, StopsWithOpenConnections) {
  FunctionHandler handler;
  RunningServer running(handler, tls_options());
  HttpClient idle(running.port(), HttpClient::Tls::yes);
  EXPECT_EQ(idle.request(tls_post("a")).status, 200);
  HttpClient unfinished(running.port(), HttpClient::Tls::yes);
  unfinished.send("GET /");
  const HttpClient silent(running.port());
  EXPECT_TRUE(eventually([&] { return running.server().connections() == 3; }));
  running.stop();
  EXPECT_EQ(running.server().connections(), 0U);
  EXPECT_EQ(idle.read_to_end(), "");
}

TEST(HttpTls, NamesTheFileThatIsWrong) {
  FunctionHandler handler;
  const CertificateFiles files = made_certificate("right");
  const CertificateFiles other = made_certificate("other");
  const CertificateFiles rsa = made_certificate("rsa", "RSA");
  const CertificateFiles secret = made_certificate("secret", "EC", "passphrase");
  const std::string text = written("text.pem", "not PEM\n");
  const auto error = [&](const std::string& certificate, const std::string& key) {
    return error_of([&] { HttpServer({.certificate_file = certificate, .key_file = key}, handler); });
  };
  EXPECT_EQ(error(files.certificate, files.key), "no error");
  EXPECT_EQ(error(rsa.certificate, rsa.key), "no error");
  EXPECT_TRUE(error("absent.pem", files.key).starts_with("absent.pem: ")) << error("absent.pem", files.key);
  EXPECT_TRUE(error(files.certificate, "absent.pem").starts_with("absent.pem: "));
  EXPECT_EQ(error(text, files.key), text + ": not a certificate in PEM form");
  EXPECT_EQ(error(files.key, files.key), files.key + ": not a certificate in PEM form");
  EXPECT_EQ(error(files.certificate, text), text + ": not a private key in PEM form without a passphrase");
  EXPECT_EQ(error(secret.certificate, secret.key), secret.key + ": not a private key in PEM form without a passphrase");
  for (const std::string& key : {other.key, rsa.key}) {
    EXPECT_EQ(error(files.certificate, key), key + ": the key does not belong to the certificate " + files.certificate);
  }
  EXPECT_EQ(error(files.certificate, ""), files.certificate + ": a certificate without a key; TLS needs both");
  EXPECT_EQ(error("", files.key), files.key + ": a key without a certificate; TLS needs both");
}

}  // namespace
}  // namespace longrun
