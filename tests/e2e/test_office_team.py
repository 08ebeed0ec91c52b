"""The team at the browser: somebody is invited, comes in by the mail's link, and looks after their own account."""

import re
from email import message_from_bytes, policy
from pathlib import Path

from playwright.async_api import expect

from tests.e2e.conftest import STAFF, OpenPage, ShopServer, Watch
from tests.e2e.office_steps import enter, fill_in_entry, prove, visit
from tests.e2e.shopper import PATIENCE
from tests.e2e.test_restart import reconnected

WIDE = (390, 844)
LINK = re.compile(r"http\S+/oficina/entrar\?invitacion=1#token=\S+")


def link_to(shop: ShopServer, address: str) -> str:
    """The link in the last mail to this address."""
    folder: Path = shop.folder / "data" / "outbox"
    for file in sorted(folder.glob("*.eml"), reverse=True):
        mail = message_from_bytes(file.read_bytes(), policy=policy.default)
        part = mail.get_body(("plain",))
        if mail["To"] == address and part is not None and (found := LINK.search(part.get_content())):
            return found[0]
    return ""


async def test_somebody_is_invited_and_comes_in(
    open_page: OpenPage, server: ShopServer, watch: Watch
) -> None:
    watch.expect("400")  # a link that was used
    async with open_page(*WIDE) as owner, open_page(*WIDE) as lina, open_page(*WIDE) as rival:
        await enter(owner, server)
        await prove(server)
        await visit(owner, "/oficina/equipo")
        people = await owner.get_by_test_id("team-row").count()  # other tests of this shop add some
        await owner.get_by_test_id("team-invite").click()
        await owner.get_by_test_id("invite-email").fill("Lina@Trompo.example")
        await owner.get_by_test_id("save").click()
        await expect(owner.get_by_text("Elige un rol.")).to_be_visible(timeout=PATIENCE)
        await expect(owner.get_by_test_id("invite-email")).to_have_value("Lina@Trompo.example")
        await owner.get_by_test_id("invite-role").select_option("stockroom")
        await owner.get_by_test_id("save").click()
        row = owner.get_by_test_id("invite-row").filter(has_text="lina@trompo.example")
        await expect(row).to_contain_text("Vence", timeout=PATIENCE)  # by itself, once the mail has left
        link = link_to(server, "lina@trompo.example")
        await lina.request.get(link)  # what looks at links in mails
        for page in (lina, rival):
            await page.goto(link)
            await expect(page.get_by_role("heading", level=1)).to_have_text("Bienvenido al equipo")
            assert "token" not in page.url
            await page.get_by_test_id("office-password").fill("una clave larga")
        await lina.get_by_test_id("office-enter").click()
        await expect(lina.get_by_test_id("office-nav")).to_be_visible(timeout=PATIENCE)
        await rival.get_by_test_id("office-enter").click()
        await expect(rival.get_by_role("alert").first).to_contain_text("ya no sirve", timeout=PATIENCE)
        await expect(row).to_contain_text("Ya la aceptó", timeout=PATIENCE)
        await expect(owner.get_by_test_id("fresh")).to_contain_text("1 nuevo")
        await owner.get_by_test_id("fresh").locator("button, :scope").first.click()
        await expect(owner.get_by_test_id("team-row")).to_have_count(people + 1, timeout=PATIENCE)
        member = owner.get_by_test_id("team-row").filter(has_text="lina@trompo.example")
        await member.locator("summary").first.click()
        await member.get_by_role("button", name="Quitar el acceso").click()
        await member.get_by_role("button", name="Sí, quitarlo").click()
        await expect(member).to_contain_text("Sin acceso", timeout=PATIENCE)
        await lina.get_by_test_id("office-nav").get_by_role("link", name="Pedidos").click()
        await expect(lina).to_have_url(re.compile("/oficina/entrar"), timeout=PATIENCE)


async def test_ones_own_account(open_page: OpenPage, server: ShopServer, watch: Watch) -> None:
    watch.expect("400")  # a wrong password
    async with open_page(*WIDE) as page, open_page(*WIDE) as other:
        await enter(other, server)
        await enter(page, server, "/oficina/cuenta")
        await page.get_by_test_id("own-password").fill("no es esta")
        await page.get_by_test_id("own-new-password").fill("otra clave larga")
        await page.get_by_test_id("own-password-save").click()
        await expect(page.get_by_text("Esta no es tu contraseña actual.")).to_be_visible(timeout=PATIENCE)
        sessions = page.get_by_test_id("own-session")
        await expect(sessions.first).to_contain_text("Este equipo")
        count = await sessions.count()
        assert count > 1
        await sessions.last.get_by_role("button", name="Cerrar").click()
        await expect(sessions).to_have_count(count - 1, timeout=PATIENCE)


async def test_what_is_typed_at_the_way_in_stays(open_page: OpenPage, server: ShopServer) -> None:
    """Also in a tab that has shown the form for the second factor, where somebody was signed in."""
    async with open_page(*WIDE) as page:
        await enter(page, server)
        await visit(page, "/oficina/entrar?codigo=1")
        await expect(page.get_by_role("button", name="Activar el código")).to_be_visible()
        await page.context.clear_cookies()
        async with reconnected(page):
            await page.goto("/oficina/entrar")
            await page.get_by_test_id("office-email").fill(STAFF[0])
        await expect(page.get_by_test_id("office-email")).to_have_value(STAFF[0])
        await fill_in_entry(page)
        await expect(page.get_by_test_id("office-nav")).to_be_visible(timeout=PATIENCE)
