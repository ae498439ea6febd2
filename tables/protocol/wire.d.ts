// The messages between server and pages, and the configuration of a table's page, as types for the
// scripts. Generated from this folder, tables/engine/events.py and tables/views/tables.py: change
// these, and run `make types`.

declare namespace Wire {
  /** A decision, by the word players and messages use for it. */
  type Action = "hit" | "stand" | "double" | "split" | "surrender" | "insure" | "decline";

  /** Allow hints at the table or not. Not allowed, they are turned off at all seats. */
  interface AllowHints {
    t: "allow_hints";
    id: string;
    on: boolean;
  }

  /** An announcement to this table. Null: the last one was taken back. */
  interface Announced {
    t: "announced";
    announcement: Announcement | null;
  }

  /** An announcement to all tables or one. Pages opened soon after it show it too. */
  interface Announcement {
    text: string;
    at: number;
  }

  /** Ask the host for another stack. */
  interface AskTopUp {
    t: "ask_top_up";
    id: string;
  }

  /** An open decision: seat, hand and legal actions. */
  interface Asked {
    seat: number;
    hand: number;
    legal: Action[];
  }

  /** Ban a user from the table, or take that back. */
  interface Ban {
    t: "ban";
    id: string;
    player: string;
    on: boolean;
  }

  /** The host has taken a ban back. */
  interface BanLifted {
    type: "ban_lifted";
    player: string;
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

  /** Back the player of a seat with a stake on the next round, as a watcher. */
  interface BetBehind {
    t: "bet_behind";
    id: string;
    seat: number;
    turn: number;
    stake: number;
    along?: boolean;
  }

  /** A watcher backs the player of a seat, in hundredths. */
  interface BetBehindPlaced {
    type: "bet_behind_placed";
    seat: number;
    player: string;
    stake: number;
    along: boolean;
  }

  /** A backer's stake went along: on a double to the same hand, on a split to the new one. */
  interface BetBehindRaised {
    type: "bet_behind_raised";
    seat: number;
    hand: number;
    player: string;
    stake: number;
  }

  /** A bet behind was returned before the deal: taken back, replaced, or nobody plays the seat. */
  interface BetBehindReturned {
    type: "bet_behind_returned";
    seat: number;
    player: string;
    stake: number;
  }

  /** A backer's stake on a hand was paid or lost, by the hand's outcome; `payout` with the stake. */
  interface BetBehindSettled {
    type: "bet_behind_settled";
    seat: number;
    hand: number;
    player: string;
    stake: number;
    payout: number;
  }

  /** A bet on the next round, in hundredths; 0 without stakes. */
  interface BetPlaced {
    type: "bet_placed";
    seat: number;
    stake: number;
  }

  /** A bet was returned before the deal: taken back, replaced, or the player left. */
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

  /** The chances of the results of a hand; together 1. */
  interface Chances {
    win: number;
    tie: number;
    lose: number;
  }

  /** The events of a change, and the whole table after it. `seq` increases by one. */
  interface Changed {
    t: "changed";
    seq: number;
    now: number;
    events: Event[];
    table: PublicTable;
  }

  /** Turn the chat on or off. */
  interface Chat {
    t: "chat";
    id: string;
    on: boolean;
  }

  /** The chat was turned on or off. */
  interface ChatSwitched {
    type: "chat_switched";
    on: boolean;
  }

  /** The deadline was extended after an outage. */
  interface ClockExtended {
    type: "clock_extended";
  }

  /** A deadline passed: betting closed, or the hand at `seat` stands. */
  interface ClockRanOut {
    type: "clock_ran_out";
    seat: number | null;
    hand: number | null;
  }

  /** Close the table permanently, after the round in play; or keep it open after all. */
  interface Close {
    t: "close";
    id: string;
    on?: boolean;
  }

  /** Commit to the words for the next shuffle: SHA-256 of `seat:words`. */
  interface Commit {
    t: "commit";
    id: string;
    commitment: string;
  }

  /** A card to the dealer; `card` is `None` for the face-down hole card. */
  interface DealerCardDealt {
    type: "dealer_card_dealt";
    card: string | null;
  }

