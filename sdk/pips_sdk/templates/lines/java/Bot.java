// A bot for GAME_TITLE: any legal action. Pips.java has the game's view and actions.
import java.io.IOException;
import java.util.Random;

public class Bot extends Pips.GAME_CLASS.Bot {
    private Random luck;

    @Override
    public void started() {
        luck = new Random(rngSeed.hashCode());
    }

    @Override
    public Pips.GAME_CLASS.Action answer(Pips.GAME_CLASS.View view) {
        return legal.get(luck.nextInt(legal.size()));
    }

    public static void main(String[] args) throws IOException {
        Pips.run("my_bot", Pips.Legal.LISTED, Bot::new);
    }
}
