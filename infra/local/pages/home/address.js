// Runs in the browser: the address of the API as this page was called.
document.querySelector('#address').textContent = `${location.origin}/api/v1`
