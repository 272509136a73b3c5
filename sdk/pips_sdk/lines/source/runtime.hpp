// Bots in C++ (17 or later): derive from the Bot of your game, and hand it to pips::run.
// This file is written by `python -m pips_sdk.lines --cpp`; docs/lines.md tells how to use it.
#pragma once
#include <cstddef>
#include <exception>
#include <iostream>
#include <map>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace pips {

// --- JSON, as the lines have it: whole numbers, and no blanks between values

struct Json {
    enum class Kind { null, flag, number, text, list, object };
    Kind kind = Kind::null;
    long long number = 0;           // of a flag: 0 or 1
    std::string text;
    std::vector<Json> items;        // of a list or an object
    std::vector<std::string> keys;  // of an object, beside its items

    explicit Json(Kind kind = Kind::null, long long number = 0) : kind(kind), number(number) {}
    const Json &operator[](std::string_view key) const {
        for (std::size_t at = 0; at < keys.size(); ++at)
            if (keys[at] == key) return items[at];
        throw std::runtime_error("the line has no " + std::string(key));
    }
    bool has(std::string_view key) const {
        for (const auto &known : keys)
            if (known == key) return true;
        return false;
    }
};

class Reader {
public:
    explicit Reader(std::string_view line) : line_(line) {}

    Json value() {
        blanks();
        switch (peek()) {
            case '{': return object();
            case '[': return list();
            case '"': {
                Json text(Json::Kind::text);
                text.text = string();
                return text;
            }
            case 't': return word("true", Json(Json::Kind::flag, 1));
            case 'f': return word("false", Json(Json::Kind::flag, 0));
            case 'n': return word("null", Json());
            default: return number();
        }
    }

private:
    std::string_view line_;
    std::size_t at_ = 0;

    char peek() const {
        if (at_ >= line_.size()) throw std::runtime_error("the line ends too early");
        return line_[at_];
    }
    void blanks() {
        while (at_ < line_.size() && (line_[at_] == ' ' || line_[at_] == '\t')) ++at_;
    }
    bool skip(char letter) {
        blanks();
        if (peek() != letter) return false;
        ++at_;
        return true;
    }
    void due(char letter) {
        if (!skip(letter)) throw std::runtime_error(std::string("the line has no ") + letter + " where it is due");
    }
    Json word(std::string_view word, Json value) {
        if (line_.substr(at_, word.size()) != word) throw std::runtime_error("the line has a word that is not JSON");
        at_ += word.size();
        return value;
    }
    Json number() {
        Json json(Json::Kind::number);
        const bool negative = peek() == '-';
        if (negative) ++at_;
        if (peek() < '0' || peek() > '9') throw std::runtime_error("the line has a value that is not JSON");
        while (at_ < line_.size() && line_[at_] >= '0' && line_[at_] <= '9') json.number = 10 * json.number + (line_[at_++] - '0');
        if (negative) json.number = -json.number;
        return json;
    }
    std::string string() {
        due('"');
        std::string text;
        while (peek() != '"') {
            char letter = line_[at_++];
            if (letter != '\\') {
                text += letter;
                continue;
            }
            switch (letter = peek(), ++at_, letter) {
                case 'n': text += '\n'; break;
                case 't': text += '\t'; break;
                case 'r': text += '\r'; break;
                case 'b': text += '\b'; break;
                case 'f': text += '\f'; break;
                case 'u': text += code_point(); break;
                default: text += letter;
            }
        }
        ++at_;
        return text;
    }
    std::string code_point() {  // in UTF-8; halves of a pair are two letters
        const auto code = std::stoul(std::string(line_.substr(at_, 4)), nullptr, 16);
        at_ += 4;
        if (code < 0x80) return {static_cast<char>(code)};
        if (code < 0x800) return {static_cast<char>(0xC0 | code >> 6), static_cast<char>(0x80 | (code & 0x3F))};
        return {static_cast<char>(0xE0 | code >> 12), static_cast<char>(0x80 | (code >> 6 & 0x3F)),
                static_cast<char>(0x80 | (code & 0x3F))};
    }
    Json list() {
        Json json(Json::Kind::list);
        due('[');
        if (skip(']')) return json;
        do json.items.push_back(value());
        while (skip(','));
        due(']');
        return json;
    }
    Json object() {
        Json json(Json::Kind::object);
        due('{');
        if (skip('}')) return json;
        do {
            blanks();
            json.keys.push_back(string());
            due(':');
            json.items.push_back(value());
        } while (skip(','));
        due('}');
        return json;
    }
};

// --- cards

enum class Suit { clubs, diamonds, hearts, spades };

struct Card {
    int rank = 1;  // 1 for an ace to 13 for a king
    Suit suit = Suit::clubs;

    std::string code() const {  // QS, 10H
        static const char *const ranks[] = {"A", "2", "3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K"};
        return ranks[rank - 1] + std::string(1, "CDHS"[static_cast<int>(suit)]);
    }
    friend bool operator==(Card one, Card other) { return one.rank == other.rank && one.suit == other.suit; }
    friend bool operator!=(Card one, Card other) { return !(one == other); }
    friend bool operator<(Card one, Card other) { return std::pair(one.rank, one.suit) < std::pair(other.rank, other.suit); }
};

// --- values from JSON, and back

