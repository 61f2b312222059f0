#include <fmt/format.h>

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "apps/longrun/commands.h"
#include "longrun/base/input_error.h"
#include "longrun/base/text.h"
#include "longrun/base/text_table.h"
#include "longrun/base/write_file.h"
#include "longrun/service/study_service.h"
#include "longrun/service/tokens.h"
#include "longrun/service/utc_time.h"

namespace longrun {
namespace {

struct TokenOptions {
  std::string action;
  std::optional<std::string> data;
  std::optional<std::string> tokens;
  std::optional<std::string> scope;
  std::optional<std::string> study;
  std::optional<std::string> label;
  std::optional<std::string> hash;
};

void create_token(const TokenOptions& options, TokenFile& file) {
  if (!options.scope) throw InputError("--scope is missing; allowed: read, write, admin");
  if (options.study) {
    try {
      check_study_name(*options.study);
    } catch (const RequestError& error) {
      throw InputError(fmt::format("--study: {}", error.what()));
    }
  }
  if (options.label && !is_utf8(*options.label)) throw InputError("--label: not UTF-8");
  const std::string token = file.add(token_scope(*options.scope), options.study.value_or(""),
                                     options.label.value_or(""), utc_text(milliseconds_now()));
  fmt::print("{}\n", token);
  say("This is the only time that the token is shown; its hash is in " + file.path() + ".");
}

void list_tokens(const TokenFile& file) {
  std::vector<std::vector<std::string>> rows{{"hash", "scope", "study", "created", "label"}};
  for (const Token& token : file.tokens()) {
    rows.push_back({token.hash.substr(0, 12), std::string(name(token.scope)), token.study.empty() ? "all" : token.study,
                    token.created_at, token.label});
  }
  fmt::print("{}", text_table(rows, "lllll"));
}

void revoke_tokens(const TokenOptions& options, TokenFile& file) {
  constexpr std::size_t kFewestDigits = 8;
  if (!options.hash || options.hash->size() < kFewestDigits) {
    throw InputError(
        fmt::format("--hash: give at least the first {} digits, as 'longrun token list' prints them", kFewestDigits));
  }
  if (file.remove(*options.hash) == 0)
    throw InputError(fmt::format("--hash {}: no token has this hash", *options.hash));
  fmt::print("revoked\n");
  if (file.tokens().empty()) {
    say("No token is left, so the service allows no request; create another one. To serve this machine without tokens, "
        "stop the service, remove " +
        file.path() + " and start it again.");
  }
}

void run_token(const TokenOptions& options) {
  if (options.data && options.tokens) throw InputError("--data and --tokens: only one of them can be given");
  const std::string folder = options.data.value_or("longrun-data");
  if (options.data && !std::filesystem::is_directory(folder)) {  // tokens in a folder that is not served have no effect
    throw InputError(fmt::format("--data {}: no such folder; give the one that is served, or make it first", folder));
  }
  if (!options.tokens && options.action == "create") make_folder(folder);
  TokenFile file(options.tokens.value_or(folder + "/tokens.jsonl"));
  if (options.action == "create") return create_token(options, file);
  if (options.action == "list") return list_tokens(file);
  if (options.action == "revoke") return revoke_tokens(options, file);
  throw InputError(fmt::format("'{}' is unknown; allowed: create, list, revoke", options.action));
}

}  // namespace

Command add_token(CLI::App& app) {
  auto options = std::make_shared<TokenOptions>();
  CLI::App* parser = add_subcommand(
      app, "token", "Create, list and revoke the tokens that 'longrun serve' accepts",
      "Once a token was created, every request needs one, even after the last one was revoked. A server that\n"
      "listens on any address but that of this machine always needs one. A running server notices changes at\n"
      "once. Run this as the user of the server, or as root.\n\n"
      "Examples:\n"
      "  longrun token create --scope write --study lending --label \"branch office\"\n"
      "  longrun token list\n"
      "  longrun token revoke --hash 1a2b3c4d");
  add_argument(*parser, "ACTION", options->action, "create, list or revoke");
  add_value(*parser, "--data", "DIR", options->data, "folder that is served (default: longrun-data)");
  add_value(*parser, "--tokens", "FILE", options->tokens, "file of tokens (default: DIR/tokens.jsonl)");
  add_value(*parser, "--scope", "SCOPE", options->scope,
            "read; write: also decisions, outcomes, corrections and\n"
            "observations; admin: also create, import, change and close\n"
            "studies");
  add_value(*parser, "--study", "NAME", options->study, "the only study that the token is for (default: all)");
  add_value(*parser, "--label", "NOTE", options->label, "a note about its owner");
  add_value(*parser, "--hash", "DIGITS", options->hash, "beginning of the hash of the token to revoke");
  return {parser, [options] { run_token(*options); }};
}

}  // namespace longrun
