"""Run by Alembic: the steps go through the connection, and in the transaction, that `migrate` opened."""

from __future__ import annotations

from alembic import context

from pbem.store import schema, schema_mail

assert schema_mail.inbox.metadata is schema.metadata

context.configure(
    connection=context.config.attributes["connection"],
    target_metadata=schema.metadata,
    transactional_ddl=True,  # SQLite can take a change of the schema back, too
)
with context.begin_transaction():
    context.run_migrations()
