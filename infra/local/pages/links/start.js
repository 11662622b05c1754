// Runs in the browser: sends the link's token by a POST on a click, so that link previews have no effect.
const actions = {
  '/verify-email': ['/api/v1/auth/verify-email', 'Confirm the address'],
  '/reset-password': ['/api/v1/auth/reset-password', 'Set the password'],
  '/newsletter/confirm': ['/api/v1/newsletter/confirm', 'Subscribe'],
  '/newsletter/unsubscribe': ['/api/v1/newsletter/unsubscribe', 'Unsubscribe'],
}

const [endpoint, label] = actions[location.pathname.replace(/\/$/, '')]
const form = document.querySelector('form')
const password = document.querySelector('input')
const token = new URLSearchParams(location.search).get('token')

document.querySelector('button').textContent = label
document.querySelector('#password').hidden = password.disabled = !endpoint.endsWith('password')

form.addEventListener('submit', async event => {
  event.preventDefault()
  const body = JSON.stringify(password.disabled ? { token } : { token, password: password.value })
  const answer = await (await fetch(endpoint, { method: 'POST', body })).json()
  const errors = Object.entries(answer.errors?.fields ?? {}).map(
    ([field, texts]) => `${field}: ${texts.join(' ')}`,
  )
  document.querySelector('[role=status]').textContent = [answer.message, ...errors].join(' ')
})
