"""From the upload to a release that is downloaded, by Tab, Enter, Space, arrows and typing alone."""

from __future__ import annotations

from playwright.sync_api import Page, expect

from studio.browser.visitor import STEPS, Visitor

MOST_PRESSES = 300
FOCUSED = """() => {
  const element = document.activeElement;
  const style = getComputedStyle(element);
  const point = element.querySelector("circle"); // of the map, which gets a line around it
  const shown = style.outlineStyle !== "none" || style.boxShadow !== "none" || element.closest(".chip")
    || (point && getComputedStyle(point).stroke !== "none");
  return [element === document.body ? "body" : `${element.tagName} ${element.id}`, Boolean(shown)];
}"""


def tab_to(page: Page, selector: str, key: str = "Tab") -> None:
    """Press Tab until what is sought has the focus; whatever has it on the way shows that."""
    for _ in range(MOST_PRESSES):
        page.keyboard.press(key)
        name, is_shown = page.evaluate(FOCUSED)
        assert is_shown or name.startswith(("body", "BSLIB-INPUT-DARK-MODE")), f"the focus on {name} cannot be seen"
        if page.evaluate("selector => document.activeElement.matches(selector)", selector):
            return
    raise AssertionError(f"no way to {selector} by {key}")


def to_step(visitor: Visitor, step: str) -> None:
    """Go back to the steps, and by arrows to one of them."""
    page = visitor.page
    tab_to(page, "main .nav-link.active", "Shift+Tab")
    away = STEPS.index(step) - STEPS.index(visitor.shown_step)
    for _ in range(abs(away)):
        page.keyboard.press("ArrowRight" if away > 0 else "ArrowLeft")
        page.keyboard.press("Enter")
    expect(page.locator(f'.tab-pane.active[data-value="{step}"]')).to_be_visible()
    visitor.settled()


def test_a_release_is_made_by_the_keyboard_alone(new_visitor, survey, tmp_path):
    visitor = new_visitor
    page, press = visitor.page, visitor.page.keyboard.press
    visitor.settled()
    tab_to(page, "#data-file")
    expect(visitor.find("data-file")).to_be_focused()
    with page.expect_file_chooser() as chooser:
        press("Space")
    chooser.value.set_files(survey)  # the system's own dialog
    expect(visitor.find("headline-facts")).to_contain_text(survey.name)

    to_step(visitor, "Variables")
    select = f"#variables-role_{visitor.row('interviewed')}"
    tab_to(page, select)
    visitor.decide(lambda: press("i"))  # identifier
    assert page.evaluate("selector => document.activeElement.matches(selector)", select)  # though it was drawn anew
    tab_to(page, f"#variables-choose_{visitor.row('wage')}")
    press("Space")
    expect(page.locator("#variables-tools")).to_contain_text("1")

    to_step(visitor, "Keys")
    tab_to(page, "#keys-recoding-columns")
    press("a")  # age
    tab_to(page, "#keys-recoding-bands_width_slider")
    press("ArrowRight")
    tab_to(page, "#keys-recoding-use_it")
    expect(visitor.find("keys-recoding-use_it")).to_have_attribute("aria-disabled", "false")
    visitor.decide(lambda: press("Enter"))

    to_step(visitor, "Rules")
    tab_to(page, "#rules-rule_box")
    page.keyboard.type("tax >= 0")
    expect(visitor.page.locator('#rules-add_written[data-about-value="tax >= 0"]')).to_be_visible()
    visitor.decide(lambda: press("Enter"))

    to_step(visitor, "Protect")
    tab_to(page, "#protect-k_field")
    page.keyboard.type("5")
    visitor.decide(lambda: press("Enter"))
    tab_to(page, "#protect-more > summary")
    press("Enter")
    tab_to(page, "#protect-setting_missing")
    visitor.decide(lambda: press("f"))  # fill
    tab_to(page, "#protect-start_now")
    press("Enter")
    visitor.wait_for_attempt(1)

    to_step(visitor, "Evaluate")
    tab_to(page, "#evaluate-map [role=button]")
    press("Space")
    to_step(visitor, "Export")
    tab_to(page, "#export-get_masked")
    with page.expect_download() as download:
        press("Space")
    download.value.save_as(tmp_path / "masked.csv")
    assert len((tmp_path / "masked.csv").read_text().splitlines()) == len(survey.read_text().splitlines())
