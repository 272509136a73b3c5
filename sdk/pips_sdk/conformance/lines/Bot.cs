// The conformance bot in JSON lines. docs/protocol.md says how it answers.
// Build: mcs -out:bot.exe Bot.cs
// Mono's compiler brings no JSON: `Reader` reads the compact lines that a bot is sent.
using System;
using System.Collections.Generic;
using System.Linq;
using System.Text;
using System.Threading;

class Reader
{
    readonly string line;
    int at;

    Reader(string line) { this.line = line; }

    public static Dictionary<string, object> Read(string line)
    {
        return (Dictionary<string, object>)new Reader(line).Value();
    }

    object Value()
    {
        if (line[at] == '"') return Text();
        if (line[at] == '[') return Items(Value);
        if (line[at] == '{') return Items(Pair).ToDictionary(pair => pair.Key, pair => pair.Value);
        int from = at;
        while (",]}".IndexOf(line[at]) < 0) at++;
        string word = line.Substring(from, at - from);
        if (word == "null") return null;
        if (word == "true" || word == "false") return word == "true";
        return long.Parse(word);
    }

    KeyValuePair<string, object> Pair()
    {
        string key = Text();
        at++; // the colon
        return new KeyValuePair<string, object>(key, Value());
    }

    // What stands between brackets, each read by `read`.
    List<T> Items<T>(Func<T> read)
    {
        var items = new List<T>();
        for (at++; line[at] != ']' && line[at] != '}';)
        {
            items.Add(read());
            if (line[at] == ',') at++;
        }
        at++;
        return items;
    }

    string Text()
    {
        var text = new StringBuilder();
        for (at++; line[at] != '"'; at++)
        {
            if (line[at] != '\\') { text.Append(line[at]); continue; }
            at++;
            if (line[at] == 'u')
            {
                text.Append((char)Convert.ToInt32(line.Substring(at + 1, 4), 16));
                at += 4;
            }
            else
            {
                int escape = "ntrbf".IndexOf(line[at]);
                text.Append(escape < 0 ? line[at] : "\n\t\r\b\f"[escape]);
            }
        }
        at++;
        return text.ToString();
    }
}

class Table
{
    public long Heard, Tiebreaks;
}

static class Bot
{
    static int Rank(object card)
    {
        string letter = ((string)card).Remove(((string)card).Length - 1);
        int at = "A..........JQK".IndexOf(letter[0]);
        return at == 0 ? 1 : at > 0 ? at : int.Parse(letter);
    }

    static List<object> List(object value) { return (List<object>)value; }

    static string Quoted(IEnumerable<object> words)
    {
        return "[" + string.Join(",", words.Select(word => "\"" + word + "\"")) + "]";
    }

    // An action of whole numbers, as a line has it.
    static string Action(string kind, object from, params string[] keys)
    {
        var fields = (Dictionary<string, object>)from;
        return "{\"kind\":\"" + kind + "\"" + string.Concat(keys.Select(key => ",\"" + key + "\":" + fields[key])) + "}";
    }

    static string Choose(Table kept, Dictionary<string, object> view)
    {
        string kind = (string)view["kind"], named = "{\"kind\":\"" + kind + "\",";
        bool even = kept.Heard % 2 == 0;
        switch (kind)
        {
            case "give":
            case "reveal":
                return named + "\"cards\":" + Quoted(List(view["playable"]).Take(3)) + "}";
            case "lead":
            case "answer":
                if (kept.Tiebreaks == 7) throw new ArgumentException("I was told to fail");
                if (kept.Tiebreaks == 9) Thread.Sleep(50);
                return named + "\"card\":\"" + List(view["playable"])[0] + "\"}";
            case "draw":
                return "{\"kind\":\"draw_on\",\"more\":" + (even ? "true" : "false") + "}";
            case "lay":
                long sum = List(view["dice"]).Sum(die => (long)die);
                var stacks = List(view["hand"]).Where(card => Rank(card) == sum).Select(card => "[\"" + card + "\"]");
                return named + "\"stacks\":[" + string.Join(",", stacks) + "]}";
            case "call":
                return named + "\"suits\":" + (even ? Quoted(List(view["callable"])) : "[]") + "}";
            case "play":
                object first = List(view["playable"])[0];
                bool up = List(List(view["face_up"])[(int)(long)view["seat"]]).Contains(first);
                return named + "\"card\":\"" + first + "\",\"face_up\":" + (up ? "true" : "false") + "}";
            default:
                return Dominion(kind, view);
        }
    }

    static string Dominion(string kind, Dictionary<string, object> view)
    {
        switch (kind)
        {
            case "resign":
                return "{\"kind\":\"pass\"}";
            case "declare":
                return "{\"kind\":\"declare\"}";
            case "reinforce":
            case "remove":
                bool passes = kind == "reinforce" && (bool)view["optional_army"];
                return passes ? "{\"kind\":\"pass\"}" : "{\"kind\":\"" + kind + "\",\"cell\":" + List(view["cells"])[0] + "}";
            case "conquer":
                return "{\"kind\":\"conquer\",\"count\":" + ((Dictionary<string, object>)view["conquest"])["most"] + "}";
            case "attack":
                return Action("attack", List(view["attacks"])[0], "source", "target");
            case "advance":
                return Action("advance", List(view["advances"])[0], "source", "target", "count");
            default:
                return Action("deploy", List(view["deployments"])[0], "cell", "count");
        }
    }

    static void Main()
    {
        var tables = new Dictionary<object, Table>();
        Say("{\"type\":\"hello\",\"name\":\"conformance\",\"games\":[\"serpent\",\"wichita\",\"pippip\",\"dominion\"]}");
        for (string line = Console.ReadLine(); line != null; line = Console.ReadLine())
        {
            var message = Reader.Read(line);
            object table = message["table"];
            switch ((string)message["type"])
            {
                case "start":
                    object tiebreaks = null;
                    ((Dictionary<string, object>)message["options"]).TryGetValue("max_tiebreaks", out tiebreaks);
                    tables[table] = new Table { Heard = List(message["told"]).Count, Tiebreaks = (long)(tiebreaks ?? 0L) };
                    break;
                case "question":
                    tables[table].Heard += List(message["events"]).Count;
                    Say("{\"table\":" + table + ",\"number\":" + message["number"] + "," + Answer(tables[table], message["view"]) + "}");
                    break;
                default:
                    tables.Remove(table);
                    break;
            }
        }
    }

    static string Answer(Table kept, object view)
    {
        try { return "\"action\":" + Choose(kept, (Dictionary<string, object>)view); }
        catch (ArgumentException error) { return "\"failed\":\"" + error.Message + "\""; }
    }

    static void Say(string line)
    {
        Console.Out.Write(line + "\n");
        Console.Out.Flush(); // every line leaves at once
    }
}