inline void read(const Json &from, int &to) { to = static_cast<int>(from.number); }
inline void read(const Json &from, bool &to) { to = from.number != 0; }
inline void read(const Json &from, std::string &to) { to = from.text; }
inline void read(const Json &from, Suit &to) { to = static_cast<Suit>(std::string("CDHS").find(from.text.at(0))); }
inline void read(const Json &from, Card &to) {
    static const std::string ranks = "A234567891JQK";  // by their first letter: ten has a 1
    to = {static_cast<int>(ranks.find(from.text.at(0))) + 1, static_cast<Suit>(std::string("CDHS").find(from.text.back()))};
}
template <class T> void read(const Json &from, std::vector<T> &to);
template <class T> void read(const Json &from, std::optional<T> &to) {
    to.reset();
    if (from.kind != Json::Kind::null) read(from, to.emplace());
}
template <class T> void read(const Json &from, std::vector<T> &to) {
    to.clear();
    for (const auto &item : from.items) {
        T value{};
        read(item, value);
        to.push_back(std::move(value));
    }
}
template <class... Choices> void read(const Json &from, std::variant<Choices...> &to) {
    const auto &kind = from["kind"].text;
    const auto take = [&](auto choice) {
        if (kind != decltype(choice)::json_kind) return false;
        read(from, choice);
        to = std::move(choice);
        return true;
    };
    if (!(take(Choices{}) || ...)) throw std::runtime_error("no value is a " + kind);
}
template <class T> void read_field(const Json &from, std::string_view name, T &to) { read(from[name], to); }

inline void write(std::string &to, int from) { to += std::to_string(from); }
inline void write(std::string &to, bool from) { to += from ? "true" : "false"; }
inline void write(std::string &to, Suit from) { to += std::string("\"") + "CDHS"[static_cast<int>(from)] + '"'; }
inline void write(std::string &to, Card from) { to += '"' + from.code() + '"'; }
inline void write(std::string &to, const std::string &from) {
    to += '"';
    for (const char letter : from) {
        if (letter == '"' || letter == '\\') to += '\\';
        to += static_cast<unsigned char>(letter) < ' ' ? ' ' : letter;
    }
    to += '"';
}
template <class T> void write(std::string &to, const std::vector<T> &from) {
    to += '[';
    for (std::size_t at = 0; at < from.size(); ++at) {
        if (at) to += ',';
        write(to, static_cast<const T &>(from[at]));
    }
    to += ']';
}
template <class T> void write_field(std::string &to, std::string_view name, const T &from) {
    to += ",\"" + std::string(name) + "\":";
    write(to, from);
}

// --- bots: one object for each table

class AnyBot {
public:
    virtual ~AnyBot() = default;
    virtual void start(const Json &line) = 0;
    virtual std::string question(const Json &line) = 0;
    virtual void finish(const Json &line) = 0;
};

template <class Game> class BotOf : public AnyBot {
public:
    using View = typename Game::View;
    using Action = typename Game::Action;
    using Event = typename Game::Event;
    static constexpr const char *game = Game::name;

    typename Game::Options options;
    int seats = 0, seat = 0;
    int time_left_ms = 0;       // for this answer; 0 without a clock
    std::string rng_seed;       // hexadecimal: draw your luck from it, and matches can be played again
    std::vector<Action> legal;  // of this question, if run was told Legal::listed

    // What you write. An exception of `answer` costs the match, and not the process.
    virtual Action answer(const View &view) = 0;
    virtual void started() {}
    virtual void heard(const Event &) {}
    virtual void finished(const std::vector<int> & /* places */, const std::vector<int> & /* scores */) {}

    void start(const Json &line) final {
        read_field(line, "options", options);
        read_field(line, "seats", seats);
        read_field(line, "seat", seat);
        read_field(line, "rng_seed", rng_seed);
        started();
        hear(line["told"]);
    }
    std::string question(const Json &line) final {
        View view{};
        read_field(line, "view", view);
        read_field(line, "time_left_ms", time_left_ms);
        legal.clear();
        if (line.has("legal")) read_field(line, "legal", legal);
        hear(line["events"]);
        std::string action;
        std::visit([&](const auto &chosen) { write(action, chosen); }, answer(view));
        return action;
    }
    void finish(const Json &line) final {
        hear(line["events"]);
        std::vector<int> places, scores;
        read_field(line, "places", places);
        read_field(line, "scores", scores);
        finished(places, scores);
    }

private:
    void hear(const Json &events) {
        for (const auto &item : events.items) {
            Event event{};
            read(item, event);
            heard(event);
        }
    }
};

enum class Legal { left_out, listed };

// Play all tables of this process with these bots, one class for each game.
template <class... Bots> int run(const std::string &name, Legal legal = Legal::left_out) {
    std::ios::sync_with_stdio(false);
    const std::vector<std::string> games{Bots::game...};
    std::string hello = "{\"type\":\"hello\"";
    write_field(hello, "name", name);
    write_field(hello, "games", games);
    write_field(hello, "legal", legal == Legal::listed);
    std::cout << hello << '}' << std::endl;
    std::map<long long, std::unique_ptr<AnyBot>> tables;
    for (std::string line; std::getline(std::cin, line);) {
        const Json message = Reader(line).value();
        const std::string &type = message["type"].text;
        const long long table = message["table"].number;
        if (type == "start") {
            auto &bot = tables[table];
            const std::string &game = message["game"].text;
            ((game == Bots::game ? void(bot = std::make_unique<Bots>()) : void()), ...);
            bot->start(message);
        } else if (type == "finish") {
            tables.at(table)->finish(message);
            tables.erase(table);
        } else if (type == "question") {
            std::string answer = "{\"table\":" + std::to_string(table) + ",\"number\":" + std::to_string(message["number"].number);
            try {
                answer += ",\"action\":" + tables.at(table)->question(message);
            } catch (const std::exception &error) {
                write_field(answer, "failed", std::string(error.what()));
            }
            std::cout << answer << '}' << std::endl;  // std::endl flushes
        }
    }
    return 0;
}

}  // namespace pips
