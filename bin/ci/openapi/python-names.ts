/** The names that openapi-python-client makes of the names in the document. */

const wordsOf = (text: string): string[] =>
  (/[A-Z]/.test(text) ? text.split(/([A-Z]?[a-z]+)/).join(' ') : text).match(/[^. _-]+/g) ?? []
const clean = (text: string): string => text.replaceAll(/[^\w. _-]+/g, '')

export const pascalCase = (text: string): string =>
  wordsOf(clean(text))
    .map(word =>
      /[A-Z]/.test(word) && word === word.toUpperCase()
        ? word
        : word.charAt(0).toUpperCase() + word.slice(1).toLowerCase(),
    )
    .join('')

export const snakeCase = (text: string): string => wordsOf(clean(text)).join('_').toLowerCase()
