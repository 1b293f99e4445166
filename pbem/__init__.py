"""The application: mail, orders, campaigns, letters, the command line. Imports `engine`, never `worker`."""
