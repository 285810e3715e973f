/** Classes of characters; features count them. Letters and digits form words, all others separate them. */
export const CLASS = {
  letter: 0,
  ideograph: 1,
  otherScript: 2,
  digit: 3,
  space: 4,
  newline: 5,
  question: 6,
  stop: 7,
  comma: 8,
  quote: 9,
  bracket: 10,
  operator: 11,
  latex: 12,
  percent: 13,
  other: 14,
} as const
export const CLASS_COUNT = 15

/** The class of each UTF-16 code unit. */
export function classTable(): Uint8Array {
  const table = new Uint8Array(65_536).fill(CLASS.other)
  const range = (from: number, to: number, value: number) => table.fill(value, from, to + 1)
  const each = (characters: string, value: number) => {
    for (const character of characters) table[character.charCodeAt(0)] = value
  }
  range(0xc0, 0x24f, CLASS.letter)
  range(0x250, 0x1fff, CLASS.otherScript)
  range(0x3040, 0x9fff, CLASS.ideograph)
  range(0xa000, 0xabff, CLASS.otherScript)
  range(0xac00, 0xd7a3, CLASS.ideograph)
  range(0x61, 0x7a, CLASS.letter)
  range(0x41, 0x5a, CLASS.letter)
  range(0x30, 0x39, CLASS.digit)
  range(0x2000, 0x200b, CLASS.space)
  each(' \t\r\u00a0\u3000', CLASS.space)
  each('\n', CLASS.newline)
  each('?？؟¿', CLASS.question)
  each('.!。！।', CLASS.stop)
  each(',;，、؛،', CLASS.comma)
  each('"\'`“”‘’「」«»', CLASS.quote)
  each('()[]{}（）', CLASS.bracket)
  each('+=*/^<>-|&~×÷', CLASS.operator)
  each('$\\', CLASS.latex)
  each('%', CLASS.percent)
  each('_', CLASS.letter)
  return table
}
