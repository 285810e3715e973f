// The script of the small pages: each part looks for what it is for.
import { $$ } from './dom.js'
import { wireForms } from './forms.js'

wireForms()

for (const time of $$('time[datetime]')) time.textContent = new Date(time.dateTime).toLocaleString([], { dateStyle: 'medium', timeStyle: 'short' })

// Mails run no script: their frames take the height of what is in them.
for (const frame of $$('iframe[srcdoc]')) {
  const fit = () => { frame.style.height = `${frame.contentDocument.documentElement.offsetHeight + 2}px` }
  frame.addEventListener('load', fit)
  if (frame.contentDocument?.readyState === 'complete') fit()
  addEventListener('resize', fit)
}