  /** Decide what to do with the own hand when its turn comes; null takes that back. */
  interface DecideAhead {
    t: "decide_ahead";
    id: string;
    turn: number;
    plan: Plan | null;
  }

  /** Decline insurance. */
  interface Decline {
    t: "decline";
    id: string;
    turn: number;
  }

  /** The command `id` is committed as change `seq`. */
  interface Done {
    t: "done";
    id: string;
    seq: number;
  }

  /** Double the stake and take exactly one card. */
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
    | BanLifted
    | BetBehindPlaced
    | BetBehindRaised
    | BetBehindReturned
    | BetBehindSettled
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
    | HintsAllowed
    | HintsSwitched
    | HoleCardPeeked
    | HoleCardRevealed
    | InsuranceAnswered
    | InsuranceDeclined
    | InsuranceSettled
    | InsuranceTaken
    | InviteRenewed
    | MatchEnded
    | MatchRoundEnded
    | MatchStarted
    | OfferLapsed
    | PlanPlayed
    | PlayerAway
    | PlayerBack
    | PlayerBanned
    | PlayerLeft
    | PlayerSat
    | QueueJoined
    | QueueLeft
    | RoundBrokenOff
    | RoundVoided
    | SeatOffered
    | ShoeOpened
    | ShoeSealed
    | ShoeShuffled
    | SitOutSwitched
    | TableChanged
    | TableChanging
    | TableClosed
    | TableClosing
    | TableHandedOn
    | TableKeptOpen
    | TableLocked
    | TablePaused
    | TableResumed
    | TableUnlocked
    | TimeBankStarted
    | TopUpAsked
    | ToppedUp
    | WordsCommitted;

  /** Free a seat between rounds. */
  interface Free {
    t: "free";
    id: string;
    seat: number;
  }

  /** The deck is used up: the larger pile wins. */
  interface GameEnded {
    type: "game_ended";
    winner: Winner;
    player: number;
    house: number;
  }

  /** Give the player of a seat another stack, at a table with chips of its own. */
  interface GiveStack {
    t: "give_stack";
    id: string;
    seat: number;
  }

  /** The stake of a hand was doubled for exactly one card. */
  interface HandDoubled {
    type: "hand_doubled";
    seat: number;
    hand: number;
    stake: number;
  }

  /** Make another seated player the host. */
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

  /** The current epoch and seq, sent every few seconds. */
  interface Heartbeat {
    t: "heartbeat";
    epoch: string;
    seq: number;
    now: number;
  }

  /** What the actions of the player's open decision are worth, by the cards that the player can see. */
  interface Hint {
    t: "hint";
    turn: number;
    seat: number;
    hand: number;
    values: HintValue[];
  }

  /** What an action is worth. */
  interface HintValue {
    action: Action;
    value: number;
    money: number | null;
    chances: Chances | null;
  }

  /** Turn hints on or off for the own seat. */
  interface Hints {
    t: "hints";
    id: string;
    on: boolean;
  }

  /** Hints were allowed at the table, or no longer: then they are off at all seats. */
  interface HintsAllowed {
    type: "hints_allowed";
    on: boolean;
  }

  /** A player turned hints on or off. */
  interface HintsSwitched {
    type: "hints_switched";
    seat: number;
    player: string;
    on: boolean;
  }

  /** Take a card. */
  interface Hit {
    t: "hit";
    id: string;
    turn: number;
  }

  /** The dealer checked the hole card and has no natural. (A natural is revealed.) */
  interface HoleCardPeeked {
    type: "hole_card_peeked";
  }

  /** The hole card was turned over. */
  interface HoleCardRevealed {
    type: "hole_card_revealed";
    card: string;
  }

  /** The state of the site changed, or the page has just opened the lobby. */
  interface HouseNews {
    t: "house_news";
    now: number;
    house: PublicHouse;
  }

