// The messages between server and pages, as types for the scripts. Generated from the Python of this
// folder and from tables/engine/events.py: change that, and run `make types`.

declare namespace Wire {
  /** A decision, by the word players and messages use for it. */
  type Action = "hit" | "stand" | "double" | "split" | "surrender" | "insure" | "decline";

  /** The house tells this table something. */
  interface Announced {
    t: "announced";
    announcement: Announcement;
  }

  /** What the house told everybody, or one table. It is shown to who comes soon after, too. */
  interface Announcement {
    text: string;
    at: number;
  }

  /** Whose decision the table waits for, and what is legal. */
  interface Asked {
    seat: number;
    hand: number;
    legal: Action[];
  }

  /** Stake `stake` hundredths on the next round; 0 where nothing is staked ("deal me in"). */
  interface Bet {
    t: "bet";
    id: string;
    turn: number;
    stake: number;
    words?: string;
    commitment?: string | null;
  }

  /** A stake lies on the coming round, in hundredths; 0 where nothing is staked. */
  interface BetPlaced {
    type: "bet_placed";
    seat: number;
    stake: number;
  }

  /** A player took the stake back before the cards fell: left, or bets something else. */
  interface BetReturned {
    type: "bet_returned";
    seat: number;
    stake: number;
  }

  /** A card to a player's hand, face up. */
  interface CardDealt {
    type: "card_dealt";
    seat: number;
    hand: number;
    card: string;
  }

  /** All cards of a hand went face down onto a pile, or to the discard. */
  interface CardsCollected {
    type: "cards_collected";
    pile: Pile;
    cards: number;
  }

  /** What just happened, and the whole table after it. `seq` is one more than before. */
  interface Changed {
    t: "changed";
    seq: number;
    now: number;
    events: Event[];
    table: PublicTable;
  }

  /** Switch the chat on or off. */
  interface Chat {
    t: "chat";
    id: string;
    on: boolean;
  }

  /** The chat was switched on or off. */
  interface ChatSwitched {
    type: "chat_switched";
    on: boolean;
  }

  /** The server was away, so whoever is to decide has time again. */
  interface ClockExtended {
    type: "clock_extended";
  }

  /** Time was up: betting closed, or for the hand at `seat` nothing more was done or staked. */
  interface ClockRanOut {
    type: "clock_ran_out";
    seat: number | null;
    hand: number | null;
  }

  /** Put the table away for good, after the round that is being played. */
  interface Close {
    t: "close";
    id: string;
  }

  /** Commit to the words for the next shuffle: SHA-256 of `seat:words`. */
  interface Commit {
    t: "commit";
    id: string;
    commitment: string;
  }

  /** A card to the dealer; `card` is `None` for the hole card, which lies face down. */
  interface DealerCardDealt {
    type: "dealer_card_dealt";
    card: string | null;
  }

  /** Take no insurance. */
  interface Decline {
    t: "decline";
    id: string;
    turn: number;
  }

  /** The command `id` is committed; `seq` is the change it made. */
  interface Done {
    t: "done";
    id: string;
    seq: number;
  }

  /** Match the stake and take exactly one card more. */
  interface Double {
    t: "double";
    id: string;
    turn: number;
  }

  /** The command changed nothing: `code` for programs, `message` for the player. */
  interface Err {
    t: "err";
    id: string | null;
    code: string;
    message: string;
    seq: number;
  }

  /** What happened at a table. */
  type Event =
    | BetPlaced
    | BetReturned
    | CardDealt
    | CardsCollected
    | ChatSwitched
    | ClockExtended
    | ClockRanOut
    | DealerCardDealt
    | GameEnded
    | HandDoubled
    | HandSettled
    | HandSplit
    | HandStood
    | HoleCardPeeked
    | HoleCardRevealed
    | InsuranceDeclined
    | InsuranceSettled
    | InsuranceTaken
    | InviteRenewed
    | PlayerAway
    | PlayerBack
    | PlayerLeft
    | PlayerSat
    | RoundBrokenOff
    | RoundVoided
    | ShoeOpened
    | ShoeSealed
    | ShoeShuffled
    | TableChanged
    | TableClosed
    | TableClosing
    | TableHandedOn
    | TableLocked
    | TablePaused
    | TableResumed
    | TableUnlocked
    | WordsCommitted;

