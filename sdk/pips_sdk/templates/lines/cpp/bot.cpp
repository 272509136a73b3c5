// A bot for GAME_TITLE: any legal action. pips.hpp has the game's view and actions.
#include <functional>
#include <random>

#include "pips.hpp"

namespace game = pips::GAME;

struct MyBot : game::Bot {
    std::mt19937 luck;

    void started() override { luck.seed(std::hash<std::string>{}(rng_seed)); }

    game::Action answer(const game::View &) override { return legal[luck() % legal.size()]; }
};

int main() { return pips::run<MyBot>("my_bot", pips::Legal::listed); }
