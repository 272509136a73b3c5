// What a seat may expect after an answer: the inputs and the network, as they are in
// sample_bots/pips_sample_bots/pippip/outlook.py, which says what the inputs are.
#pragma once
#include <cmath>

#include "hand.hpp"

constexpr int SUIT_INPUTS = 41, TABLE_INPUTS = 18, SUIT_UNITS = 64, UNITS = 64;
constexpr int INPUTS = 2 * SUIT_UNITS + TABLE_INPUTS;
constexpr float SCALE = 50;  // the network counts in fifties of points
constexpr int NO_CARD = -1;  // the answer is a call, or none: the pairs lie open already

struct Inputs {
  float suits[SUITS][SUIT_INPUTS], table[TABLE_INPUTS];
  float sure;      // the points won or lost at once
  int next_trumps;  // the trumps when the next trick is led
};

// The trick once the card lies in it.
struct Trick {
  int led, points = 0, best = 0, card;
  bool mine, complete;
  Trick(const Hand& hand, int seat, int card_) : card(card_) {
    int laid = hand.laid + (card != NO_CARD);
    led = hand.laid ? suit_of(hand.trick[0]) : card != NO_CARD ? suit_of(card) : -1;
    complete = laid == hand.seats, mine = false;
    for (int i = 0; i < laid; i++) {
      int one = i < hand.laid ? hand.trick[i] : card, strength = hand.strength(one, led);
      points += points_of(one);
      if (strength >= best) best = strength, mine = (hand.leader + i) % hand.seats == seat;
    }
  }
};

inline void suit_inputs(const Hand& hand, int seat, int suit, bool is_open, const int* left, const Trick& trick,
                        const Inputs& all, float* x) {
  int king = king_of(suit), queen = queen_of(suit), mine = 0, unseen = 0;
  for (int card = 13 * suit; card < 13 * suit + 13; card++) {
    int count = hand.hidden[seat][card] - (card == trick.card && !is_open);
    x[height(card) - 1] = (float)count, x[12 + height(card)] = (float)left[card];
    mine += count, unseen += left[card];
  }
  x[26] = (float)(hand.open[seat][king] - (trick.card == king && is_open));
  x[27] = (float)(hand.open[seat][queen] - (trick.card == queen && is_open));
  mine += (int)(x[26] + x[27]);
  float room = 0, void_seats = 0;
  for (int other = 0; other < hand.seats; other++) {
    if (other == seat) continue;
    x[28] += hand.open[other][king], x[29] += hand.open[other][queen], room += hand.limits[other][suit];
    bool still_to_play = trick.card != NO_CARD && (other - hand.leader + hand.seats) % hand.seats > hand.laid;
    void_seats += still_to_play && !hand.limits[other][suit];
  }
  bool is_led = suit == trick.led && !trick.complete;
  x[30] = suit == (trick.complete ? all.next_trumps : hand.trumps), x[31] = suit == all.next_trumps;
  x[32] = is_led, x[33] = room / HAND_CARDS / (float)(hand.seats - 1), x[34] = void_seats;
  x[35] = (float)mine / 4, x[36] = (float)unseen / 10, x[37] = !mine, x[38] = x[10] > 0 && x[9] > 0;
  x[39] = is_led && !trick.mine, x[40] = is_led && trick.mine ? (float)trick.best / 13 : 0;
}