  /** Between rounds: free somebody's seat. */
  interface Free {
    t: "free";
    id: string;
    seat: number;
  }

  /** The deck is played through: the larger pile wins. */
  interface GameEnded {
    type: "game_ended";
    winner: Winner;
    player: number;
    house: number;
  }

  /** The stake of a hand was matched for exactly one card more. */
  interface HandDoubled {
    type: "hand_doubled";
    seat: number;
    hand: number;
    stake: number;
  }

  /** Let another player at the table run it. */
  interface HandOn {
    t: "hand_on";
    id: string;
    player: string;
  }

  /** A hand ended. `payout` includes the returned stake; both are in hundredths. */
  interface HandSettled {
    type: "hand_settled";
    seat: number;
    hand: number;
    outcome: Outcome;
    stake: number;
    payout: number;
  }

  /** A hand became two neighbours, `hand` and `hand + 1`, each with one of its cards. */
  interface HandSplit {
    type: "hand_split";
    seat: number;
    hand: number;
    stake: number;
  }

  /** The player takes no more cards on this hand. */
  interface HandStood {
    type: "hand_stood";
    seat: number;
    hand: number;
  }

  /** Every few seconds: the epoch and the seq the viewer should be at. */
  interface Heartbeat {
    t: "heartbeat";
    epoch: string;
    seq: number;
    now: number;
  }

  /** Take a card. */
  interface Hit {
    t: "hit";
    id: string;
    turn: number;
  }

  /** The dealer looked at the hole card and has no natural. (With one it is revealed.) */
  interface HoleCardPeeked {
    type: "hole_card_peeked";
  }

  /** The hole card was turned over. */
  interface HoleCardRevealed {
    type: "hole_card_revealed";
    card: string;
  }

  /** What holds for the whole house has changed, or the page is new in the lobby. */
  interface HouseNews {
    t: "house_news";
    now: number;
    house: PublicHouse;
  }

  /** What a page sends. */
  type Incoming =
    | Bet
    | Chat
    | Close
    | Commit
    | Decline
    | Double
    | Free
    | HandOn
    | Hit
    | Insure
    | Leave
    | Lock
    | Renew
    | Resync
    | Say
    | Silence
    | Sit
    | Split
    | Stand
    | Surrender
    | TakeBack
    | Unsay;

  /** The player takes no insurance. */
  interface InsuranceDeclined {
    type: "insurance_declined";
    seat: number;
  }

  /** The dealer had looked: insurance paid 2:1 or was lost. `payout` includes the stake. */
  interface InsuranceSettled {
    type: "insurance_settled";
    seat: number;
    stake: number;
    payout: number;
  }

  /** Half the stake was put on the dealer's having a natural. */
  interface InsuranceTaken {
    type: "insurance_taken";
    seat: number;
    stake: number;
  }

  /** Take insurance for half the stake. */
  interface Insure {
    t: "insure";
    id: string;
    turn: number;
  }

  /** The table has a new code, which only its own people are told. */
  interface InviteRenewed {
    type: "invite_renewed";
  }

  /** Give the seat back: at once between rounds, after the round otherwise. */
  interface Leave {
    t: "leave";
    id: string;
  }

  /** Something that was said. */
  interface Line {
    line: number;
    at: number;
    player: string;
    text: string;
  }

  /** Some table in the lobby looks different now: fetch the list again. */
  interface LobbyChanged {
    t: "lobby_changed";
  }

  /** Have nobody new sit down, or have them again. For who runs the table, like the next five. */
  interface Lock {
    t: "lock";
    id: string;
    on: boolean;
  }

  /** How a hand ended. */
  type Outcome = "blackjack" | "win" | "push" | "lose" | "bust" | "surrender";

  /** What a page receives. */
  type Outgoing =
    | Announced
    | Changed
    | Done
    | Err
    | Heartbeat
    | HouseNews
    | LobbyChanged
    | Reminder
    | Said
    | Snapshot
    | Unsaid
    | Wallet
    | Watching;

  type Phase = "betting" | "playing";

  /** Where the cards of a hand go. */
  type Pile = "player" | "house" | "discard";

  /** No page of a seated player is open at this table any more. */
  interface PlayerAway {
    type: "player_away";
    seat: number;
    player: string;
  }

