"""A table of one's own and the friends who come to it, in real browsers."""

from __future__ import annotations

import re
import sqlite3
from contextlib import closing

import pytest
from playwright.async_api import Locator, expect

from tests.browser.axe import Inspector
from tests.browser.players import PASSWORD, PHONE, Evening, Person

NAME = "Friday night"


async def makes_table(
    person: Person, name: str = NAME, *, is_private: bool = True, betting_seconds: int = 20
) -> str:
    """Create a table by the form, and give back its invite link."""
    await person.page.goto(f"{person.url}/")
    await person.page.get_by_role("link", name="Create a table").click()
    await person.page.get_by_label("Name of the table").fill(name)
    await person.page.get_by_label("Private").set_checked(is_private)
    await person.page.get_by_label("Seconds to bet").fill(str(betting_seconds))
    await person.page.get_by_role("button", name="Create table").click()
    await person.page.wait_for_url(re.compile(r"/tables/\d+/$"))
    await sits_at(person, 1)
    link = person.page.locator("#invite-link")
    await expect(link).to_have_value(re.compile(r"/join/\w{8}/$"))
    return await link.input_value()


async def sits_at(person: Person, seat: int) -> None:
    await expect(person.page.locator(f"li.seat.is-mine[data-seat='{seat}']")).to_be_visible()


async def comes_by(person: Person, link: str, seat: int) -> None:
    """Follow the link with an account that is logged in, and be seated."""
    await person.page.goto(link)
    await person.page.wait_for_url(re.compile(r"/tables/\d+/$"))
    await sits_at(person, seat)


async def says(person: Person, text: str) -> None:
    await person.page.get_by_label("Write a message").fill(text)
    await person.page.keyboard.press("Enter")


def lines_of(person: Person) -> Locator:
    return person.page.locator(".chat-line .chat-text")


async def about_line(person: Person, number: int, choice: str) -> None:
    """Open what can be done about a line, and choose."""
    await person.page.locator(".chat-more").nth(number).click()
    await person.page.get_by_role("button", name=choice).click()


async def opens_host(person: Person) -> Locator:
    """The dialog of who runs the table."""
    await person.page.get_by_role("button", name="Host", exact=True).click()
    return person.page.locator("#host-dialog")


async def agrees(person: Person, words: str) -> None:
    """Say yes to "are you sure?"."""
    await person.page.locator("#sure-dialog").get_by_role("button", name=words).click()


@pytest.mark.long
async def test_friends_find_a_private_table_by_link_and_by_code(evening: Evening) -> None:
    """The link survives a sign-up, the code a guest's button; nobody else finds the table."""
    ann = await evening.player("ann")
    link = await makes_table(ann)
    await expect(ann.page.locator("#company-words")).to_have_text("· Private")
    alone = ann.page.locator("#alone")
    await expect(alone).to_contain_text("Nobody else is here yet. Send your friends the link.")
    await expect(alone.get_by_label("Invite link")).to_have_value(link)
    await ann.page.get_by_role("button", name="Invite").click()
    code = ann.page.locator("#invite-code")
    await expect(code).to_have_text(re.compile(r"^\w{4}-\w{4}$"))
    await expect(code).to_have_attribute(
        "aria-label", re.compile(r"^Code: (\w, ){4}dash(, \w){4}$")
    )
    spoken = await code.inner_text()
    await ann.page.keyboard.press("Escape")
    await expect(ann.page.get_by_role("button", name="Invite")).to_be_focused()

    ben = await evening.person("ben")
    await ben.page.goto(link)
    await expect(ben.page.get_by_role("heading")).to_have_text(f"ann invites you to {NAME}")
    await expect(ben.page.locator("main")).to_contain_text("Seated: ann. 2 seats are free.")
    await ben.page.locator("main").get_by_role("link", name="Sign up").click()
    await ben.fill_sign_up()
    await sits_at(ben, 2)
    await expect(alone).to_be_hidden()

    cleo = await evening.person("cleo", PHONE)
    await cleo.page.goto(cleo.url)
    await cleo.page.get_by_label("Have a code?").fill(spoken.replace("-", " ").lower())
    await cleo.page.get_by_role("button", name="Go to that table").click()
    await cleo.page.get_by_role("button", name="Play as guest").click()
    await sits_at(cleo, 3)
    await expect(ann.page.locator("li.seat[data-seat='3'] .name")).not_to_have_text("")

    dora = await evening.player("dora")
    stranger = await evening.person("stranger")
    for outsider in (dora, stranger):
        answer = await outsider.page.goto(ann.page.url)
        assert answer is not None
        assert answer.status == 404
        outsider.complaints.clear()  # The browser's own word about the 404.
        await outsider.page.goto(outsider.url)
        await expect(outsider.page.get_by_text(NAME)).to_have_count(0)
    await ann.page.goto(ann.url)
    mine = ann.page.locator(".table-card", has_text=NAME)
    await expect(mine.locator(".table-facts")).to_contain_text("private ann's table")

    await dora.page.goto(link)  # All seats are taken: who has the link looks on.
    await expect(dora.page.locator("#status-sub")).to_have_text("Every seat is taken.")
    await expect(ben.page.locator("#company-words")).to_contain_text("watching")


