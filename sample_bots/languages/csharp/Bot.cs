// All games in lines: the legal action with the longest text. Build: mcs -out:bot.exe Bot.cs
// It looks for the few fields it needs; the compact lines that a bot is sent make that safe.
using System;
using System.Collections.Generic;
using System.Linq;
using System.Text.RegularExpressions;

static class Bot
{
    static string Number(string line, string name)
    {
        return Regex.Match(line, "\"" + name + "\":(\\d+)").Groups[1].Value;
    }

    // The texts of the legal actions: the objects in the list that ends the line.
    static List<string> Legal(string line)
    {
        var actions = new List<string>();
        int depth = 0, begins = 0;
        for (int at = line.LastIndexOf("\"legal\":[") + 9; at < line.Length && depth >= 0; at++)
        {
            if (line[at] == '{' && depth++ == 0) begins = at;
            if (line[at] == '}' && --depth == 0) actions.Add(line.Substring(begins, at + 1 - begins));
        }
        return actions;
    }

    static void Main()
    {
        var games = "[\"serpent\",\"wichita\",\"pippip\",\"dominion\"]";
        Say("{\"type\":\"hello\",\"name\":\"csharp\",\"games\":" + games + ",\"events\":false,\"legal\":true}");
        for (string line = Console.ReadLine(); line != null; line = Console.ReadLine())
        {
            if (!line.StartsWith("{\"type\":\"question\"")) continue;
            var action = Legal(line).OrderByDescending(text => text.Length).First();
            Say("{\"table\":" + Number(line, "table") + ",\"number\":" + Number(line, "number") + ",\"action\":" + action + "}");
        }
    }

    static void Say(string line)
    {
        Console.Out.Write(line + "\n");
        Console.Out.Flush(); // every line leaves at once
    }
}
