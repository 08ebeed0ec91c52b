"""Groups of customers: create, change and delete groups, and change their members."""

from collections.abc import Sequence

from sqlalchemy import delete, func, insert, select
from sqlalchemy.ext.asyncio import AsyncSession

from backend.audit import Subject, SubjectType, record
from backend.core.db.database import lock_rows, raise_on_conflict
from backend.core.db.tables import get_or_404, row_values, table_of
from backend.core.errors import Duplicate, NotFound
from backend.customers.admin_schemas import GroupChange, NewGroup
from backend.customers.directory import Person, find_existing_ids, find_person, persons_by_id
from backend.customers.models import CustomerGroup, CustomerGroupMember
from backend.staff.rights import Actor, Right

NAME_TAKEN = "Customer group with name: {name}, already exists."
_MEMBER = table_of(CustomerGroupMember)


async def find_group(session: AsyncSession, group_id: str) -> CustomerGroup:
    """Return the group with this id, locked.

    Raises:
        NotFound: the group does not exist.
    """
    query = lock_rows(select(CustomerGroup).where(CustomerGroup.id == group_id))
    return await get_or_404(session, query, "Customer group", group_id)


async def create_group(session: AsyncSession, actor: Actor, new: NewGroup) -> CustomerGroup:
    """Create a group of customers, without members.

    Raises:
        Duplicate: there is a group with this name.
    """
    actor.require(Right.CHANGE_CUSTOMERS)
    group = CustomerGroup(name=new.name, meta=new.metadata or {})
    await record(session, actor, "created", Subject(SubjectType.CUSTOMER_GROUP, group.id))
    async with raise_on_conflict(session, Duplicate(NAME_TAKEN.format(name=new.name))):
        session.add(group)
    return group


async def change_group(
    session: AsyncSession, actor: Actor, group_id: str, change: GroupChange
) -> CustomerGroup:
    """Change the group's name or metadata; missing fields stay unchanged.

    Raises:
        NotFound: the group does not exist.
        Duplicate: another group has this name.
    """
    actor.require(Right.CHANGE_CUSTOMERS)
    group = await find_group(session, group_id)
    await record(session, actor, "changed", Subject(SubjectType.CUSTOMER_GROUP, group_id))
    async with raise_on_conflict(session, Duplicate(NAME_TAKEN.format(name=change.name))):
        group.name = change.name or group.name
        if "metadata" in change.model_fields_set:
            group.meta = change.metadata or {}
    return group


async def delete_group(session: AsyncSession, actor: Actor, group_id: str) -> None:
    """Delete a group of customers. The customers are not deleted.

    Raises:
        NotFound: the group does not exist.
    """
    actor.require(Right.CHANGE_CUSTOMERS)
    group = await find_group(session, group_id)
    await record(session, actor, "deleted", Subject(SubjectType.CUSTOMER_GROUP, group_id))
    await session.delete(group)
    await session.flush()


async def change_members(
    session: AsyncSession, actor: Actor, group_id: str, add: Sequence[str], remove: Sequence[str]
) -> CustomerGroup:
    """Add customers to the group, and remove others. Repeated ids have no effect.

    Raises:
        NotFound: the group, or a customer to add, does not exist.
    """
    actor.require(Right.CHANGE_CUSTOMERS)
    group = await find_group(session, group_id)
    if missing := sorted(set(add) - await find_existing_ids(session, add)):
        raise NotFound(f"Customer with id: {', '.join(missing)} was not found")
    members = select(_MEMBER.c.customer_id).where(_MEMBER.c.group_id == group_id)
    known = set((await session.execute(members.where(_MEMBER.c.customer_id.in_([*add, *remove])))).scalars())
    joining = [one for one in dict.fromkeys(add) if one not in known]
    leaving = [one for one in dict.fromkeys(remove) if one in known]
    count = await members_count(session, group_id)
    after = count + len(joining) - len(leaving)
    await record(
        session,
        actor,
        "changed",
        Subject(SubjectType.CUSTOMER_GROUP, group_id),
        {"customers": (count, after)},
    )
    if leaving:
        await session.execute(
            delete(_MEMBER).where(_MEMBER.c.group_id == group_id, _MEMBER.c.customer_id.in_(leaving))
        )
    if joining:
        rows = [row_values(CustomerGroupMember(group_id=group_id, customer_id=one)) for one in joining]
        await session.execute(insert(_MEMBER), rows)
    return group


async def change_groups_of(
    session: AsyncSession, actor: Actor, customer_id: str, add: Sequence[str], remove: Sequence[str]
) -> Person:
    """Add the customer to the groups `add`, and remove the customer from the groups `remove`.

    Raises:
        NotFound: the customer or a group does not exist.
    """
    actor.require(Right.CHANGE_CUSTOMERS)
    person = await find_person(session, customer_id)
    for group_id in sorted(
        {*add, *remove}
    ):  # sorted, so that two transactions lock the groups in the same order
        joining, leaving = group_id in add, group_id in remove
        await change_members(
            session, actor, group_id, [customer_id] if joining else [], [customer_id] if leaving else []
        )
    return person


async def members_count(session: AsyncSession, group_id: str) -> int:
    """Return the number of members of the group."""
    query = select(func.count()).select_from(_MEMBER).where(_MEMBER.c.group_id == group_id)
    return (await session.execute(query)).scalar_one()


async def groups_of(session: AsyncSession, customer_ids: Sequence[str]) -> dict[str, list[CustomerGroup]]:
    """Return the groups of each of these customers, by customer id."""
    query = (
        select(CustomerGroupMember.customer_id, CustomerGroup)
        .join(CustomerGroup, CustomerGroup.id == CustomerGroupMember.group_id)
        .where(CustomerGroupMember.customer_id.in_(customer_ids))
        .order_by(CustomerGroup.name)
    )
    found: dict[str, list[CustomerGroup]] = {customer_id: [] for customer_id in customer_ids}
    for customer_id, group in await session.execute(query):
        found[customer_id].append(group)
    return found


async def members_of(session: AsyncSession, group_ids: Sequence[str]) -> dict[str, list[Person]]:
    """Return the members of each of these groups, sorted by e-mail address."""
    query = select(CustomerGroupMember.group_id, CustomerGroupMember.customer_id).where(
        CustomerGroupMember.group_id.in_(group_ids)
    )
    pairs = [(row[0], row[1]) for row in await session.execute(query)]
    persons = await persons_by_id(session, {customer_id for _, customer_id in pairs})
    found: dict[str, list[Person]] = {group_id: [] for group_id in group_ids}
    for group_id, customer_id in pairs:
        if customer_id in persons:
            found[group_id].append(persons[customer_id])
    return {group_id: sorted(pairs, key=lambda person: person.email) for group_id, pairs in found.items()}
