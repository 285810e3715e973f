import { EXIT, optionOf, UsageError, type Command } from '../commands/command.ts'

/** The words that may follow others, such as `keys` -> create, rotate, revoke; the key '' is the beginning. */
function wordsAfter(commands: readonly Command[]): Map<string, Set<string>> {
  const after = new Map<string, Set<string>>()
  const add = (before: string, word: string) => after.set(before, (after.get(before) ?? new Set()).add(word))
  for (const { name, options = [] } of commands) {
    const words = name.split(' ')
    words.forEach((word, at) => add(words.slice(0, at).join(' '), word))
    for (const option of [...options.map(each => optionOf(each).name), '--help']) add(name, option)
  }
  add('', 'help')
  return after
}

const caseLines = (after: Map<string, Set<string>>): string =>
  [...after]
    .map(([before, words]) => `    ${before ? `'${before}'` : "''"}) words='${[...words].join(' ')}' ;;`)
    .join('\n')

/** The words of the command so far, without options, and at most two: no command has more. */
const bash = (after: Map<string, Set<string>>): string => `_svc() {
  local word before='' words=''
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    case "$word" in -*) continue ;; esac
    case "\${before:+$before }$word" in
${[...after.keys()]
  .filter(Boolean)
  .map(name => `      '${name}') before='${name}' ;;`)
  .join('\n')}
    esac
  done
  case "$before" in
${caseLines(after)}
  esac
  COMPREPLY=($(compgen -W "$words" -- "\${COMP_WORDS[COMP_CWORD]}"))
}
complete -o default -F _svc svc
`

const zsh = (after: Map<string, Set<string>>): string => `#compdef svc
_svc_complete() {
  local word before='' list=''
  for word in "\${(@)words[2,CURRENT-1]}"; do
    case "$word" in -*) continue ;; esac
    case "\${before:+$before }$word" in
${[...after.keys()]
  .filter(Boolean)
  .map(name => `      '${name}') before='${name}' ;;`)
  .join('\n')}
    esac
  done
  case "$before" in
${caseLines(after).replaceAll('words=', 'list=')}
  esac
  compadd -- \${=list}
}
compdef _svc_complete svc
`

const fish = (commands: readonly Command[]): string => {
  const quoted = (text: string) => `'${text.replaceAll(/[\\']/g, '\\$&')}'`
  const lines = commands.flatMap(({ name, summary, options = [] }) => {
    const [first = '', second] = name.split(' ')
    const isHere = second
      ? `__fish_seen_subcommand_from ${first}; and __fish_seen_subcommand_from ${second}`
      : `__fish_seen_subcommand_from ${first}`
    return [
      second
        ? `complete -c svc -f -n ${quoted(`__fish_seen_subcommand_from ${first}`)} -a ${second} -d ${quoted(summary)}`
        : `complete -c svc -f -n __fish_use_subcommand -a ${first} -d ${quoted(summary)}`,
      ...options.map(optionOf).map(({ name, value, description }) => {
        const text = description ? ` -d ${quoted(description)}` : ''
        return `complete -c svc -n ${quoted(isHere)} -l ${name.slice(2)}${value ? ' -r' : ''}${text}`
      }),
    ]
  })
  const groups = new Set(
    commands.map(({ name }) => name.split(' ')).flatMap(([first, second]) => (second ? [first] : [])),
  )
  const groupLines = [...groups]
    .filter(group => !commands.some(({ name }) => name === group))
    .map(group => `complete -c svc -f -n __fish_use_subcommand -a ${group}`)
  return `${[...groupLines, ...lines].join('\n')}\n`
}

/** The command that completes all commands. */
export const completionOf = (allCommands: () => Promise<readonly Command[]>): Command => ({
  name: 'completion',
  parameters: ['SHELL'],
  summary: 'Prints the completion of bash, zsh or fish.',
  examples: [
    'svc completion bash > ~/.local/share/bash-completion/completions/svc',
    'echo \'eval "$(svc completion zsh)"\' >> ~/.zshrc',
    'svc completion fish > ~/.config/fish/completions/svc.fish',
  ],
  async run(_, { parameters: [shell] }) {
    if (shell !== 'bash' && shell !== 'zsh' && shell !== 'fish')
      throw new UsageError('SHELL is bash, zsh or fish')
    const all = await allCommands()
    const scripts = {
      bash: () => bash(wordsAfter(all)),
      zsh: () => zsh(wordsAfter(all)),
      fish: () => fish(all),
    }
    process.stdout.write(scripts[shell]())
    return EXIT.ok
  },
})
