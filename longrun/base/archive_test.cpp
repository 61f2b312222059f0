// Objects as bytes: what is written is read, and damaged bytes are refused.
#include "longrun/base/archive.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>

#include "longrun/base/input_error.h"

namespace longrun {
namespace {

enum class Colour : std::uint8_t { red, green };

struct Point {
  double x = 0;
  std::int32_t y = 0;

  template <class Visit>
  decltype(auto) visit_fields(Visit&& visit) {
    return visit(x, y);
  }
  bool operator==(const Point&) const = default;
};

/// Point with other names and a field that is not saved.
struct Same {
  double a = 0;
  std::int32_t b = 0;
  int not_saved = 0;

  template <class Visit>
  decltype(auto) visit_fields(Visit&& visit) {
    return visit(a, b);
  }
};

/// A class with every kind of field, and one that is not saved.
class Everything {
 public:
  explicit Everything(int scale) : scale_(scale) {}

  void fill() {
    flag_ = true;
    colour_ = Colour::green;
    name_ = std::string("a\0b", 3);
    points_ = {{0.1, 1}, {-0.0, -2}, {std::numeric_limits<double>::infinity(), 3}};
    nested_ = {{1, 2}, {}, {3}};
    array_ = {4, 5};
    maybe_ = Point{7, 8};
  }
  void after_load() { scaled_ = scale_ * array_[0]; }
  int scaled() const { return scaled_; }

  template <class Visit>
  decltype(auto) visit_fields(Visit&& visit) {
    return visit(flag_, colour_, name_, points_, nested_, array_, maybe_, empty_);
  }
  bool operator==(const Everything&) const = default;

