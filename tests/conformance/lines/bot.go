// The conformance bot in JSON lines. docs/protocol.md says how it answers.
// Build: go build -o bot bot.go
package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strconv"
	"time"
)

const fails, isSlow, slow = 7, 9, 50 * time.Millisecond

type object = map[string]any

type message struct {
	Type    string            `json:"type"`
	Table   int               `json:"table"`
	Number  int               `json:"number"`
	Told    []json.RawMessage `json:"told"`
	Events  []json.RawMessage `json:"events"`
	Options struct {
		MaxTiebreaks int `json:"max_tiebreaks"`
	} `json:"options"`
	View view `json:"view"`
}

type view struct {
	Kind         string             `json:"kind"`
	Seat         int                `json:"seat"`
	Hand         []string           `json:"hand"`
	Playable     []string           `json:"playable"`
	Dice         []int              `json:"dice"`
	Callable     []string           `json:"callable"`
	FaceUp       json.RawMessage    `json:"face_up"` // its form differs by game
	Cells        []int              `json:"cells"`
	OptionalArmy bool               `json:"optional_army"`
	Conquest     struct{ Most int } `json:"conquest"`
	Attacks      []json.RawMessage  `json:"attacks"`
	Advances     []json.RawMessage  `json:"advances"`
	Deployments  []json.RawMessage  `json:"deployments"`
}

type table struct{ heard, tiebreaks int }

var letters = map[string]int{"A": 1, "J": 11, "Q": 12, "K": 13}

func rank(card string) int {
	letter := card[:len(card)-1]
	if number, found := letters[letter]; found {
		return number
	}
	number, _ := strconv.Atoi(letter)
	return number
}

func first(cards []string, most int) []string {
	if len(cards) < most {
		most = len(cards)
	}
	return cards[:most]
}

func choose(kept *table, asked view) (any, error) {
	kind, even := asked.Kind, kept.heard%2 == 0
	switch kind {
	case "give", "reveal":
		return object{"kind": kind, "cards": first(asked.Playable, 3)}, nil
	case "lead", "answer":
		if kept.tiebreaks == fails {
			return nil, errors.New("I was told to fail")
		}
		if kept.tiebreaks == isSlow {
			time.Sleep(slow)
		}
		return object{"kind": kind, "card": asked.Playable[0]}, nil
	case "draw":
		return object{"kind": "draw_on", "more": even}, nil
	case "lay":
		stacks := [][]string{}
		for _, card := range asked.Hand {
			if rank(card) == asked.Dice[0]+asked.Dice[1] {
				stacks = append(stacks, []string{card})
			}
		}
		return object{"kind": "lay", "stacks": stacks}, nil
	case "call":
		suits := []string{}
		if even {
			suits = asked.Callable
		}
		return object{"kind": "call", "suits": suits}, nil
	case "play":
		var faceUp [][]string
		if err := json.Unmarshal(asked.FaceUp, &faceUp); err != nil {
			panic(err)
		}
		up := false
		for _, card := range faceUp[asked.Seat] {
			up = up || card == asked.Playable[0]
		}
		return object{"kind": "play", "card": asked.Playable[0], "face_up": up}, nil
	}
	return dominion(asked), nil
}

func dominion(asked view) any {
	switch asked.Kind {
	case "resign":
		return object{"kind": "pass"}
	case "declare":
		return object{"kind": "declare"}
	case "reinforce":
		if asked.OptionalArmy {
			return object{"kind": "pass"}
		}
		return object{"kind": "reinforce", "cell": asked.Cells[0]}
	case "remove":
		return object{"kind": "remove", "cell": asked.Cells[0]}
	case "conquer":
		return object{"kind": "conquer", "count": asked.Conquest.Most}
	case "attack":
		return asked.Attacks[0]
	case "advance":
		return asked.Advances[0]
	}
	return asked.Deployments[0]
}

func main() {
	lines := bufio.NewReader(os.Stdin)
	tables := map[int]*table{}
	fmt.Println(`{"type":"hello","name":"conformance","games":["serpent","wichita","pippip","dominion"]}`)
	for {
		line, err := lines.ReadBytes('\n')
		if err != nil {
			return
		}
		var read message
		if err := json.Unmarshal(line, &read); err != nil {
			panic(err)
		}
		switch read.Type {
		case "start":
			tables[read.Table] = &table{len(read.Told), read.Options.MaxTiebreaks}
		case "question":
			kept := tables[read.Table]
			kept.heard += len(read.Events)
			answer := object{"table": read.Table, "number": read.Number}
			if action, err := choose(kept, read.View); err != nil {
				answer["failed"] = err.Error()
			} else {
				answer["action"] = action
			}
			said, _ := json.Marshal(answer)
			fmt.Println(string(said))
		case "finish":
			delete(tables, read.Table)
		}
	}
}