async def test_a_visitor_sits_down_as_a_guest(evening: Evening) -> None:
    ben = await evening.person("ben", PHONE)
    await ben.page.goto(f"{ben.url}/tables/1/")
    await ben.page.get_by_role("button", name="Play as guest").click()
    await expect(ben.page.locator("li.seat.is-mine[data-seat='1']")).to_be_visible()
    await ben.bet(10)


@pytest.mark.long
async def test_just_watching_needs_no_account(evening: Evening) -> None:
    ann = await evening.player("ann")
    link = await makes_table(ann)
    ben = await evening.person("ben")
    await ben.page.goto(link)
    await ben.page.get_by_role("link", name="Just watch").click()
    await expect(ben.page.get_by_role("heading", name=NAME)).to_be_visible()
    await expect(ann.page.locator("#company-words")).to_have_text("· Private · 1 watching")
    await expect(ben.page.get_by_role("link", name="Log in", exact=True).last).to_be_visible()
    await expect(ben.page.get_by_role("button", name="Host")).to_be_hidden()
    await ben.page.close()
    await expect(ann.page.locator("#company-words")).to_have_text("· Private")


async def test_who_logs_out_in_another_tab_is_led_to_the_login_and_back(evening: Evening) -> None:
    ann = await evening.player("ann", PHONE)
    await makes_table(ann)
    table = ann.page.url
    other = await ann.page.context.new_page()
    await other.goto(f"{ann.url}/accounts/logout/")
    await other.locator("main button[type=submit]").click()
    notice = ann.page.get_by_role("status").filter(has_text="You were logged out.")
    await expect(notice).to_be_visible()
    await ann.page.get_by_label("Name").fill("ann")
    await ann.page.get_by_label("Password", exact=True).fill(PASSWORD)
    await ann.page.locator("main button[type=submit]").first.click()
    await ann.page.wait_for_url(table)
    await sits_at(ann, 1)


async def test_the_name_of_the_table_can_be_read_on_the_hosts_phone(evening: Evening) -> None:
    ann = await evening.player("ann", PHONE)
    await makes_table(ann, "Friday night")
    heading = ann.page.get_by_role("heading", name="Friday night")
    assert await heading.evaluate("node => node.scrollWidth <= node.clientWidth")
    await ann.button("Show all figures").click()
    await expect(ann.figure("balance")).to_be_visible()
    await expect(ann.figure("balance")).to_have_text("500")


async def test_who_finds_every_seat_taken_reads_it_once(evening: Evening) -> None:
    ann = await evening.player("ann")
    link = await makes_table(ann)
    with closing(sqlite3.connect(evening.server.data / "db.sqlite3")) as database, database:
        database.execute("UPDATE tables_table SET rules_key = 'heads-up' WHERE is_private")
    ben = await evening.player("ben", PHONE)
    await ben.page.goto(link)
    await ben.sees_status("You are watching")
    await expect(ben.page.locator("#status-sub")).to_have_text("Every seat is taken.")
    await expect(ben.page.locator(".messages")).to_have_count(0)