  /** What a page sends. */
  type Incoming =
    | AllowHints
    | AskTopUp
    | Ban
    | Bet
    | BetBehind
    | Chat
    | Close
    | Commit
    | DecideAhead
    | Decline
    | Double
    | Free
    | GiveStack
    | HandOn
    | Hints
    | Hit
    | Insure
    | Leave
    | LeaveQueue
    | Lock
    | Pause
    | QueueUp
    | React
    | Renew
    | Resync
    | Say
    | Sight
    | Silence
    | Sit
    | SitOut
    | Split
    | Stand
    | StartMatch
    | Surrender
    | TakeBack
    | TakeBackBehind
    | TopUp
    | Unsay;

  /** A seat has answered about insurance, and others have not: its answer is still secret. */
  interface InsuranceAnswered {
    type: "insurance_answered";
    seat: number;
  }

  /** The player takes no insurance. */
  interface InsuranceDeclined {
    type: "insurance_declined";
    seat: number;
  }

  /** Insurance was paid 2:1 or lost, after the dealer's check. `payout` includes the stake. */
  interface InsuranceSettled {
    type: "insurance_settled";
    seat: number;
    stake: number;
    payout: number;
  }

  /** Insurance was taken for half the stake. */
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

  /** The table has a new code, sent only in snapshots of users with access. */
  interface InviteRenewed {
    type: "invite_renewed";
  }

  /** Leave the seat: at once between rounds, otherwise after the round. */
  interface Leave {
    t: "leave";
    id: string;
  }

  /** Leave the line; a seat that is offered goes to the next one. */
  interface LeaveQueue {
    t: "leave_queue";
    id: string;
  }

  /** A line of chat. */
  interface Line {
    line: number;
    at: number;
    player: string;
    text: string;
    colour: string;
  }

  /** A table of the lobby. */
  interface LobbyCard {
    id: number;
    html: string | null;
  }

  /** The page may have missed changes of the list of tables: fetch it once. */
  interface LobbyChanged {
    t: "lobby_changed";
  }

  /** The tables of the list that changed, at most once a second. */
  interface LobbyTables {
    t: "lobby_tables";
    now: number;
    tables: LobbyCard[];
  }

  /** Lock the seats, or unlock them. For the host, like the others of :data:`Hosting`. */
  interface Lock {
    t: "lock";
    id: string;
    on: boolean;
  }

  /** The match at the table is over, or was broken off. */
  interface MatchEnded {
    type: "match_ended";
    winners: string[];
    because: string;
  }

  /** A round of the match is over. */
  interface MatchRoundEnded {
    type: "match_round_ended";
    number: number;
    rounds: number | null;
    leaders: string[];
    stack: number;
  }

  /** A player of a match, in the order of the places. */
  interface MatchStanding {
    player: string;
    place: number;
    stack: number;
    change?: number;
    out?: number | null;
    left?: boolean;
  }

  /** The match at the table began: the seated players are in it. */
  interface MatchStarted {
    type: "match_started";
    rounds: number | null;
  }

  /** A change between the last one that a page has and a snapshot. */
  interface MissedChange {
    round: number | null;
    events: Event[];
  }

  /** A player's chat was blocked at this table, or allowed again. */
  interface Muted {
    t: "muted";
    player: string;
    on: boolean;
    host: boolean;
  }

  /** The number of the player's new notices, and the newest one if it has just come. */
  interface Noticed {
    t: "noticed";
    count: number;
    notice: PublicNotice | null;
  }

  /** The player did not take the seat in time, and is no longer in line. */
  interface OfferLapsed {
    type: "offer_lapsed";
    seat: number;
    player: string;
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
    | Hint
    | HouseNews
    | LobbyChanged
    | LobbyTables
    | Muted
    | Noticed
    | Planned
    | Reacted
    | Reminder
    | Said
    | Snapshot
    | Unsaid
    | Wallet
    | Watching;

  /** Pause the table after the round in play, or resume it. */
  interface Pause {
    t: "pause";
    id: string;
    on: boolean;
  }

  type Phase = "betting" | "playing";

  /** The destination of the cards of a hand. */
  type Pile = "player" | "house" | "discard";

  /** What to do with the hand when its turn comes. */
  type Plan = "stand" | "hit_to_17" | "best";

