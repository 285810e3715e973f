import { SeededRandom } from './random.ts'
import { hasField, type Task } from './task.ts'

/** What the pages of one task show. It follows from the seed alone, as the task does. */
export type BrowserScene =
  | { kind: 'script'; factors: [number, number, number]; code: number }
  | { kind: 'click'; start: number; step: number; clicks: number }
  | { kind: 'pages'; pages: Item[][]; category: string }
  | { kind: 'form'; name: string; quantity: number; codeOf(name: string, quantity: string): string }

export interface Item {
  name: string
  category: string
  price: number
}

const CATEGORIES = ['paper', 'ink', 'glue', 'cloth'] as const
const PAGES = 3
const ITEMS = 8
const KINDS = ['script', 'click', 'pages', 'form'] as const
export const BROWSER_TASKS = KINDS.length

/** The scene of one task. */
export function browserScene(seed: string, task: number): BrowserScene {
  const random = new SeededRandom(`${seed}/browser/${task}`)
  switch (KINDS[task]) {
    case 'script': {
      const factors: [number, number, number] = [
        random.int(100, 999),
        random.int(100, 999),
        random.int(1000, 9999),
      ]
      return { kind: 'script', factors, code: factors[0] * factors[1] + factors[2] }
    }
    case 'click':
      return {
        kind: 'click',
        start: random.int(100, 999),
        step: random.int(11, 99),
        clicks: random.int(3, 6),
      }
    case 'pages':
      return {
        kind: 'pages',
        category: random.pick(CATEGORIES),
        pages: Array.from({ length: PAGES }, () => Array.from({ length: ITEMS }, () => itemOf(random))),
      }
    default: {
      const key = random.hex(32)
      return {
        kind: 'form',
        name: `Order ${random.hex(6)}`,
        quantity: random.int(2, 98),
        codeOf: (name, quantity) => new SeededRandom(`${key}/${name}/${quantity}`).hex(10),
      }
    }
  }
}

const itemOf = (random: SeededRandom): Item => ({
  name: `Item ${random.hex(5)}`,
  category: random.pick(CATEGORIES),
  price: random.int(1, 250),
})

const KIND_TASKS: { [Kind in BrowserScene['kind']]: (scene: Extract<BrowserScene, { kind: Kind }>) => Task } =
  {
    script: ({ code }) => ({
      kind: 'script',
      instructions:
        'Open the URL in a browser. A script writes an access code to the page after a moment. Return it in the field "code" of the output.',
      input: {},
      check: hasField('code', code),
    }),
    click: ({ start, step, clicks }) => ({
      kind: 'click',
      instructions: `Open the URL in a browser and press the button ${clicks} times. Return the number that the page shows then, in the field "number" of the output.`,
      input: { clicks },
      check: hasField('number', start + step * clicks),
    }),
    pages: ({ pages, category }) => ({
      kind: 'pages',
      instructions: `Open the URL and follow the link "Next page" to the last page. Return the sum of the prices of all items of the category "${category}", in the field "sum" of the output.`,
      input: { category },
      check: hasField(
        'sum',
        pages
          .flat()
          .filter(item => item.category === category)
          .reduce((sum, { price }) => sum + price, 0),
      ),
    }),
    form: ({ name, quantity, codeOf }) => ({
      kind: 'form',
      instructions:
        'Open the URL in a browser, fill the form with the name and the quantity, and submit it. Return the confirmation code of the next page in the field "code" of the output.',
      input: { name, quantity },
      check: hasField('code', codeOf(name, String(quantity))),
    }),
  }

const taskOf = <Kind extends BrowserScene['kind']>(
  scene: Extract<BrowserScene, { kind: Kind }> & { kind: Kind },
): Task => KIND_TASKS[scene.kind](scene)

/** One task of each kind; `urlOf` is where its pages are served. */
export const browserTasks = (seed: string, urlOf: (task: number) => string): Task[] =>
  KINDS.map((_, n) => {
    const task = taskOf(browserScene(seed, n))
    return { ...task, input: { url: urlOf(n), ...task.input } }
  })
