/** What a request asks for; models differ by it. */
export const TASK_KINDS = ['code', 'math', 'reasoning', 'writing', 'knowledge', 'chat'] as const
export type TaskKind = (typeof TASK_KINDS)[number]
