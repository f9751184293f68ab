"""Our sentences in English."""

from collections.abc import Mapping

from gateway.replies.sentences import Say

ENGLISH: Mapping[Say, str] = {
    Say.GREETING: (
        "Hello! Write to me as you would to a friend with a good memory.\n"
        "I remember what you tell me, and can show where I know it from: /memory, /why.\n"
        "/new starts a fresh conversation, /stop interrupts me, /help lists the rest."
    ),
    Say.HELP: (
        "/new – start a fresh conversation; what I know stays\n"
        "/stop – stop what I am doing\n"
        "/retry – answer your last message again\n"
        "/undo – take the last exchange out of the conversation\n"
        "/status – how we stand\n"
        "/compact – sum up the older part of this conversation\n"
        "/memory – what I remember\n"
        "/why #17, /why dentist – where I know something from\n"
        "/forget #17 – erase a message for good\n"
        "/remind WHEN TEXT – remind you\n"
        "/tasks, /cancel ID – what I am working on, and ending it\n"
        "/dream, /dream-log, /dream-restore – my notes: write, list and take back changes\n"
        "/model, /pair – which model answers, who may talk to me (owner only)"
    ),
    Say.NEW_SESSION: "A fresh start. What I know about you stays.",
    Say.STOPPED: "Stopped. Steps finished before that: {finished}. Messages still waiting: {waiting}.",
    Say.NOTHING_TO_STOP: "Nothing is running. Messages waiting: {waiting}.",
    Say.UNDONE: "Out of our conversation: “{words}”, with my answer. Both stay findable.",
    Say.NOTHING_TO_UNDO: "There is nothing to take back.",
    Say.NOTHING_TO_RETRY: "There is no message of yours that I could answer again.",
    Say.COMPACTING: "I am summing up the older part. You can go on writing.",
    Say.COMPACTED: "Summed up: {messages:message}, {claims:claim} kept. The messages themselves stay findable.",
    Say.NOTHING_TO_COMPACT: "This conversation is short enough as it is.",
    Say.STATUS: (
        "Model: {model}\n"
        "Conversation: {messages:message}; summed up so far: {consolidated}\n"
        "The model's room: {percent} % full\n"
        "Waiting: {waiting:message}, {jobs:task}\n"
        "Running since {since}"
    ),
    Say.MODEL_IS: "{model} answers.",
    Say.MODEL_NOW: "From now on {model} answers.",
    Say.MODEL_CHOICE: "/model NAME chooses another one for this conversation, /model default goes back. There are: {models}",
    Say.MODEL_UNLISTED: "The model server doesn't list it, though. There are: {models}. /model default goes back.",
    Say.UNKNOWN_COMMAND: "I don't know {command}. /help lists what I know.",
    Say.DID_YOU_MEAN: "I don't know {command}. Did you mean {suggestion}?",
    Say.USAGE: "Write it like this: {usage}",
    Say.OWNER_ONLY: "Only the owner can do that.",
    Say.MODEL_UNAVAILABLE: "The model can't be reached right now. Your message is safe; /retry asks again.",
    Say.MODEL_REFUSED: "The model refuses to work with me. Whoever runs me should look at `mneme doctor`.",
    Say.TOO_LONG: "That is too long for the model, even after shortening. Please send it in smaller pieces.",
    Say.DAILY_BUDGET: "What I may use in a day is used up. Your message is safe; /retry asks again tomorrow.",
    Say.FAILED: "Something went wrong on my side, and I could not answer. Your message is safe; /retry tries again.",
    Say.EMPTY_ANSWER: "The model gave no answer. /retry asks again.",
    Say.CUT_ANSWER: "(The answer was cut off at its length limit.)",
    Say.ROUND_LIMIT: "I stopped after {rounds:step} without reaching an end. Say “go on” and I will continue.",
    Say.EQUAL_CALLS: "I stopped: the same step failed {times:time} in a row. Can you help me with another way?",
    Say.INTERRUPTED: "(Interrupted by your next message.)",
    Say.DISK_FULL: "I can't write anything down right now, so I can't take your message. Please send it again later.",
    Say.FLOOD: "That is a lot at once. I'll take more in {seconds:second}.",
    Say.PAIRING: (
        "I don't know you yet. Please give this code to the person who runs me: {code}\n"
        "It is good for {minutes:minute}."
    ),
    Say.PAIRED: "Welcome, {name}! You can talk to me now.",
    Say.PAIRING_UNKNOWN: "That code is unknown or no longer good.",
    Say.PAIR_WAITING: "{code}: {name} asks to come in ({channel} {id}); good for {minutes:more minute}",
    Say.PAIR_MEMBER: "{name}, {role} ({channel} {id})",
    Say.PAIR_NOBODY: "Nobody asks to come in, and nobody was let in.",
    Say.PAIR_APPROVED: "{name} can talk to me now.",
    Say.PAIR_REVOKED: "{name} can't talk to me any more.",
    Say.PAIR_NOT_FOUND: "Nobody was let in by that identity.",
    Say.JOB_STARTED: "Started: {label} ({id}). I'll report back.",
    Say.JOB_WAITING: "{label} ({id}) is number {place} in line.",
    Say.JOB_FAILED: "{label} did not work out.",
    Say.JOB_CANCELLED: "Cancelled: {label}.",
    Say.JOB_UNKNOWN: "I know no task or reminder {id}.",
    Say.NO_JOBS: "Nothing is running or waiting.",
    Say.REMINDER: "⏰ {text}",
    Say.REMINDER_SET: "I'll remind you on {at}: {text} ({id})",
    Say.REMINDER_REPEATS: "I'll remind you on {at}, then on {after}, and so on: {text} ({id})",
    Say.REMINDER_NEEDS_DAEMON: "I can do that only while this chat is open, or `mneme run` runs.",
    Say.REMINDER_UNCLEAR: "I don't understand that time. Try /remind 20m tea, or /remind 2030-05-01 09:00 call Ann.",
    Say.REMINDER_OVER: "{at} is over already. I need a time to come, such as /remind 20m tea, or /remind tomorrow 09:00 call Ann.",
    Say.REMINDER_EMPTY: "What shall I remind you of on {at}? The words go behind the time: /remind 20m tea",
    Say.NO_REMINDERS: "There are no reminders.",
    Say.MEMORY_EMPTY: "I have no notes yet.",
    Say.MEMORY_UNREADABLE: "I can't read some of my memory files just now. Whoever runs me finds in the log which, and why.",
    Say.FACTS: "Facts",
    Say.DECISIONS: "Decisions",
    Say.QUESTIONS: "Open questions",
    Say.WHY_UNKNOWN: "I find nothing under {ref}.",
    Say.FORGOTTEN: "Erased, with whatever repeats it: {messages:message}, {claims:claim}, {lines:line} of my notes.",
    Say.NOTHING_TO_FORGET: "There is nothing under {ref} that I could erase.",
    Say.DREAM_STARTED: "I am going through my notes.",
    Say.DREAM_DONE: "My notes have changed: {changes:line} ({revision}). /dream-restore {revision} takes it back.",
    Say.DREAM_NOTHING: "There was nothing new to note.",
    Say.DREAM_FAILED: "I could not go through my notes this time. Nothing was changed.",
    Say.DREAM_RESTORED: "The change {revision} is taken back.",
    Say.DREAM_UNKNOWN: "I know no change {revision}.",
    Say.DREAM_CONFLICT: "{revision} can't be taken back alone: the same lines have changed since. Take the later change back first.",
    Say.DREAM_NEEDS_MODEL: "Only a language model can go through my notes, and there is none here. What you tell me stays findable.",
    Say.DREAM_LOG: "{revision}  {at}  {what}",
    Say.DREAM_LOG_EMPTY: "My notes have never changed.",
    Say.BY_DREAM: "noted from our conversations: {files}",
    Say.BY_REMEMBER: "written down because you said so: {files}",
    Say.BY_HAND: "edited by hand: {files}",
    Say.BY_UNDO: "taken back: {revision}",
    Say.AND_MORE: "… and {count} more",
    Say.ERASED: "(erased)",
    Say.IN_FILE: "{file}: {line}",
    Say.BY_PERSON: "Somebody wrote this by hand; there is no message behind it.",
}
