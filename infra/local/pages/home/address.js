// Runs in the browser: shows the address of the API, which has the host of this page.
document.querySelector('#address').textContent = `${location.origin}/api/v1`
