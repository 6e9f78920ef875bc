"""The service: jobs over HTTP, and a page on which people watch routes get shorter."""
