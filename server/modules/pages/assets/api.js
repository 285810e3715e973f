// Calls of the API, and its refusals in words for people.

export class Refusal extends Error {
  constructor(text, { field, code } = {}) {
    super(text)
    /** Code of the API error, if there is one. */
    this.code = code
    /** Name of the invalid field, if the error names one. */
    this.field = field
  }
}

const NO_ANSWER = 'The server did not answer. Check your connection and try again.'

/** One call; the answer's JSON, or a Refusal whose message is fit to be shown. */
export async function call(method, path, { body }) {
  let answer, data
  try {
    answer = await fetch(path, {
      method,
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
    const text = await answer.text()
    data = text ? JSON.parse(text) : {}
  } catch {
    // Nothing came, or a proxy's page in place of ours.
    throw new Refusal(NO_ANSWER)
  }
  if (!answer.ok) throw refusalOf(answer, data)
  return data
}

function refusalOf({ status, headers }, { code = '', message = '', hint = [] }) {
  if (status === 429) return new Refusal(`Too many attempts. Try again in ${inWords(Number(headers.get('retry-after')) || 60)}.`)
  if (status === 502 || status === 503 || status === 504) return new Refusal('The server is busy. Try again in a moment.')
  if (status >= 500) return new Refusal(`Something went wrong on the server. If this continues, send this request id to the operator: ${headers.get('x-request-id') ?? 'none'}.`)
  return new Refusal(sentences(code === 'CARD_DECLINED' ? [hint] : [message, hint].flat()), { field: fieldOf(message), code })
}

// A validation error is a list of sentences that begin with the name of the field.
const fieldOf = message => (Array.isArray(message) ? /^\w+/.exec(message[0])?.[0] : undefined)

const inWords = seconds => (seconds < 90 ? `${seconds} seconds` : `${Math.ceil(seconds / 60)} minutes`)

const sentences = texts => texts.map(each => String(each).replace(/^\w/, first => first.toUpperCase()).replace(/\.?$/, '.')).join(' ')
