// Teaches the network of Pip-Pip!'s `search` and `master` by play against itself and
// against `greedy`. lab `teach-pippip` builds it, runs it, and writes cards.json.
//
//   train SEATS HANDS SEED          writes the weights, a line for each network
//   trace SEATS RULES SEED          writes one hand step by step, for the tests
//
// After each answer the network is moved towards what became of the hand: towards the
// next answer's own value, and from there on towards the end (TD(lambda), Sutton 1988).
#include <cstdio>
#include <cstdlib>
#include <string>

#include "greedy.hpp"
#include "outlook.hpp"

constexpr int KEPT = 400000, FRESH = 2048, BATCHES = 16, BATCH = 256;
constexpr float RATE = 1e-3f, SMOOTH = 1e-4f;
constexpr double EXPLORED = 0.015;
constexpr double SELF_PLAY = 0.2, ALONE = 0.5;  // all seats play by the network; one does

// A share of the end in what is learned from; with more seats luck has more of it.
float lambda(int seats) { return seats > 2 ? 0.7f : 0.85f; }

// What a seat does: a card, or suits to call one after another.
struct Answer {
  int card = NO_CARD;
  std::vector<int> suits;
};

void carry_out(Hand& hand, const Answer& answer) {
  if (hand.kind == PLAY) return hand.play(answer.card);
  for (int suit : answer.suits) hand.call(suit);
  hand.end_window();
}

Answer greedy(const Hand& hand) {
  if (hand.kind == CALL) return {NO_CARD, greedy_calls(hand)};
  return {Greedy(hand).play(), {}};
}

// All answers; of calls none, and every order of up to three pairs.
std::vector<Answer> answers(const Hand& hand) {
  std::vector<Answer> found;
  if (hand.kind == PLAY) {
    for (int code : hand.playable(hand.turn)) found.push_back({code, {}});
    return found;
  }
  found.push_back({});
  for (size_t at = 0; at < found.size(); at++) {
    Answer begun = found[at];
    if (begun.suits.size() == 3) break;
    for (int suit = 0; suit < SUITS; suit++)
      if (std::count(begun.suits.begin(), begun.suits.end(), suit) < hand.pairs(hand.turn, suit)) {
        Answer longer = begun;
        longer.suits.push_back(suit);
        found.push_back(longer);
      }
  }
  return found;
}

Inputs after(const Hand& hand, const Answer& answer) {
  int left[CARDS], seat = hand.turn;
  Hand then = hand;
  for (int suit : answer.suits) then.call(suit);
  then.left(seat, left);
  Inputs found = inputs(then, seat, answer.card, left);
  found.sure += (float)(CALL_POINTS * answer.suits.size());
  return found;
}

// One answer of a hand, as the network saw it.
struct Step {
  int seat;
  double lead, best;  // before the answer; what the network's own answer promised
  bool explored;
  Inputs inputs;
  float target;
};

// The network's answer; now and then any other.
Answer think(const Network& network, const Hand& hand, bool explores, Random& random, Step& step) {
  auto all = answers(hand);
  step = {hand.turn, hand.lead(hand.turn), -1e9, explores && random.fraction() < 2 * EXPLORED, {}, 0};
  size_t chosen = step.explored ? (size_t)random.below((int)all.size()) : 0;
  Inputs found, before;
  Network::Layers layers;
  for (size_t at = 0; at < all.size(); at++, before = found) {
    found = after(hand, all[at]);
    network.think(found, layers, at ? &before : nullptr);
    double value = found.sure + SCALE * layers.value;
    if (step.explored ? at == chosen : value > step.best) chosen = at, step.inputs = found;
    step.best = std::max(step.best, value);
  }
  return all[chosen];
}

// Adam (Kingma and Ba, ICLR 2015), and the mean of the late weights.
struct Learner {
  Network network, mean, slopes;
  std::vector<float> first, second;
  long steps = 0;

  explicit Learner(Random& random) : first(sizeof(Network) / 4), second(sizeof(Network) / 4) {
    network.begin(random);
    mean = network;
    memset(&slopes, 0, sizeof slopes);
  }

  void learn(const Step& step) {
    Network::Layers layers;
    const Inputs& x = step.inputs;
    network.think(x, layers);
    float error = layers.value - step.target, back[INPUTS] = {};
    slopes.out_bias += error;
    for (int unit = 0; unit < UNITS; unit++) {
      slopes.out[unit] += error * layers.hidden[unit];
      if (layers.hidden[unit] <= 0) continue;
      float slope = error * network.out[unit];
      slopes.bias[unit] += slope;
      for (int i = 0; i < INPUTS; i++) {
        slopes.weights[unit][i] += slope * layers.in[i];
        back[i] += slope * network.weights[unit][i];
      }
    }
    for (int suit = 0; suit < SUITS; suit++)
      for (int unit = 0; unit < SUIT_UNITS; unit++) {
        if (layers.suits[suit][unit] <= 0) continue;
        float slope = back[unit] + (suit == x.next_trumps ? back[SUIT_UNITS + unit] : 0);
        slopes.suit_bias[unit] += slope;
        for (int i = 0; i < SUIT_INPUTS; i++) slopes.suit_weights[unit][i] += slope * x.suits[suit][i];
      }
  }

