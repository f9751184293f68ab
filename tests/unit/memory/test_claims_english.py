"""Claims as summaries word them in English, true and false, and what the checks say of each."""

import pytest

from tests.helpers.claims import verdict

SPEAKER = "Ann"

# What was said, claims that are true of it, claims that are not.
WORDINGS: tuple[tuple[str, tuple[str, ...], tuple[str, ...]], ...] = (
    ("I live in Berlin and work at Siemens.", ("Ann lives in Berlin.", "The user works at Siemens."), ("Ann lives in Munich.", "Bob lives in Berlin.")),
    ("Let's meet tomorrow at 9:30 at Cafe Luna.", ("Ann decided to meet on 2026-03-13 at 9:30 at Cafe Luna.",), ("Ann decided to meet on 2026-03-12 at 9:30 at Cafe Luna.", "Ann decided to meet on 2026-03-13 at 9:45 at Cafe Luna.")),
    ("I don't eat meat, but I love fish.", ("Ann doesn't eat meat.", "Ann loves fish."), ("Ann eats meat.", "Ann does not love fish.")),
    ("Maybe I will move to Rome in May.", ("Ann might move to Rome in May.",), ("Ann will move to Rome in May.",)),
    ("The train leaves at 9 and the bus at 10.", ("The train leaves at 9.",), ("The bus leaves at 9.",)),
    ("I'll pay 30 euros. Bob pays 40 euros.", (), ("Ann pays 40 euros.", "Bob pays 30 euros.")),
    ("It costs not 30 but 40 euros.", ("It costs 40 euros.",), ("It costs 30 euros.",)),
    ("Is the meeting at 9?", ("Ann asked whether the meeting is at 9.",), ("The meeting is at 9.",)),
    ("I used to live in Rome.", ("Ann used to live in Rome.",), ("Ann lives in Rome.",)),
    ("My brother lives in Rome.", ("Ann's brother lives in Rome.",), ("Ann lives in Rome.",)),
    ("I paid Carol 30 euros.", ("Ann paid Carol 30 euros.",), ("Carol paid 30 euros.",)),
    ("The password file is /etc/app/secret.conf on host db3.example.com", ("The password file is /etc/app/secret.conf.",), ("The password file is /etc/app/secrets.conf.",)),
    ("The repo is https://git.example.com/a/b", (), ("The repo is https://git.example.com/a/c.",)),
    ("We moved the launch from March 3 to March 10.", ("The launch moved to March 10.",), ()),
    ("My daughter Mia starts school on September 1st.", ("The user's daughter Mia starts school on 1 September.",), ()),
    ("We need 25 chairs for the party.", ("Ann needs twenty-five chairs for the party.",), ()),
    ("I'm allergic to peanuts.", ("User is allergic to peanuts",), ()),
    ("I'm not allergic to peanuts.", (), ("User is allergic to peanuts",)),
    ("Don't forget that we meet at 9.", ("Ann's meeting is at 9: we meet at 9.",), ()),
    ("My phone number is 0170 1234567", ("Ann's phone number is 01701234567",), ("Ann's phone number is 01701234568",)),
    ("Please always answer in German.", ("The user wants answers in German.",), ()),
    ("I prefer window seats, not aisle seats.", ("Ann prefers window seats.",), ("Ann prefers aisle seats.",)),
    ("We agreed on version 2.3.1 for the release", ("They agreed on version 2.3.1 for the release",), ("They agreed on version 2.3.2 for the release",)),
    ("Our budget is $1,200 for the whole trip.", ("The trip budget is 1200 dollars.",), ("The trip budget is $12,000.", "The trip budget is €1,200.")),
    ("The order number is A-1043-X and it ships in three weeks.", ("Order A-1043-X ships in 3 weeks.", "Order A-1043-X ships on 2026-04-02."), ()),
    ("We decided against Slack.", ("The team decided against Slack.",), ("The team decided on Slack.",)),
    ("I'd rather take the train than fly.", ("Ann would rather take the train than fly.",), ()),
    ("Carol said she will bring 12 bottles of wine on Saturday.", ("Carol will bring 12 bottles of wine on Saturday.", "Ann said Carol will bring 12 bottles of wine on 14 March."), ("Ann will bring 12 bottles of wine on Saturday.",)),
    ("Bob, can you bring 12 bottles of wine on Saturday?", (), ("Bob will bring 12 bottles of wine on Saturday.",)),
    ("Bob, I will bring 12 bottles of wine on Saturday.", (), ("Bob will bring 12 bottles of wine on Saturday.",)),
    ("I told Bob that I will bring 12 bottles of wine.", (), ("Bob will bring 12 bottles of wine.",)),
    ("hey, just fyi my new address is 12 Mill Lane, Oxford OX1 4AB", ("Ann's new address is 12 Mill Lane, Oxford OX1 4AB.",), ("Ann's new address is 21 Mill Lane, Oxford OX1 4AB.",)),
    ("I've decided to go with the blue sofa, order it please", ("Ann decided on the blue sofa.",), ("Ann decided on the grey sofa.",)),
    ("The dentist appointment is on Thursday at half past two in the afternoon.", ("Dentist appointment on 2026-03-12 at 14:30.",), ()),
    ("The dentist appointment is next Thursday at half past two in the afternoon.", ("Dentist appointment on Thursday 2026-03-19 at 14:30.",), ("Dentist appointment on Thursday 2026-03-20 at 14:30.",)),
    ("My budget for the laptop is around 1.5k euros.", ("Ann's laptop budget is around 1,500 euros.",), ()),
    ("We finally agreed: Bob handles the invoices, I handle the taxes.", ("Bob handles the invoices and Ann handles the taxes.",), ("Bob handles the taxes.", "Ann handles the invoices.")),
    ("yesterday the server at 10.0.3.17 went down at 03:12", ("The server 10.0.3.17 went down on 2026-03-11 at 03:12.",), ("The server 10.0.3.17 went down on 2026-03-12 at 03:12.",)),
    ("Remind me to call Dr. Weber on Monday morning", ("Ann wants to be reminded to call Dr. Weber on Monday morning.", "The user asked for a reminder to call Dr. Weber on Monday, 16 March 2026."), ()),
    ("My wife's name is Claire and we have two kids, Tom and Zoe.", ("Ann's wife is called Claire; they have two kids, Tom and Zoe.",), ("Ann has three kids.", "Ann's wife is called Zoe.")),
    ("I was born on 4 July 1990 in Graz.", ("Ann was born on 1990-07-04 in Graz.",), ("Ann was born on 1990-07-14 in Graz.",)),
    ("Rent went up from 900 to 950 euros.", ("The rent went up to 950 euros.",), ()),
    ("I no longer drink coffee after 3 pm.", ("Ann no longer drinks coffee after 15:00.",), ("Ann drinks coffee after 3 pm.",)),
    ("I can't stand cilantro.", ("Ann can't stand cilantro.",), ("Ann can stand cilantro.",)),
    ("Our Wi-Fi password is Sunny-4711-Garden", ("The Wi-Fi password is Sunny-4711-Garden.",), ("The Wi-Fi password is Sunny-4771-Garden.",)),
    ("What is the cheapest flight to Porto in June?", ("Ann asked for the cheapest flight to Porto in June.",), ("Ann asked for the cheapest flight to Porto in July.",)),
    ("The kickoff is moved to Wednesday 18 March, 10:00, room 4.12.", ("Kickoff on 18 March at 10:00 in room 4.12.",), ("Kickoff on 18 March at 10:00 in room 4.21.",)),
    ("I weigh 72 kg and I'm 1.80 m tall", ("Ann weighs 72 kg and is 1.80 m tall.",), ("Ann weighs 72 lbs.",)),
    ("Don't ever email my boss directly.", ("Ann doesn't want her boss emailed directly.",), ("Ann wants her boss emailed directly.",)),
    ("I'm vegetarian since 2015", ("Ann has been vegetarian since 2015.",), ("Ann has been vegetarian since 2016.",)),
    ("Carl told me the shop opens at 8am on weekdays", ("According to Carl, the shop opens at 8:00 on weekdays.",), ("According to Bob, the shop opens at 8:00 on weekdays.",)),
    ("Meeting link: https://meet.example.com/xyz-123?pwd=AbC", ("The meeting link is https://meet.example.com/xyz-123?pwd=AbC",), ("The meeting link is https://meet.example.com/xyz-132?pwd=AbC", "The meeting link is https://meet.example.com/xyz-123?pwd=ABC")),
    ("I'm thinking about switching to Linux.", ("Ann is thinking about switching to Linux.",), ("Ann switched to Linux.", "Ann decided to switch to Linux.")),
    ("I would switch to Linux if games ran on it.", (), ("Ann switches to Linux.",)),
    ("Let's use PostgreSQL 16 instead of MySQL.", ("They decided to use PostgreSQL 16 instead of MySQL.",), ("They decided to use MySQL.", "They decided to use MySQL instead of PostgreSQL 16.")),
    ("I prefer tea to coffee", ("Ann prefers tea to coffee.",), ("Ann prefers coffee to tea.",)),
    ("Bob owes Carl 20 euros", (), ("Carl owes Bob 20 euros.",)),
    ("The flight goes from Berlin to Oslo", ("The flight from Berlin goes to Oslo.",), ("The flight goes from Oslo to Berlin.",)),
    ("so the plan: we fly out on the 3rd of June with Lufthansa LH 1170 and stay 9 nights", ("They fly out on 3 June with Lufthansa LH 1170 and stay nine nights.",), ("They fly out on 3 June with Lufthansa LH 1171.", "They fly out on 3 July with Lufthansa LH 1170.")),
    ("can you book a table for four at Da Enzo for Saturday 8pm?", ("Ann asked to book a table for 4 at Da Enzo for Saturday at 20:00.",), ("A table for four at Da Enzo is booked for Saturday 8 pm.", "Ann asked to book a table for five at Da Enzo for Saturday 8 pm.")),
    ("My flight's been cancelled, they rebooked me to 6:40 tomorrow morning", ("Ann's flight was cancelled; she was rebooked to 06:40 on 2026-03-13.",), ()),
    ("I run the marketing team at Kestrel, about 14 people", ("Ann runs the marketing team at Kestrel with about 14 people.",), ()),
    ("i hate phone calls, text me instead", ("Ann hates phone calls and prefers text messages.",), ("Ann likes phone calls.",)),
    ("Turns out the leak was in the kitchen, not the bathroom.", ("The leak was in the kitchen, not the bathroom.",), ("The leak was in the bathroom.",)),
    ("We have not received the contract yet.", ("The contract has not been received yet.",), ("The contract has been received.",)),
    ("I never said I wanted the extended warranty.", ("Ann never said she wanted the extended warranty.",), ("Ann wanted the extended warranty.",)),
    ("Without the permit we can't start building before May 4.", ("Without the permit they can't start building before 4 May.",), ("They can start building before 4 May.",)),
    ("The API key goes into ~/.config/tool/key.json, and the timeout is 30 seconds", ("The API key goes into ~/.config/tool/key.json.", "The timeout is 30 seconds."), ("The timeout is 30 minutes.",)),
    ("I speak German, a bit of French and no Spanish at all.", ("Ann speaks German and a bit of French.",), ("Ann speaks Spanish.",)),
    ("Mom's birthday is on August 9th, don't let me forget", ("Mom's birthday is on 9 August.",), ("Mom's birthday is on 8 August.",)),
    ("It's decided: the offsite happens in Lisbon, 5-7 October.", ("The offsite happens in Lisbon on 5-7 October.",), ("The offsite happens in Porto on 5-7 October.",)),
    ("I'd like the report every Monday at 8.", ("Ann would like the report every Monday at 8:00.",), ("Ann would like the report every Tuesday at 8:00.",)),
    ("The total came to 1,234.50 EUR including 19% VAT", ("The total was €1,234.50 including 19% VAT.",), ("The total was €1,243.50 including 19% VAT.", "The total was €1,234.50 including 9% VAT.")),
    ("Let's not invite Carl this time.", ("They decided not to invite Carl.",), ("They decided to invite Carl.",)),
    ("I might be late on Tuesday, the doctor could take longer", ("Ann might be late on Tuesday.",), ("Ann will be late on Tuesday.",)),
    ("Only Dora has the key to the archive.", ("Dora has the key to the archive.",), ("Ann has the key to the archive.",)),
    ("We sold 320 tickets so far, 45 more than last year", ("320 tickets were sold so far, 45 more than last year.",), ("45 tickets were sold so far.", "365 tickets were sold so far.")),
    ("I'm 34 and my sister is 29", (), ("Ann is 29.", "Ann's sister is 34.")),
    ("Please remind me to pay rent on the 1st", ("Ann asked to be reminded to pay rent on the 1st.",), ()),
    ("I've been living in Oslo since 2019", ("Ann has lived in Oslo since 2019.",), ()),
    ("ping me at ann@example.org", ("Ann's email is ann@example.org.",), ()),
    ("We decided on Thursday, not Friday", ("They decided on Thursday, not Friday.",), ("They decided on Friday.",)),
    # What one part of a sentence says is not said of what another part tells of.
    ("The desk goes to the attic and the lamp to the cellar.", ("The desk goes to the attic.", "The lamp goes to the cellar."), ("The lamp goes to the attic.", "The desk goes to the cellar.")),
    ("I'm the captain of the chess team, Ines is the coach.", ("Ines is the coach.",), ("Ann is the coach of the chess team.",)),
    # What is to come is not done yet.
    ("We should sell the boat.", ("Ann said they should sell the boat.",), ("They sold the boat.",)),
    ("I'd love to see Petra someday", ("Ann would love to see Petra someday.",), ("Ann saw Petra.",)),
    ("I doubt the heating will last till March", ("Ann doubts the heating will last till March.",), ("The heating will last till March.",)),
    ("My uncle thinks we should sell the farm.", ("Ann's uncle thinks they should sell the farm.",), ("They should sell the farm.",)),
    # What was before a change is not so now.
    ("The exam was moved from 2 June to 9 June.", ("The exam was moved to 9 June.", "The exam was moved from 2 June to 9 June."), ("The exam is on 2 June.", "The exam was moved from 9 June to 2 June.")),
    ("Neither Olga nor Piet can swim.", ("Neither Olga nor Piet can swim.",), ("Olga can swim.", "Piet can swim.")),
    ("Let's cancel the gym and keep the pool.", ("Ann decided to keep the pool.",), ("Ann decided to cancel the pool.",)),
    ("Parking costs 60 euros a month.", ("Parking costs 60 euros per month.",), ("Parking costs 60 euros a week.",)),
    ("no, I am not allergic to cats, only to dogs", (), ("Ann is allergic to cats.",)),
    # What is wished for, supposed or forgotten is not so.
    ("I want to buy a boat.", ("Ann wants to buy a boat.", "Ann plans to buy a boat."), ("Ann buys a boat.",)),
    ("Suppose the ferry is full.", ("Ann supposes that the ferry is full.",), ("The ferry is full.",)),
    ("I forgot to renew the passport.", ("Ann forgot to renew the passport.",), ("Ann renewed the passport.",)),
    ("Do you know whether the museum is open on Mondays?", (), ("The museum is open on Mondays.",)),
    # Who does it to whom, and who comes into it at all.
    ("Bob owes me 75 euros.", ("Bob owes Ann €75.",), ("Ann owes Bob 75 euros.",)),
    ("I like sailing.", ("Ann likes sailing.",), ("Ann likes sailing with her husband.",)),
    # A value and its like, with a unit or without.
    ("The sofa costs 300 and the bed 800 euros.", ("The bed costs 800 euros.",), ("The sofa costs 800 euros.",)),
    ("The roof cost half a million.", ("The roof cost 500,000.",), ("The roof cost a million.",)),
    ("The wedding starts at noon.", ("The wedding starts at 12:00.",), ("The wedding starts at midnight.",)),
    # One denial of two opposites.
    ("I hate raisins.", ("Ann does not like raisins.", "Ann dislikes raisins."), ("Ann likes raisins.",)),
    ("I used to live in Graz.", ("Ann formerly lived in Graz.",), ("Ann lives in Graz.",)),
    ("The wifi password is on the fridge.", ("The Wi-Fi password is on the fridge.",), ()),
    # What all but happened, all but one, and what was put right within a sentence.
    ("I almost sold the caravan.", ("Ann almost sold the caravan.",), ("Ann sold the caravan.",)),
    ("I turned down the job at Bosch.", ("Ann turned down the job at Bosch.",), ("Ann accepted the job at Bosch.",)),
    ("Everyone except Karl is coming.", ("Karl is not coming.",), ("Karl is coming.",)),
    ("The match isn't on Friday but on Saturday.", ("The match is on Saturday.",), ("The match is on Friday.",)),
    ("I rarely take the tram.", ("Ann rarely takes the tram.",), ("Ann often takes the tram.",)),
    ("The ferry lands at 22:15.", ("The ferry lands at 10:15 pm.",), ("The ferry lands at 10:15.",)),
    ("My mum turns 70 in May.", ("Ann's mother turns 70 in May.",), ("Ann turns 70 in May.",)),
    # Past told as now, a condition left out, a plan told as done, a quoted voice, another relative, another unit.
    ("I worked as a baker in Lyon.", ("Ann worked as a baker in Lyon.",), ("Ann works as a baker in Lyon.",)),
    ("When I was a student I played handball every week.", ("Ann played handball every week as a student.",), ("Ann plays handball every week.",)),
    ("We had a dog called Rex.", ("Ann had a dog called Rex.", "They had a dog called Rex."), ("Ann has a dog called Rex.",)),
    ("I bought a used Volvo.", ("Ann bought a used Volvo.", "Ann has bought a used Volvo."), ("Ann buys a used Volvo.",)),
    ("The shop opened in 1990.", ("The shop opened in 1990.", "The shop was opened in 1990."), ()),
    ("I moved to Ghent last year and work at the harbour.", ("Ann works at the harbour.", "Ann moved to Ghent last year."), ()),
    ("My doctor told me to avoid salt.", ("Ann's doctor told her to avoid salt.",), ()),
    ("I loved the concert.", ("Ann loved the concert.",), ()),
    ("We'll sign the lease as long as the landlord repairs the roof.", ("They will sign the lease as long as the landlord repairs the roof.", "They will sign the lease if the landlord repairs the roof."), ("They will sign the lease.",)),
    ("I'll lend you the van provided you fill it up.", ("Ann will lend the van provided it is filled up.",), ("Ann will lend the van.",)),
    ("Once the paint is dry, we hang the pictures.", ("Once the paint is dry, the pictures are hung.",), ("The pictures are hung.",)),
    ("I go to the gym once a week.", ("Ann goes to the gym once a week.",), ()),
    ("I provided the keys on Monday.", ("Ann provided the keys on Monday.",), ()),
    ("I still have to pay the plumber.", ("Ann still has to pay the plumber.",), ("Ann paid the plumber.",)),
    ("\"I can't stand this office,\" Rob wrote in the chat.", ("Rob wrote that he can't stand the office.",), ("Ann can't stand the office.",)),
    ('My favourite song is "I want it all".', ("Ann's favourite song is \"I want it all\".",), ()),
    ('I told him "I quit the choir" yesterday.', ("Ann told him that she quit the choir.",), ()),
    ("My mother-in-law is a judge in Kiel.", ("Ann's mother-in-law is a judge in Kiel.",), ("Ann's mother is a judge in Kiel.",)),
    ("My ex-husband lives in Bath.", ("Ann's ex-husband lives in Bath.",), ("Ann's husband lives in Bath.",)),
    ("I take 50 mcg of it every morning.", ("Ann takes 50 micrograms of it every morning.",), ("Ann takes 50 mg of it every morning.",)),
    ("The run took 1h25.", ("The run took 1 hour 25 minutes.",), ("The run took 1 hour 35 minutes.",)),
    ("Pick me up at quarter to four.", ("Ann asked to be picked up at 15:45.",), ("Ann asked to be picked up at 16:15.",)),
    ("It seems the gearbox is broken.", ("It seems that the gearbox is broken.",), ("The gearbox is broken.",)),
    ("It looks like the gearbox is broken.", ("It looks like the gearbox is broken.",), ("The gearbox is broken.",)),
    ("I'm vegetarian and I don't drink.", ("Ann is vegetarian and doesn't drink.",), ("Ann drinks.",)),
    ("Emma teaches maths and Karl paints on Sundays.", ("Karl paints on Sundays.", "Emma teaches maths."), ("Emma teaches maths on Sundays.",)),
    ("We could spend Easter in Rome.", ("Ann suggested spending Easter in Rome.",), ("Ann decided to spend Easter in Rome.", "They decided to spend Easter in Rome.")),
    ("How about Rome for Easter?", ("Ann suggested Rome for Easter.",), ("Ann decided on Rome for Easter.",)),
    ("I sold my car in May.", ("Ann sold her car in May.",), ("Ann sells her car in May.",)),
    ("I was vegetarian for ten years, now I eat fish.", ("Ann was vegetarian for ten years.", "Ann eats fish."), ("Ann is vegetarian.",)),
    ("The rent was 900 euros back then.", ("The rent was 900 euros.",), ("The rent is 900 euros.",)),
    ("Rent is twelve hundred, shipping was $18.", ("The rent is 1,200.", "Shipping cost 18 dollars."), ()),
    ("My sister just had a baby, his name is Leo.", ("Ann's sister has a baby, Leo.",), ()),
    ("I owned a bakery until 2018.", ("Ann owned a bakery until 2018.",), ("Ann owns a bakery.",)),
    # What a claim opens with must have been spoken of; and what somebody heard of another is theirs.
    ("The flat costs 300 euros.", ("The flat costs 300 euros.",), ("The hotel costs 300 euros.",)),
    ("I heard Carla moved to Graz.", ("Carla moved to Graz.",), ("Ann moved to Graz.",)),
    ("We meet at 9 at the pier, right?", ("They meet at 9 at the pier.",), ()),
    ("Bob gave the drill to Carl.", ("Bob gave Carl the drill.",), ("Carl gave the drill to Bob.",)),
    ("I'm going to tell Petra that we sold the boat.", ("Ann is going to tell Petra that they sold the boat.",), ("Ann told Petra that they sold the boat.",)),
    ("My flatmate Nora cooks on Thursdays and I clean on Sundays.", ("Nora cooks on Thursdays.", "Ann cleans on Sundays."), ("Ann cooks on Thursdays.", "Nora cleans on Sundays.")),
)  # fmt: skip


@pytest.mark.parametrize(("said", "claim"), [(said, claim) for said, true, _ in WORDINGS for claim in true])
def test_a_true_claim_is_kept(said: str, claim: str) -> None:
    assert verdict(said, claim, name=SPEAKER) is None


@pytest.mark.parametrize("name", [r"\o/ Max", r"\1", "(?P<x>", "* + ["])
def test_whatever_somebody_calls_themselves_their_claim_is_judged(name: str) -> None:
    assert verdict("I owe Bob 40 euros.", "The speaker owes Bob 40 euros.", name=name) is None
    assert verdict("I owe Bob 40 euros.", "Bob owes Ann 40 euros.", name=name) is not None


@pytest.mark.parametrize(("said", "claim"), [(said, claim) for said, _, false in WORDINGS for claim in false])
def test_a_false_claim_is_rejected(said: str, claim: str) -> None:
    assert verdict(said, claim, name=SPEAKER) is not None
