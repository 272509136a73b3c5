// All games in lines: a legal action by chance; Serpent's tricks by the first playable
// card. Build: go build -o bot bot.go
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"math/rand"
	"os"
)

type message struct {
	Type    string            `json:"type"`
	Table   int               `json:"table"`
	Number  int               `json:"number"`
	RngSeed string            `json:"rng_seed"`
	View    view              `json:"view"`
	Legal   []json.RawMessage `json:"legal"`
}

type view struct {
	Kind     string   `json:"kind"`
	Playable []string `json:"playable"`
}

func choose(asked message, luck *rand.Rand) any {
	if asked.View.Kind == "lead" || asked.View.Kind == "answer" {
		return map[string]string{"kind": asked.View.Kind, "card": asked.View.Playable[0]}
	}
	return asked.Legal[luck.Intn(len(asked.Legal))]
}

func main() {
	lines := bufio.NewReader(os.Stdin)
	luck := map[int]*rand.Rand{}
	fmt.Println(`{"type":"hello","name":"go","games":["serpent","wichita","pippip","dominion"],"events":false,"legal":true}`)
	for {
		line, err := lines.ReadBytes('\n')
		if err != nil {
			return
		}
		var asked message
		if err := json.Unmarshal(line, &asked); err != nil {
			panic(err)
		}
		switch asked.Type {
		case "start": // luck drawn from the table's seed: matches can be played again
			seed := fnv.New64a()
			seed.Write([]byte(asked.RngSeed))
			luck[asked.Table] = rand.New(rand.NewSource(int64(seed.Sum64())))
		case "question":
			answer, _ := json.Marshal(choose(asked, luck[asked.Table]))
			fmt.Printf("{\"table\":%d,\"number\":%d,\"action\":%s}\n", asked.Table, asked.Number, answer)
		case "finish":
			delete(luck, asked.Table)
		}
	}
}
