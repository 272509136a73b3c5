// All games in lines: the legal action with the longest text. Build: javac Bot.java
// It looks for the few fields it needs; the compact lines that a bot is sent make that safe.
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

public class Bot {
    private static final Pattern KEY = Pattern.compile("\"table\":(\\d+),\"number\":(\\d+)");

    /** The texts of the legal actions: the objects in the list that ends the line. */
    static List<String> legal(String line) {
        List<String> actions = new ArrayList<>();
        int depth = 0;
        int begins = 0;
        for (int at = line.lastIndexOf("\"legal\":[") + 9; at < line.length() && depth >= 0; at++) {
            if (line.charAt(at) == '{' && depth++ == 0) begins = at;
            if (line.charAt(at) == '}' && --depth == 0) actions.add(line.substring(begins, at + 1));
        }
        return actions;
    }

    public static void main(String[] args) throws IOException {
        var lines = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        String games = "[\"serpent\",\"wichita\",\"pippip\",\"dominion\"]";
        say("{\"type\":\"hello\",\"name\":\"java\",\"games\":" + games + ",\"events\":false,\"legal\":true}");
        for (String line = lines.readLine(); line != null; line = lines.readLine()) {
            if (!line.startsWith("{\"type\":\"question\"")) continue;
            String action = Collections.max(legal(line), Comparator.comparingInt(String::length));
            Matcher key = KEY.matcher(line);
            key.find();
            say("{\"table\":" + key.group(1) + ",\"number\":" + key.group(2) + ",\"action\":" + action + "}");
        }
    }

    private static void say(String line) {
        System.out.println(line);
        System.out.flush(); // every line leaves at once
    }
}
