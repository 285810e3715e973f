/**
 * Agents and chat bridges wrap what a person wrote: surroundings, rules, reminders, metadata. None of it says how hard the task is.
 * Every function takes time in proportion to the length of the text, whatever it contains.
 */

/** Elements that agents add; they are removed with their content. */
const ADDED = new Set(
  `environment_details environment_context system-reminder system_reminder additional_data user_info project_layout
  attached_files open_files cursor_rules rules custom_instructions user_instructions tools available_skills function_results
  tool_result local-command-stdout local-command-caveat command-name command-args git_status memory memories workspace_info
  reminderinstructions editorcontext`.split(/\s+/),
)
/** Elements around what the person wrote; only the tags are removed. */
const AROUND = new Set(
  'task user_query user_message user_request userrequest user_input query question message prompt feedback command-message'.split(
    ' ',
  ),
)
const TAG = /<(\/?)([a-z][\w-]{1,30})\b[^<>]{0,200}>/gi

/** Longer texts are read at their beginning and their end only. */
const MOST_CHARS = 65_536

export function stripEnvelope(text: string): string {
  let stripped = text
  if (stripped.length > MOST_CHARS)
    stripped = `${stripped.slice(0, MOST_CHARS / 2)}\n${stripped.slice(-MOST_CHARS / 2)}`
  if (stripped.includes('</')) stripped = stripElements(stripped)
  if (stripped.includes('(untrusted')) stripped = stripped.replaceAll(METADATA, '')
  stripped = stripped.trim()
  if (!stripped.startsWith('[')) return stripped
  return TOOL_RESULT.test(stripped) ? '' : stripped.replace(TIMESTAMP, '').trim()
}

function stripElements(text: string): string {
  let result = ''
  let from = 0
  const lower = lowerOf(text)
  const unclosed = new Set<string>()
  TAG.lastIndex = 0
  for (let tag = TAG.exec(text); tag; tag = TAG.exec(text)) {
    const [whole, slash, name = ''] = tag
    const known = name.toLowerCase()
    if (AROUND.has(known)) {
      result += text.slice(from, tag.index)
      from = tag.index + whole.length
    } else if (!slash && ADDED.has(known) && !unclosed.has(known)) {
      const end = lower.indexOf(`</${known}>`, TAG.lastIndex)
      if (end === -1) {
        unclosed.add(known)
        continue
      }
      result += text.slice(from, tag.index)
      from = end + name.length + 3
      TAG.lastIndex = from
    }
  }
  return result + text.slice(from)
}

/** The text in lower case with the same positions: `İ` becomes two characters, and none becomes fewer. */
function lowerOf(text: string): string {
  const lower = text.toLowerCase()
  return lower.length === text.length ? lower : text.replaceAll(/[A-Z]+/g, letters => letters.toLowerCase())
}

/** What chat bridges put before a message: data of the sender, and the time. */
const METADATA = /^[\w ]{3,40}\(untrusted[^)]{0,60}\):\s{0,9}```[^`]*```\s*/gim
const TIMESTAMP = /^\[(?:\w{3,9},? )?\d{4}-\d\d-\d\d[^\]]{0,40}\]\s*/
const TOOL_RESULT = /^\[[\w -]{2,40}(?: for '[^']{0,400}')?\] Result:/

/** Sentences that say who the model is. */
const BOILERPLATE =
  /(?:you are|you're|act as|du bist|eres|tu es|você é|ты|你是)[^.!?。\n]{0,160}(?:assistant|agent|chatbot|model|helper|asistente|assistente|ассистент|助手)[^.!?。\n]{0,160}[.!?。\n]?/gi

/** A longer system prompt describes an agent and its tools, not the task. */
const LONGEST_SYSTEM_PROMPT = 400

/** What a system prompt says about the task; nothing of a long one, unless there is no other text. */
export function stripSystemPrompt(text: string, isOnlyText: boolean): string {
  if (text.length > LONGEST_SYSTEM_PROMPT * 4 && !isOnlyText) return ''
  const stripped = stripEnvelope(text.slice(0, LONGEST_SYSTEM_PROMPT * 4).replaceAll(BOILERPLATE, ''))
  return isOnlyText || stripped.length <= LONGEST_SYSTEM_PROMPT ? stripped : ''
}