  void step(float rate) {
    steps++;
    float *weight = (float*)&network, *late = (float*)&mean, *slope = (float*)&slopes;
    float scale = 1 - (float)std::pow(0.9, steps), square = 1 - (float)std::pow(0.999, steps);
    float share = std::max(1.0f / (float)(1 + steps), SMOOTH);
    for (size_t i = 0; i < first.size(); i++) {
      float mean_slope = slope[i] / BATCH;
      first[i] = 0.9f * first[i] + 0.1f * mean_slope;
      second[i] = 0.999f * second[i] + 0.001f * mean_slope * mean_slope;
      weight[i] -= rate * first[i] / scale / (std::sqrt(second[i] / square) + 1e-8f);
      late[i] += share * (weight[i] - late[i]);
    }
    memset(&slopes, 0, sizeof slopes);
  }
};

// Play a hand; the steps of the seats that the network plays, with their targets.
std::vector<Step> play(const Network& network, int seats, bool rules, float lambda, Random& random) {
  Hand hand;
  hand.deal(seats, rules, random.below(SUITS), random.below(seats), random);
  double mix = random.fraction();
  int one = random.below(seats);
  bool explores = random.below(2), learns[MOST_SEATS];
  for (int seat = 0; seat < seats; seat++)
    learns[seat] = mix < SELF_PLAY || (mix < SELF_PLAY + ALONE ? seat == one : random.below(2));
  std::vector<Step> steps;
  while (hand.kind != OVER) {
    if (learns[hand.turn]) {
      Step step;
      Answer answer = think(network, hand, explores, random, step);
      steps.push_back(step);
      carry_out(hand, answer);
    } else {
      carry_out(hand, greedy(hand));
    }
  }
  double end[MOST_SEATS];
  for (int seat = 0; seat < seats; seat++) end[seat] = hand.lead(seat);
  for (size_t at = steps.size(); at--;) {
    Step& step = steps[at];
    double& then = end[step.seat];
    step.target = (float)(then - step.lead - step.inputs.sure) / SCALE;
    float share = step.explored ? 0 : lambda;  // what follows an explored answer tells nothing
    then = (1 - share) * (step.lead + step.best) + share * then;
  }
  return steps;
}

Network train(int seats, long hands, uint64_t seed) {
  Random random(seed);
  Learner learner(random);
  std::vector<Step> kept;
  size_t oldest = 0;
  for (long played = 0; played < hands;) {
    float done = (float)played / (float)hands;
    for (int fresh = 0; fresh < FRESH; played++) {
      bool last_call = seats > 2 && random.below(2);
      for (Step& step : play(learner.network, seats, last_call, done < 0.15f ? 1 : lambda(seats), random)) {
        if (kept.size() < KEPT) kept.push_back(step);
        else kept[oldest] = step, oldest = (oldest + 1) % KEPT;
        fresh++;
      }
    }
    for (int batch = 0; batch < BATCHES; batch++) {
      for (int i = 0; i < BATCH; i++) learner.learn(kept[(size_t)random.below((int)kept.size())]);
      learner.step(RATE * (1.02f - std::min(1.0f, done)));
    }
  }
  return learner.mean;
}

void write(const float* first, size_t count) {
  for (size_t i = 0; i < count; i++) printf("%.5g ", first[i]);
  printf("\n");
}

// One line for every answer of a hand: what the hand was like, what greedy does, and the
// inputs after each answer there is.
void trace(int seats, bool rules, uint64_t seed) {
  Random random(seed);
  Hand hand;
  hand.deal(seats, rules, random.below(SUITS), random.below(seats), random);
  printf("%d %d\n", hand.trumps, hand.leader);
  for (int card : hand.deck) printf("%d ", card);
  printf("\n");
  while (hand.kind != OVER) {
    auto all = answers(hand);
    Answer chosen = random.below(2) ? greedy(hand) : all[(size_t)random.below((int)all.size())], usual = greedy(hand);
    auto say = [](const Answer& answer) {
      printf(" %d", answer.card);
      for (int suit : answer.suits) printf(",%d", suit);
    };
    printf("%d %d %zu", hand.turn, hand.trumps, all.size());
    say(usual), say(chosen);
    for (int points : hand.points) printf(" %d", points);
    printf("\n");
    for (auto& answer : all) {
      Inputs found = after(hand, answer);
      say(answer);
      printf(" %g ", found.sure);
      write(found.suits[0], SUITS * SUIT_INPUTS), write(found.table, TABLE_INPUTS);
    }
    carry_out(hand, chosen);
  }
  for (int points : hand.points) printf("%d ", points);
  printf("\n");
}

int main(int count, char** words) {
  std::string what = count > 1 ? words[1] : "";
  if (what == "train" && count == 5) {
    Network found = train(atoi(words[2]), atol(words[3]), (uint64_t)atol(words[4]));
    write((float*)&found, sizeof found / sizeof(float));
  } else if (what == "trace" && count == 5) {
    trace(atoi(words[2]), atoi(words[3]), (uint64_t)atol(words[4]));
  } else {
    fprintf(stderr, "usage: train SEATS HANDS SEED, or trace SEATS RULES SEED\n");
    return 2;
  }
}
