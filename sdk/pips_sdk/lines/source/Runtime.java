// Bots in Java (17 or later): extend the Bot of your game, and hand it to Pips.run.
// This file is written by `python -m pips_sdk.lines --java`; docs/lines.md tells how to use it.
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Collectors;

public final class Pips {
    private Pips() {}

    // --- cards

    public enum Suit {
        CLUBS, DIAMONDS, HEARTS, SPADES;

        static Suit of(char letter) {
            return values()["CDHS".indexOf(letter)];
        }
    }

    /** A card; its rank is 1 for an ace to 13 for a king. */
    public record Card(int rank, Suit suit) implements Comparable<Card> {
        private static final List<String> RANKS =
                List.of("A", "2", "3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K");

        /** The card of a code such as QS or 10H. */
        public static Card of(String code) {
            int last = code.length() - 1;
            return new Card(RANKS.indexOf(code.substring(0, last)) + 1, Suit.of(code.charAt(last)));
        }

        public String code() {
            return RANKS.get(rank - 1) + "CDHS".charAt(suit.ordinal());
        }

        @Override
        public int compareTo(Card other) {
            return rank != other.rank ? Integer.compare(rank, other.rank) : suit.compareTo(other.suit);
        }

        @Override
        public String toString() {
            return code();
        }
    }

    // --- JSON: objects are maps, lists are lists, and all numbers are whole

    private static final class Reader {
        private final String line;
        private int at;

        Reader(String line) {
            this.line = line;
        }

        Object value() {
            switch (peek()) {
                case '{': return object();
                case '[': return list();
                case '"': return string();
                case 't': return word("true", true);
                case 'f': return word("false", false);
                case 'n': return word("null", null);
                default: return number();
            }
        }

        private char peek() {
            while (at < line.length() && line.charAt(at) == ' ') at++;
            if (at >= line.length()) throw new IllegalArgumentException("the line ends too early");
            return line.charAt(at);
        }

        private boolean skip(char letter) {
            if (peek() != letter) return false;
            at++;
            return true;
        }

        private void due(char letter) {
            if (!skip(letter)) throw new IllegalArgumentException("the line has no " + letter + " where it is due");
        }

        private Object word(String word, Object value) {
            if (!line.startsWith(word, at)) throw new IllegalArgumentException("the line has a word that is not JSON");
            at += word.length();
            return value;
        }

        private Long number() {
            int from = at++;
            while (at < line.length() && Character.isDigit(line.charAt(at))) at++;
            return Long.valueOf(line.substring(from, at));
        }

        private String string() {
            due('"');
            StringBuilder text = new StringBuilder();
            for (char letter = line.charAt(at++); letter != '"'; letter = line.charAt(at++)) {
                text.append(letter == '\\' ? escaped(line.charAt(at++)) : letter);
            }
            return text.toString();
        }

        private char escaped(char letter) {
            switch (letter) {
                case 'n': return '\n';
                case 't': return '\t';
                case 'r': return '\r';
                case 'b': return '\b';
                case 'f': return '\f';
                case 'u':
                    at += 4;
                    return (char) Integer.parseInt(line.substring(at - 4, at), 16);
                default: return letter;
            }
        }

        private List<Object> list() {
            List<Object> items = new ArrayList<>();
            due('[');
            if (skip(']')) return items;
            do items.add(value()); while (skip(','));
            due(']');
            return items;
        }

        private Map<String, Object> object() {
            Map<String, Object> items = new LinkedHashMap<>();
            due('{');
            if (skip('}')) return items;
            do {
                peek();
                String key = string();
                due(':');
                items.put(key, value());
            } while (skip(','));
            due('}');
            return items;
        }
    }

    static Object field(Object json, String name) {
        Map<?, ?> fields = (Map<?, ?>) json;
        if (!fields.containsKey(name)) throw new IllegalArgumentException("the line has no " + name);
        return fields.get(name);
    }

    static int whole(Object json) {
        return (int) (long) (Long) json;
    }

    static boolean flag(Object json) {
        return (Boolean) json;
    }

    static String text(Object json) {
        return (String) json;
    }

    static Card card(Object json) {
        return Card.of((String) json);
    }

    static Suit suit(Object json) {
        return Suit.of(((String) json).charAt(0));
    }

    static <T> Function<Object, List<T>> listOf(Function<Object, T> item) {
        return json -> {
            List<T> items = new ArrayList<>();
            for (Object each : (List<?>) json) items.add(item.apply(each));
            return Collections.unmodifiableList(items);
        };
    }

    static <T> Function<Object, T> orNull(Function<Object, T> given) {
        return json -> json == null ? null : given.apply(json);
    }

    /** What a bot may write: an action. */
    public interface Written {
        String toJson();
    }

