// Runs in the browser: shows the document of the service that serves this page.
SwaggerUIBundle({
  url: '/openapi.json',
  dom_id: '#docs',
  deepLinking: true,
  // Its default asks a server of Swagger's whether the document is valid.
  validatorUrl: null,
})