  /** An action that its player has decided ahead; its own event follows. */
  interface PlanPlayed {
    type: "plan_played";
    seat: number;
    hand: number;
    plan: Plan;
    action: string;
  }

  /** What the player has decided ahead for the hand in a round; null: nothing, or it is over. */
  interface Planned {
    t: "planned";
    table: number;
    round: number;
    plan: Plan | null;
  }

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

  /** The host has banned a user from the table. A hand in play stands, and the seat is freed. */
  interface PlayerBanned {
    type: "player_banned";
    player: string;
  }

  /** A seat is free again. */
  interface PlayerLeft {
    type: "player_left";
    seat: number;
    player: string;
    reason: Reason;
  }

  /** A player took a free seat. */
  interface PlayerSat {
    type: "player_sat";
    seat: number;
    player: string;
  }

  /** A bet behind a seat, on the next round or on the hands of this or the last one. */
  interface PublicBacker {
    player: string;
    stakes: number[];
    along?: boolean;
    payout?: number;
  }

  /** The dealer's cards, `??` for one that is face down; `total` of the visible ones. */
  interface PublicDealer {
    cards?: string[];
    total?: number;
    soft?: boolean;
  }

  /** The public view of a hand. */
  interface PublicHand {
    cards: string[];
    total: number;
    stake: number;
    soft?: boolean;
    doubled?: boolean;
    outcome?: Outcome | null;
    payout?: number;
  }

  /** The state of the whole site. */
  interface PublicHouse {
    announcement: Announcement | null;
    maintenance: PublicMaintenance | null;
  }

  /** A seat's insurance; `stake` 0: declined. */
  interface PublicInsurance {
    stake: number;
    payout: number;
    settled: boolean;
  }

  /** Planned maintenance: from `at` on no round begins at any table. */
  interface PublicMaintenance {
    at: number;
    says: string;
  }

  /** The match at a table. */
  interface PublicMatch {
    id: number;
    kind: string;
    state: string;
    rounds: number | null;
    played: number;
    stack: number;
    standings: MatchStanding[];
    rematch: number | null;
  }

  /** A notice for its recipient. */
  interface PublicNotice {
    kind: string;
    player: string | null;
    table: string | null;
    url: string;
    at: number;
  }

  /** The numbers of cards in a game of piles. */
  interface PublicPiles {
    player: number;
    house: number;
    discard: number;
    deck: number;
    game_over: boolean;
    winner: Winner | null;
  }

  /** A player in line for a seat. */
  interface PublicQueueEntry {
    player: string;
    seat?: number | null;
    until?: number | null;
  }

  /** A seat. `hands` are of this round, or of the last one between rounds. */
  interface PublicSeat {
    seat: number;
    player?: string | null;
    colour?: string | null;
    stake?: number | null;
    missed?: number;
    leaving?: boolean;
    hints?: boolean;
    sitting_out?: boolean;
    rounds_out?: number;
    bank?: number | null;
    hands?: PublicHand[];
    insurance?: PublicInsurance | null;
    answered?: boolean;
    tally?: Score | null;
    since?: number | null;
    net?: number;
    chips?: number | null;
    top_ups?: number;
    asks?: boolean;
    commitment?: string | null;
    away?: number | null;
    idle?: number | null;
    behind?: PublicBacker[];
    backed?: PublicBacker[];
  }

  /** The shoe of the next card; `left` is the number of undealt cards. */
  interface PublicShoe {
    id: number;
    number: number;
    commitment: string;
    size: number;
    left: number;
    cut: number | null;
  }

  /** The public view of a table. What few tables have is left out where it is not so. */
  interface PublicTable {
    phase: Phase;
    turn: number;
    deadline: number | null;
    clock: number;
    on_bank?: boolean;
    round: number | null;
    number: number | null;
    seats: PublicSeat[];
    dealer: PublicDealer;
    asked: Asked | null;
    insurance: Asked[];
    shoe: PublicShoe | null;
    rack: number | null;
    piles: PublicPiles | null;
    stack?: number | null;
    top_ups?: number;
    maker: string | null;
    private: boolean;
    locked: boolean;
    chat: boolean;
    hints_allowed: boolean;
    behind?: boolean;
    closing: boolean;
    paused: string | null;
    paused_by_host?: boolean;
    queue: PublicQueueEntry[];
    watchers: number;
    match?: PublicMatch | null;
    edition: string;
  }

