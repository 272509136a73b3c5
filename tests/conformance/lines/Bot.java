// The conformance bot in Java, with Pips.java. docs/protocol.md says how it answers. Build:
// python -m pips_sdk.lines --java > Pips.java && javac Bot.java
import java.io.IOException;
import java.util.List;

public class Bot {
    static class Serpent extends Pips.Serpent.Bot {
        @Override
        public Pips.Serpent.Action answer(Pips.Serpent.View view) {
            List<Pips.Card> cards = view.playable();
            if (view.kind().equals("give")) return new Pips.Serpent.Give(cards.subList(0, 3));
            if (view.kind().equals("reveal")) return new Pips.Serpent.Reveal(cards.subList(0, 3));
            if (options.maxTiebreaks() == 7) throw new IllegalStateException("I was told to fail");
            if (options.maxTiebreaks() == 9) sleep();
            if (view.kind().equals("lead")) return new Pips.Serpent.Lead(cards.get(0));
            return new Pips.Serpent.Answer(cards.get(0));
        }

        private static void sleep() {
            try {
                Thread.sleep(50);
            } catch (InterruptedException error) {
                throw new IllegalStateException(error);
            }
        }
    }

    static class Wichita extends Pips.Wichita.Bot {
        private int events;

        @Override
        public void heard(Pips.Wichita.Event event) {
            events++;
        }

        @Override
        public Pips.Wichita.Action answer(Pips.Wichita.View view) {
            if (view.kind().equals("draw")) return new Pips.Wichita.DrawOn(events % 2 == 0);
            int sum = view.dice().get(0) + view.dice().get(1);
            return new Pips.Wichita.Lay(view.hand().stream().filter(card -> card.rank() == sum).map(List::of).toList());
        }
    }

    static class Pippip extends Pips.Pippip.Bot {
        private int events;

        @Override
        public void heard(Pips.Pippip.Event event) {
            events++;
        }

        @Override
        public Pips.Pippip.Action answer(Pips.Pippip.View view) {
            if (view.kind().equals("call")) return new Pips.Pippip.Call(events % 2 == 0 ? view.callable() : List.of());
            Pips.Card card = view.playable().get(0);
            return new Pips.Pippip.Play(card, view.faceUp().get(view.seat()).contains(card));
        }
    }

    static class Dominion extends Pips.Dominion.Bot {
        @Override
        public Pips.Dominion.Action answer(Pips.Dominion.View view) {
            return switch (view.kind()) {
                case "resign" -> new Pips.Dominion.Pass();
                case "declare" -> new Pips.Dominion.Declare();
                case "reinforce" -> view.optionalArmy()
                        ? new Pips.Dominion.Pass()
                        : new Pips.Dominion.Reinforce(view.cells().get(0));
                case "remove" -> new Pips.Dominion.Remove(view.cells().get(0));
                case "conquer" -> new Pips.Dominion.Conquer(view.conquest().most());
                case "attack" -> view.attacks().get(0);
                case "advance" -> view.advances().get(0);
                default -> view.deployments().get(0);
            };
        }
    }

    public static void main(String[] args) throws IOException {
        Pips.run("conformance", Pips.Legal.LEFT_OUT, Serpent::new, Wichita::new, Pippip::new, Dominion::new);
    }
}
