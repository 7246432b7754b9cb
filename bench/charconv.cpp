// C++'s own numbers as text, as the peer of bench/io.c.
#include <charconv>
#include <cstddef>

extern "C" double charconv_parse(const char *text, std::size_t length)
{
    double value = 0;
    std::from_chars(text, text + length, value);
    return value;
}

extern "C" std::size_t charconv_print(double value, char *text)
{
    return static_cast<std::size_t>(std::to_chars(text, text + 32, value).ptr - text);
}
