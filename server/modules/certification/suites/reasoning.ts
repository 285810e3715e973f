import { datePuzzle, orderPuzzle, routePuzzle } from './puzzles.ts'
import type { SeededRandom } from './random.ts'
import { hasField, type Task } from './task.ts'

/** A question in words, and its only answer. */
export interface Puzzle {
  kind: string
  question: string
  answer: string | number
}

const NAMES = ['Ada', 'Blaise', 'Carl', 'Dorothy', 'Emmy', 'Fermat'] as const
const REGIONS = ['North', 'South', 'East', 'West'] as const

function invoice(random: SeededRandom): Puzzle {
  const items = Array.from({ length: 4 }, () => ({ count: random.int(2, 12), cents: random.int(105, 2999) }))
  const discount = random.int(1, 9) * 5
  const total = items.reduce((sum, { count, cents }) => sum + count * cents, 0)
  const lines = items.map(({ count, cents }) => `${count} pieces at ${(cents / 100).toFixed(2)} USD`)
  const answer = Math.floor((total * (100 - discount)) / 100)
  return {
    kind: 'invoice',
    question: `An order has ${lines.join(', ')}. The customer gets ${discount} % off the total; fractions of a cent are dropped. What does the customer pay, in cents?`,
    answer,
  }
}

function table(random: SeededRandom): Puzzle {
  const rows = Array.from({ length: 24 }, (_, n) => ({
    region: REGIONS[n % 4] ?? 'North',
    units: random.int(1, 99),
    returned: random.int(0, 3) === 0,
  }))
  const region = random.pick(REGIONS)
  const csv = random
    .shuffled(rows)
    .map(row => `${row.region},${row.units},${row.returned ? 'yes' : 'no'}`)
    .join('\n')
  const sold = rows.filter(row => row.region === region && !row.returned)
  return {
    kind: 'table',
    question: `How many units were sold in ${region} and not returned?\nregion,units,returned\n${csv}`,
    answer: sold.reduce((sum, row) => sum + row.units, 0),
  }
}

function program(random: SeededRandom): Puzzle {
  const [start, factor, add] = [random.int(2, 9), random.int(2, 7), random.int(1, 50)]
  const [modulus, rounds] = [random.int(101, 997), random.int(5, 9)]
  let value = start
  for (let n = 1; n <= rounds; n++) value = (value * factor + add * n) % modulus
  return {
    kind: 'program',
    question: `Set x to ${start}. For n from 1 to ${rounds}, set x to (x * ${factor} + ${add} * n) modulo ${modulus}. What is x at the end?`,
    answer: value,
  }
}

function counting(random: SeededRandom): Puzzle {
  const [from, to] = [random.int(10, 99), random.int(400, 999)]
  const [first, second, third] = random.shuffled([3, 4, 5, 7, 11]) as [number, number, number]
  let count = 0
  for (let n = from; n <= to; n++) if ((n % first === 0 || n % second === 0) && n % third !== 0) count++
  return {
    kind: 'counting',
    question: `How many integers from ${from} to ${to}, both included, are divisible by ${first} or by ${second}, but not by ${third}?`,
    answer: count,
  }
}

function caesar(random: SeededRandom): Puzzle {
  const words = random
    .shuffled(['ledger', 'window', 'copper', 'planet', 'garden', 'violin', 'harbor'])
    .slice(0, 3)
  const shift = random.int(3, 22)
  const moved = (letter: string) => String.fromCharCode(97 + ((letter.charCodeAt(0) - 97 + shift) % 26))
  const hidden = words.join(' ').replaceAll(/[a-z]/g, moved)
  return {
    kind: 'cipher',
    question: `Each letter of a text was replaced by the letter ${shift} places later in the alphabet (after z follows a). The result is "${hidden}". What was the text?`,
    answer: words.join(' '),
  }
}

const taskOf = ({ kind, question, answer }: Puzzle): Task => ({
  kind,
  instructions: 'Answer the question. Return only the answer, in the field "answer" of the output.',
  input: { question },
  check: hasField('answer', answer),
})

/** Ten questions of eight kinds, in random order. */
export function reasoningTasks(random: SeededRandom): Task[] {
  const each = [
    invoice,
    table,
    program,
    counting,
    caesar,
    datePuzzle,
    routePuzzle,
    (from: SeededRandom) => orderPuzzle(from, NAMES),
  ]
  return random.shuffled([...each, invoice, table]).map(make => taskOf(make(random)))
}
