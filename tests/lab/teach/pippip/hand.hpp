// One hand of Pip-Pip!, as referee/pips_referee/games/pippip/RULES.md numbers it, for
// training alone: a million hands are played there. Windows are those of the house.
// A card is its byte, 13 * suit + rank - 1. test_pippip_training.py compares every step
// with the rules of the referee.
#pragma once
#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <utility>
#include <vector>

constexpr int CARDS = 52, SUITS = 4, MOST_SEATS = 6, HAND_CARDS = 7, PACK = 2 * CARDS;
constexpr int CALL_POINTS = 50, OPEN = CARDS;  // a card + OPEN is one that lies face up

inline int suit_of(int card) { return card / 13; }
inline int king_of(int suit) { return 13 * suit + 12; }
inline int queen_of(int suit) { return 13 * suit + 11; }

// The height of a card in its suit, 13 for a two, 1 for a three (P2).
inline int height(int card) {
  static const int heights[13] = {12, 13, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11};
  return heights[card % 13];
}

// The points of a card to the winner of its trick (P10).
inline int points_of(int card) {
  static const int points[13] = {10, 11, 0, 0, 0, 0, 0, 0, 0, 0, 3, 4, 5};
  return points[card % 13];
}

struct Random {
  uint64_t state;
  explicit Random(uint64_t seed) : state(seed * 0x9E3779B97F4A7C15ull + 0x1234567) {
    for (int i = 0; i < 4; i++) next();
  }
  uint64_t next() {
    state ^= state << 13, state ^= state >> 7, state ^= state << 17;
    return state * 0x2545F4914F6CDD1Dull;
  }
  int below(int stop) { return (int)((next() >> 33) * (uint64_t)stop >> 31); }
  double fraction() { return (double)(next() >> 11) / 9007199254740992.0; }
};

enum Kind { OVER, CALL, PLAY };

// By seat, with the cards counted: `hidden[seat][card]` is 0, 1 or 2.
struct Hand {
  int seats, trumps, next_trumps, leader, turn, drawn, windows, laid;
  bool last_call, drawing, ended;
  Kind kind;
  uint8_t deck[PACK], trick[MOST_SEATS], played[CARDS], rest[CARDS];
  uint8_t hidden[MOST_SEATS][CARDS], open[MOST_SEATS][CARDS], limits[MOST_SEATS][SUITS];
  int hidden_count[MOST_SEATS], open_count[MOST_SEATS], points[MOST_SEATS];

  // `rules`: whether the last call sets the trumps (P9).
  void deal(int seats_, bool rules, int trumps_, int leader_, Random& random) {
    memset(this, 0, sizeof *this);
    seats = seats_, last_call = rules, trumps = trumps_, next_trumps = -1, leader = turn = leader_;
    for (int i = 0; i < PACK; i++) deck[i] = (uint8_t)(i % CARDS);
    for (int i = 0; i < PACK - 1; i++) std::swap(deck[i], deck[i + random.below(PACK - i)]);
    for (int seat = 0; seat < seats; seat++) {
      int begin = (seat - leader + seats) % seats * HAND_CARDS;  // P4
      for (int i = 0; i < HAND_CARDS; i++) hidden[seat][deck[begin + i]]++;
      hidden_count[seat] = HAND_CARDS;
      memset(limits[seat], HAND_CARDS, SUITS);
    }
    drawn = seats * HAND_CARDS, drawing = true, windows = seats;
    settle();
  }

  // The strength in this trick: the higher wins, 0 never does (P5).
  int strength(int card, int led) const {
    int suit = suit_of(card);
    return suit == trumps ? height(card) + 13 : suit == led ? height(card) : 0;
  }

  // Where the winning card lies in the trick; of two identical ones the later (P5).
  int winning() const {
    int best = 0;
    for (int i = 1; i < laid; i++)
      if (strength(trick[i], suit_of(trick[0])) >= strength(trick[best], suit_of(trick[0]))) best = i;
    return best;
  }

