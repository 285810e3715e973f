/**
 * Words and phrases that the project does not use, with what to write instead. docs/GLOSSARY.md has the terms.
 * `find` is a regular expression, in any case. A space in it also matches a line break. Identifiers are split into
 * their words first: `testPurse` is found as "test Purse".
 */
export interface WordRule {
  find: string
  use: string
  /** A longer expression around the word that makes it legitimate. */
  except?: string
  /** Paths, or beginnings of paths, where the word is legitimate. */
  allowedIn?: string[]
}

/** Words from other fields in the place of a technical term. */
const METAPHORS: WordRule[] = [
  { find: 'houses?', use: '"project", "service", or the rule itself' },
  { find: 'rooms?', use: '"layer", "module" or "route"' },
  { find: 'doors?', use: '"HTTP boundary", "public API" or "sign-in page"' },
  { find: 'walls?', use: '"module boundary"' },
  {
    find: 'floors?',
    use: '"platform layer"',
    except: `Math[.]floor|'floor'|0001-floor[.]sql|const floor|floor [+] 1n|: floor`,
  },
  { find: 'hills?|uphill|downhill', use: '"dependency order", "upward", "downward"' },
  { find: 'neighbou?rs?', use: '"sibling"' },
  { find: '(?:test )?purses?', use: '"sub-account", "test credit"' },
  { find: 'quarrels?', use: '"dispute"' },
  { find: 'thaw(?:s|ed|ing)?', use: '"unfreeze"' },
  { find: 'strangers?', use: '"third party", "another account"' },
  { find: 'speakers?', use: '"party"' },
  { find: 'dispossess(?:es|ed)?', use: '"revoke access"' },
  { find: 'shut(?:s|ting)? out', use: '"suspend", "lock out"' },
  { find: 'misfits?', use: '"mismatch"' },
  { find: 'complaints?|complains?', use: '"operator alert", "error"' },
  { find: 'worlds?', use: '"fixture"', except: 'hello,? world|outside world|isolated world' },
]

/** Names of mechanisms that have another name now, and words with too many meanings. */
const TERMS: WordRule[] = [
  { find: 'facts?', use: '"domain event"', except: 'in fact' },
  {
    find: 'react(?:s|ed|ions?)?',
    use: '"publish", "subscriber"',
    allowedIn: ['web/', 'docs/dependencies.md', 'docs/console.md'],
  },
  {
    find: 'acts?',
    use: '"command", "action", "operation"',
    except: 'acts? (?:for|as|on behalf)',
  },
  {
    find: 'faults?',
    use: '"API error", "finding", "error"',
    // A fault is a failure that a test or the sandbox injects.
    except: String.raw`at fault|processor(?:/| )faults?|provider(?:s/(?:[{]provider[}]|openai)/| )faults?|upstream faults?|test/faults|svc-pg-faults|svc (?:ledger|audit) faults|faults included|races, faults`,
    allowedIn: [
      'test/faults/',
      'test/chaos/',
      'docs/RELIABILITY.md',
      'server/modules/gateway/',
      'test/support/gateway/',
      'server/modules/sandbox/provider-routes.ts',
    ],
  },
  { find: 'demand(?:s|ed|ing)?', use: '"require"' },
  { find: 'tell(?:s|ing)?|told', use: '"notify", "state", "show", "reveal"' },
  {
    find: '(?:forget|forgets|forgetting|forgot|forgotten)',
    use: '"erase", "pseudonymize"',
    except: 'forgot(?:ten)?(?:-| | your )passwords?',
  },
  { find: 'kept', use: '"stored", "retained", "remains"', except: 'kept-alive' },
  { find: 'situations?', use: '"deal view", "state"' },
  { find: 'makers?', use: '"creator"' },
]

/** Sentences whose meaning a reader has to guess. */
const PHRASES: WordRule[] = [
  {
    find: 'that (?:is|are) none',
    use: 'the condition: "an unknown id", "an invalid address"',
  },
  { find: 'the own|an own|own ones?', use: '"your", "the caller\'s"' },
  { find: 'of others', use: '"of another account"' },
  { find: 'tolds? of|tells? of', use: '"notified", "reported"' },
  {
    find: 'is looked for|are looked for|is looked at|are looked at',
    use: 'an active verb with a subject',
  },
  { find: `nobody['’]s`, use: '"without an owner", "read-only"' },
  { find: '(?:for|to|of|by|from|with) who', use: '"to the account that", "for callers that"' },
  { find: 'who sends', use: '"callers that send"' },
  {
    find: 'stands? (?:in|apart|beside|on|at|still|there)',
    use: '"is in", "is stored in", "appears in"',
  },
  { find: 'names? nobody', use: '"is pseudonymized"' },
  { find: '(?:is|are|stays?|stay) good', use: '"is valid", "is free"' },
  { find: 'one more', use: '"another", "an additional"' },
  { find: 'takes? (?:it|them|this|that) off', use: '"disable", "remove"' },
  {
    find: 'in living deals|living (?:deals?|accounts?|agents?)',
    use: '"live", "open", "not deleted"',
  },
  { find: 'comes? along', use: '"is sent with it"' },
]

/** American spelling, as in the APIs of the platform and in the names of this project. */
const SPELLING: WordRule[] = [
  { find: 'e-mails?', use: '"email"', except: 'E-mail already registered' },
  { find: 'behaviours?', use: '"behavior"' },
  {
    find: '(?:un)?(?:authoris|serialis|normalis|recognis|organis|pseudonymis|initialis|minimis|optimis|summaris|synchronis|utilis|capitalis|finalis|tokenis)\\w*',
    use: 'the spelling with "z"',
  },
  { find: '(?:hono|favo|colo|neighbo|harbo)ur\\w*', use: 'the spelling with "or"' },
  { find: 'centre\\w*|licence\\w*|catalogue\\w*|judgement\\w*|analyse\\w*|grey', use: 'American spelling' },
  { find: 'cancelling|cancelation', use: '"canceling", "cancellation"' },
]

export const WORD_RULES: WordRule[] = [...METAPHORS, ...TERMS, ...PHRASES, ...SPELLING]
