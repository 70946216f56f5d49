// Escapes text from outside for the log and for error messages.
#pragma once

#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <string>

namespace gkl_shim {

// Replaces each byte of a control character, and each byte that is not UTF-8, by \x and two hex
// digits. A file's name or another program's output could otherwise break the line or send commands
// to the terminal.
inline std::string printable(const std::string &text) {
    std::string result;
    for (size_t at = 0; at < text.size();) {
        const auto byte = [&](size_t k) { return static_cast<unsigned char>(text[k]); };
        const unsigned char first = byte(at);
        // Bytes that follow the first of a character.
        const size_t more = first < 0x80 ? 0 : first < 0xE0 ? 1 : first < 0xF0 ? 2 : 3;
        bool shown = first < 0x80 ? first >= 0x20 && first != 0x7F : first >= 0xC2 && first < 0xF5;
        for (size_t k = at + 1; shown && k <= at + more; k++)
            shown = k < text.size() && byte(k) >= 0x80 && byte(k) < 0xC0;
        // The control characters U+0080 to U+009F.
        if (shown && first == 0xC2 && byte(at + 1) < 0xA0) shown = false;
        // Characters in more bytes than they need, surrogates, and those above U+10FFFF.
        if (shown &&
            ((first == 0xE0 && byte(at + 1) < 0xA0) || (first == 0xED && byte(at + 1) >= 0xA0) ||
             (first == 0xF0 && byte(at + 1) < 0x90) || (first == 0xF4 && byte(at + 1) >= 0x90)))
            shown = false;
        if (shown) {
            result.append(text, at, more + 1);
            at += more + 1;
        } else {
            char escaped[8];
            snprintf(escaped, sizeof escaped, "\\x%02x", first);
            result += escaped;
            at++;
        }
    }
    return result;
}

// Quotes text as Python's repr() does, with bytes beyond ASCII as \\xNN.
inline std::string quoted(const uint8_t *bytes, int64_t count) {
    const auto has = [&](char letter) { return memchr(bytes, letter, size_t(count)) != nullptr; };
    const char quote = has('\'') && !has('"') ? '"' : '\'';
    std::string out(1, quote);
    for (int64_t k = 0; k < count; k++) {
        const uint8_t byte = bytes[k];
        char shown[8] = {char(byte)};
        if (byte == '\\' || byte == quote) snprintf(shown, sizeof shown, "\\%c", byte);
        if (byte < ' ' || byte == 127) snprintf(shown, sizeof shown, "\\x%02x", byte);
        if (byte > 127) snprintf(shown, sizeof shown, "\\\\x%02x", byte);
        if (byte == '\t') strcpy(shown, "\\t");
        if (byte == '\r') strcpy(shown, "\\r");
        out += shown;
    }
    return out + quote;
}

// Whether a byte is a printable ASCII character other than a space.
inline bool is_graphic(uint8_t byte) { return '!' <= byte && byte <= '~'; }

// Quotes a byte that is_graphic(), and shows any other as a number.
inline std::string shown_byte(uint8_t byte) {
    if (is_graphic(byte)) return quoted(&byte, 1);
    char number[8];
    snprintf(number, sizeof number, "0x%02X", byte);
    return number;
}

}  // namespace gkl_shim
