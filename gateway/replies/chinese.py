"""Our sentences in Chinese (simplified)."""

from collections.abc import Mapping

from gateway.replies.sentences import Say

CHINESE: Mapping[Say, str] = {
    Say.GREETING: (
        "你好！像跟一位记性很好的朋友聊天那样写给我就行。\n"
        "你告诉我的事我都会记住，也能说明出处：/memory、/why。\n"
        "/new 开始新的对话，/stop 打断我，/help 查看全部命令。"
    ),
    Say.HELP: (
        "/new – 开始新的对话；记住的内容保留\n"
        "/stop – 停下我正在做的事\n"
        "/retry – 重新回答你的上一条消息\n"
        "/undo – 从对话中撤回最近一次问答\n"
        "/status – 当前状态\n"
        "/compact – 总结对话中较早的部分\n"
        "/memory – 我记住了什么\n"
        "/why #17、/why 牙医 – 某件事我是从哪里知道的\n"
        "/forget #17 – 永久删除一条消息\n"
        "/remind 时间 内容 – 提醒你\n"
        "/tasks、/cancel ID – 正在进行的任务，以及取消任务\n"
        "/dream、/dream-log、/dream-restore – 我的笔记：整理、查看和撤回改动\n"
        "/model、/pair – 由哪个模型回答，谁可以和我说话（仅限主人）"
    ),
    Say.NEW_SESSION: "我们重新开始。我对你的了解仍然保留。",
    Say.STOPPED: "已停止。此前完成的步骤：{finished}。还在等待的消息：{waiting}。",
    Say.NOTHING_TO_STOP: "现在没有正在进行的事。等待中的消息：{waiting}。",
    Say.UNDONE: "已从对话中撤回：“{words}”，以及我的回答。两者仍然可以查到。",
    Say.NOTHING_TO_UNDO: "没有可以撤回的内容。",
    Say.NOTHING_TO_RETRY: "没有可以重新回答的消息。",
    Say.COMPACTING: "我正在总结较早的内容，你可以继续写。",
    Say.COMPACTED: "已总结 {messages} 条消息，保留了 {claims} 个要点。原来的消息仍然可以查到。",
    Say.NOTHING_TO_COMPACT: "这段对话还不长，不需要总结。",
    Say.STATUS: (
        "模型：{model}\n"
        "对话：{messages} 条消息，已总结 {consolidated} 条\n"
        "模型的空间：已用 {percent}%\n"
        "等待中：{waiting} 条消息，{jobs} 个任务\n"
        "从 {since} 起运行"
    ),
    Say.MODEL_IS: "现在由 {model} 回答。",
    Say.MODEL_NOW: "从现在起由 {model} 回答。",
    Say.MODEL_CHOICE: "/model 名称 为这段对话换一个模型，/model default 换回来。可选：{models}",
    Say.MODEL_UNLISTED: "不过模型服务器没有列出它。可选：{models}。/model default 换回来。",
    Say.UNKNOWN_COMMAND: "我不认识 {command}。/help 列出了所有命令。",
    Say.DID_YOU_MEAN: "我不认识 {command}。你是想用 {suggestion} 吗？",
    Say.USAGE: "请这样写：{usage}",
    Say.OWNER_ONLY: "这件事只有主人可以做。",
    Say.MODEL_UNAVAILABLE: "现在联系不上模型。你的消息没有丢，用 /retry 再问一次。",
    Say.MODEL_REFUSED: "模型拒绝为我工作。请运行我的人看看 `mneme doctor`。",
    Say.TOO_LONG: "即使缩短之后，这段内容对模型来说还是太长了。请分成几段发给我。",
    Say.DAILY_BUDGET: "今天的用量已经用完了。你的消息没有丢，明天用 /retry 再问一次。",
    Say.FAILED: "我这边出了问题，没能回答。你的消息没有丢，用 /retry 再试一次。",
    Say.EMPTY_ANSWER: "模型没有给出回答。用 /retry 再问一次。",
    Say.CUT_ANSWER: "（回答达到长度上限，已被截断。）",
    Say.ROUND_LIMIT: "我做了 {rounds} 步还没有结束，先停下了。说“继续”，我就接着做。",
    Say.EQUAL_CALLS: "我停下了：同一步连续失败了 {times} 次。能换个办法帮帮我吗？",
    Say.INTERRUPTED: "（被你的下一条消息打断。）",
    Say.DISK_FULL: "我现在什么都写不下来，所以收不了你的消息。请稍后再发一次。",
    Say.FLOOD: "一下子太多了。{seconds} 秒后我再继续接收。",
    Say.PAIRING: "我还不认识你。请把这个配对码交给运行我的人：{code}\n有效时间 {minutes} 分钟。",
    Say.PAIRED: "欢迎你，{name}！现在可以和我说话了。",
    Say.PAIRING_UNKNOWN: "这个配对码不存在或已失效。",
    Say.PAIR_WAITING: "{code}：{name} 请求加入（{channel} {id}），还有 {minutes} 分钟有效",
    Say.PAIR_MEMBER: "{name}，{role}（{channel} {id}）",
    Say.PAIR_NOBODY: "没有人请求加入，也没有加入的人。",
    Say.PAIR_APPROVED: "{name} 现在可以和我说话了。",
    Say.PAIR_REVOKED: "{name} 不能再和我说话了。",
    Say.PAIR_NOT_FOUND: "没有以这个身份加入的人。",
    Say.JOB_STARTED: "已开始：{label}（{id}）。有结果我会告诉你。",
    Say.JOB_WAITING: "{label}（{id}）排在第 {place} 位。",
    Say.JOB_FAILED: "{label} 没有成功。",
    Say.JOB_CANCELLED: "已取消：{label}。",
    Say.JOB_UNKNOWN: "没有编号为 {id} 的任务或提醒。",
    Say.NO_JOBS: "没有正在进行或等待的任务。",
    Say.REMINDER: "⏰ {text}",
    Say.REMINDER_SET: "我会在 {at} 提醒你：{text}（{id}）",
    Say.REMINDER_REPEATS: "我会在 {at} 提醒你，接着是 {after}，以此类推：{text}（{id}）",
    Say.REMINDER_NEEDS_DAEMON: "只有这个对话开着，或者 `mneme run` 正在运行时，我才能提醒你。",
    Say.REMINDER_UNCLEAR: "我看不懂这个时间。可以写 /remind 20m 喝茶，或 /remind 明天下午三点 给安打电话。",
    Say.REMINDER_OVER: "{at} 已经过去了。请写一个将来的时间，例如 /remind 三分钟后 喝茶，或 /remind 明天下午三点 给安打电话。",
    Say.REMINDER_EMPTY: "{at} 要提醒你什么？内容写在时间后面：/remind 三分钟后 喝茶",
    Say.NO_REMINDERS: "没有提醒。",
    Say.MEMORY_EMPTY: "我还没有笔记。",
    Say.MEMORY_UNREADABLE: "我的部分记忆文件现在读不出来。运行我的人可以在日志里看到是哪个文件、什么原因。",
    Say.FACTS: "事实",
    Say.DECISIONS: "决定",
    Say.QUESTIONS: "未决问题",
    Say.WHY_UNKNOWN: "{ref} 下面没有找到内容。",
    Say.FORGOTTEN: "已删除（包括重复它的内容）：{messages} 条消息，{claims} 个要点，{lines} 行笔记。",
    Say.NOTHING_TO_FORGET: "{ref} 下面没有可以删除的内容。",
    Say.DREAM_STARTED: "我正在整理笔记。",
    Say.DREAM_DONE: "笔记改动了 {changes} 行（{revision}）。/dream-restore {revision} 可以撤回。",
    Say.DREAM_NOTHING: "没有新的内容需要记。",
    Say.DREAM_FAILED: "这次没能整理笔记，什么都没有改动。",
    Say.DREAM_RESTORED: "改动 {revision} 已撤回。",
    Say.DREAM_UNKNOWN: "没有改动 {revision}。",
    Say.DREAM_CONFLICT: "{revision} 不能单独撤回：同样的几行后来又改过。请先撤回较晚的改动。",
    Say.DREAM_NEEDS_MODEL: "整理笔记需要语言模型，这里没有。你告诉我的话仍然查得到。",
    Say.DREAM_LOG: "{revision}  {at}  {what}",
    Say.DREAM_LOG_EMPTY: "我的笔记从未改动过。",
    Say.BY_DREAM: "根据我们的对话记下：{files}",
    Say.BY_REMEMBER: "按你的话记下：{files}",
    Say.BY_HAND: "手工修改：{files}",
    Say.BY_UNDO: "撤回了 {revision}",
    Say.AND_MORE: "……还有 {count} 条",
    Say.ERASED: "（已删除）",
    Say.IN_FILE: "{file}：{line}",
    Say.BY_PERSON: "这是有人手写的，背后没有消息。",
}