def let_ten_minutes_pass(evening: Evening) -> None:
    """For those whose seat a host has freed."""
    with closing(sqlite3.connect(evening.server.data / "db.sqlite3")) as database, database:
        database.execute("UPDATE tables_removal SET at = datetime(at, '-10 minutes')")


@pytest.mark.long
async def test_the_host_runs_the_table(evening: Evening) -> None:
    """Lock, free a seat, renew the link, hand the table on, close it: all told in words."""
    ann = await evening.player("ann")
    ben = await evening.player("ben", PHONE)
    cleo = await evening.player("cleo")
    link = await makes_table(ann)
    await comes_by(ben, link, 2)

    for column in ("betting_seconds", "turn_seconds"):
        evening.set_at_all_tables(column, 300)
    host = await opens_host(ann)
    lock = host.get_by_role("switch", name="Locked")
    await expect(lock).to_have_attribute("aria-checked", "false")
    await lock.click()
    await expect(lock).to_have_attribute("aria-checked", "true")
    await cleo.page.goto(link)
    await expect(cleo.page.get_by_text("The table is locked, so you are")).to_be_visible()
    await expect(cleo.page.get_by_role("button", name="Sit here")).to_have_count(0)
    await cleo.sees_status("You are watching")
    await expect(cleo.page.locator("#status-sub")).to_contain_text("The table is locked")
    await expect(ben.page.locator("#company-words")).to_have_text("· Private · Locked · 1 watching")
    await lock.click()
    await expect(cleo.page.get_by_role("button", name="Sit here")).to_be_visible()

    await host.get_by_role("button", name="Free seat: ben").click()
    await agrees(ann, "Free seat")
    await expect(ben.page.locator("#log")).to_contain_text("freed by the host")
    await expect(ben.page.locator("#status-sub")).to_contain_text("You can sit down here again at")
    await expect(ben.page.get_by_role("button", name="Sit here")).to_have_count(0)
    await ben.page.reload()  # A page that is opened anew learns it from the server.
    await ben.page.get_by_role("button", name="Sit here in seat 2").click()
    await expect(ben.page.locator("#error-line")).to_contain_text(
        "You can sit down again in 10 minutes"
    )
    let_ten_minutes_pass(evening)
    await ben.page.get_by_role("button", name="Sit here in seat 2").click()
    await sits_at(ben, 2)

    await ann.page.keyboard.press("Escape")
    await expect(ann.page.get_by_role("button", name="Host", exact=True)).to_be_focused()
    evening.server.stack("8s 6h 8d Kc 2c 5h 9d 9s Tc Td")
    await ann.bet(10)
    await ben.bet(10)
    await ann.sees_status("Your turn")
    await opens_host(ann)
    free = host.get_by_role("button", name="Free seat: ben")
    await expect(free).to_have_attribute("aria-disabled", "true")
    await expect(host.locator("#host-wait")).to_contain_text("A round is in play now.")
    await free.click(force=True)
    await expect(ann.page.locator("#sure-dialog")).to_be_hidden()
    await ann.page.keyboard.press("Escape")
    await ann.act("stand")
    await ben.act("stand")
    await ann.sees_status("You")

    await ann.page.get_by_role("button", name="Invite").click()
    await ann.page.get_by_role("button", name="Create a new link").click()
    await agrees(ann, "Create a new link")
    await expect(ann.page.locator("#invite-link")).not_to_have_value(link)
    await expect(ann.page.locator("#invite-done")).to_contain_text("New link created.")
    await expect(cleo.page.locator("#closed")).to_contain_text(
        "The link to this table has changed."
    )
    new_link = await ann.page.locator("#invite-link").input_value()
    await expect(ben.page.locator("#invite-link")).to_have_value(new_link)
    await cleo.page.goto(link)
    await expect(cleo.page.get_by_text("This link is no longer valid")).to_be_visible()
    cleo.complaints.clear()  # The browser's own word about the 410.
    await ann.page.keyboard.press("Escape")

    await opens_host(ann)
    await host.get_by_role("button", name="Make host: ben").click()
    await agrees(ann, "Make ben the host")
    await expect(host).to_be_hidden()
    await expect(ann.page.get_by_role("button", name="Host", exact=True)).to_be_hidden()
    await opens_host(ben)
    await ben.page.get_by_role("button", name="Close table").click()
    await ben.page.keyboard.press("Escape")  # Not sure yet.
    await expect(ann.page.locator("#closed")).to_be_hidden()
    await ben.page.get_by_role("button", name="Close table").click()
    await agrees(ben, "Close table")
    for person in (ann, ben):
        await expect(person.page.locator("#closed")).to_contain_text("This table is closed.")
        await expect(person.page.locator("#closed")).to_contain_text("It was ben's table.")
        await expect(person.page.locator("#controls")).to_be_hidden()
        await expect(person.page.locator("#leave")).to_be_hidden()
    await ann.page.get_by_role("link", name="Back to the lobby").click()
    await expect(ann.page.get_by_role("heading", name="Take a seat")).to_be_visible()
    await expect(ann.page.get_by_text(NAME)).to_have_count(0)


