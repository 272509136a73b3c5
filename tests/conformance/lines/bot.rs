// The conformance bot in JSON lines. docs/protocol.md says how it answers.
// Build: rustc -O -o bot bot.rs
// Rust's library has no JSON: `Reader` reads the compact lines that a bot is sent.
use std::collections::HashMap;
use std::io::{self, BufRead, Write};
use std::{thread, time::Duration};

/// A value of a line. A number is kept as its letters.
enum Value {
    Word(String),
    Text(String),
    List(Vec<Value>),
    Object(HashMap<String, Value>),
}

static NOTHING: Value = Value::List(Vec::new());

impl Value {
    /// The value behind a key; an empty list if there is none.
    fn at(&self, key: &str) -> &Value {
        match self {
            Value::Object(fields) => fields.get(key).unwrap_or(&NOTHING),
            _ => &NOTHING,
        }
    }

    fn list(&self) -> &[Value] {
        match self {
            Value::List(items) => items,
            _ => &[],
        }
    }

    fn text(&self) -> &str {
        match self {
            Value::Word(text) | Value::Text(text) => text,
            _ => "",
        }
    }

    fn texts(&self) -> Vec<&str> {
        self.list().iter().map(Value::text).collect()
    }

    fn number(&self) -> usize {
        self.text().parse().unwrap_or(0)
    }
}

struct Reader<'a> {
    line: &'a [u8],
    at: usize,
}

impl Reader<'_> {
    fn value(&mut self) -> Value {
        match self.line[self.at] {
            b'"' => Value::Text(self.text()),
            b'[' => {
                let mut items = Vec::new();
                while self.goes_on() {
                    items.push(self.value());
                }
                Value::List(items)
            }
            b'{' => {
                let mut fields = HashMap::new();
                while self.goes_on() {
                    let key = self.text();
                    self.at += 1; // the colon
                    fields.insert(key, self.value());
                }
                Value::Object(fields)
            }
            _ => {
                let from = self.at;
                while !b",]}".contains(&self.line[self.at]) {
                    self.at += 1;
                }
                Value::Word(String::from_utf8_lossy(&self.line[from..self.at]).into())
            }
        }
    }

    /// Step over a bracket or a comma; whether a value follows.
    fn goes_on(&mut self) -> bool {
        if b"[{,".contains(&self.line[self.at]) {
            self.at += 1;
        }
        let more = !b"]}".contains(&self.line[self.at]);
        if !more {
            self.at += 1;
        }
        more
    }

    /// A text; no transcript needs what an escape stands for.
    fn text(&mut self) -> String {
        let from = self.at + 1;
        self.at = from;
        while self.line[self.at] != b'"' {
            self.at += if self.line[self.at] == b'\\' { 2 } else { 1 };
        }
        self.at += 1;
        String::from_utf8_lossy(&self.line[from..self.at - 1]).into()
    }
}

struct Table {
    heard: usize,
    tiebreaks: usize,
}

fn rank(card: &str) -> usize {
    match &card[..card.len() - 1] {
        "A" => 1,
        "J" => 11,
        "Q" => 12,
        "K" => 13,
        letters => letters.parse().unwrap_or(0),
    }
}

fn quoted(words: &[&str]) -> String {
    let quoted: Vec<String> = words.iter().map(|word| format!("\"{}\"", word)).collect();
    format!("[{}]", quoted.join(","))
}

/// The fields of an action of whole numbers.
fn action(kind: &str, from: &Value, keys: &[&str]) -> String {
    let fields: String = keys.iter().map(|key| format!(",\"{}\":{}", key, from.at(key).text())).collect();
    format!("{{\"kind\":\"{}\"{}}}", kind, fields)
}

fn choose(kept: &Table, view: &Value) -> Result<String, &'static str> {
    let (kind, even, playable) = (view.at("kind").text(), kept.heard % 2 == 0, view.at("playable").texts());
    let said = match kind {
        "give" | "reveal" => format!("\"cards\":{}", quoted(&playable[..playable.len().min(3)])),
        "lead" | "answer" => {
            if kept.tiebreaks == 7 {
                return Err("I was told to fail");
            }
            if kept.tiebreaks == 9 {
                thread::sleep(Duration::from_millis(50));
            }
            format!("\"card\":\"{}\"", playable[0])
        }
        "draw" => return Ok(format!("{{\"kind\":\"draw_on\",\"more\":{}}}", even)),
        "lay" => {
            let sum: usize = view.at("dice").list().iter().map(Value::number).sum();
            let hand = view.at("hand").texts();
            let stacks: Vec<String> = hand.iter().filter(|card| rank(card) == sum).map(|card| quoted(&[card])).collect();
            format!("\"stacks\":[{}]", stacks.join(","))
        }
        "call" => format!("\"suits\":{}", if even { quoted(&view.at("callable").texts()) } else { "[]".into() }),
        "play" => {
            let up = view.at("face_up").list()[view.at("seat").number()].texts().contains(&playable[0]);
            format!("\"card\":\"{}\",\"face_up\":{}", playable[0], up)
        }
        _ => return Ok(dominion(kind, view)),
    };
    Ok(format!("{{\"kind\":\"{}\",{}}}", kind, said))
}

fn dominion(kind: &str, view: &Value) -> String {
    match kind {
        "resign" => action("pass", view, &[]),
        "declare" => action("declare", view, &[]),
        "reinforce" if view.at("optional_army").text() == "true" => action("pass", view, &[]),
        "reinforce" | "remove" => format!("{{\"kind\":\"{}\",\"cell\":{}}}", kind, view.at("cells").texts()[0]),
        "conquer" => format!("{{\"kind\":\"conquer\",\"count\":{}}}", view.at("conquest").at("most").text()),
        "attack" => action(kind, &view.at("attacks").list()[0], &["source", "target"]),
        "advance" => action(kind, &view.at("advances").list()[0], &["source", "target", "count"]),
        _ => action("deploy", &view.at("deployments").list()[0], &["cell", "count"]),
    }
}

fn main() -> io::Result<()> {
    let mut out = io::stdout().lock();
    let games = r#"["serpent","wichita","pippip","dominion"]"#;
    writeln!(out, r#"{{"type":"hello","name":"conformance","games":{}}}"#, games)?;
    out.flush()?;
    let mut tables: HashMap<usize, Table> = HashMap::new();
    for line in io::stdin().lock().lines() {
        let line = line?;
        let message = Reader { line: line.as_bytes(), at: 0 }.value();
        let number = message.at("table").number();
        match message.at("type").text() {
            "start" => {
                let tiebreaks = message.at("options").at("max_tiebreaks").number();
                tables.insert(number, Table { heard: message.at("told").list().len(), tiebreaks });
            }
            "question" => {
                let kept = tables.get_mut(&number).expect("the match has started");
                kept.heard += message.at("events").list().len();
                let answer = match choose(kept, message.at("view")) {
                    Ok(action) => format!("\"action\":{}", action),
                    Err(why) => format!("\"failed\":\"{}\"", why),
                };
                writeln!(out, r#"{{"table":{},"number":{},{}}}"#, number, message.at("number").text(), answer)?;
                out.flush()?;
            }
            _ => {
                tables.remove(&number);
            }
        }
    }
    Ok(())
}
