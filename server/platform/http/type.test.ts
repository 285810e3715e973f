import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Type as TypeBox } from 'typebox'
import { Type } from './type.ts'

/** Each builder, alone and within others. */
const schemasOf = (type: typeof Type) => {
  const inner = type.Object({ one: type.Integer({ minimum: 1 }) }, { title: 'Inner' })
  return [
    type.Object(
      {
        text: type.Optional(type.String({ maxLength: 3 })),
        inner,
        other: type.Optional(inner),
        list: type.Array(type.Union([type.Number(), type.Null()]), { minItems: 1 }),
      },
      { additionalProperties: true, description: 'text' },
    ),
    type.Object({ none: type.Optional(type.Boolean()) }),
    type.Object({}),
    type.Record(type.String(), type.Unknown(), { description: 'any' }),
    type.Enum(['A', 'B'], { description: 'letters' }),
    type.Union([type.Literal('A'), type.Literal(5), type.Literal(true)], { title: 'Mixed' }),
    type.Unknown({ description: 'any' }),
    type.Null({ description: 'none' }),
  ]
}

test('the builders make what TypeBox makes, in the same order', () => {
  assert.deepEqual(
    schemasOf(Type).map(schema => JSON.stringify(schema)),
    schemasOf(TypeBox).map(schema => JSON.stringify(schema)),
  )
})

test('an optional schema is a copy: the schema itself stays required elsewhere', () => {
  const text = Type.String()
  const { required } = Type.Object({ one: Type.Optional(text), two: text })
  assert.deepEqual(required, ['two'])
})
