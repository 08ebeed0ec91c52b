"""Values in `session.info` that a transaction collects until its commit, such as its audit entries.

When a savepoint is rolled back, the values become what they were at the savepoint. When the transaction ends, they
are removed.
"""

from copy import deepcopy

from sqlalchemy import event
from sqlalchemy.orm import Session, SessionTransaction

_SAVEPOINTS = "transaction_values.savepoints"
_names: set[str] = set()


def register_transaction_values(*names: str) -> None:
    """Declare values of `session.info` that a rollback restores and the end of a transaction removes."""
    _names.update(names)


@event.listens_for(Session, "after_transaction_create")
def _save_at_savepoint(session: Session, transaction: SessionTransaction) -> None:
    if transaction.nested:
        values = {name: session.info[name] for name in _names & session.info.keys()}
        session.info.setdefault(_SAVEPOINTS, {})[transaction] = deepcopy(values)


@event.listens_for(Session, "after_rollback")
def _restore_savepoint(session: Session) -> None:
    """After a rollback to a savepoint, restore the values that the transaction had at that savepoint."""
    savepoint = session.get_nested_transaction()
    if savepoint is not None:
        values = session.info[_SAVEPOINTS].pop(savepoint)
        _remove_values(session)
        session.info.update(values)


@event.listens_for(Session, "after_transaction_end")
def _end_transaction(session: Session, transaction: SessionTransaction) -> None:
    if transaction.parent is None:
        _remove_values(session)
        session.info.pop(_SAVEPOINTS, None)


def _remove_values(session: Session) -> None:
    for name in _names:
        session.info.pop(name, None)