  /** A seated player who was away has a page open again. */
  interface PlayerBack {
    type: "player_back";
    seat: number;
    player: string;
  }

  /** A seat is free again. */
  interface PlayerLeft {
    type: "player_left";
    seat: number;
    player: string;
    reason: Reason;
  }

  /** Somebody took a free seat. */
  interface PlayerSat {
    type: "player_sat";
    seat: number;
    player: string;
  }

  /** The dealer's cards, `??` for one that is face down; `total` of the visible ones. */
  interface PublicDealer {
    cards?: string[];
    total?: number;
    soft?: boolean;
  }

  /** A hand as everybody sees it. */
  interface PublicHand {
    cards: string[];
    total: number;
    stake: number;
    soft?: boolean;
    doubled?: boolean;
    outcome?: Outcome | null;
    payout?: number;
  }

  /** What holds for the whole house. */
  interface PublicHouse {
    announcement: Announcement | null;
    maintenance: PublicMaintenance | null;
  }

  /** A seat's answer when insurance was asked; `stake` 0: declined. */
  interface PublicInsurance {
    stake: number;
    payout: number;
    settled: boolean;
  }

  /** From `at` on no round begins in the whole house. */
  interface PublicMaintenance {
    at: number;
    says: string;
  }

  /** How many cards lie where, in the game of piles; nobody sees which. */
  interface PublicPiles {
    player: number;
    house: number;
    discard: number;
    deck: number;
    game_over: boolean;
    winner: Winner | null;
  }

  /** One place at the table. `hands` are of this round, or of the last one between rounds. */
  interface PublicSeat {
    seat: number;
    player?: string | null;
    stake?: number | null;
    missed?: number;
    leaving?: boolean;
    hands?: PublicHand[];
    insurance?: PublicInsurance | null;
    tally?: Score | null;
    since?: number | null;
    net?: number;
    commitment?: string | null;
    away?: number | null;
    idle?: number | null;
  }

  /** The shoe from which the next card comes; `left` counts what was not dealt yet. */
  interface PublicShoe {
    id: number;
    commitment: string;
    size: number;
    left: number;
    cut: number | null;
  }

  /** Everything that anybody may know about a table. */
  interface PublicTable {
    phase: Phase;
    turn: number;
    deadline: number | null;
    clock: number;
    round: number | null;
    seats: PublicSeat[];
    dealer: PublicDealer;
    asked: Asked | null;
    shoe: PublicShoe | null;
    rack: number | null;
    piles: PublicPiles | null;
    maker: string | null;
    private: boolean;
    locked: boolean;
    chat: boolean;
    closing: boolean;
    paused: string | null;
    watchers: number;
    edition: string;
  }

  /** Why a seat is free again. */
  type Reason = "left" | "missed_rounds" | "absent" | "idle" | "no_answer" | "freed" | "closed" | "fewer_seats";

  /** The player has sat at this table for so many minutes, and wished to be told. */
  interface Reminder {
    t: "reminder";
    table: number;
    minutes: number;
    net: number;
  }

  /** Make a new invite; the old one lets nobody in any more. */
  interface Renew {
    t: "renew";
    id: string;
  }

  /** Send me the table as it is: a frame was missed. */
  interface Resync {
    t: "resync";
  }

  /** The round that was played is void, and every stake went back. */
  interface RoundBrokenOff {
    type: "round_broken_off";
    round: number;
    because: string;
  }

  /** An operator has declared an earlier round void: its money went back. */
  interface RoundVoided {
    type: "round_voided";
    round: number;
  }

  /** A new line of chat. `before` is the one before it; 0: it is the first. */
  interface Said {
    t: "said";
    line: Line;
    before: number;
  }

  /** A line of chat. */
  interface Say {
    t: "say";
    id: string;
    text: string;
  }

  /** Hands since sitting down, where nothing is staked. */
  interface Score {
    won: number;
    lost: number;
    pushed: number;
  }

  /** A shoe was retired: with its secret everybody can check what was dealt. */
  interface ShoeOpened {
    type: "shoe_opened";
    shoe: number;
    secret: string;
  }

  /** A new shoe is ready. What it holds is fixed by a secret that only its seal is known of. */
  interface ShoeSealed {
    type: "shoe_sealed";
    shoe: number;
    commitment: string;
  }

