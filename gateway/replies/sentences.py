"""The names of all sentences that we say ourselves, each with the values that it takes."""

from enum import StrEnum, auto


class Say(StrEnum):
    """One sentence, whatever the language. What stands in its table says which values it takes."""

    GREETING = auto()
    HELP = auto()
    # sessions
    NEW_SESSION = auto()
    STOPPED = auto()
    NOTHING_TO_STOP = auto()
    UNDONE = auto()
    NOTHING_TO_UNDO = auto()
    RETRYING = auto()
    NOTHING_TO_RETRY = auto()
    COMPACTING = auto()
    COMPACTED = auto()
    NOTHING_TO_COMPACT = auto()
    STATUS = auto()
    MODEL_IS = auto()
    MODEL_NOW = auto()
    # commands
    UNKNOWN_COMMAND = auto()
    DID_YOU_MEAN = auto()
    USAGE = auto()
    OWNER_ONLY = auto()
    # a turn that went wrong
    MODEL_UNAVAILABLE = auto()
    MODEL_REFUSED = auto()
    TOO_LONG = auto()
    FAILED = auto()
    EMPTY_ANSWER = auto()
    CUT_ANSWER = auto()
    ROUND_LIMIT = auto()
    EQUAL_CALLS = auto()
    INTERRUPTED = auto()
    BUDGET_SPENT = auto()
    # the service
    DISK_FULL = auto()
    DELIVERY_PROBLEM = auto()
    FLOOD = auto()
    RESTARTED = auto()
    ATTACHMENT_TOO_BIG = auto()
    ATTACHMENT_LOST = auto()
    # people
    PAIRING = auto()
    PAIRED = auto()
    PAIRING_UNKNOWN = auto()
    NOT_ALLOWED = auto()
    # jobs
    JOB_STARTED = auto()
    JOB_WAITING = auto()
    JOB_FINISHED = auto()
    JOB_FAILED = auto()
    JOB_CANCELLED = auto()
    JOB_UNKNOWN = auto()
    NO_JOBS = auto()
    # reminders
    REMINDER = auto()
    REMINDER_SET = auto()
    REMINDER_UNCLEAR = auto()
    NO_REMINDERS = auto()
    # approvals
    APPROVAL = auto()
    APPROVE = auto()
    REFUSE = auto()
    APPROVAL_OVER = auto()
    # memory
    MEMORY_EMPTY = auto()
    FACTS = auto()
    DECISIONS = auto()
    QUESTIONS = auto()
    WHY_UNKNOWN = auto()
    FORGOTTEN = auto()
    NOTHING_TO_FORGET = auto()
    DREAM_STARTED = auto()
    DREAM_DONE = auto()
    DREAM_NOTHING = auto()
    DREAM_FAILED = auto()
    DREAM_RESTORED = auto()
    DREAM_UNKNOWN = auto()