inline void table_inputs(const Hand& hand, int seat, const Trick& trick, float* x) {
  bool plays = trick.card != NO_CARD, open = !trick.complete;
  int stock = PACK - hand.drawn, after = plays ? hand.seats - hand.laid - 1 : 0, lying = 0;
  for (int other = 0; other < hand.seats; other++) lying += other == seat ? 0 : hand.open_count[other];
  x[0] = hand.drawing, x[1] = (float)stock / 90;
  x[2] = (float)(hand.hidden_count[seat] + hand.open_count[seat] - (plays && !hand.drawing)) / HAND_CARDS;
  x[3] = trick.complete, x[4] = trick.complete && trick.mine, x[5] = open ? (float)trick.points / 20 : 0;
  x[6] = open && trick.mine, x[7] = x[6] && trick.best > 13, x[8] = open ? (float)trick.best / 26 : 0;
  x[9] = (float)after / (float)hand.seats, x[10] = !plays, x[11] = !plays && hand.leader == seat && !hand.laid;
  x[12] = hand.drawing && stock < 2 * hand.seats, x[13] = hand.last_call, x[14] = hand.next_trumps >= 0;
  x[15] = x[6] * x[5], x[16] = (float)lying / 4, x[17] = (float)hand.laid / (float)hand.seats;
}

// The inputs after an answer of that seat; `left` as it is before.
inline Inputs inputs(const Hand& hand, int seat, int code, const int* left) {
  Inputs found = {};
  bool is_open = code >= OPEN;
  Trick trick(hand, seat, code == NO_CARD ? NO_CARD : code % OPEN);
  found.next_trumps = hand.next_trumps >= 0 ? hand.next_trumps : hand.trumps;
  for (int suit = 0; suit < SUITS; suit++)
    suit_inputs(hand, seat, suit, is_open, left, trick, found, found.suits[suit]);
  table_inputs(hand, seat, trick, found.table);
  if (trick.complete) found.sure = trick.mine ? (float)trick.points : -(float)trick.points / (float)(hand.seats - 1);
  return found;
}

inline float rectified(float sum) { return sum > 0 ? sum : 0; }

// One layer for every suit, the same for all; one for their sum, the trumps, the table.
struct Network {
  float suit_weights[SUIT_UNITS][SUIT_INPUTS], suit_bias[SUIT_UNITS];
  float weights[UNITS][INPUTS], bias[UNITS], out[UNITS], out_bias;

  struct Layers {
    float suits[SUITS][SUIT_UNITS], in[INPUTS], hidden[UNITS], value;
  };

  void begin(Random& random) {
    auto spread = [&](float* first, int count, double deviation) {
      for (int i = 0; i < count; i++) {
        double sum = -6;
        for (int j = 0; j < 12; j++) sum += random.fraction();
        first[i] = (float)(sum * deviation);
      }
    };
    memset(this, 0, sizeof *this);
    spread(suit_weights[0], SUIT_UNITS * SUIT_INPUTS, std::sqrt(1.0 / SUIT_INPUTS));
    spread(weights[0], UNITS * INPUTS, std::sqrt(2.0 / INPUTS));
    spread(out, UNITS, std::sqrt(1.0 / UNITS) / 10);
  }

  // `before`: the inputs that the layers are of now; most answers change one suit alone.
  void think(const Inputs& x, Layers& layers, const Inputs* before = nullptr) const {
    for (int suit = 0; suit < SUITS; suit++) {
      if (before && !memcmp(before->suits[suit], x.suits[suit], sizeof x.suits[suit])) continue;
      for (int unit = 0; unit < SUIT_UNITS; unit++) {
        float sum = suit_bias[unit];
        for (int i = 0; i < SUIT_INPUTS; i++) sum += suit_weights[unit][i] * x.suits[suit][i];
        layers.suits[suit][unit] = rectified(sum);
      }
    }
    for (int unit = 0; unit < SUIT_UNITS; unit++) {
      layers.in[unit] = 0;
      for (int suit = 0; suit < SUITS; suit++) layers.in[unit] += layers.suits[suit][unit];
      layers.in[SUIT_UNITS + unit] = layers.suits[x.next_trumps][unit];
    }
    memcpy(layers.in + 2 * SUIT_UNITS, x.table, sizeof x.table);
    layers.value = out_bias;
    for (int unit = 0; unit < UNITS; unit++) {
      float sum = bias[unit];
      for (int i = 0; i < INPUTS; i++) sum += weights[unit][i] * layers.in[i];
      layers.value += out[unit] * (layers.hidden[unit] = rectified(sum));
    }
  }

};
