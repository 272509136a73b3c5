// The sample bot `greedy`, as in sample_bots/pips_sample_bots/pippip/greedy_bot.py.
#pragma once
#include <cmath>

#include "hand.hpp"

// The suits to call, in this order.
inline std::vector<int> greedy_calls(const Hand& hand) {
  std::vector<std::pair<int, int>> weakest_first;
  for (int suit = 0; suit < SUITS; suit++)
    for (int pair = 0; pair < hand.pairs(hand.turn, suit); pair++) {
      int weight = 0;
      for (int card = 13 * suit; card < 13 * suit + 13; card++)
        weight += (hand.hidden[hand.turn][card] + hand.open[hand.turn][card]) * (height(card) + 5);
      weakest_first.push_back({weight, suit});
    }
  auto lighter = [](const auto& one, const auto& other) { return one.first < other.first; };
  std::stable_sort(weakest_first.begin(), weakest_first.end(), lighter);
  if (!hand.last_call) std::reverse(weakest_first.begin(), weakest_first.end());
  std::vector<int> suits;
  for (auto& [weight, suit] : weakest_first) suits.push_back(suit);
  return suits;
}

class Greedy {
 public:
  explicit Greedy(const Hand& hand_) : hand(hand_), seat(hand_.turn) {
    hand.left(seat, left);
    for (int count : left) all_left += count;
    fear = std::min(1.0, std::pow(4.0 / hand.seats, 3));
    later = hand.seats - hand.laid - 1;
    int cards = hand.hidden_count[seat] + hand.open_count[seat];
    held = std::min(1.0, (double)cards * later / std::max(1, all_left)) * fear;
    for (int card = 13 * hand.trumps; card < 13 * hand.trumps + 13; card++) trumps_left += left[card];
    for (int suit = 0; suit < SUITS; suit++) hope(suit, cards);
  }

  int play() const {
    int best = 0;
    double most = -1e9;
    for (int code : hand.playable(seat))
      if (double value = gain(code % OPEN) - worth(code % OPEN); value > most) most = value, best = code;
    return hand.open[seat][best % OPEN] ? best % OPEN + OPEN : best;  // the open one of two
  }

 private:
  const Hand& hand;
  int seat, left[CARDS], all_left = 0, later, trumps_left = 0, guards[SUITS] = {};
  double fear, held, hopes[CARDS] = {}, guarded[SUITS] = {};
  bool hoped[CARDS] = {};

  // The points that hidden kings and queens of the suit may bring in calls.
  void hope(int suit, int cards) {
    int draws = (PACK - hand.drawn) / hand.seats, king = king_of(suit), queen = queen_of(suit);
    for (auto [card, partner] : {std::pair{king, queen}, {queen, king}}) {
      if (!hand.hidden[seat][card]) continue;
      double most = std::max({draws, all_left, 1});
      bool has_pair = hand.hidden[seat][partner] >= hand.hidden[seat][card];
      hopes[card] = !has_pair ? CALL_POINTS * (1 - std::pow(1 - draws / most, left[partner]))
                    : cards > 2 ? CALL_POINTS
                                : 0;
      hoped[card] = true, guarded[suit] += hopes[card];
    }
    for (int card = 13 * suit; card < 13 * suit + 13; card++)
      guards[suit] += hoped[card] ? 0 : hand.hidden[seat][card] + hand.open[seat][card];
  }

  double gain(int card) const {
    int points = points_of(card), led = suit_of(hand.laid ? hand.trick[0] : card);
    int strength = hand.strength(card, led);
    bool wins = !hand.laid || (strength && strength >= hand.strength(hand.trick[hand.winning()], led));
    if (!wins) return -points * fear / 2;
    double chance = later ? chance_to_hold(card, led) : 1;
    return chance * (points + hand.trick_points()) - (1 - chance) * points * fear / 2;
  }

  double chance_to_hold(int card, int led) const {
    double follow = 1 - held * 0.7, trump = 1 - held * 0.1;
    int suit = suit_of(card), higher = 0;
    for (int other = 13 * suit; other < 13 * suit + 13; other++)
      higher += height(other) >= height(card) ? left[other] : 0;
    double chance = std::pow(suit == led ? follow : trump, higher);
    return suit == hand.trumps ? chance : chance * std::pow(led == hand.trumps ? follow : trump, trumps_left);
  }

  double worth(int card) const {
    int suit = suit_of(card), others = guards[suit];
    double worth = fear * height(card) / 10 + points_of(card) / 2.0 + 2 * (suit == hand.trumps);
    if (hand.open[seat][card]) return worth;
    if (hoped[card]) return worth + hopes[card];
    return guarded[suit] > 0 ? worth + guarded[suit] / 5 / (others * others) : worth;
  }
};
