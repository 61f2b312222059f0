#include <fmt/format.h>

#include <cstdint>
#include <cstdio>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "apps/longrun/commands.h"
#include "longrun/base/input_error.h"
#include "longrun/service/serve_session.h"
#include "longrun/service/tokens.h"

namespace longrun {
namespace {

constexpr int kDefaultPort = 8042;

struct ServeOptions {
  std::optional<std::string> data;
  std::optional<std::string> database;
  std::optional<std::string> address;
  std::optional<std::string> port;
  std::optional<std::string> certificate;
  std::optional<std::string> key;
  std::optional<std::string> tokens;
  std::vector<std::string> origins;
  std::optional<std::string> log;
  std::optional<std::string> threads;
};

std::vector<std::string> origins_in(const ServeOptions& options) {
  std::vector<std::string> origins;
  for (const std::string& text : options.origins) {
    try {
      origins.push_back(checked_origin(text));
    } catch (const InputError& error) {
      throw InputError(fmt::format("--origin: {}", error.what()));
    }
  }
  return origins;
}

HttpOptions http_options(const ServeOptions& options) {
  HttpOptions http;
  http.address = options.address.value_or("127.0.0.1");
  if (http.address == "localhost") http.address = "127.0.0.1";
  if (options.certificate.has_value() != options.key.has_value()) {
    throw InputError("--certificate and --key: one of them is missing");
  }
  http.certificate_file = options.certificate.value_or("");
  http.key_file = options.key.value_or("");
  http.port = options.port ? parse_whole<std::uint16_t>("--port", *options.port, 0, 65535) : kDefaultPort;
  if (options.threads) http.threads = parse_whole<int>("--threads", *options.threads, 1, 64);
  return http;
}

void serve(const ServeOptions& options) {
  if (options.data && options.database) throw InputError("--data and --database: only one of them can be given");
  const std::string data = options.data.value_or("longrun-data");
  ServeSession session({.http = http_options(options),
                        .folder = data,
                        .database = options.database.value_or(""),
                        .tokens_file = options.tokens.value_or(data + "/tokens.jsonl"),
                        .origins = origins_in(options),
                        .log_file = options.log.value_or(""),
                        .on_message = [](const std::string& message) { say(message); }});
  const std::string place = options.database ? "the database" : data;
  fmt::print("longrun serves the studies in {}. Ctrl-C ends it.\n", place);
  if (session.is_on_every_address()) {
    fmt::print("Other machines open the name or an address of this one, with the same port.\n");
  }
  fmt::print("Open {}\n", session.url());
  std::fflush(stdout);
  session.run();
  fmt::print("Stopped. Everything that was answered is in {}.\n", place);
}

}  // namespace

Command add_serve(CLI::App& app) {
  auto options = std::make_shared<ServeOptions>();
  CLI::App* parser = add_subcommand(
      app, "serve", "Answer requests for decisions over HTTP, and show a page",
      "Studies are kept in a folder or a PostgreSQL database: every decision and outcome is stored before\n"
      "it is answered. Only programs of this machine can connect, unless --address names another address,\n"
      "which needs a token. docs/service.md explains requests and operation.\n\n"
      "Example:\n  longrun serve --data lending");
  add_value(*parser, "--data", "DIR", options->data,
            "folder of the studies, created if missing\n(default: longrun-data)");
  add_value(*parser, "--database", "URL", options->database,
            "PostgreSQL database instead of a folder, for one server or\n"
            "several: postgresql://user@host/name");
  add_value(*parser, "--port", "N", options->port,
            fmt::format("port to listen on; 0 takes a free one (default: {})", kDefaultPort));
  add_value(*parser, "--address", "ADDRESS", options->address,
            "IP address to listen on, or localhost\n(default: 127.0.0.1)");
  add_value(*parser, "--certificate", "FILE", options->certificate, "certificate, in PEM: serve HTTPS");
  add_value(*parser, "--key", "FILE", options->key, "key of the certificate, in PEM");
  add_value(*parser, "--tokens", "FILE", options->tokens,
            "file of tokens, see 'longrun token'\n(default: DIR/tokens.jsonl)");
  add_repeated_value(*parser, "--origin", "ORIGIN", options->origins,
                     "address of the page behind a proxy, such as\nhttps://decisions.example.org; can be repeated");
  add_value(*parser, "--log", "FILE", options->log, "add one line of JSON per request to FILE; - is standard error");
  add_value(*parser, "--threads", "N", options->threads, "number of threads that serve connections (default: 1)");
  return {parser, [options] { serve(*options); }};
}

}  // namespace longrun
