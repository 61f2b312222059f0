// `longrun study` against a running `longrun serve`.
#include <gtest/gtest.h>

#include <chrono>
#include <regex>
#include <string>
#include <utility>

#include "longrun/service/http_client.h"
#include "tests/cli_output.h"
#include "tests/running_service.h"
#include "tests/scratch.h"

namespace longrun {
namespace {

void expect_study_refused(const Finished& run, const std::string& message, int code = 2) {
  EXPECT_EQ(run.code, code);
  EXPECT_TRUE(contains(run.err, message)) << run.err;
}

TEST(CommandLineStudy, AStudyFromAScript) {
  const RunningService service;
  EXPECT_EQ(service.output_of({"list"}), "");
  const Arguments create{"create", "lending", "--arms", "farms,\"shops, small\"", "--budget", "30", "--noise", "none"};
  EXPECT_EQ(service.output_of(create), "lending is created\n");
  EXPECT_EQ(service.output_of(create), "lending exists already, with these settings\n");
  EXPECT_EQ(service.output_of({"list"}), "lending\n");
  const Arguments decide{"decide", "lending", "--count", "2", "--key", "monday"};
  EXPECT_EQ(service.output_of(decide), "1\tfarms\n2\tshops, small\n");
  const Finished again = service.run(decide);  // the same key
  EXPECT_EQ(again.out, "1\tfarms\n2\tshops, small\n");
  const std::string replayed = "was used before: this is the answer to that request, and nothing new is recorded\n";
  EXPECT_EQ(again.err, "longrun: key 'monday' " + replayed);
  EXPECT_EQ(service.output_of({"decide", "lending", "--among", "\"shops, small\""}), "3\tshops, small\n");
  EXPECT_EQ(service.output_of({"show", "lending"}),
            "lending: 3 of 30 units spent, 3 pending\n"
            "         1 pulls         1 pending  farms\n"
            "         2 pulls         2 pending  shops, small\n");
  const std::string good = written("good.csv", "decision,reward,kind\n1,0.5,\n2,,lost\n");
  EXPECT_EQ(service.output_of({"report", "lending", good, "--dry-run"}),
            "all rows would be accepted: 2 new, 0 known already\n");
  EXPECT_EQ(service.output_of({"report", "lending", good}), "2 recorded, 0 known already\n");
  EXPECT_EQ(service.run({"report", "lending", "-"}, "decision,reward\n1,0.5\n3,0.25\n").out,
            "1 recorded, 1 known already\n");
  EXPECT_EQ(service.output_of({"audit", "lending"}),
            "5 events; the state agrees; the decisions of 0 entries would be made otherwise\n");
  const std::vector<std::string> lines = lines_of(service.output_of({"export", "lending"}));
  ASSERT_EQ(lines.size(), 6U);
  EXPECT_EQ(nlohmann::json::parse(lines[1])["key"], "monday");
  EXPECT_EQ(nlohmann::json::parse(service.output_of({"show", "lending", "--json"}))["pending"], 0);
}

TEST(CommandLineStudy, AKilledServerLosesNothingThatWasPrinted) {
  RunningService service;
  service.output_of({"create", "s", "--arms", "a,b", "--budget", "9"});
  EXPECT_EQ(service.output_of({"decide", "s"}), "1\ta\n");
  service.kill_it();
  const Process waiting(longrun_command(service.command({"decide", "s"})), "", scratch_path("waiting"));
  service.start_again();
  const Finished run = waiting.finished();
  EXPECT_EQ(run.code, 0) << run.err;
  EXPECT_TRUE(run.out.starts_with("2\t")) << run.out;
  EXPECT_TRUE(contains(service.output_of({"show", "s"}), "s: 2 of 9 units spent, 2 pending\n"));
}

TEST(CommandLineStudy, RecordsPullsThatWereNotDecided) {
  const RunningService service;
  service.output_of({"create", "s", "--arms", "farms,shops", "--budget", "9"});
  const std::string pulls = written("pulls.csv", "Arm;Reward;Id\nfarms;0.5;a\nshops;0.25;b\n");
  EXPECT_EQ(service.output_of({"observe", "s", pulls, "--dry-run"}),
            "all rows would be accepted: 2 new, 0 known already\n");
  EXPECT_EQ(service.output_of({"observe", "s", pulls}), "2 recorded, 0 known already\n");
  EXPECT_EQ(service.output_of({"observe", "s", pulls}), "0 recorded, 2 known already\n");
  EXPECT_EQ(service.output_of({"observe", "s", pulls, "--dry-run"}),
            "all rows would be accepted: 0 new, 2 known already\n");
  const std::string without = written("without.csv", "arm,reward\nfarms,0.5\n");
  const Finished dry_run = service.run({"observe", "s", without, "--dry-run"});
  EXPECT_TRUE(contains(dry_run.err, "without.csv has no column id: whenever it is sent, its pulls are recorded again"));
  EXPECT_EQ(service.output_of({"observe", "s", without, "--key", "k"}), "1 recorded, 0 known already\n");
  const Finished repeated = service.run({"observe", "s", without, "--key", "k"});
  EXPECT_EQ(repeated.out, "0 recorded, 1 known already\n");
  EXPECT_EQ(repeated.err,
            "longrun: key 'k' was used before: this is the answer to that request, and nothing new is recorded\n");
  const Arguments one{"observe", "s", "--arm", "shops", "--reward", "0.75", "--observation", "c"};
  EXPECT_EQ(service.output_of(one), "1 recorded, 0 known already\n");
  EXPECT_EQ(service.output_of(one), "0 recorded, 1 known already\n");
  EXPECT_TRUE(contains(service.output_of({"show", "s"}), "s: 4 of 9 units spent, 0 pending\n"));
  const std::string wrong = written("wrong.csv", "arm,reward\nfarm,0.5\nfarms,70\n");
  const Finished dry = service.run({"observe", "s", wrong, "--dry-run"});
  EXPECT_TRUE(contains(dry.out, "line 2: arm 'farm' is not an arm of the study")) << dry.out;
  expect_study_refused(dry, "2 lines would be refused");
  expect_study_refused(service.run({"observe", "s", wrong}),
                       "wrong.csv: line 2: arm 'farm' is not an arm of the study");
  expect_study_refused(service.run({"observe", "s"}), "give FILE, a CSV file with the columns arm, reward");
  expect_study_refused(service.run({"observe", "s", "--arm", "farms"}), "--reward: missing");
  expect_study_refused(service.run({"observe", "s", "--arm", "farms", "--reward", "nan"}),
                       "--reward nan: must be a finite number");
  expect_study_refused(
      service.run({"observe", "s", "--arm", "farms", "--reward", "0.5", "--observation", "d", "--key", "k"}),
      "--key: given together with --observation; give one of them");
  expect_study_refused(service.run({"observe", "s", pulls, "--key", "k"}),
                       "--key: given together with the column id of");
  expect_study_refused(service.run({"observe", "s", without, "--observation", "c17"}),
                       "--observation: given together with FILE");
  expect_study_refused(service.run({"observe", "s", without, "--reward", "0.5"}), "--reward: given together with FILE");
}

TEST(CommandLineStudy, TextsThatAreNotUtf8AreRefusedInOneLine) {
  const RunningService service;
  expect_study_refused(service.run({"create", "s", "--arms", "caf\xE9,tea", "--budget", "9"}), "--arms: not UTF-8");
  service.output_of({"create", "s", "--arms", "café,tea", "--budget", "9"});
  expect_study_refused(service.run({"observe", "s", "--arm", "tea", "--reward", "1", "--observation", "\xE9"}),
                       "--observation: not UTF-8");
  const std::string pulls = written("latin.csv", "arm,reward,id\ntea,0.5,\xE9\n");
  expect_study_refused(service.run({"observe", "s", pulls}), "latin.csv: line 2: not UTF-8; save the file as UTF-8");
  const std::string outcomes = written("latin_outcomes.csv", "decision,reward,kind\n1,,v\xF6id\n");
  expect_study_refused(service.run({"report", "s", outcomes}),
                       "latin_outcomes.csv: line 2: not UTF-8; save the file as UTF-8");
  EXPECT_EQ(lines_of(service.output_of({"export", "s"})).size(), 1U);
}

TEST(CommandLineStudy, SaysThatACorrectionHasOverspentTheBudget) {
  const RunningService service;
  service.output_of({"create", "s", "--arms", "a,b", "--budget", "2"});
  service.output_of({"decide", "s"});
  EXPECT_EQ(service.run({"report", "s", "-"}, "decision,kind\n1,void\n").code, 0);
  service.output_of({"decide", "s", "--count", "2"});
  EXPECT_EQ(service.output_of({"correct", "s", "--decision", "1", "--reward", "0.5", "--reason", "made after all"}),
            "s is corrected\n");
  EXPECT_TRUE(contains(service.output_of({"show", "s"}), "s: 3 of 2 units spent (overspent by 1), 2 pending\n"));
  expect_study_refused(service.run({"decide", "s"}),
                       "the budget of 2 units is overspent by 1; extend it by more than 1 to go on");
}

TEST(CommandLineStudy, PrintsADecisionPerLineWhateverTheNames) {
  const RunningService service;
  expect_study_refused(service.run({"create", "s", "--arms", "a\nb", "--budget", "9"}), "has a control character");
  EXPECT_EQ(service.run({"create", "new", "--arms", "a-b", "--budget", "9"}).code, 0);
  std::string log = service.output_of({"export", "new"});  // as earlier versions wrote it
  log.replace(log.find("a-b"), 3, "a\\nb");
  const HttpRequest import{
      .method = "POST", .path = "/v1/studies/import", .query = {{"name", "s"}}, .headers = {}, .body = log};
  EXPECT_EQ(BlockingHttpClient(service.url()).send(import, std::chrono::seconds(30)).status, 201);
  EXPECT_EQ(service.output_of({"decide", "s"}), "1\ta b\n");
  const std::string again = service.output_of({"decide", "s", "--json"});
  EXPECT_EQ(nlohmann::json::parse(again)["decisions"][0]["arm"], "a\nb");
}

TEST(CommandLineStudy, CreatesAStudyWithScaleSeedAndConstraints) {
  const RunningService service;
  service.output_of({"create", "s", "--arms", "farms,shops", "--budget", "30.5", "--scale", "-1:3", "--seed", "7",
                     "--costs", "1.5,1", "--minimum-share", "shops:0.25"});
  const auto state = nlohmann::json::parse(service.output_of({"show", "s", "--json"}));
  EXPECT_EQ(state["scale"], (nlohmann::json{-1.0, 3.0}));
  EXPECT_EQ(state["seed"], 7);
  EXPECT_EQ(state["budget"], 30.5);
  EXPECT_EQ(state["unit_decimals"], 1);
  EXPECT_EQ(state["constraints"]["minimum_share"], "shops:0.25");
  EXPECT_EQ(state["constraints"]["costs"], "farms:1.5,shops:1");
  EXPECT_TRUE(contains(service.output_of({"show", "s"}), "s: 0 of 30.5 units spent"));
  const Arguments create{"create", "x", "--arms", "a,b", "--budget", "9"};
  const auto refused = [&](const Arguments& more, const std::string& message) {
    Arguments all = create;
    all.insert(all.end(), more.begin(), more.end());
    expect_study_refused(service.run(all), message);
  };
  refused({"--scale", "3:1"}, "--scale 3:1: must be MIN:MAX");
  refused({"--scale", "0,1000"}, "the first smaller than the second; write 0:1000");
  refused({"--seed", "-1"}, "--seed -1: must be a whole number from 0");
  refused({"--minimum-share", "c:0.5"}, "--minimum-share");
  refused({"--minimum-pulls", "x"}, "--minimum-pulls");
  expect_study_refused(service.run({"create", "x", "--arms", "a,b", "--budget", "9.25.1", "--costs", "1.5"}),
                       "--budget 9.25.1: must be a number > 0");
}

TEST(CommandLineStudy, ChangesConditionsAndCorrectsOutcomes) {
  const RunningService service;
  service.output_of({"create", "s", "--arms", "farms,shops", "--budget", "30", "--mode", "shadow"});
  EXPECT_TRUE(contains(service.output_of({"show", "s"}), "s: 0 of 30 units spent, 0 pending, shadow\n"));
  EXPECT_EQ(service.output_of({"change", "s", "--mode", "live", "--noise", "gaussian:0.2", "--minimum-share",
                               "shops:0.1", "--minimum-pulls", "2", "--add-arms", "homes", "--extend-budget", "5"}),
            "s is changed\n");
  auto state = nlohmann::json::parse(service.output_of({"show", "s", "--json"}));
  EXPECT_EQ(state["mode"], "live");
  EXPECT_EQ(state["noise"], "gaussian:0.2");
  EXPECT_EQ(state["budget"], 35);
  EXPECT_EQ(state["constraints"], (nlohmann::json{{"minimum_share", "shops:0.1"}, {"minimum_pulls", "2"}}));
  service.output_of({"change", "s", "--minimum-share", "none"});
  state = nlohmann::json::parse(service.output_of({"show", "s", "--json"}));
  EXPECT_EQ(state["constraints"], (nlohmann::json{{"minimum_pulls", "2"}}));
  service.output_of({"decide", "s", "--key", "monday"});
  EXPECT_EQ(service.run({"report", "s", "-"}, "decision,reward\n1,0.5\n").out, "1 recorded, 0 known already\n");
  const Arguments correct{"correct", "s", "--decision", "1", "--reward", "0.25", "--reason", "typing error"};
  EXPECT_EQ(service.output_of(correct), "s is corrected\n");
  const std::vector<std::string> lines = lines_of(service.output_of({"export", "s"}));
  EXPECT_EQ(nlohmann::json::parse(lines.back())["reward"], 0.25);
  expect_study_refused(service.run({"correct", "s", "--decision", "1", "--reward", "0,5", "--reason", "x"}),
                       "--reward 0,5: must be a finite number, with a decimal point: 0.5");
  expect_study_refused(service.run({"correct", "s", "--reward", "0.5", "--reason", "x"}),
                       "give one of --decision, --observation and --entry");
  expect_study_refused(service.run({"correct", "s", "--decision", "1", "--reward", "0.5"}), "--reason: missing");
  expect_study_refused(service.run({"correct", "s", "--observation", "17", "--kind", "void", "--reason", "x"}),
                       "there is no observation with the id '17'");
  expect_study_refused(service.run({"correct", "s", "--entry", "1", "--kind", "void", "--reason", "x"}),
                       "event 1 is not an observation");
  expect_study_refused(service.run({"change", "s"}), "nothing is changed; give --add-arms, ");
  expect_study_refused(service.run({"correct", "s", "--decision", "1", "--reason", "x"}), "give one of --reward, ");
}

TEST(CommandLineStudy, PointsOutWhatIsAcceptedAndProbablyNotMeant) {
  const RunningService service;
  const Finished created = service.run({"create", "s", "--arms", "farms shops", "--budget", "9"});
  EXPECT_EQ(created.code, 0);
  EXPECT_EQ(created.err, "longrun: the study has one arm, 'farms shops'; names of arms are separated by commas\n");
  expect_study_refused(service.run({"create", "x", "--arms", "farms;shops", "--budget", "9"}),
                       "arms: 'farms;shops' is one name; list each name by itself");
  service.output_of({"create", "t", "--arms", "farms,shops", "--budget", "9", "--noise", "none"});
  EXPECT_EQ(service.output_of({"decide", "t", "--count", "2"}), "1\tfarms\n2\tshops\n");
  const std::string swapped = written("swapped.csv", "decision,arm,reward\n1,shops,0.5\n2,farms,0.25\n");
  const Finished dry = service.run({"report", "t", swapped, "--dry-run"});
  EXPECT_TRUE(contains(dry.out, "line 2: decision 1 is for arm 'farms', not 'shops'\n")) << dry.out;
  expect_study_refused(dry, "2 lines would be refused");
  expect_study_refused(service.run({"report", "t", swapped}), "line 2: decision 1 is for arm 'farms', not 'shops'");
  const std::string right = written("right.csv", "decision,arm,reward\n1,farms,0.5\n2,shops,0.25\n");
  EXPECT_EQ(service.output_of({"report", "t", right}), "2 recorded, 0 known already\n");
  EXPECT_EQ(service.output_of({"report", "t", right}), "0 recorded, 2 known already\n");
}

TEST(CommandLineStudy, SaysThatFewerDecisionsAreMadeThanAskedFor) {
  const RunningService service;
  service.output_of({"create", "s", "--arms", "a,b", "--budget", "3"});
  const Finished run = service.run({"decide", "s", "--count", "5"});
  EXPECT_EQ(lines_of(run.out).size(), 3U);
  EXPECT_EQ(run.err, "longrun: 3 of 5 decisions; no more can be made now\n");
  expect_study_refused(service.run({"decide", "s"}), "the budget");
}

TEST(CommandLineStudy, SaysWhyARoundHasNoDecision) {
  const RunningService service;
  service.output_of({"create", "s", "--arms", "a,b", "--budget", "9", "--costs", "2"});
  const Finished run = service.run({"decide", "s"});
  EXPECT_EQ(run.code, 0);
  EXPECT_EQ(run.out, "");
  EXPECT_EQ(run.err,
            "longrun: round 1 has no decision: units are saved for a later round, or no arm is available in it; decide "
            "again for the next round\n");
  EXPECT_TRUE(service.output_of({"decide", "s"}).starts_with("1\t"));
}

TEST(CommandLineStudy, ReportsTheOutcomeOfOneDecisionAndWhatWasPulledInItsPlace) {
  const RunningService service;
  service.output_of({"create", "s", "--arms", "farms,shops", "--budget", "9", "--noise", "none"});
  service.output_of({"decide", "s", "--count", "2"});
  EXPECT_EQ(service.output_of({"report", "s", "--decision", "2", "--reward", "0.5"}), "1 recorded, 0 known already\n");
  const Arguments instead{"report", "s", "--decision", "1", "--instead", "shops"};
  EXPECT_EQ(service.output_of(instead), "1 recorded, 0 known already\n3\tshops\n");
  EXPECT_EQ(service.output_of(instead), "0 recorded, 1 known already\n3\tshops\n");
  EXPECT_EQ(service.output_of({"report", "s", "--decision", "3", "--kind", "lost"}), "1 recorded, 0 known already\n");
  EXPECT_TRUE(contains(service.output_of({"show", "s"}), "s: 2 of 9 units spent, 0 pending\n"));
  expect_study_refused(service.run({"report", "s"}),
                       "FILE: missing; give a CSV file with the columns decision and reward");
  expect_study_refused(service.run({"report", "s", "--decision", "1"}), "give one of --reward, --kind and --instead");
  expect_study_refused(service.run({"report", "s", "--decision", "1", "--instead", "shops", "--kind", "lost"}),
                       "--kind: the decision is void if --instead is given");
  const Arguments followed{"correct", "s", "--decision", "1", "--reward", "0.5", "--reason", "it was followed"};
  EXPECT_EQ(service.output_of(followed), "s is corrected; decision 3, which was pulled instead, is void\n");
  const Arguments back{"correct", "s", "--decision", "1", "--kind", "void", "--reason", "it was not"};
  EXPECT_EQ(service.output_of(back), "s is corrected; decision 3, which was pulled instead, stays void\n");
  expect_study_refused(service.run({"report", "s", "--decision", "1", "--reward", "1", "--dry-run"}),
                       "--dry-run: is for FILE");
  const std::string table = written("table.csv", "decision,reward\n2,0.5\n");
  expect_study_refused(service.run({"report", "s", table, "--reward", "1"}), "--reward: given together with FILE");
}

TEST(CommandLineStudy, CorrectsADecisionToThePullThatWasMadeInTruth) {
  const RunningService service;
  service.output_of({"create", "s", "--arms", "farms,shops", "--budget", "9", "--noise", "none"});
  service.output_of({"decide", "s", "--among", "farms"});
  service.output_of({"report", "s", "--decision", "1", "--reward", "0.5"});
  const Arguments correct{"correct", "s", "--decision", "1", "--instead", "shops", "--reward", "0.25", "--reason", "x"};
  EXPECT_EQ(service.output_of(correct), "s is corrected\n2\tshops\n");
  service.output_of({"change", "s", "--add-arms", "homes"});
  const Arguments again{"correct", "s", "--decision", "2", "--instead", "homes", "--reward", "0.75", "--reason", "y"};
  EXPECT_EQ(service.output_of(again), "s is corrected; decision 2 is void\n3\thomes\n");
  EXPECT_TRUE(contains(service.output_of({"show", "s"}), "s: 1 of 9 units spent, 0 pending\n"));
  expect_study_refused(service.run({"correct", "s", "--entry", "1", "--instead", "shops", "--reason", "x"}),
                       "--instead: is for --decision");
  expect_study_refused(service.run({"correct", "s", "--decision", "1", "--reason", "x"}),
                       "give one of --reward, the right reward, --kind and --instead");
}

TEST(CommandLineStudy, UnitsHaveTheDecimalsThatAreGiven) {
  const RunningService service;
  service.output_of({"create", "s", "--arms", "a,b", "--budget", "9.5", "--unit-decimals", "1"});
  service.output_of({"change", "s", "--extend-budget", "0.5"});
  EXPECT_TRUE(contains(service.output_of({"show", "s"}), "s: 0 of 10 units spent"));
  expect_study_refused(service.run({"decide", "s", "--count", "2"}),
                       "count: is 2, but where units have decimals a round of 1 unit is decided");
  expect_study_refused(service.run({"create", "t", "--arms", "a,b", "--budget", "9", "--unit-decimals", "7"}),
                       "--unit-decimals");
  expect_study_refused(
      service.run({"create", "t", "--arms", "a,b", "--budget", "9", "--costs", "a:2.5", "--unit-decimals", "0"}),
      "--unit-decimals 0: the constraints have units with 1 decimal; give at least 1");
  expect_study_refused(
      service.run({"create", "t", "--arms", "a,b", "--budget", "9.25", "--costs", "a:2.5", "--unit-decimals", "1"}),
      "--budget 9.25: must be a number > 0");
}

TEST(CommandLineStudy, AvailabilityChangesAndAStudyIsClosedAndMoved) {
  const RunningService service;
  service.output_of({"create", "s", "--arms", "farms,\"shops, small\"", "--budget", "9"});
  const auto unavailable = [&] {
    return nlohmann::json::parse(service.output_of({"show", "s", "--json"}))["unavailable"];
  };
  service.output_of({"change", "s", "--unavailable-now", "\"shops, small\""});
  EXPECT_EQ(unavailable(), nlohmann::json{"shops, small"});
  EXPECT_TRUE(contains(service.output_of({"show", "s"}), "shops, small (unavailable)\n"));
  service.output_of({"change", "s", "--unavailable-now", "farms"});
  EXPECT_EQ(unavailable(), nlohmann::json{"farms"}) << "exactly these";
  service.output_of({"change", "s", "--unavailable-now", "none"});
  EXPECT_EQ(unavailable(), nlohmann::json::array());
  expect_study_refused(service.run({"change", "s", "--unavailable-now", "shop"}), "is not an arm of the study");
  expect_study_refused(service.run({"change", "s", "--unavailable", "farms"}),
                       "longrun: --unavailable: 'farms' should read ");
  service.output_of({"decide", "s"});
  EXPECT_EQ(service.output_of({"close", "s"}), "s is closed\n");
  expect_study_refused(service.run({"decide", "s"}), "the study is closed");
  expect_study_refused(service.run({"close", "s"}), "the study is closed");
  const std::string log = written("log.jsonl", service.output_of({"export", "s"}));
  EXPECT_EQ(service.output_of({"import", "copy", log, "--dry-run"}), "copy would be imported\n");
  expect_study_refused(service.run({"show", "copy"}), "there is no study 'copy'");
  EXPECT_EQ(service.output_of({"import", "copy", log}), "copy is imported\n");
  EXPECT_EQ(service.output_of({"import", "copy", log}), "copy exists already, with this log\n");
  EXPECT_EQ(service.output_of({"import", "copy", log, "--dry-run"}), "copy exists already, with this log\n");
  EXPECT_TRUE(contains(service.output_of({"show", "copy"}), "copy: 1 of 9 units spent, 1 pending, closed\n"));
  expect_study_refused(service.run({"import", "copy"}), "FILE: missing; give a log");
  expect_study_refused(service.run({"import", "more", "-"}, "no log\n"), "-: line 1: the line is not valid JSON");
  service.output_of({"create", "other", "--arms", "a,b", "--budget", "9"});
  expect_study_refused(service.run({"import", "other", log}), "there is another study 'other' already");
}

TEST(CommandLineStudy, AnImportPrintsTheCautionsOfItsAnswerOnStandardError) {
  const RunningService service;
  service.output_of({"create", "s", "--arms", "a,b", "--budget", "9"});
  service.output_of({"decide", "s"});
  const std::string lines =
      std::regex_replace(service.output_of({"export", "s"}), std::regex(R"~((\n.*"at":")\d{4})~"), "$019999");
  const std::string log = written("future.jsonl", lines);
  for (const auto& [more, printed] : {std::pair<Arguments, std::string>{{"--dry-run"}, "copy would be imported\n"},
                                      std::pair<Arguments, std::string>{{}, "copy is imported\n"}}) {
    Arguments arguments{"import", "copy", log};
    arguments.insert(arguments.end(), more.begin(), more.end());
    const Finished run = service.run(arguments);
    EXPECT_EQ(run.code, 0) << run.err;
    EXPECT_EQ(run.out, printed);
    EXPECT_TRUE(contains(run.err, "longrun: line 2: at: 9999-")) << run.err;
    EXPECT_TRUE(contains(run.err, " is in the future")) << run.err;
  }
}

TEST(CommandLineStudy, RefusesMistakes) {
  const RunningService service;
  service.output_of({"create", "s", "--arms", "farms,shops", "--budget", "9"});
  service.output_of({"decide", "s"});
  expect_study_refused(service.run({"crate", "s"}), "action 'crate' is unknown; did you mean 'create'?");
  expect_study_refused(service.run({"decide"}), "NAME: missing; give the name of the study");
  expect_study_refused(service.run({"decide", "t"}), "there is no study 't'");
  expect_study_refused(service.run({"decide", "s", "--count", "0"}),
                       "--count 0: must be a whole number from 1 to 100000");
  expect_study_refused(service.run({"decide", "s", "--among", "farm"}), "arm 'farm' is not an arm of the study");
  expect_study_refused(service.run({"decide", "s", "--dry-run"}),
                       "--dry-run: not for 'decide'; it is for report, observe");
  expect_study_refused(service.run({"change", "s", "--extend-budget", "1", "--budget", "9"}),
                       "--budget: not for 'change'; it is for create");
  expect_study_refused(service.run({"show", "s", "--minimum-share", "0.1"}),
                       "--minimum-share: not for 'show'; it is for create, change");
  expect_study_refused(service.run({"audit", "s", "more"}), "FILE: not for 'audit'; it is for report, observe, import");
  expect_study_refused(service.run({"list", "s"}), "NAME: not for 'list'; it is for create, show");
  EXPECT_TRUE(contains(service.output_of({"show", "s"}), "1 of 9")) << "nothing was done";
  expect_study_refused(service.run({"create", "x", "--budget", "9"}), "--arms: missing");
  expect_study_refused(service.run({"create", "x", "--arms", "a,b"}), "--budget: missing");
  expect_study_refused(service.run({"create", "x y", "--arms", "a", "--budget", "9"}),
                       "name: 'x y' is not 1 to 64 letters");
  const auto creating = [&](Arguments constraints) {
    constraints.insert(constraints.begin(), {"create", "x", "--arms", "a,b", "--budget", "9"});
    return service.run(constraints);
  };
  expect_study_refused(creating({"--minimum-share", "0.8"}),
                       "longrun: --minimum-share: the shares of all 2 arms add up to 1.6, more than 1\n");
  expect_study_refused(creating({"--minimum-pulls", "5", "--minimum-share", "0.1"}),
                       "longrun: --minimum-pulls, --minimum-share: 10 units are needed, but the budget has only 9\n");
  expect_study_refused(creating({"--policy", "optimal"}), "longrun: --policy: 'optimal' needs known reward curves");
  expect_study_refused(service.run({"change", "s", "--minimum-share", "farm:0.5"}), "longrun: --minimum-share: 'farm:");
  expect_study_refused(service.run({"change", "s", "--minimum-pulls", "9"}),
                       "longrun: --minimum-pulls: at least 17 units are needed, but only 8 are left\n");
  expect_study_refused(service.run({"create", "s", "--arms", "a", "--budget", "9"}),
                       "there is another study 's' already");
  expect_study_refused(service.run({"report", "s"}), "FILE: missing");
  expect_study_refused(service.run({"report", "s", "absent.csv"}), "absent.csv: cannot be read");
  expect_study_refused(service.run({"report", "s", "."}), ".: is a folder; give a file");
  const std::string headless = written("headless.csv", "1,0.5\n");
  expect_study_refused(service.run({"report", "s", headless}), "headless.csv: line 1, column '1': is unknown");
  const Finished dry = service.run({"report", "s", "-", "--dry-run"}, "decision,reward\n1,50\n7,0.5\n");
  expect_study_refused(dry, "-: 2 lines would be refused");
  EXPECT_TRUE(contains(dry.out, "line 3: there is no decision 7; the last one is 1\n")) << dry.out;
  expect_study_refused(service.run({"report", "s", "-"}, "decision,reward\n1,x\n"), "longrun: -: line 2, column 2");
  expect_study_refused(service.run({"report", "s", "-"}, "decision,reward\n"),
                       "longrun: -: has no rows after the header");
  expect_study_refused(longrun_run({"study", "list", "--url", "localhost"}), "URL 'localhost': must be one such as");
  EXPECT_TRUE(contains(service.output_of({"show", "s"}), "s: 1 of 9 units spent, 1 pending\n"));
}

}  // namespace
}  // namespace longrun
