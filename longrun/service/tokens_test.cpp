#include "longrun/service/tokens.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "longrun/base/input_error.h"
#include "longrun/base/system_error.h"
#include "longrun/service/request_error.h"
#include "tests/error_of.h"

namespace longrun {
namespace {

std::string token_path(const char* name) {
  std::string path = testing::TempDir() + "longrun_tokens_" + name;
  std::filesystem::remove_all(path);
  return path;
}

/// Returns the status that a request gets; 200 if it is allowed.
int status_of(TokenFile& tokens, const char* method, const char* path, const std::string& token) {
  HttpRequest request{.method = method, .path = path};
  if (!token.empty()) request.headers.emplace_back("authorization", "Bearer " + token);
  try {
    tokens.check(request);
    return 200;
  } catch (const RequestError& error) {
    return static_cast<int>(error.kind());
  }
}

TEST(Tokens, AllowWhatTheirScopeSays) {
  TokenFile tokens(token_path("scopes"));
  const std::string read = tokens.add(TokenScope::read, "", "", "now");
  const std::string write = tokens.add(TokenScope::write, "", "", "now");
  const std::string admin = tokens.add(TokenScope::admin, "", "", "now");
  const std::string one = tokens.add(TokenScope::write, "s", "", "now");
  struct Case {
    const char* method;
    const char* path;
    int read, write, admin, one;
  };
  const Case cases[] = {
      {"GET", "/v1/studies", 200, 200, 200, 403},
      {"GET", "/v1/studies/s", 200, 200, 200, 200},
      {"GET", "/v1/studies/t/export", 200, 200, 200, 403},
      {"GET", "/metrics", 200, 200, 200, 403},
      {"POST", "/v1/studies/s/decisions", 403, 200, 200, 200},
      {"POST", "/v1/studies/t/decisions", 403, 200, 200, 403},
      {"PUT", "/v1/studies/s/decisions/7/outcome", 403, 200, 200, 200},
      {"POST", "/v1/studies/s/outcomes", 403, 200, 200, 200},
      {"POST", "/v1/studies/s/corrections", 403, 200, 200, 200},
      {"POST", "/v1/studies/s/observations", 403, 200, 200, 200},
      {"POST", "/v1/studies/s/changes", 403, 403, 200, 403},
      {"POST", "/v1/studies/s/close", 403, 403, 200, 403},
      {"POST", "/v1/studies", 403, 403, 200, 403},
      {"POST", "/v1/studies/import", 403, 403, 200, 403},
      {"DELETE", "/v1/studies/s", 403, 403, 200, 403},
  };
  for (const Case& each : cases) {
    EXPECT_EQ(status_of(tokens, each.method, each.path, read), each.read) << each.path;
    EXPECT_EQ(status_of(tokens, each.method, each.path, write), each.write) << each.path;
    EXPECT_EQ(status_of(tokens, each.method, each.path, admin), each.admin) << each.path;
    EXPECT_EQ(status_of(tokens, each.method, each.path, one), each.one) << each.path;
    EXPECT_EQ(status_of(tokens, each.method, each.path, ""), 401) << each.path;
    EXPECT_EQ(status_of(tokens, each.method, each.path, read + "0"), 401) << each.path;
  }
}

TEST(Tokens, AreKeptAsHashesThatOnlyTheOwnerCanRead) {
  const std::string path = token_path("hashes");
  TokenFile tokens(path);
  const std::string token = tokens.add(TokenScope::admin, "s", "for \"Ada\"", "now");
  EXPECT_EQ(token.size(), 3U + 64U);
  EXPECT_NE(token, tokens.add(TokenScope::admin, "", "", "now"));
  struct stat status {};
  ASSERT_EQ(::stat(path.c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777U, 0600U);
  std::ifstream file(path);
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  EXPECT_EQ(text.find(token.substr(3)), std::string::npos);
  ASSERT_EQ(tokens.tokens().size(), 2U);
  EXPECT_EQ(tokens.tokens()[0].label, "for \"Ada\"");
}

TEST(Tokens, AreNotNeededOnThisMachineUntilThereIsOne) {
  TokenFile tokens(token_path("none"));
  tokens.check({.method = "POST", .path = "/v1/studies"}, false);
  EXPECT_THROW(tokens.check({.method = "POST", .path = "/v1/studies"}, true), RequestError);
  tokens.add(TokenScope::read, "", "", "now");
  EXPECT_THROW(tokens.check({.method = "GET", .path = "/v1/studies"}, false), RequestError);
}

TEST(SameSite, OtherSitesCannotUseAServiceWithoutTokens) {
  const auto status = [](const char* host, const char* origin) {
    HttpRequest request{.method = "POST", .path = "/v1/studies", .headers = {{"host", host}}};
    if (origin != nullptr) request.headers.emplace_back("origin", origin);
    try {
      check_same_site(request);
      return 200;
    } catch (const RequestError& error) {
      return static_cast<int>(error.kind());
    }
  };
  EXPECT_EQ(status("127.0.0.1:8042", nullptr), 200);
  EXPECT_EQ(status("localhost:8042", "http://localhost:8042"), 200);
  EXPECT_EQ(status("[::1]:8042", "https://[::1]:8042"), 200);
  EXPECT_EQ(status("127.0.0.1:8042", "http://127.0.0.1:9000"), 403);  // another page of this machine
  EXPECT_EQ(status("127.0.0.1:8042", "https://example.com"), 403);    // a page that posts here
  EXPECT_EQ(status("127.0.0.1:8042", "null"), 403);                   // a file or a sandbox
  EXPECT_EQ(status("rebound.example.com:8042", nullptr), 403);        // a name that was changed to this address
  EXPECT_EQ(status("127.example.com:8042", "http://127.example.com:8042"), 403);
}

TEST(SameSite, APageBehindAProxyIsAllowedIfItsOriginIsGiven) {
  const auto status = [](const char* host, const char* origin) {
    HttpRequest request{.method = "POST", .path = "/v1/studies", .headers = {{"host", host}}};
    if (origin != nullptr) request.headers.emplace_back("origin", origin);
    try {
      check_same_site(request, {checked_origin("https://Decisions.example.org:443"), "http://other.example:8000"});
      return std::string("allowed");
    } catch (const RequestError& error) {
      return std::string(error.what()).substr(0, std::string(error.what()).find(';'));
    }
  };
  // A proxy that passes its own host, and one that passes that of the browser.
  EXPECT_EQ(status("127.0.0.1:8042", "https://decisions.example.org"), "allowed");
  EXPECT_EQ(status("decisions.example.org", "https://decisions.example.org"), "allowed");
  EXPECT_EQ(status("decisions.example.org", nullptr), "allowed");
  EXPECT_EQ(status("other.example:8000", "http://other.example:8000"), "allowed");
  EXPECT_EQ(status("127.0.0.1:8042", "http://127.0.0.1:8042"), "allowed");
  EXPECT_EQ(status("127.0.0.1:8042", "https://evil.example"), "the origin 'https://evil.example' is not this service");
  EXPECT_EQ(status("decisions.example.org", "http://decisions.example.org"),
            "the origin 'http://decisions.example.org' is not this service");
  EXPECT_EQ(status("other.example", "http://other.example:8000"), "the host 'other.example' is not this machine");
  EXPECT_EQ(status("rebound.example.com", nullptr), "the host 'rebound.example.com' is not this machine");
}

TEST(SameSite, AnOriginIsASchemeAHostAndAPort) {
  EXPECT_EQ(checked_origin("HTTP://Localhost:80"), "http://localhost");
  EXPECT_EQ(checked_origin("https://a.example:8443"), "https://a.example:8443");
  EXPECT_EQ(checked_origin("http://a.example:443"), "http://a.example:443");
  for (const char* text : {"", "*", "a.example", "https://", "https://a.example/", "https://*.example", "null",
                           "https://a.example,https://b.example", "ftp://a.example"}) {
    EXPECT_EQ(error_of([&] { checked_origin(text); }),
              std::string("origin '") + text +
                  "': must be a scheme, a host and, if needed, a port, such as https://decisions.example.org");
  }
}

TEST(Tokens, TheSchemeOfTheHeaderMayHaveCapitals) {
  TokenFile tokens(token_path("capitals"));
  const std::string token = tokens.add(TokenScope::read, "", "", "now");
  for (const std::string scheme : {"Bearer ", "bearer ", "BEARER ", "bearer   "}) {
    tokens.check({.method = "GET", .path = "/v1/studies", .headers = {{"authorization", scheme + token}}});
  }
  for (const std::string& value :
       std::vector<std::string>{"", "Bearer", "Bearer ", "Basic " + token, "Bearer" + token}) {
    EXPECT_THROW(tokens.check({.method = "GET", .path = "/v1/studies", .headers = {{"authorization", value}}}),
                 RequestError)
        << value;
  }
}

TEST(Tokens, ThatAreRemovedWorkNoLonger) {
  TokenFile tokens(token_path("removed"));
  const std::string token = tokens.add(TokenScope::read, "", "", "now");
  EXPECT_EQ(status_of(tokens, "GET", "/v1/studies", token), 200);
  EXPECT_EQ(TokenFile(tokens.path()).remove(tokens.tokens()[0].hash.substr(0, 8)), 1U);  // by another process
  EXPECT_EQ(status_of(tokens, "GET", "/v1/studies", token), 401);
}

/// Returns the status of a request of this machine, which needs no token if there is no file.
int local_status(TokenFile& tokens) {
  try {
    tokens.check({.method = "POST", .path = "/v1/studies"}, false);
    return 200;
  } catch (const RequestError& error) {
    return static_cast<int>(error.kind());
  }
}

TEST(Tokens, AFileThatCannotBeReadDoesNotMeanThatThereAreNone) {
  const std::string path = token_path("unreadable");
  std::filesystem::create_directory(path);  // a file that can be opened, but not read, also by root
  TokenFile folder(path);
  EXPECT_EQ(error_of<SystemError>([&] { folder.tokens(); }), path + ": the tokens cannot be read: Is a directory");
  EXPECT_EQ(local_status(folder), 503);
  std::filesystem::remove(path);
  std::ofstream(path) << "";
  TokenFile below_a_file(path + "/tokens.jsonl");
  EXPECT_THROW(below_a_file.tokens(), SystemError);
  EXPECT_EQ(local_status(below_a_file), 503);
}

TEST(Tokens, AFileWithoutTokensAllowsNoRequest) {
  TokenFile tokens(token_path("last"));
  EXPECT_EQ(local_status(tokens), 200);
  const std::string token = tokens.add(TokenScope::admin, "", "", "now");
  EXPECT_EQ(local_status(tokens), 401);
  EXPECT_EQ(tokens.remove(tokens.tokens()[0].hash), 1U);
  EXPECT_EQ(local_status(tokens), 401);
  EXPECT_EQ(status_of(tokens, "GET", "/v1/studies", token), 401);
  TokenFile again(tokens.path());  // as after a restart
  EXPECT_EQ(local_status(again), 401);
}

TEST(Tokens, AFileThatIsGoneDoesNotOpenARunningService) {
  TokenFile tokens(token_path("gone"));
  tokens.add(TokenScope::admin, "", "", "now");
  EXPECT_EQ(local_status(tokens), 401);
  std::filesystem::remove(tokens.path());
  EXPECT_EQ(local_status(tokens), 503);
  TokenFile again(tokens.path());
  EXPECT_EQ(local_status(again), 200);
}

TEST(Tokens, BelongToTheOwnerOfTheFolderAndKeepTheirOwnerAndMode) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root can give files away";
  constexpr uid_t kOwner = 12345;
  const std::string folder = token_path("folder");
  std::filesystem::create_directory(folder);
  ASSERT_EQ(::chown(folder.c_str(), kOwner, kOwner), 0);
  TokenFile tokens(folder + "/tokens.jsonl");
  const auto status = [&](const std::string& path) {
    struct stat found {};
    EXPECT_EQ(::stat(path.c_str(), &found), 0) << path;
    return found;
  };
  tokens.add(TokenScope::read, "", "", "now");
  EXPECT_EQ(status(tokens.path()).st_uid, kOwner);
  EXPECT_EQ(status(tokens.path()).st_mode & 0777U, 0600U);
  EXPECT_EQ(status(tokens.path() + ".lock").st_uid, kOwner);
  ASSERT_EQ(::chown(tokens.path().c_str(), kOwner + 1, kOwner + 2), 0);
  ASSERT_EQ(::chmod(tokens.path().c_str(), 0640), 0);
  tokens.add(TokenScope::read, "", "", "now");
  EXPECT_EQ(status(tokens.path()).st_uid, kOwner + 1);
  EXPECT_EQ(status(tokens.path()).st_gid, kOwner + 2);
  EXPECT_EQ(status(tokens.path()).st_mode & 0777U, 0640U);
  const pid_t child = ::fork();
  if (child == 0) {  // another user is refused, and told why
    if (::chmod(folder.c_str(), 0777) != 0 || ::setgid(54321) != 0 || ::setuid(54321) != 0) ::_exit(2);
    const std::string problem = error_of([&] { tokens.remove("0"); });
    ::_exit(problem.find("belongs to another user (number 12346)") != std::string::npos ? 0 : 1);
  }
  int result = -1;
  ::waitpid(child, &result, 0);
  EXPECT_EQ(result, 0);
}

TEST(Tokens, ProcessesThatAddTokensAtTheSameTimeLoseNone) {
  constexpr int kProcesses = 8;
  TokenFile tokens(token_path("parallel"));
  for (int i = 0; i < kProcesses; ++i) {
    if (::fork() != 0) continue;
    for (int j = 0; j < 5; ++j) TokenFile(tokens.path()).add(TokenScope::read, "", "", "now");
    ::_exit(0);
  }
  for (int i = 0; i < kProcesses; ++i) {
    int result = -1;
    ::wait(&result);
    EXPECT_EQ(result, 0);
  }
  EXPECT_EQ(tokens.tokens().size(), 5U * kProcesses);
}

TEST(Tokens, ADamagedFileIsAnErrorThatNamesTheLine) {
  const std::string path = token_path("damaged");
  std::ofstream(path) << "{\"hash\":\"x\",\"scope\":\"all\",\"study\":\"\",\"label\":\"\",\"created_at\":\"\"}\n";
  EXPECT_EQ(error_of([&] { TokenFile(path).tokens(); }),
            path + ": line 1: scope 'all' is unknown; allowed: read, write, admin");
  TokenFile tokens(path);
  EXPECT_EQ(status_of(tokens, "GET", "/v1/studies", "lr_x"), 503);
}

}  // namespace
}  // namespace longrun