 private:
  int scale_;
  int scaled_ = 0;
  bool flag_ = false;
  Colour colour_ = Colour::red;
  std::string name_;
  std::vector<Point> points_;
  std::vector<std::vector<std::int64_t>> nested_;
  std::array<std::int16_t, 2> array_{};
  std::optional<Point> maybe_;
  std::optional<double> empty_ = 1.0;
};

template <class T>
std::string bytes_of(const T& object) {
  Writer writer;
  writer.write(object);
  return writer.bytes();
}

TEST(Archive, ReadsWhatWasWritten) {
  Everything original(2);
  original.fill();
  original.after_load();
  const std::string bytes = bytes_of(original);
  Everything loaded(2);
  Reader reader(bytes);
  reader.read(loaded);
  EXPECT_NO_THROW(reader.check_end());
  EXPECT_EQ(loaded, original);
  EXPECT_EQ(loaded.scaled(), 8) << "after_load() runs when the fields have been read";
  EXPECT_EQ(bytes_of(loaded), bytes);
}

TEST(Archive, KeepsEveryBitOfANumber) {
  for (const double value : {-0.0, std::nextafter(1.0, 2.0), 5e-324, std::numeric_limits<double>::quiet_NaN()}) {
    const std::string bytes = bytes_of(value);
    EXPECT_EQ(std::bit_cast<std::uint64_t>(Reader(bytes).read<double>()), std::bit_cast<std::uint64_t>(value));
  }
}

TEST(Archive, BytesAreTheSameOnEveryMachine) {
  EXPECT_EQ(bytes_of(std::int32_t{0x01020304}), "\x04\x03\x02\x01");
  EXPECT_EQ(bytes_of(1.0), std::string("\0\0\0\0\0\0\xf0\x3f", 8));
  EXPECT_EQ(bytes_of(std::vector<std::uint8_t>{7, 9}), std::string("\2\0\0\0\0\0\0\0\7\x9", 10));
  EXPECT_EQ(bytes_of(std::optional<std::uint8_t>{5}), std::string("\1\5"));
  EXPECT_EQ(bytes_of(std::optional<std::uint8_t>{}), std::string("\0", 1));
  EXPECT_EQ(bytes_of(Point{1, 2}).size(), 12);
}

TEST(Archive, TruncatedBytesAreRefused) {
  Everything original(1);
  original.fill();
  const std::string bytes = bytes_of(original);
  for (std::size_t length = 0; length < bytes.size(); ++length) {
    Everything loaded(1);
    Reader reader(std::string_view(bytes).substr(0, length));
    EXPECT_THROW(reader.read(loaded), InputError) << length;
  }
}

TEST(Archive, ADamagedSizeAllocatesNothing) {
  Writer writer;
  writer.write(std::uint64_t{1} << 60);
  std::vector<Point> points;
  EXPECT_THROW(Reader(writer.bytes()).read(points), InputError);
  std::string text;
  EXPECT_THROW(Reader(writer.bytes()).read(text), InputError);
  EXPECT_EQ(points.capacity(), 0);
}

TEST(Archive, DamagedBytesAreReadOrRefused) {
  Everything original(1);
  original.fill();
  const std::string bytes = bytes_of(original);
  for (std::size_t at = 0; at < bytes.size(); ++at) {
    for (int bit = 0; bit < 8; ++bit) {
      std::string damaged = bytes;
      damaged[at] = static_cast<char>(damaged[at] ^ (1 << bit));
      Everything loaded(1);
      try {
        Reader(damaged).read(loaded);
      } catch (const InputError& error) {
        EXPECT_EQ(std::string(error.what()).find('\n'), std::string::npos);
      }
    }
  }
}

TEST(Archive, AChecksumFindsEveryDamagedByteAndAnotherLayout) {
  Writer writer;
  writer.write_checked(Point{0.5, 3});
  Point loaded;
  Reader reader(writer.bytes());
  reader.read_checked(loaded);
  EXPECT_EQ(loaded, (Point{0.5, 3}));
  for (std::size_t at = 0; at < writer.bytes().size(); ++at) {
    std::string damaged = writer.bytes();
    damaged[at] = static_cast<char>(damaged[at] + 1);
    EXPECT_THROW(Reader(damaged).read_checked(loaded), InputError) << at;
  }
  std::array<std::int32_t, 3> another{};  // takes as many bytes
  EXPECT_THROW(Reader(writer.bytes()).read_checked(another), InputError);
}

TEST(Archive, AnOptionalWithoutDefaultConstructorIsReadIntoItsValue) {
  std::optional<Everything> original(std::in_place, 3);
  original->fill();
  const std::string bytes = bytes_of(original);
  std::optional<Everything> loaded(std::in_place, 3);
  Reader(bytes).read(loaded);
  EXPECT_EQ(loaded->scaled(), 12);
  std::optional<Everything> none;
  EXPECT_THROW(Reader(bytes).read(none), InputError);
  const std::string nothing = bytes_of(none);
  Reader(nothing).read(loaded);
  EXPECT_FALSE(loaded);
}

TEST(Archive, TheLayoutHashIsThatOfTheTypes) {
  static_assert(layout_hash<Point>() == layout_hash<Same>());
  EXPECT_EQ(layout_hash<Point>(), 10143159038162950573U)
      << "snapshots of earlier versions are refused if this number changes";
  const std::vector<std::uint64_t> hashes{
      layout_hash<Point>(),
      layout_hash<std::int32_t>(),
      layout_hash<std::uint32_t>(),
      layout_hash<std::int64_t>(),
      layout_hash<double>(),
      layout_hash<bool>(),
      layout_hash<std::string>(),
      layout_hash<std::vector<double>>(),
      layout_hash<std::vector<std::vector<double>>>(),
      layout_hash<std::optional<double>>(),
      layout_hash<std::array<double, 2>>(),
      layout_hash<std::array<double, 3>>(),
      layout_hash<Everything>(),
  };
  for (std::size_t a = 0; a < hashes.size(); ++a) {
    for (std::size_t b = 0; b < a; ++b) EXPECT_NE(hashes[a], hashes[b]) << a << ", " << b;
  }
}

}  // namespace
}  // namespace longrun
