/**
 * The sentences of the log. An event of a player has one sentence for that player and one for the
 * others, and two more that name the hand after a split.
 */
import { gettext } from "../lib/i18n.js";

/** @type {Record<string, string | string[]>} */
export const SENTENCES = {
  card_dealt: [
    gettext("You get the %(card)s: %(total)s."),
    gettext("%(who)s gets the %(card)s: %(total)s."),
    gettext("You get the %(card)s on the %(hand)s hand: %(total)s."),
    gettext("%(who)s gets the %(card)s on the %(hand)s hand: %(total)s."),
  ],
  hand_stood: [
    gettext("You stand on %(total)s."),
    gettext("%(who)s stands on %(total)s."),
    gettext("You stand on %(total)s on the %(hand)s hand."),
    gettext("%(who)s stands on %(total)s on the %(hand)s hand."),
  ],
  hand_doubled: [
    gettext("You double for %(stake)s more."),
    gettext("%(who)s doubles for %(stake)s more."),
    gettext("You double on the %(hand)s hand for %(stake)s more."),
    gettext("%(who)s doubles on the %(hand)s hand for %(stake)s more."),
  ],
  hand_split: [
    gettext("You split for %(stake)s more."),
    gettext("%(who)s splits for %(stake)s more."),
  ],

  dealer_took: gettext("The dealer takes the %(card)s: %(total)s."),
  dealer_took_face_down: gettext("The dealer takes a card, face down."),
  no_blackjack: gettext("The dealer checks the hole card: no blackjack."),
  no_21: gettext("The dealer checks the hole card: no 21."),
  hole_card_revealed: gettext("The dealer turns over the %(card)s: %(total)s."),

  insurance_answered: [
    gettext("You have decided on insurance."),
    gettext("%(who)s has decided on insurance."),
  ],
  insurance_taken: [
    gettext("You insure for %(stake)s."),
    gettext("%(who)s insures for %(stake)s."),
  ],
  insurance_declined: [gettext("You decline insurance."), gettext("%(who)s declines insurance.")],
  insurance_paid: [
    gettext("Your insurance pays %(net)s."),
    gettext("%(who)s's insurance pays %(net)s."),
  ],
  insurance_lost: [
    gettext("Your insurance loses: %(net)s."),
    gettext("%(who)s's insurance loses: %(net)s."),
  ],

  own_hand: gettext("%(hand)s hand: %(result)s"),
  blackjack: gettext("%(who)s has blackjack and wins %(net)s."),
  win: gettext("%(who)s wins."),
  win_staked: gettext("%(who)s wins %(net)s."),
  win_of_several: gettext("%(who)s wins %(net)s on the %(hand)s hand."),
  push: gettext("%(who)s pushes."),
  push_of_several: gettext("%(who)s pushes on the %(hand)s hand."),
  tie: gettext("%(who)s ties."),
  bust: gettext("%(who)s busts with %(total)s."),
  bust_staked: gettext("%(who)s busts with %(total)s and loses %(net)s."),
  bust_of_several: gettext("%(who)s busts with %(total)s on the %(hand)s hand and loses %(net)s."),
  surrender: gettext("%(who)s surrenders and gets %(payout)s back."),
  lose: gettext("%(who)s loses."),
  lose_staked: gettext("%(who)s loses %(net)s."),
  lose_of_several: gettext("%(who)s loses %(net)s on the %(hand)s hand."),
  lose_tie: gettext("%(who)s loses %(net)s: the dealer wins ties."),

  player_collected: gettext("%(pile)s gets %(cards)s and now has %(total)s."),
  house_collected: gettext("The dealer's pile gets %(cards)s and now has %(total)s."),
  discard_collected: gettext("The discard pile gets %(cards)s and now has %(total)s."),
  shoe_sealed: gettext("A new shoe is sealed."),
  deck_sealed: gettext("A new deck is sealed."),
  shoe_opened: gettext("The secret of shoe %(shoe)s is revealed:"),
  shoe_unused: gettext("Shoe %(shoe)s is discarded unused."),
  round_broken_off: gettext("This round is cancelled and every bet is returned. %(because)s"),
  round_voided: gettext("Round %(round)s has been voided. It does not count."),

  player_sat: [gettext("You take seat %(seat)s."), gettext("%(who)s takes seat %(seat)s.")],
  player_away: ["", gettext("%(who)s's connection is lost.")],
  player_back: ["", gettext("%(who)s is back.")],
  player_left: [gettext("You leave seat %(seat)s."), gettext("%(who)s leaves seat %(seat)s.")],
  seat_lost: [
    gettext("You lose seat %(seat)s: %(reason)s."),
    gettext("%(who)s loses seat %(seat)s: %(reason)s."),
  ],

  queue_joined: [
    gettext("You get in line for a seat."),
    gettext("%(who)s gets in line for a seat."),
  ],
  queue_left: [gettext("You leave the line."), gettext("%(who)s leaves the line.")],
  queue_declined: [
    gettext("You decline the seat and leave the line."),
    gettext("%(who)s declines the seat and leaves the line."),
  ],
  queue_lost: [
    gettext("You lose your place in line: %(reason)s."),
    gettext("%(who)s loses the place in line: %(reason)s."),
  ],
  seat_offered: [
    gettext("Seat %(seat)s is offered to you."),
    gettext("Seat %(seat)s is offered to %(who)s."),
  ],
  offer_lapsed: [
    gettext("You didn't take seat %(seat)s in time and leave the line."),
    gettext("%(who)s didn't take seat %(seat)s in time and leaves the line."),
  ],

  bet_placed: [gettext("You bet %(stake)s."), gettext("%(who)s bets %(stake)s.")],
  bet_changed: [
    gettext("You change the bet to %(stake)s."),
    gettext("%(who)s changes the bet to %(stake)s."),
  ],
  bet_returned: [gettext("You undo your bet."), gettext("%(who)s undoes the bet.")],
  bet_sent_back: [gettext("Your bet is returned."), gettext("%(who)s's bet is returned.")],
  bet_behind_placed: [
    gettext("You bet %(stake)s behind %(backed)s."),
    gettext("%(who)s bets %(stake)s behind %(backed)s."),
  ],
  bet_behind_returned: [
    gettext("Your bet behind %(backed)s is returned."),
    gettext("%(who)s's bet behind %(backed)s is returned."),
  ],
  bet_behind_raised: [
    gettext("You go along behind %(backed)s with %(stake)s more."),
    gettext("%(who)s goes along behind %(backed)s with %(stake)s more."),
  ],
  bet_behind_won: [
    gettext("You win %(net)s behind %(backed)s."),
    gettext("%(who)s wins %(net)s behind %(backed)s."),
  ],
  bet_behind_lost: [
    gettext("You lose %(net)s behind %(backed)s."),
    gettext("%(who)s loses %(net)s behind %(backed)s."),
  ],
  bet_behind_pushed: [
    gettext("Your bet behind %(backed)s is returned."),
    gettext("%(who)s's bet behind %(backed)s is returned."),
  ],
  is_in: [gettext("You are in."), gettext("%(who)s is in.")],
  is_out: [gettext("You sit this one out."), gettext("%(who)s sits this one out.")],

  time_to_bet: gettext("Time ran out: betting is closed."),
  time: gettext("Time ran out."),
  time_to_insure: [gettext("Time ran out for you."), gettext("Time ran out for %(who)s.")],
  time_to_play: [
    gettext("Time ran out: your hand stands."),
    gettext("Time ran out: %(who)s's hand stands."),
  ],
  time_bank_started: [
    gettext("Your time bank runs: %(seconds)s s."),
    gettext("%(who)s's time bank runs: %(seconds)s s."),
  ],
  plan_stand: [gettext("Decided ahead: you stand."), gettext("%(who)s has decided ahead: stand.")],
  plan_hit_to_17: [
    gettext("Decided ahead: you hit to hard 17."),
    gettext("%(who)s has decided ahead: hit to hard 17."),
  ],
  plan_best: [
    gettext("Decided ahead: best play for you."),
    gettext("%(who)s has decided ahead: best play."),
  ],
  clock_extended: gettext("The server was restarted, so the clock starts again."),

  table_locked: gettext("The table is locked: nobody new can sit down."),
  table_unlocked: gettext("The table is unlocked: free seats can be taken."),
  chat_on: gettext("The chat is on."),
  chat_off: gettext("The chat is off."),
  hints_allowed: gettext("Hints are allowed at this table."),
  hints_forbidden: gettext("Hints are no longer allowed at this table."),
  hints_on: [gettext("You turn hints on."), gettext("%(who)s turns hints on.")],
  hints_off: [gettext("You turn hints off."), gettext("%(who)s turns hints off.")],
  sits_out: [gettext("You sit out."), gettext("%(who)s sits out.")],
  back_in: [gettext("You are back in."), gettext("%(who)s is back in.")],
  top_up_asked: [
    gettext("You ask the host for another stack."),
    gettext("%(who)s asks the host for another stack."),
  ],
  stack_taken: [gettext("You take another stack."), gettext("%(who)s takes another stack.")],
  stack_given: [
    gettext("The host gives you another stack."),
    gettext("The host gives %(who)s another stack."),
  ],
  invite_renewed: gettext("A new invite link was created. The old one no longer works."),
  table_handed_on: [
    gettext("You are the table host now."),
    gettext("%(who)s is the table host now."),
  ],
  player_banned: [
    gettext("The host has banned you from this table."),
    gettext("The host has banned %(who)s from this table."),
  ],
  ban_lifted: [
    gettext("The host has taken your ban from this table back."),
    gettext("The host has taken the ban of %(who)s back."),
  ],
  muted_by_host: [
    gettext("The host has muted you in the chat."),
    gettext("The host has muted %(who)s in the chat."),
  ],
  unmuted_by_host: [
    gettext("The host has unmuted you in the chat."),
    gettext("The host has unmuted %(who)s in the chat."),
  ],
  muted: [
    gettext("An operator has muted you in the chat."),
    gettext("An operator has muted %(who)s in the chat."),
  ],
  unmuted: [
    gettext("An operator has unmuted you in the chat."),
    gettext("An operator has unmuted %(who)s in the chat."),
  ],
  table_changed: gettext("An operator has changed this table."),
  table_changed_by_host: [
    gettext("You have changed the settings of this table."),
    gettext("%(who)s has changed the settings of this table."),
  ],
  table_changing: [
    gettext("You change the settings of this table after this round."),
    gettext("%(who)s changes the settings of this table after this round."),
  ],
  table_not_changing: [
    gettext("You leave the settings of this table as they are."),
    gettext("%(who)s leaves the settings of this table as they are."),
  ],
  table_paused: gettext("An operator has paused this table: %(because)s"),
  table_paused_by_host: [
    gettext("You have paused this table."),
    gettext("%(who)s has paused this table."),
  ],
  table_resumed: gettext("The table is open for bets again."),
  table_resumed_by_host: [
    gettext("You have resumed this table: it is open for bets again."),
    gettext("%(who)s has resumed this table: it is open for bets again."),
  ],
  table_closing: gettext("The table closes after this round."),
  table_kept_open: gettext("The table stays open after this round."),
  table_kept_open_by_host: [
    gettext("You keep this table open after this round."),
    gettext("%(who)s keeps this table open after this round."),
  ],
  table_closed: gettext("The table is closed."),
};

/** Why a seat was lost, after a colon. @type {Partial<Record<Wire.Reason, string>>} */
export const LOST_SEATS = {
  absent: gettext("disconnected for a minute"),
  missed_rounds: gettext("two rounds missed"),
  idle: gettext("no bet for several minutes"),
  sat_out: gettext("sat out too long"),
  no_answer: gettext("no answer"),
  freed: gettext("freed by the host"),
  banned: gettext("banned by the host"),
  closed: gettext("the table is closed"),
  fewer_seats: gettext("the table has fewer seats now"),
  out_of_match: gettext("less than the smallest bet is left"),
};

/** Why a place in line was lost, after a colon. @type {Partial<Record<Wire.QueueReason, string>>} */
export const LOST_PLACES = {
  absent: gettext("disconnected for a minute"),
  closed: gettext("the table is closed"),
  new_invite: gettext("the invite link was renewed"),
  match: gettext("a match has begun"),
};
