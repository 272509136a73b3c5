// The conformance bot in C++, with pips.hpp. docs/protocol.md says how it answers. Build:
// python -m pips_sdk.lines --cpp > pips.hpp && g++ -std=c++17 -O1 -o bot bot.cpp
#include <algorithm>
#include <chrono>
#include <stdexcept>
#include <string>
#include <thread>

#include "pips.hpp"

namespace serpent = pips::serpent;
namespace wichita = pips::wichita;
namespace pippip = pips::pippip;
namespace dominion = pips::dominion;

struct Serpent : serpent::Bot {
    serpent::Action answer(const serpent::View &view) override {
        const auto &cards = view.playable;
        if (view.kind == "give") return serpent::Give{{cards[0], cards[1], cards[2]}};
        if (view.kind == "reveal") return serpent::Reveal{{cards[0], cards[1], cards[2]}};
        if (options.max_tiebreaks == 7) throw std::runtime_error("I was told to fail");
        if (options.max_tiebreaks == 9) std::this_thread::sleep_for(std::chrono::milliseconds(50));
        if (view.kind == "lead") return serpent::Lead{cards[0]};
        return serpent::Answer{cards[0]};
    }
};

struct Wichita : wichita::Bot {
    int events = 0;
    void heard(const wichita::Event &) override { ++events; }
    wichita::Action answer(const wichita::View &view) override {
        if (view.kind == "draw") return wichita::DrawOn{events % 2 == 0};
        wichita::Lay lay;
        for (const auto card : view.hand)
            if (card.rank == view.dice[0] + view.dice[1]) lay.stacks.push_back({card});
        return lay;
    }
};

struct Pippip : pippip::Bot {
    int events = 0;
    void heard(const pippip::Event &) override { ++events; }
    pippip::Action answer(const pippip::View &view) override {
        if (view.kind == "call") return events % 2 == 0 ? pippip::Call{view.callable} : pippip::Call{};
        const auto card = view.playable[0];
        const auto &up = view.face_up[view.seat];
        return pippip::Play{card, std::find(up.begin(), up.end(), card) != up.end()};
    }
};

struct Dominion : dominion::Bot {
    dominion::Action answer(const dominion::View &view) override {
        if (view.kind == "resign") return dominion::Pass{};
        if (view.kind == "declare") return dominion::Declare{};
        if (view.kind == "reinforce" && view.optional_army) return dominion::Pass{};
        if (view.kind == "reinforce") return dominion::Reinforce{view.cells[0]};
        if (view.kind == "remove") return dominion::Remove{view.cells[0]};
        if (view.kind == "conquer") return dominion::Conquer{view.conquest->most};
        if (view.kind == "attack") return view.attacks[0];
        if (view.kind == "advance") return view.advances[0];
        return view.deployments[0];
    }
};

int main() { return pips::run<Serpent, Wichita, Pippip, Dominion>("conformance"); }
