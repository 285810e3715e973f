import assert from 'node:assert/strict'
import type { Person, TestService } from '#test'

/** Stores a file of 2 KB in the vault, as the form of a delivery does; returns its id. */
export async function uploadFile(
  { baseUrl }: Pick<TestService, 'baseUrl'>,
  { token }: Pick<Person, 'token'>,
  name: string,
): Promise<string> {
  const response = await fetch(`${baseUrl}/vault?name=${encodeURIComponent(name)}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/octet-stream' },
    body: 'x'.repeat(2048),
  })
  assert.equal(response.status, 201)
  return ((await response.json()) as { id: string }).id
}
