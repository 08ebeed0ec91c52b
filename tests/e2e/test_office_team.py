"""The team in the browser: a staff member is invited, accepts with the mail's link, and manages their own account."""

import re
from email import message_from_bytes, policy
from pathlib import Path

from playwright.async_api import expect

from tests.e2e.conftest import OWNER_LOGIN, OpenPage, PageWatch, ShopServer
from tests.e2e.office_steps import confirm_second_factors, enter_office, submit_entry_form, visit
from tests.e2e.test_restart import wait_for_reconnection

PHONE = (390, 844)
LINK = re.compile(r"http\S+/oficina/entrar\?invitacion=1#token=\S+")


def find_invitation_link(shop: ShopServer, address: str) -> str:
    """Return the invitation link in the newest mail to this address; empty if there is none."""
    folder: Path = shop.folder / "data" / "outbox"
    for file in sorted(folder.glob("*.eml"), reverse=True):
        mail = message_from_bytes(file.read_bytes(), policy=policy.default)
        part = mail.get_body(("plain",))
        if mail["To"] == address and part is not None and (found := LINK.search(part.get_content())):
            return found[0]
    return ""


async def test_invited_staff_member_joins_the_team(
    open_page: OpenPage, server: ShopServer, watch: PageWatch
) -> None:
    watch.expect("400")  # a link that was used
    async with open_page(*PHONE) as owner, open_page(*PHONE) as lina, open_page(*PHONE) as rival:
        await enter_office(owner, server)
        await confirm_second_factors(server)
        await visit(owner, "/oficina/equipo")
        people = await owner.get_by_test_id("team-row").count()  # other tests of this shop add some
        await owner.get_by_test_id("team-invite").click()
        await owner.get_by_test_id("invite-email").fill("Lina@Trompo.example")
        await owner.get_by_test_id("save").click()
        await expect(owner.get_by_text("Elige un rol.")).to_be_visible()
        await expect(owner.get_by_test_id("invite-email")).to_have_value("Lina@Trompo.example")
        await owner.get_by_test_id("invite-role").select_option("stockroom")
        await owner.get_by_test_id("save").click()
        row = owner.get_by_test_id("invite-row").filter(has_text="lina@trompo.example")
        await expect(row).to_contain_text("Vence")  # updated once the mail was sent
        link = find_invitation_link(server, "lina@trompo.example")
        await lina.request.get(link)  # as software that checks the links in mails does
        for page in (lina, rival):
            await page.goto(link)
            await expect(page.get_by_role("heading", level=1)).to_have_text("Bienvenido al equipo")
            assert "token" not in page.url
            await page.get_by_test_id("office-password").fill("una clave larga")
        await lina.get_by_test_id("office-enter").click()
        await expect(lina.get_by_test_id("office-nav")).to_be_visible()
        await rival.get_by_test_id("office-enter").click()
        await expect(rival.get_by_role("alert").first).to_contain_text("ya no sirve")
        await expect(row).to_contain_text("Ya la aceptó")
        await expect(owner.get_by_test_id("fresh")).to_contain_text("1 nuevo")
        await owner.get_by_test_id("fresh").locator("button, :scope").first.click()
        await expect(owner.get_by_test_id("team-row")).to_have_count(people + 1)
        member = owner.get_by_test_id("team-row").filter(has_text="lina@trompo.example")
        await member.locator("summary").first.click()
        await member.get_by_role("button", name="Quitar el acceso").click()
        await member.get_by_role("button", name="Sí, quitarlo").click()
        await expect(member).to_contain_text("Sin acceso")
        await lina.get_by_test_id("office-nav").get_by_role("link", name="Pedidos").click()
        await expect(lina).to_have_url(re.compile("/oficina/entrar"))


async def test_staff_member_manages_their_own_account(
    open_page: OpenPage, server: ShopServer, watch: PageWatch
) -> None:
    watch.expect("400")  # a wrong password
    async with open_page(*PHONE) as page, open_page(*PHONE) as other:
        await enter_office(other, server)
        await enter_office(page, server, "/oficina/cuenta")
        await page.get_by_test_id("own-password").fill("no es esta")
        await page.get_by_test_id("own-new-password").fill("otra clave larga")
        await page.get_by_test_id("own-password-save").click()
        await expect(page.get_by_text("Esta no es tu contraseña actual.")).to_be_visible()
        sessions = page.get_by_test_id("own-session")
        await expect(sessions.first).to_contain_text("Este equipo")
        count = await sessions.count()
        assert count > 1
        await sessions.last.get_by_role("button", name="Cerrar").click()
        await expect(sessions).to_have_count(count - 1)


async def test_text_typed_in_the_office_login_form_is_not_removed(
    open_page: OpenPage, server: ShopServer
) -> None:
    """Delete the session cookie at the second factor, open the login form, and type while it connects."""
    async with open_page(*PHONE) as page:
        await enter_office(page, server)
        await visit(page, "/oficina/entrar?codigo=1")
        await expect(page.get_by_role("button", name="Activar el código")).to_be_visible()
        await page.context.clear_cookies()
        async with wait_for_reconnection(page):
            await page.goto("/oficina/entrar")
            await page.get_by_test_id("office-email").fill(OWNER_LOGIN[0])
        await expect(page.get_by_test_id("office-email")).to_have_value(OWNER_LOGIN[0])
        await submit_entry_form(page)
        await expect(page.get_by_test_id("office-nav")).to_be_visible()
