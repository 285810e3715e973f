import type en from './en.json'
import englishUrl from './en.json?url'
import germanUrl from './de.json?url'

export type TextKey = keyof typeof en
/** Keys of texts that depend on a number: each has the forms `_one` and `_other` in the catalog. */
export type CountedKey = TextKey extends infer Key
  ? Key extends `${infer Base}_other`
    ? Base
    : never
  : never
type Values = Readonly<Record<string, string | number>>

export const LANGUAGES = { en: 'English', de: 'Deutsch' } as const
export type Language = keyof typeof LANGUAGES
const URLS: Record<Language, string> = { en: englishUrl, de: germanUrl }
const STORED = 'svc.language'

let texts: Readonly<Record<string, string>> = {}
export let language: Language = 'en'

const isLanguage = (name: string | null): name is Language => name !== null && name in LANGUAGES

/** Loads the catalog of the chosen language, else of the browser's; called once, before the first page is drawn. */
export async function loadTexts(): Promise<void> {
  const wanted = [localStorage.getItem(STORED), ...navigator.languages.map(name => name.slice(0, 2))]
  language = wanted.find(isLanguage) ?? 'en'
  const catalog = async (name: Language) => (await (await fetch(URLS[name])).json()) as Record<string, string>
  const [english, own] = await Promise.all([catalog('en'), language === 'en' ? undefined : catalog(language)])
  texts = { ...english, ...own }
  document.documentElement.lang = language
}

/** Keeps the language and draws the page anew in it. */
export function chooseLanguage(name: Language): void {
  localStorage.setItem(STORED, name)
  location.reload()
}

const fill = (text: string, values: Values): string =>
  text.replaceAll(/\{(\w+)\}/g, (_, name: string) => String(values[name] ?? ''))

/** The text of a key in the language of the page; `{name}` in it is replaced by the value of that name. */
export const t = (key: TextKey, values: Values = {}): string => fill(texts[key] ?? key, values)

/** Whether there is a text for a key that is put together. */
export const hasText = (key: string): key is TextKey => key in texts

/** The text for a number of things, in the plural form of the language. */
export const counted = (key: CountedKey, count: number, values: Values = {}): string => {
  const form = new Intl.PluralRules(language).select(count)
  const text = texts[`${key}_${form}`] ?? texts[`${key}_other`] ?? key
  return fill(text, { count: new Intl.NumberFormat(language).format(count), ...values })
}

/** The text of a key that is made at run time, such as the code of an API error; undefined if the catalog has none. */
export const textFor = (key: string): string | undefined => texts[key]

/** A name that the API uses for a state, kind or role, in words of the catalog (`name.HELD`), else with spaces. */
export const nameOf = (value: string): string =>
  texts[`name.${value}`] ?? value.charAt(0) + value.slice(1).toLowerCase().replaceAll('_', ' ')

/** A category as its seller wrote it; that of agents and needs without one is a name of the API. */
export const categoryName = (category: string): string => texts[`category.${category}`] ?? category

/** A ledger account in words, with the id of its owner if it has one: the API names it in English (`wallet 0198c0de-...`). */
export function ledgerAccountName(name: string): string {
  const [, kind = name, owner = ''] = /^(.+?)( [^ ]*[:\d][^ ]*)?$/.exec(name) ?? []
  return `${texts[`ledger.${kind}`] ?? kind}${owner}`
}

/** Why a payout did not arrive: in the language of the page where the code says it, otherwise in the words of the processor. */
export function payoutFailure(code: string | null, reason: string | null): string {
  const key = `payout.because.${code}`
  if (!hasText(key)) return reason ?? ''
  return code === 'REFUSED' && reason ? `${t(key)} ${reason}` : t(key)
}

/**
 * Why an address or what it leads to was not accepted. The API says it in English, with what was found; other languages have
 * the kind of failure before it. In English most codes have an empty text.
 */
export function checkFailure(code: string | null | undefined, reason: string): string {
  const key = `deal.because.${code ?? ''}`
  return hasText(key) ? `${t(key)} ${reason}`.trim() : reason
}

/** A suite of certification in words; one that this version does not know has the name of the API. */
export const suiteName = (suite: string): string => texts[`selling.suite.${suite}`] ?? suite
