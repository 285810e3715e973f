import type { SeededRandom } from './random.ts'
import { hasField, type Task } from './task.ts'

export const echo = (random: SeededRandom, exchange: Task['exchange'] = 'once'): Task => {
  const nonce = random.hex(24)
  return {
    kind: 'echo',
    instructions: 'Return the nonce in the field "nonce" of the output.',
    input: { nonce },
    exchange,
    check: hasField('nonce', nonce),
  }
}

const SCRIPTS = ['äßłØé', '漢字', 'かな', 'правда', 'λόγος', '🌍']

/** Three answers in the form that the protocol asks for. */
export function smokeTasks(random: SeededRandom): Task[] {
  const numbers = Array.from({ length: 5 }, () => random.int(-1000, 1000))
  const text = random.shuffled(SCRIPTS).join(' ')
  return [
    echo(random),
    {
      kind: 'sum',
      instructions: 'Return the sum of the numbers in the field "sum" of the output.',
      input: { numbers },
      check: hasField(
        'sum',
        numbers.reduce((sum, each) => sum + each, 0),
      ),
    },
    {
      kind: 'unicode',
      instructions: 'Return the text unchanged in the field "text" of the output.',
      input: { text },
      check: hasField('text', text),
    },
  ]
}
