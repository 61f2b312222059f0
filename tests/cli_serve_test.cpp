// `longrun serve` and `longrun token` as processes.
#include <gtest/gtest.h>

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include "tests/cli_output.h"
#include "tests/environment_variable.h"
#include "tests/http_client.h"
#include "tests/made_certificate.h"
#include "tests/running_service.h"
#include "tests/scratch.h"

namespace longrun {
namespace {

/// Creates a token for the folder of this test's service.
std::string made_token(const std::string& scope) {
  std::filesystem::create_directories(RunningService::folder());
  const Finished run = longrun_run({"token", "create", "--data", RunningService::folder(), "--scope", scope});
  EXPECT_EQ(run.code, 0) << run.err;
  return run.out.substr(0, run.out.find('\n'));
}

TEST(CommandLineToken, IsNotMadeInAFolderThatDoesNotExist) {
  const std::string folder = scratch_path("no_such_folder");
  const Finished run = longrun_run({"token", "create", "--data", folder, "--scope", "read"});
  EXPECT_EQ(run.code, 2);
  EXPECT_TRUE(contains(run.err, "no such folder; give the one that is served, or make it first")) << run.err;
  EXPECT_FALSE(std::filesystem::exists(folder));
}

TEST(CommandLineToken, ProcessesAtTheSameTimeLoseNoToken) {
  std::filesystem::create_directories(RunningService::folder());
  std::vector<std::unique_ptr<Process>> processes;
  for (int i = 0; i < 8; ++i) {
    const Arguments create{"token", "create", "--data", RunningService::folder(), "--scope", "read"};
    processes.push_back(
        std::make_unique<Process>(longrun_command(create), "", scratch_path("token" + std::to_string(i))));
  }
  for (const auto& process : processes) EXPECT_EQ(process->finished().code, 0);
  EXPECT_EQ(lines_of(output({"token", "list", "--data", RunningService::folder()})).size(), 1U + 8U);
}

TEST(CommandLineToken, RevokingTheLastOneSaysThatNoRequestIsAllowed) {
  const RunningService service;
  EXPECT_EQ(service.output_of({"list"}), "");
  const std::string token = made_token("admin");
  EXPECT_EQ(service.output_of({"list", "--token", token}), "");
  const std::string hash = lines_of(output({"token", "list", "--data", RunningService::folder()}))[1].substr(0, 12);
  const Finished revoked = longrun_run({"token", "revoke", "--data", RunningService::folder(), "--hash", hash});
  EXPECT_EQ(revoked.code, 0);
  EXPECT_TRUE(contains(revoked.err, "No token is left, so the service allows no request")) << revoked.err;
  const Finished refused = service.run({"list"});
  EXPECT_EQ(refused.code, 2);
  EXPECT_TRUE(contains(refused.err, "this service needs a token")) << refused.err;
  EXPECT_TRUE(contains(refused.err, "(--token, or LONGRUN_TOKEN)")) << refused.err;
}

TEST(CommandLineServe, DoesNotStartIfTheTokensCannotBeRead) {
  const std::string path = RunningService::folder() + "/tokens.jsonl";
  std::filesystem::create_directories(path);
  const Finished run = longrun_run({"serve", "--data", RunningService::folder(), "--port", "0"});
  EXPECT_EQ(run.code, 3);
  EXPECT_TRUE(contains(run.err, path + ": the tokens cannot be read: Is a directory")) << run.err;
}

TEST(CommandLineServe, ASecondSignalEndsItAtOnce) {
  for (const auto& [signal, code] : {std::pair{SIGINT, 130}, std::pair{SIGTERM, 143}}) {
    RunningService service;
    HttpClient slow(static_cast<std::uint16_t>(std::stoi(service.port())));
    slow.send("POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9\r\n");  // for which it waits a second
    service.send_signal(signal);
    ASSERT_TRUE(
        eventually([&] { return contains(content(scratch_path("stderr")), "stopping; waits, for at most 60 s"); }));
    service.send_signal(signal);
    EXPECT_EQ(service.finished().code, code);
  }
}

TEST(CommandLineServe, OneSignalEndsItInOrder) {
  RunningService service;
  service.send_signal(SIGTERM);
  const Finished end = service.finished();
  EXPECT_EQ(end.code, 0) << end.err;
  EXPECT_TRUE(contains(end.out, "Stopped. Everything that was answered is in")) << end.out;
}

TEST(CommandLineServe, AcceptsTheOriginOfAProxyAndTheNameLocalhost) {
  const RunningService service({"--origin", "https://decisions.example.org", "--address", "localhost"});
  const auto port = static_cast<std::uint16_t>(std::stoi(service.port()));
  const auto status = [&](const std::string& host, const std::string& origin) {
    return HttpClient(port)
        .request("GET /v1/studies HTTP/1.1\r\nHost: " + host + "\r\nOrigin: " + origin + "\r\n\r\n")
        .status;
  };
  EXPECT_EQ(status("127.0.0.1:8042", "https://decisions.example.org"), 200);
  EXPECT_EQ(status("decisions.example.org", "https://decisions.example.org"), 200);
  EXPECT_EQ(status("127.0.0.1:8042", "https://evil.example"), 403);
  const Finished wrong = longrun_run({"serve", "--data", RunningService::folder(), "--origin", "example.org"});
  EXPECT_EQ(wrong.code, 2);
  EXPECT_TRUE(contains(wrong.err, "--origin: origin 'example.org': must be a scheme, a host")) << wrong.err;
}

TEST(CommandLineServe, NamesAnAddressToOpenIfItListensOnAll) {
  made_token("admin");
  RunningService service({"--address", "0.0.0.0"});
  service.send_signal(SIGTERM);
  const Finished end = service.finished();
  EXPECT_TRUE(contains(end.out, "\nOpen http://127.0.0.1:" + service.port() + "/\n")) << end.out;
  EXPECT_TRUE(contains(end.out, "Other machines open the name or an address of this one, with the same port."))
      << end.out;
}

TEST(CommandLineServe, ALogThatCannotBeWrittenIsAFailureOfTheSystem) {
  const Finished run = longrun_run(
      {"serve", "--data", RunningService::folder(), "--port", "0", "--log", scratch_path("no_folder") + "/log.jsonl"});
  EXPECT_EQ(run.code, 3);
  EXPECT_TRUE(contains(run.err, "/log.jsonl: the log cannot be written: No such file or directory")) << run.err;
}

TEST(CommandLineServe, AStudyOverHttpsWithATokenOfTheEnvironment) {
  const CertificateFiles files = made_certificate("serve");
  made_token("read");
  const std::string token = made_token("admin");
  const RunningService service({"--certificate", files.certificate, "--key", files.key});
  const std::string url = "https://localhost:" + service.port();
  const EnvironmentVariable variable("LONGRUN_TOKEN", token);
  const Arguments create{"study", "create", "s", "--arms", "a,b", "--budget", "9", "--url", url};
  const Finished untrusted = longrun_run(create);
  EXPECT_EQ(untrusted.code, 2);
  EXPECT_TRUE(contains(untrusted.err, "the certificate of the server is not accepted")) << untrusted.err;
  Arguments trusting = create;
  trusting.insert(trusting.end(), {"--certificate-authority", files.certificate});
  EXPECT_EQ(output(trusting), "s is created\n");
}

}  // namespace
}  // namespace longrun
