#include "longrun/service/url.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "longrun/base/text.h"
#include "tests/error_of.h"

namespace longrun {
namespace {

using QueryParts = std::vector<std::pair<std::string, std::string>>;

TEST(PercentDecoding, ReplacesEscapesByTheirBytes) {
  EXPECT_EQ(percent_decoded("a%20b%C3%a9%25"), "a b\xc3\xa9%");
  EXPECT_EQ(percent_decoded("a+b"), "a+b");
  EXPECT_EQ(percent_decoded(""), "");
}

TEST(PercentDecoding, IsUndoneByEscapingEveryByte) {
  for (const std::string text : {"plain", "a/b?c=d&e#f%", "\xe2\x82\xac 100", "~!@$^*()"}) {
    std::string escaped;
    for (const char byte : text) {
      constexpr std::string_view kDigits = "0123456789ABCDEF";
      const auto value = static_cast<unsigned char>(byte);
      escaped += '%';
      escaped += kDigits[value / 16];
      escaped += kDigits[value % 16];
    }
    EXPECT_EQ(percent_decoded(escaped), text);
  }
}

TEST(PercentDecoding, RefusesInvalidEscapes) {
  for (const std::string_view text : {"%", "%2", "a%2", "%zz", "%2g", "%%20", "%-1", "% 1", "%0x"}) {
    EXPECT_NE(error_of([&] { percent_decoded(text); }).find("invalid percent-escape at byte"), std::string::npos)
        << text;
  }
  EXPECT_EQ(error_of([] { percent_decoded("ab%4x"); }),
            "invalid percent-escape at byte 3; an escape is % and two hexadecimal digits");
}

TEST(PercentDecoding, RefusesWhatIsNotUtf8AndControlCharacters) {
  for (const std::string_view text : {"%ff", "%C3", "%C3%28", "\xff", "%ED%A0%80", "%C0%AF", "%F5%80%80%80"}) {
    EXPECT_EQ(error_of([&] { percent_decoded(text); }), "the target is not UTF-8 after its escapes are decoded")
        << text;
  }
  for (const std::string_view text : {"%00", "a%0Ab", "%0d", "%1f", "%7F", "\t"}) {
    EXPECT_EQ(error_of([&] { percent_decoded(text); }), "the target has a control character; they are not accepted")
        << text;
  }
}

TEST(UrlTarget, HasPathAndQuery) {
  const UrlTarget target = parse_url_target("/v1/studies/a%20b/events?after=12&x=%26+%3D&flag&=e&&last=");
  EXPECT_EQ(target.path, "/v1/studies/a b/events");
  EXPECT_EQ(target.query, (QueryParts{{"after", "12"}, {"x", "& ="}, {"flag", ""}, {"", "e"}, {"last", ""}}));
}

TEST(UrlTarget, SplitsBeforeItDecodes) {
  EXPECT_EQ(parse_url_target("/a%3Fb?c%3Dd=%26e").path, "/a?b");
  EXPECT_EQ(parse_url_target("/a%3Fb?c%3Dd=%26e").query, (QueryParts{{"c=d", "&e"}}));
  EXPECT_EQ(parse_url_target("/a?b=c?d=e").query, (QueryParts{{"b", "c?d=e"}}));
  EXPECT_EQ(parse_url_target("/a+b?c+d=e").path, "/a+b");
  EXPECT_EQ(parse_url_target("/a+b?c+d=e").query, (QueryParts{{"c d", "e"}}));
}

TEST(UrlTarget, MayBeAbsoluteOrAnAsterisk) {
  EXPECT_EQ(parse_url_target("http://host:8080/a?b=c").path, "/a");
  EXPECT_EQ(parse_url_target("https://host/a?b=c").query, (QueryParts{{"b", "c"}}));
  EXPECT_EQ(parse_url_target("http://host").path, "/");
  EXPECT_EQ(parse_url_target("http://host?b=/c").path, "/");
  EXPECT_EQ(parse_url_target("http://host?b=/c").query, (QueryParts{{"b", "/c"}}));
  EXPECT_EQ(parse_url_target("*").path, "*");
}

TEST(UrlTarget, RefusesOtherFormsFragmentsAndEscapedSlashes) {
  for (const std::string_view text : {"", "a", "host:80", "ftp://host/a", "*a", "**"}) {
    EXPECT_EQ(error_of([&] { parse_url_target(text); }), "the target does not begin with \"/\"") << text;
  }
  EXPECT_EQ(error_of([] { parse_url_target("/a#b"); }), "the target has a fragment (#); requests have none");
  for (const std::string_view text : {"/a%2Fb", "/a%2fclose?x"}) {
    EXPECT_EQ(error_of([&] { parse_url_target(text); }), "the path has an escaped \"/\" (%2F); it is not accepted")
        << text;
  }
  EXPECT_EQ(parse_url_target("/a?b=c%2Fd").query, (QueryParts{{"b", "c/d"}}));
  EXPECT_NE(error_of([] { parse_url_target("/a?b=%"); }), "no error");
}

TEST(UrlTarget, OfAnyBytesIsUtf8OrAnError) {
  constexpr std::string_view kBytes = "/?&=%+#a2F\xc3\xa9\x01";
  int accepted = 0;
  for (std::size_t code = 0; code < kBytes.size() * kBytes.size() * kBytes.size() * kBytes.size(); ++code) {
    std::string text = "/";
    for (std::size_t rest = code; rest > 0; rest /= kBytes.size()) text += kBytes[rest % kBytes.size()];
    try {
      const UrlTarget target = parse_url_target(text);
      EXPECT_TRUE(is_utf8(target.path)) << text;
      for (const auto& [name, value] : target.query) EXPECT_TRUE(is_utf8(name) && is_utf8(value)) << text;
      ++accepted;
    } catch (const InputError&) {
    }
  }
  EXPECT_GT(accepted, 1000);
}

}  // namespace
}  // namespace longrun
