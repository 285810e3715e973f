/** Groups of words that say what kind of work a prompt asks for. */
const GROUPS = {
  prove:
    'prove proof proves theorem lemma derive derivation induction contradiction qed corollary rigorous rigorously formally',
  design:
    'design architect architecture distributed scalable platform system pipeline infrastructure microservices end-to-end tolerant availability throughput',
  build: 'implement build create develop write generate construct',
  code: 'function code class api sql query python java javascript typescript rust golang script regex component endpoint compiler algorithm array string integer list tuple dictionary',
  repair: 'debug fix bug error exception refactor optimize review crash leak',
  explain: 'explain describe compare contrast difference analyze discuss evaluate why how',
  summarize: 'summarize summary translate rewrite paraphrase rephrase extract classify list',
  fact: 'who when where which what capital define definition mean stands',
  quantity: 'many much total each per every altogether remaining left more less fewer than times sum',
  ratio:
    'half twice thrice third quarter percent percentage double triple ratio fraction average rate discount interest',
  time: 'hours hour minutes minute days day weeks week months month years year age old speed miles',
  money: 'cost costs price dollars dollar cents pay paid buys sells earn earns salary profit spend',
  logic: 'if then either neither unless only exactly must least most not except all none some every',
  math: 'equation polynomial integer prime matrix triangle angle circle probability function derivative integral modulo vector degree radius graph solve simplify evaluate compute roots',
  science:
    'energy mass velocity electron molecule acid cell gene protein reaction quantum temperature pressure force species organism',
  law: 'court defendant plaintiff statute contract liability negligence trial constitutional murder property seller buyer',
  judge:
    'statement following true false correct incorrect best likely according describes example refers argument',
  person: 'you your i my we our me please thanks hello hi',
} as const

export type KeywordGroup = keyof typeof GROUPS
export const KEYWORD_GROUPS = Object.keys(GROUPS) as KeywordGroup[]

/** The groups of each word, by the hash of the word. */
export function keywordTable(hash: (word: string) => number): Map<number, readonly number[]> {
  const table = new Map<number, number[]>()
  KEYWORD_GROUPS.forEach((group, index) => {
    for (const word of GROUPS[group].split(' ')) {
      const at = hash(word)
      table.set(at, [...(table.get(at) ?? []), index])
    }
  })
  return table
}
