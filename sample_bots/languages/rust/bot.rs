// All games in lines: the legal action in the middle of the list. Build: rustc -O -o bot bot.rs
// It looks for the few fields it needs; the compact lines that a bot is sent make that safe.
use std::io::{self, BufRead, Write};

/// The text of a whole number behind a key.
fn number<'a>(line: &'a str, name: &str) -> &'a str {
    let key = format!("\"{}\":", name);
    let from = &line[line.find(&key).expect("the key is there") + key.len()..];
    &from[..from.find(|letter: char| !letter.is_ascii_digit()).unwrap_or(from.len())]
}

/// The texts of the legal actions: the objects in the list that ends the line.
fn legal(line: &str) -> Vec<&str> {
    let list = &line[line.rfind("\"legal\":[").expect("legal actions are listed") + 9..];
    let (mut depth, mut begins, mut actions) = (0, 0, Vec::new());
    for (at, letter) in list.char_indices() {
        match letter {
            '{' => {
                if depth == 0 {
                    begins = at;
                }
                depth += 1;
            }
            '}' => {
                depth -= 1;
                if depth == 0 {
                    actions.push(&list[begins..=at]);
                }
                if depth < 0 {
                    break;
                }
            }
            _ => {}
        }
    }
    actions
}

fn main() -> io::Result<()> {
    let mut out = io::stdout().lock();
    let games = r#"["serpent","wichita","pippip","dominion"]"#;
    writeln!(out, r#"{{"type":"hello","name":"rust","games":{},"events":false,"legal":true}}"#, games)?;
    out.flush()?;
    for line in io::stdin().lock().lines() {
        let line = line?;
        if !line.starts_with(r#"{"type":"question""#) {
            continue;
        }
        let actions = legal(&line);
        let (table, question, action) = (number(&line, "table"), number(&line, "number"), actions[actions.len() / 2]);
        writeln!(out, r#"{{"table":{},"number":{},"action":{}}}"#, table, question, action)?;
        out.flush()?;
    }
    Ok(())
}