@pytest.mark.long
async def test_people_talk_and_are_kept_in_order(evening: Evening) -> None:
    """What is said is text; it can be muted by everybody, and removed by the host."""
    ann = await evening.player("ann")
    ben = await evening.player("ben")
    link = await makes_table(ann)
    await comes_by(ben, link, 2)
    nasty = "<script>document.title = 'caught'</script> <b>hi</b> https://example.com"
    await says(ben, nasty)
    await expect(ann.page.locator("#chat-voice")).to_have_text(f"ben: {nasty}")
    await expect(lines_of(ben)).to_have_text([nasty])
    await expect(ben.page.locator("#chat-voice")).to_have_text("Sent.")  # Not one's own line.
    for person in (ann, ben):
        await expect(lines_of(person)).to_have_text([nasty])
        await expect(
            person.page.locator(".chat-line :is(script, b b, a, .chat-text *)")
        ).to_have_count(0)
    await expect(ben.page.get_by_label("Write a message")).to_have_value("")
    await expect(ben.page.locator(".chat-line.is-mine .chat-who")).to_contain_text("you")
    await expect(ann.page.locator(".chat-line.is-mine")).to_have_count(0)
    await ann.page.get_by_role("button", name="Quick phrases").click()
    await ann.page.get_by_role("button", name="Well played.").click()
    await expect(lines_of(ben)).to_have_text([nasty, "Well played."])
    await expect(ann.page.get_by_role("button", name="Quick phrases")).to_be_focused()

    # Muting is ann's own affair, and is kept.
    await about_line(ann, 0, "Mute ben for me")
    await expect(lines_of(ann)).to_have_text(["Well played."])
    await says(ben, "Can you hear me?")
    await expect(lines_of(ben)).to_have_count(3)
    await ann.page.reload()
    await expect(lines_of(ann)).to_have_text(["Well played."])
    assert await ann.page.locator("#chat-voice").inner_text() == ""  # Nothing old is read out.
    await ann.page.get_by_text("1 muted").click()
    await ann.page.get_by_role("button", name="Unmute ben").click()
    await expect(lines_of(ann)).to_have_text([nasty, "Well played.", "Can you hear me?"])
    await expect(ann.page.locator(".chat-line.is-mine")).to_have_text(re.compile("Well played."))

    # Removing and silencing are the host's.
    await about_line(ann, 0, "Remove this message for everyone")
    for person in (ann, ben):
        await expect(lines_of(person)).to_have_text(["Well played.", "Can you hear me?"])
    await ben.page.locator(".chat-more").first.click()
    await expect(ben.page.locator("#line-choices button")).to_have_text(
        ["Mute ann for me", "Report this message to the operators", "Close"]
    )
    await ben.page.keyboard.press("Escape")
    await expect(ben.page.locator(".chat-more").first).to_be_focused()
    await about_line(ann, 1, "Mute ben for everyone")
    host = await opens_host(ann)
    await expect(host).to_contain_text("Muted")
    await says(ben, "What a pity")
    refusal = ben.page.locator("#chat-refusal")
    await expect(refusal).to_have_text("The host has muted you at this table.")
    await expect(ben.page.get_by_label("Write a message")).to_have_value("What a pity")
    await host.get_by_role("button", name="Unmute: ben").click()
    await expect(host.get_by_role("button", name="Unmute: ben")).to_have_count(0)
    await ben.page.get_by_role("button", name="Send").click()
    await expect(lines_of(ann)).to_have_text(["Well played.", "Can you hear me?", "What a pity"])
    await expect(refusal).to_have_text("")

    # The host switches the chat off, and on again; nothing is lost.
    switch = host.get_by_role("switch", name="Chat")
    await switch.click()
    for person in (ann, ben):
        await expect(person.page.locator("#chat-off")).to_be_visible()
        await expect(person.page.locator("#chat-lines")).to_be_hidden()
        await expect(person.page.locator("#company-words")).to_contain_text("Chat off")
    await expect(ben.page.get_by_label("Write a message")).to_be_hidden()
    await switch.click()
    await expect(lines_of(ben)).to_have_count(3)


