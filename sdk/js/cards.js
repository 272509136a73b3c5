// Cards travel as numbers: 0 to 12 are the ace to the king of clubs. Then come
// diamonds, hearts and spades.

export const SUITS = ["clubs", "diamonds", "hearts", "spades"];
export const CARDS = Array.from({ length: 52 }, (_, card) => card);

/** 1 for an ace, 11, 12 and 13 for jack, queen and king. */
export const rank = (card) => (card % 13) + 1;

/** 0 for clubs, 1 diamonds, 2 hearts, 3 spades. */
export const suit = (card) => Math.floor(card / 13);

/** "QS" is the queen of spades, "10D" the ten of diamonds. */
export function cardName(card) {
  const figure = { 1: "A", 11: "J", 12: "Q", 13: "K" }[rank(card)];
  return `${figure ?? rank(card)}${"CDHS"[suit(card)]}`;
}