  /** A player got in line for a seat. */
  interface QueueJoined {
    type: "queue_joined";
    player: string;
  }

  /** A player is no longer in line. */
  interface QueueLeft {
    type: "queue_left";
    player: string;
    reason: QueueReason;
  }

  /** Why a player is no longer in line. Who takes a seat has `player_sat` instead. */
  type QueueReason = "left" | "declined" | "absent" | "closed" | "new_invite" | "match";

  /** Get in line for a seat at a full table. */
  interface QueueUp {
    t: "queue_up";
    id: string;
  }

  /** React to the game, at the own seat. */
  interface React {
    t: "react";
    id: string;
    reaction: Reaction;
  }

  /** A seated player reacted. It is stored nowhere, and is no change of the game. */
  interface Reacted {
    t: "reacted";
    seat: number;
    player: string;
    reaction: string;
  }

  /** A reaction of a seated player to the game. */
  type Reaction = "nice_hand" | "well_played" | "good_luck" | "thanks" | "ouch" | "cheers";

  /** Why a seat is free again. */
  type Reason = "left" | "missed_rounds" | "absent" | "idle" | "sat_out" | "no_answer" | "freed" | "banned" | "closed" | "fewer_seats" | "out_of_match";

  /** The reminder that the player has set: the minutes at this table. */
  interface Reminder {
    t: "reminder";
    table: number;
    minutes: number;
    net: number;
  }

  /** Create a new invite; the old one becomes invalid. */
  interface Renew {
    t: "renew";
    id: string;
  }

  /** Request a snapshot, after a missed frame. */
  interface Resync {
    t: "resync";
    seq?: number | null;
  }

  /** The round in play was aborted, and all stakes were returned. */
  interface RoundBrokenOff {
    type: "round_broken_off";
    round: number;
    because: string;
    number: number | null;
  }

  /** An operator voided an earlier round: its transfers are reversed. */
  interface RoundVoided {
    type: "round_voided";
    round: number;
    number: number | null;
  }

  /** A new line of chat. `before` is the id of the previous one, or 0. */
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

  /** Hands since sitting down, without stakes. */
  interface Score {
    won: number;
    lost: number;
    pushed: number;
  }

  /** A free seat was offered to a player in line, or the time to take it was extended. */
  interface SeatOffered {
    type: "seat_offered";
    seat: number;
    player: string;
    until: number;
  }

  /** A shoe was retired and its secret published. */
  interface ShoeOpened {
    type: "shoe_opened";
    shoe: number;
    secret: string;
    number: number | null;
  }

  /** A new shoe is ready. Its secret is fixed, and only the seal is published. */
  interface ShoeSealed {
    type: "shoe_sealed";
    shoe: number;
    commitment: string;
    number: number | null;
  }

  /** A sealed shoe was shuffled with its secret and these words; the first card follows. */
  interface ShoeShuffled {
    type: "shoe_shuffled";
    shoe: number;
    words: { seat: number; player: string; commitment: string | null; words: string }[];
    absent: { seat: number; player: string; commitment: string }[];
    number: number | null;
  }

  /** Whether the page is in sight. A new page is, until it says otherwise. */
  interface Sight {
    t: "sight";
    on: boolean;
  }

  /** Block a user's chat at this table, or allow it again. For the host. */
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

  /** Keep the own seat without being asked for bets, or be back in. */
  interface SitOut {
    t: "sit_out";
    id: string;
    on: boolean;
  }

  /** A player sits out, or is back in. */
  interface SitOutSwitched {
    type: "sit_out_switched";
    seat: number;
    player: string;
    on: boolean;
  }

  /** The current table, sent on joining and after a resync. */
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
    present: string[];
    missed: MissedChange[];
  }

  /** Split a pair into two hands, with a second stake. */
  interface Split {
    t: "split";
    id: string;
    turn: number;
  }