    static String write(Object value) {
        if (value instanceof Written written) return written.toJson();
        if (value instanceof Card card) return '"' + card.code() + '"';
        if (value instanceof Suit suit) return "\"" + "CDHS".charAt(suit.ordinal()) + '"';
        if (value instanceof List<?> list) {
            return list.stream().map(Pips::write).collect(Collectors.joining(",", "[", "]"));
        }
        if (value instanceof String text) {
            return '"' + text.replace("\\", "\\\\").replace("\"", "\\\"").replaceAll("\\p{Cntrl}", " ") + '"';
        }
        return String.valueOf(value);
    }

    // --- bots: one object for each table

    public abstract static class AnyBot<O, V, A extends Written, E> {
        final String game;
        private final Function<Object, O> readOptions;
        private final Function<Object, V> readView;
        private final Function<Object, List<A>> readLegal;
        private final Function<Object, List<E>> readEvents;

        public O options;
        public int seats;
        public int seat;
        /** The time for this answer; 0 without a clock. */
        public int timeLeftMs;
        /** Hexadecimal: draw your luck from it, and matches can be played again. */
        public String rngSeed;
        /** The legal actions of this question, if run was told Legal.LISTED. */
        public List<A> legal = List.of();

        AnyBot(String game, Function<Object, O> options, Function<Object, V> view, Function<Object, A> action,
                Function<Object, E> event) {
            this.game = game;
            readOptions = options;
            readView = view;
            readLegal = listOf(action);
            readEvents = listOf(event);
        }

        /** What you write. An exception costs the match, and not the process. */
        public abstract A answer(V view);

        public void started() {}

        public void heard(E event) {}

        public void finished(List<Integer> places, List<Integer> scores) {}

        void start(Object line) {
            options = readOptions.apply(field(line, "options"));
            seats = whole(field(line, "seats"));
            seat = whole(field(line, "seat"));
            rngSeed = text(field(line, "rng_seed"));
            started();
            readEvents.apply(field(line, "told")).forEach(this::heard);
        }

        String question(Object line) {
            timeLeftMs = whole(field(line, "time_left_ms"));
            legal = ((Map<?, ?>) line).containsKey("legal") ? readLegal.apply(field(line, "legal")) : List.of();
            readEvents.apply(field(line, "events")).forEach(this::heard);
            return answer(readView.apply(field(line, "view"))).toJson();
        }

        void finish(Object line) {
            readEvents.apply(field(line, "events")).forEach(this::heard);
            Function<Object, List<Integer>> numbers = listOf(Pips::whole);
            finished(numbers.apply(field(line, "places")), numbers.apply(field(line, "scores")));
        }
    }

    public enum Legal { LEFT_OUT, LISTED }

    /** Play all tables of this process with these bots, one class for each game. */
    @SafeVarargs
    public static void run(String name, Legal legal, Supplier<? extends AnyBot<?, ?, ?, ?>>... bots) throws IOException {
        Map<String, Supplier<? extends AnyBot<?, ?, ?, ?>>> byGame = new LinkedHashMap<>();
        for (Supplier<? extends AnyBot<?, ?, ?, ?>> bot : bots) byGame.put(bot.get().game, bot);
        PrintStream out = new PrintStream(System.out, false, StandardCharsets.UTF_8);
        System.setOut(System.err); // standard output belongs to the protocol
        say(out, "{\"type\":\"hello\",\"name\":" + write(name) + ",\"games\":" + write(List.copyOf(byGame.keySet()))
                + ",\"legal\":" + (legal == Legal.LISTED) + "}");
        Map<Object, AnyBot<?, ?, ?, ?>> tables = new HashMap<>();
        BufferedReader lines = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String line = lines.readLine(); line != null; line = lines.readLine()) {
            Object message = new Reader(line).value();
            Object table = field(message, "table");
            switch (text(field(message, "type"))) {
                case "start" -> {
                    tables.put(table, byGame.get(text(field(message, "game"))).get());
                    tables.get(table).start(message);
                }
                case "finish" -> tables.remove(table).finish(message);
                default -> {
                    String key = "{\"table\":" + table + ",\"number\":" + field(message, "number");
                    say(out, key + answerOf(tables.get(table), message) + "}");
                }
            }
        }
    }

    private static String answerOf(AnyBot<?, ?, ?, ?> bot, Object message) {
        try {
            return ",\"action\":" + bot.question(message);
        } catch (RuntimeException error) {
            error.printStackTrace();
            return ",\"failed\":" + write(String.valueOf(error));
        }
    }

    private static void say(PrintStream out, String line) {
        out.print(line + "\n");
        out.flush(); // every line leaves at once
    }

    // --- the games
}
