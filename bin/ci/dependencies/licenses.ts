import { lockedPackages, nameOf, shippedPackages } from '../../shipped-packages.ts'

/** SPDX ids that ask for no more than their text and names: what is shipped can be used and sold under Apache-2.0. */
const ALLOWED = new Set([
  '0BSD',
  'Apache-2.0',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'BlueOak-1.0.0',
  'CC0-1.0',
  'ISC',
  'MIT',
  'MIT-0',
  // Fonts only: they may not be sold by themselves.
  'OFL-1.1',
  'Unlicense',
])

/** Whether an SPDX expression without nested parentheses allows what we do with a package. */
export const isAllowed = (license: string): boolean =>
  license
    .replaceAll(/^\(|\)$/g, '')
    .split(' OR ')
    .some(each => each.split(' AND ').every(id => ALLOWED.has(id)))

/** Every package that reaches users has an allowed license. */
export async function checkLicenses(): Promise<string[]> {
  return Object.entries(shippedPackages(await lockedPackages())).flatMap(([path, { license = 'none' }]) =>
    isAllowed(license)
      ? []
      : [`${nameOf(path)} has the license "${license}": use another package, or allow it in licenses.ts`],
  )
}
