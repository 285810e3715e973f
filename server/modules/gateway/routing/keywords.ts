/** Groups of English words that say what kind of work a prompt asks for. Other languages are left to the trigrams. */
const GROUPS = {
  proof:
    'prove proof proves theorem lemma derive derivation induction contradiction corollary rigorous rigorously formally',
  design:
    'design architect architecture distributed scalable platform system pipeline infrastructure microservices tolerant availability throughput',
  build: 'implement build create develop write generate construct',
  code: 'function code class api sql query python java javascript typescript rust script regex component endpoint compiler algorithm array string integer list tuple dictionary',
  repair: 'debug fix bug error exception refactor optimize review crash leak',
  explain: 'explain describe compare contrast difference analyze discuss evaluate',
  why: 'why how',
  shorten: 'summarize summary translate rewrite paraphrase rephrase extract classify',
  who: 'who when where',
  what: 'what which capital define definition mean stands',
  each: 'each every per',
  many: 'many much',
  total: 'total altogether sum all',
  left: 'remaining left rest',
  more: 'more less fewer than',
  ratio: 'half twice thrice third quarter times double triple',
  percent: 'percent percentage fraction ratio average rate discount interest',
  time: 'hours hour minutes minute days day weeks week months month years year age old',
  money: 'cost costs price dollars dollar cents pay paid buys sells earn earns salary profit spend',
  numerals: 'one two three four five six seven eight nine ten dozen hundred',
  logic: 'if then either neither unless only exactly must',
  negation: 'not except never no least',
  and: 'and',
  same: 'same as',
  order: 'after before first next last',
  math: 'equation polynomial prime matrix triangle angle circle probability derivative integral modulo vector degree radius graph solve simplify evaluate compute roots',
  science:
    'energy mass velocity electron molecule acid cell gene protein quantum temperature pressure force species',
  law: 'court defendant plaintiff statute contract liability negligence trial constitutional murder property seller buyer',
  judge: 'statement following true false correct incorrect best likely according example refers argument',
  person: 'you your i my we our me please thanks hello hi',
} as const

export const KEYWORD_GROUPS: readonly string[] = Object.keys(GROUPS)

/** The group of each word, by the hash of the word. */
export function keywordTable(hashOf: (word: string) => number): Map<number, number> {
  const table = new Map<number, number>()
  Object.values(GROUPS).forEach((words, group) => {
    for (const word of words.split(' ')) table.set(hashOf(word), group)
  })
  return table
}
