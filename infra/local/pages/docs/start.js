// Runs in the browser: shows the OpenAPI document of the service that serves this page.
SwaggerUIBundle({
  url: '/openapi.json',
  dom_id: '#docs',
  deepLinking: true,
  docExpansion: 'none',
  filter: true,
  // By default the page asks a server of Swagger's whether the document is valid.
  validatorUrl: null,
})
