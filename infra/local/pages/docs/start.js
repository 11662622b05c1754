// Runs in the browser: shows the OpenAPI document of the service that serves this page.
SwaggerUIBundle({
  url: '/openapi.json',
  dom_id: '#docs',
  deepLinking: true,
  // The default sends the document to a server of Swagger for validation.
  validatorUrl: null,
})