  /** The limits of a bet, in hundredths of a unit. */
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

  /** Begin the match with the players who are seated. */
  interface StartMatch {
    t: "start_match";
    id: string;
  }

  /** Surrender the hand for half the stake. */
  interface Surrender {
    t: "surrender";
    id: string;
    turn: number;
  }

  /** The table was changed: name, rules, limits, clocks or access. */
  interface TableChanged {
    type: "table_changed";
    player: string | null;
  }

  /** The host has chosen other settings, which apply after the round, or has taken that back. */
  interface TableChanging {
    type: "table_changing";
    player: string;
    on: boolean;
  }

  /** The table is closed permanently. */
  interface TableClosed {
    type: "table_closed";
  }

  /** The table closes after the round in play. */
  interface TableClosing {
    type: "table_closing";
  }

  /** The configuration of the script of a table's page. */
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

  /** The table has another host. */
  interface TableHandedOn {
    type: "table_handed_on";
    player: string;
  }

  /** The closing after the round in play was taken back. */
  interface TableKeptOpen {
    type: "table_kept_open";
    player: string | null;
  }

  /** Only the host may sit down. */
  interface TableLocked {
    type: "table_locked";
  }

  /** The table was paused: no round begins after the one in play. */
  interface TablePaused {
    type: "table_paused";
    because: string;
    player: string | null;
  }

  /** The table accepts bets again. */
  interface TableResumed {
    type: "table_resumed";
    player: string | null;
  }

  /** The rules that the page of a table needs. */
  interface TableRules {
    again: boolean;
    dealer_wins_ties: boolean;
    even_money: boolean;
    hits_soft_17: boolean;
    insurance: boolean;
    key: string;
    long_shoe: boolean;
    matched: boolean;
    naturals: boolean;
    piles: boolean;
    seats: number;
    stakes: Stakes | null;
    surrender: boolean;
    title: string;
    twenty_one_stands: boolean;
  }

  /** All viewers may sit down again. */
  interface TableUnlocked {
    type: "table_unlocked";
  }

  /** Take the bet back before the deal. */
  interface TakeBack {
    t: "take_back";
    id: string;
    turn: number;
  }

  /** Take the bet behind back before the deal. */
  interface TakeBackBehind {
    t: "take_back_behind";
    id: string;
    turn: number;
  }

  /** The clock of a decision is out, and the time bank of its player runs. */
  interface TimeBankStarted {
    type: "time_bank_started";
    seat: number;
    hand: number;
    left: number;
  }

  /** Take another stack, at a table with chips of its own. */
  interface TopUp {
    t: "top_up";
    id: string;
  }

  /** A player asked the host for another stack of table chips. */
  interface TopUpAsked {
    type: "top_up_asked";
    seat: number;
    player: string;
  }

  /** A player got another stack of table chips. */
  interface ToppedUp {
    type: "topped_up";
    seat: number;
    player: string;
    number: number;
    by_host: boolean;
  }

  /** A line of chat was removed. */
  interface Unsaid {
    t: "unsaid";
    line: number;
  }

  /** Remove a line: the sender's own, or any line as the host. */
  interface Unsay {
    t: "unsay";
    id: string;
    line: number;
  }

  /** The player's balance changed. The highest `seq`, not that of the table, is valid. */
  interface Wallet {
    t: "wallet";
    balance: number;
    seq: number;
  }

  /** The watchers changed. */
  interface Watching {
    t: "watching";
    watchers: number;
    present: string[];
  }

  /** The owner of the larger pile. */
  type Winner = "player" | "house" | "draw";

  /** A player has committed to words for the next shuffle, or for the one after it. */
  interface WordsCommitted {
    type: "words_committed";
    seat: number;
    commitment: string;
  }

  /** The private data of the user of a socket. */
  interface You {
    player: string | null;
    balance: number | null;
    balance_seq: number;
    guest: boolean;
    invite: string | null;
    runs: boolean;
    silenced: string[];
    banned: string[];
    insurance: "insure" | "decline" | null;
    plan: Plan | null;
  }
}