  /** A sealed shoe was put in order by its secret and these words; the first card follows. */
  interface ShoeShuffled {
    type: "shoe_shuffled";
    shoe: number;
    words: { seat: number; player: string; commitment: string | null; words: string }[];
    absent: { seat: number; player: string; commitment: string }[];
  }

  /** Let a person talk at this table no more, or again. For who runs the table. */
  interface Silence {
    t: "silence";
    id: string;
    player: string;
    on: boolean;
  }

  /** Take a free seat. `commitment` is to the words for the next shuffle. */
  interface Sit {
    t: "sit";
    id: string;
    seat: number;
    commitment?: string | null;
  }

  /** The table as it is: on joining and after a resync. */
  interface Snapshot {
    t: "snapshot";
    epoch: string;
    seq: number;
    now: number;
    table: PublicTable;
    you: You;
    chat: Line[];
    house: PublicHouse;
    announcement: Announcement | null;
  }

  /** Make two hands of a pair, matching the stake. */
  interface Split {
    t: "split";
    id: string;
    turn: number;
  }

  /** What may be staked on a hand before the cards, in hundredths of a unit. */
  interface Stakes {
    minimum: number;
    maximum: number | null;
    unit: number;
  }

  /** Take no more cards. */
  interface Stand {
    t: "stand";
    id: string;
    turn: number;
  }

  /** Give the hand up for half the stake. */
  interface Surrender {
    t: "surrender";
    id: string;
    turn: number;
  }

  /** The house has changed the table: its rules, its clocks, or who may come. */
  interface TableChanged {
    type: "table_changed";
  }

  /** The table is put away for good. */
  interface TableClosed {
    type: "table_closed";
  }

  /** The round that is played is the last one. */
  interface TableClosing {
    type: "table_closing";
  }

  /** What the script of a table's page starts with. */
  interface TableConfig {
    account: number | null;
    id: number;
    login_url: string;
    name: string;
    password_url: string;
    rules: TableRules;
    seats: number;
    snapshot: Snapshot;
    socket: string;
    you: string | null;
  }

  /** Somebody else runs the table now. */
  interface TableHandedOn {
    type: "table_handed_on";
    player: string;
  }

  /** Nobody new may sit down. */
  interface TableLocked {
    type: "table_locked";
  }

  /** The house has paused the table: after the round that is played, no other begins. */
  interface TablePaused {
    type: "table_paused";
    because: string;
  }

  /** The table takes bets again. */
  interface TableResumed {
    type: "table_resumed";
  }

  /** What the page of a table has to know about its rules. */
  interface TableRules {
    again: boolean;
    dealer: "dealer" | "house";
    dealer_wins_ties: boolean;
    even_money: boolean;
    hits_soft_17: boolean;
    insurance: boolean;
    key: string;
    long_shoe: boolean;
    matched: boolean;
    naturals: boolean;
    piles: boolean;
    stakes: Stakes | null;
    surrender: boolean;
    title: string;
  }

  /** Everybody who sees the table may sit down again. */
  interface TableUnlocked {
    type: "table_unlocked";
  }

  /** Take the bet back before the cards fall. */
  interface TakeBack {
    t: "take_back";
    id: string;
    turn: number;
  }

  /** A line of chat was removed. */
  interface Unsaid {
    t: "unsaid";
    line: number;
  }

  /** Remove a line: one's own, or anybody's for who runs the table. */
  interface Unsay {
    t: "unsay";
    id: string;
    line: number;
  }

  /** The player's own balance changed. Of two the one with the higher `seq` holds: they may come from several processes. It is not the table's. */
  interface Wallet {
    t: "wallet";
    balance: number;
    seq: number;
  }

  /** How many people look on without a seat has changed. */
  interface Watching {
    t: "watching";
    watchers: number;
  }

  /** Who collected more cards. */
  type Winner = "player" | "house" | "draw";

  /** A player has committed to words for the next shuffle, or for the one after it. */
  interface WordsCommitted {
    type: "words_committed";
    seat: number;
    commitment: string;
  }

  /** What only the owner of a socket is told about themselves. */
  interface You {
    player: string | null;
    balance: number | null;
    balance_seq: number;
    guest: boolean;
    invite: string | null;
    runs: boolean;
    silenced: string[];
  }
}