  int trick_points() const {
    int sum = 0;
    for (int i = 0; i < laid; i++) sum += points_of(trick[i]);
    return sum;
  }

  int pairs(int seat, int suit) const {  // P7
    return suit == trumps ? 0 : std::min(hidden[seat][king_of(suit)], hidden[seat][queen_of(suit)]);
  }

  bool can_call(int seat) const {
    for (int suit = 0; suit < SUITS; suit++)
      if (pairs(seat, suit)) return true;
    return false;
  }

  // The cards that may be played (P5, P12), each once, those face up as card + OPEN.
  std::vector<int> playable(int seat) const {
    std::vector<int> found;
    int first = 0, end = CARDS;
    if (laid) {
      int led = 13 * suit_of(trick[0]);
      for (int card = led; card < led + 13 && !first && end == CARDS; card++)
        if (hidden[seat][card] || open[seat][card]) first = led, end = led + 13;
    }
    for (int card = first; card < end; card++)
      if (hidden[seat][card]) found.push_back(card);
    for (int card = first; card < end; card++)
      if (open[seat][card]) found.push_back(card + OPEN);
    return found;
  }

  void call(int suit) {  // P8, P9
    if (last_call || next_trumps < 0) next_trumps = suit;
    for (int card : {king_of(suit), queen_of(suit)}) hidden[turn][card]--, open[turn][card]++;
    hidden_count[turn] -= 2, open_count[turn] += 2, points[turn] += CALL_POINTS;
    limits[turn][suit] = (uint8_t)(limits[turn][suit] - 2);
  }

  void end_window() { pass_on(), settle(); }

  void play(int code) { lay(code), settle(); }

  // By card, how many are in other hands or in the stock.
  void left(int seat, int* left) const {
    for (int card = 0; card < CARDS; card++) {
      left[card] = 2 - played[card] - hidden[seat][card] - rest[card];
      for (int other = 0; other < seats; other++) left[card] -= open[other][card];
    }
  }

  // The seat's points less the mean of the others'.
  double lead(int seat) const {
    double others = 0;
    for (int other = 0; other < seats; other++) others += other == seat ? 0 : points[other];
    return points[seat] - others / (seats - 1);
  }

 private:
  void lay(int code) {  // P5, P6
    int card = code % OPEN, suit = suit_of(card);
    if (laid && suit != suit_of(trick[0])) limits[turn][suit_of(trick[0])] = 0;
    if (code >= OPEN) open[turn][card]--, open_count[turn]--;
    else hidden[turn][card]--, hidden_count[turn]--, limits[turn][suit]--;
    trick[laid++] = (uint8_t)card, played[card]++;
    if (drawing) {
      hidden[turn][deck[drawn++]]++, hidden_count[turn]++;
      for (auto& limit : limits[turn]) limit = (uint8_t)std::min(limit + 1, HAND_CARDS);
    }
    windows = 1;  // P7
  }

  void pass_on() {
    if (--windows) turn = (turn + 1) % seats;
    else go_on();
  }

  void go_on() {
    if (laid == seats) return end_trick();
    turn = (leader + laid) % seats;
    if (!laid) start_trick();
  }

  void start_trick() {
    if (next_trumps >= 0) trumps = next_trumps, next_trumps = -1;  // P9
    drawing = PACK - drawn >= seats;                                // P6
    while (!drawing && drawn < PACK) rest[deck[drawn++]]++;
  }

  void end_trick() {
    leader = turn = (leader + winning()) % seats;
    points[turn] += trick_points(), laid = 0;
    if (hidden_count[turn] + open_count[turn]) start_trick();
    else ended = true;
  }

  // Play cards that leave no choice, up to the next question or the end.
  void settle() {
    while (!ended) {
      if (windows && can_call(turn)) return void(kind = CALL);
      if (windows) { pass_on(); continue; }
      auto cards = playable(turn);
      if (cards.size() > 1) return void(kind = PLAY);
      lay(cards[0]);
    }
    kind = OVER;
  }
};