async def test_who_talks_too_fast_keeps_the_words(evening: Evening) -> None:
    ann = await evening.player("ann")
    await makes_table(ann, is_private=False)
    for number in range(5):
        await says(ann, f"Line {number}")
        await expect(lines_of(ann)).to_have_count(number + 1)
    # As soon as can be.
    with closing(sqlite3.connect(evening.server.data / "db.sqlite3")) as database, database:
        database.execute("UPDATE tables_chatline SET at = datetime('now', '+1 hour')")
    await says(ann, "One more")
    await expect(ann.page.locator("#chat-refusal")).to_contain_text("Wait a few seconds.")
    await expect(ann.page.get_by_label("Write a message")).to_have_value("One more")
    await expect(ann.page.get_by_role("button", name="Place your bet")).to_have_count(0)
    await ann.page.get_by_label("Write a message").fill("x" * 170)
    await expect(ann.page.locator("#chat-left")).to_have_text("30 characters left")
    await ann.page.get_by_label("Write a message").press_sequentially("y" * 31)
    await expect(ann.page.locator("#chat-left")).to_have_text("No characters left")


async def test_the_chat_lies_under_a_lid_on_a_phone(evening: Evening) -> None:
    """The button counts what is new; the keyboard reaches everything, and gets back."""
    ann = await evening.player("ann", PHONE)
    ben = await evening.player("ben")
    link = await makes_table(ann)
    await comes_by(ben, link, 2)
    toggle = ann.page.get_by_role("button", name=re.compile("^Chat"))
    for text in ("Good evening", "Is this seat free?"):
        await says(ben, text)
    await expect(ann.page.locator("#chat-voice")).to_contain_text("ben: Is this seat free?")
    await expect(toggle).to_have_accessible_name("Chat 2 new")
    await expect(ann.page.locator("#chat-toast")).to_have_text("ben: Is this seat free?")
    await ann.page.reload()
    await expect(toggle).to_have_accessible_name("Chat 2 new")
    await ann.page.keyboard.press("c")
    await expect(ann.page.locator("#chat-toast")).to_be_hidden()
    await expect(ann.page.get_by_label("Write a message")).to_be_focused()
    await expect(toggle).to_have_accessible_name("Chat")
    await ann.page.keyboard.type("Please sit down")  # None of this plays: not the d, not the s.
    await ann.page.keyboard.press("Enter")
    await expect(lines_of(ben)).to_have_text(
        ["Good evening", "Is this seat free?", "Please sit down"]
    )
    await expect(ann.page.get_by_label("Write a message")).to_be_focused()
    await ann.page.keyboard.press("Shift+Tab")
    await ann.page.keyboard.press("ArrowUp")
    await ann.page.keyboard.press("ArrowUp")
    await ann.page.keyboard.press("Enter")
    await expect(ann.page.locator("#line-quote")).to_have_text("Good evening")
    await ann.page.keyboard.press("Escape")
    await expect(ann.page.locator(".chat-more").first).to_be_focused()
    await ann.page.keyboard.press("Escape")
    await expect(toggle).to_be_focused()
    await expect(ann.page.locator("#chat-panel")).to_be_hidden()
    await ann.page.reload()
    await expect(lines_of(ann)).to_have_count(3)
    await expect(toggle).to_have_accessible_name("Chat")


