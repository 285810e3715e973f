// Calls of the API, and its refusals in words for people.

export class Refusal extends Error {
  constructor(text, { status = 0, code = '', link, field } = {}) {
    super(text)
    this.status = status
    this.code = code
    this.link = link
    /** Name of the invalid field, if the error names one. */
    this.field = field
  }
}

const NO_ANSWER = 'The server did not answer. Check your connection and try again.'

/** One call; the answer's JSON, or a Refusal whose message is fit to be shown. */
export async function call(method, path, { body, token, headers = {} } = {}) {
  let answer, data
  try {
    answer = await fetch(path, {
      method,
      headers: { ...headers, ...(body === undefined ? {} : { 'content-type': 'application/json' }), ...(token ? { authorization: `Bearer ${token}` } : {}) },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
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

const SIGN_IN = { text: 'Sign in', href: '/login' }
const WORDS = {
  INVALID_CREDENTIALS: { field: 'password', text: 'Email or password is wrong.' },
  EMAIL_TAKEN: { text: 'An account with this email address already exists.', link: SIGN_IN, field: 'email' },
  INVALID_LINK: { text: 'This link has been used in the meantime, or it has expired. Reload the page to get another one.' },
  INVALID_MFA_TOKEN: { text: 'That took too long, or there were too many attempts.', link: { text: 'Start again', href: '/login' } },
  WRONG_SECOND_FACTOR: { field: 'totpCode', text: 'This code is wrong or has already been used. Wait for the next code and try again.' },
  ACCOUNT_SUSPENDED: { text: 'This account is suspended. Please contact the operator of this service.' },
  CLAIM_TOKEN_INVALID: { text: 'This link has been used in the meantime, or it has expired.' },
  AGENT_ALREADY_CLAIMED: { text: 'Someone else has claimed this agent in the meantime.' },
}

function refusalOf({ status, headers }, { code = '', message = '', hint = [] }) {
  if (status === 429) return new Refusal(`Too many attempts. Try again in ${inWords(Number(headers.get('retry-after')) || 60)}.`, { status, code })
  if (status === 502 || status === 503 || status === 504) return new Refusal('The server is busy. Try again in a moment.', { status, code })
  if (status >= 500) return new Refusal(`Something went wrong on the server. If this continues, send this request id to the operator: ${headers.get('x-request-id') ?? 'none'}.`, { status, code })
  const { text, link, field } = WORDS[code] ?? { text: sentences(code === 'CARD_DECLINED' ? [hint] : [message, hint].flat()), field: fieldOf(message) }
  return new Refusal(text, { status, code, link, field })
}

// A validation error is a list of sentences that begin with the name of the field.
const fieldOf = message => (Array.isArray(message) ? /^\w+/.exec(message[0])?.[0] : undefined)

const inWords = seconds => (seconds < 90 ? `${seconds} seconds` : `${Math.ceil(seconds / 60)} minutes`)

const sentences = texts => texts.map(each => String(each).replace(/^\w/, first => first.toUpperCase()).replace(/\.?$/, '.')).join(' ')
