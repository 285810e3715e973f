import type { Config } from '#platform/config'
import { invalid } from '#platform/fault'

/** The most used passwords of at least 8 characters in published leaks, in lower case. */
const COMMON = new Set(`
12345678 123456789 1234567890 12345678910 123123123 123456123 1234512345 11111111 111111111 1111111111 00000000 000000000 88888888 99999999 66666666
55555555 22222222 77777777 87654321 987654321 9876543210 0987654321 147258369 123654789 789456123 159753456 741852963 963852741 135792468 12341234 11223344
1122334455 112233445566 11112222 12121212 123321123 13579246 98765432 1q2w3e4r 1q2w3e4r5t 1q2w3e4r5t6y 1qaz2wsx 1qaz2wsx3edc 1qazxsw2 zaq12wsx zaq1zaq1
q1w2e3r4 q1w2e3r4t5 qwertyui qwertyuiop qwerty12 qwerty123 qwerty1234 qwerty12345 qwerty123456 asdfghjk asdfghjkl asdfasdf asdf1234 zxcvbnm1 zxcvbnm123
qazwsxedc qazwsx123 1234qwer qwer1234 qwerasdf abcd1234 abc12345 abc123456 a1234567 a12345678 a123456789 aa123456 aa12345678 abcdefgh abcdefg1 abcdefghi
password password1 password12 password123 password1234 password! password1! passw0rd p@ssw0rd p@ssword pass1234 passpass mypassword changeme changeme1
changeme123 letmein1 letmein123 welcome1 welcome12 welcome123 welcome1234 iloveyou iloveyou1 iloveyou2 iloveyou123 sunshine sunshine1 princess princess1
football football1 baseball baseball1 basketball superman superman1 batman123 spiderman pokemon1 starwars starwars1 dragon123 monkey123 shadow123 master123
michael1 jennifer jordan23 michelle victoria charlie1 liverpool liverpool1 chelsea1 arsenal1 trustno1 whatever computer internet samsung1 samsung123 blink182
administrator admin123 admin1234 admin12345 admin@123 root1234 test1234 testtest testing123 guest1234 default1 secret123 login123 hello123 hello1234
security access14 corvette mercedes maverick midnight mountain november december qwertzui superstar sandwich butterfly chocolate elephant cocacola
`.trim().split(/\s+/))

const ADVICE = 'it is one of the most common passwords, choose another'

/** Refuses a common password in production mode; in sandbox mode only says so. */
export function passwordWarnings(password: string, { sandbox }: Config, field = 'password'): string[] {
  if (!COMMON.has(password.toLowerCase())) return []
  if (!sandbox) throw invalid(`${field}: ${ADVICE}`)
  return [`${field}: ${ADVICE} (refused in production mode)`]
}