async def test_the_chat_of_a_phone_gives_way_to_a_turn(evening: Evening) -> None:
    """What is typed stays in it."""
    evening.server.stack("Ts 9s 9h 6h 9d 8d 8c Kc Th")
    ann, ben = await evening.at_table("Casino table", PHONE, PHONE)
    for person in (ann, ben):
        await person.bet(10)
    await ann.sees_status("Your turn")
    field = ben.page.get_by_label("Write a message")
    await ben.press("c")
    await ben.page.keyboard.type("Shall I dr")
    await ann.act("stand")
    await ben.sees_status("Your turn")
    await expect(field).to_be_hidden()
    await expect(ben.page.locator("#console")).to_be_focused()
    await ben.press("s")
    await ben.sees_status("You win")
    await ben.press("c")
    await expect(field).to_have_value("Shall I dr")


@pytest.mark.long
async def test_a_refusal_of_the_chat_goes_away(evening: Evening) -> None:
    ann = await evening.player("ann", PHONE)
    await ann.sit_from_lobby("Casino table", 1)
    await ann.press("c")
    refusal = ann.page.locator("#chat-refusal")
    for number in range(12):
        await says(ann, f"line {number}")
    await expect(refusal).to_be_visible()
    await ann.page.keyboard.type("x")
    await expect(refusal).to_be_hidden()


@pytest.mark.long
async def test_what_was_said_while_the_line_was_down_is_there_afterwards(evening: Evening) -> None:
    ann = await evening.player("ann")
    ben = await evening.player("ben")
    link = await makes_table(ann)
    await comes_by(ben, link, 2)
    await says(ben, "Before")
    await expect(lines_of(ann)).to_have_text(["Before"])
    await ann.page.context.set_offline(True)
    await expect(ann.page.locator("#connection")).to_contain_text("Connection lost")
    await says(ann, "Said into the dark")
    await expect(ann.page.locator("#chat-slow")).to_have_text("Not sent yet: Said into the dark")
    await says(ben, "Meanwhile")
    await expect(lines_of(ben)).to_have_text(["Before", "Meanwhile"])
    await ann.page.context.set_offline(False)
    await expect(ann.page.locator("#chat-voice p", has_text="Meanwhile")).to_have_count(1)
    for person in (ann, ben):
        await expect(lines_of(person)).to_have_text(["Before", "Meanwhile", "Said into the dark"])
    await expect(ann.page.locator("#chat-slow")).to_have_text("")
    await expect(ann.page.get_by_label("Write a message")).to_have_value("")


@pytest.mark.long
async def test_the_form_says_what_is_wrong_beside_the_field(evening: Evening) -> None:
    evening.context["bypass_csp"] = True  # for axe
    inspector = Inspector(await evening.browser.new_page())
    ann = await evening.player("ann", PHONE)
    await ann.page.goto(f"{ann.url}/tables/new/")
    await ann.page.get_by_role("radio", name="Vegas").check()
    await ann.page.get_by_text("More options").click()
    await ann.page.get_by_label("Minimum bet").fill("100")
    await ann.page.get_by_label("Maximum bet", exact=True).fill("20")
    await ann.page.get_by_role("button", name="Create table").click()
    name = ann.page.get_by_label("Name of the table")
    await expect(name).to_be_focused()
    await expect(name).to_have_accessible_description("! Give the table a name.")
    await expect(ann.page.get_by_role("radio", name="Vegas")).to_be_checked()
    most = ann.page.get_by_label("Maximum bet", exact=True)
    await expect(most).to_have_value("20")
    await expect(most).to_be_visible()
    alert = ann.page.get_by_role("alert")
    await alert.get_by_role("link", name="Maximum bet").click()
    await expect(most).to_be_focused()
    await expect(most).to_be_in_viewport(ratio=1)
    await expect(ann.page.locator("label", has_text="Maximum bet").first).to_be_in_viewport(ratio=1)
    await expect(ann.page.locator(".field", has=most)).to_contain_text(
        "The maximum bet can't be below the minimum bet."
    )
    await inspector.see("the refused form", ann)
    assert not inspector.faults, "\n".join(inspector.faults)
    await name.fill(NAME)
    await most.fill("500")
    await ann.page.get_by_role("button", name="Create table").click()
    await sits_at(ann, 1)
    await expect(ann.page.locator("[data-figure='stakes'] dd")).to_have_text("100 – 500")
