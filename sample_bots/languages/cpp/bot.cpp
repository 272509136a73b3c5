// Serpent in lines: the highest card that may be played. Build: g++ -O2 -o bot bot.cpp
// It looks for the few fields it needs; the compact lines it is sent make that safe.
#include <algorithm>
#include <iostream>
#include <sstream>
#include <string>
#include <vector>

static std::string after(const std::string &line, const std::string &name) {
    const std::string key = "\"" + name + "\":";
    const auto from = line.find(key) + key.size();
    return line.substr(from, line.find_first_of(",}", from) - from);
}

static std::vector<std::string> playable(const std::string &line) {
    // Ranks by their first letter: ten has a 1.
    const std::string ranks = "A234567891JQK", key = "\"playable\":[";
    std::vector<std::string> cards;
    const auto from = line.find(key) + key.size();
    std::istringstream list(line.substr(from, line.find(']', from) - from));
    for (std::string card; std::getline(list, card, ',');) cards.push_back(card);  // with its quotation marks
    std::sort(cards.begin(), cards.end(), [&](const auto &one, const auto &other) {
        return ranks.find(one[1]) > ranks.find(other[1]);
    });
    return cards;
}

int main() {
    std::ios::sync_with_stdio(false);
    std::cout << R"({"type":"hello","name":"cpp","games":["serpent"],"events":false})" << std::endl;
    for (std::string line; std::getline(std::cin, line);) {
        if (line.rfind("{\"type\":\"question\"", 0) != 0) continue;
        const auto cards = playable(line);
        const auto kind = after(line.substr(line.find("\"view\":")), "kind");
        std::cout << "{\"table\":" << after(line, "table") << ",\"number\":" << after(line, "number")
                  << ",\"action\":{\"kind\":" << kind;
        if (kind == "\"lead\"" || kind == "\"answer\"")
            std::cout << ",\"card\":" << cards[0];
        else
            std::cout << ",\"cards\":[" << cards[0] << ',' << cards[1] << ',' << cards[2] << ']';
        std::cout << "}}" << std::endl;  // std::endl flushes
    }
}
