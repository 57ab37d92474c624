import * as assert from "node:assert/strict";
import type { Page } from "playwright-core";
import { chatty } from "../../../core/testing/web/chatty.test-support.ts";
import { type WebUnderTest, webTest, withWeb } from "../../../core/testing/web/web.test-support.ts";

/** A failed execution that has printed; its id. */
async function print({ ask, signIn, run }: WebUnderTest): Promise<string> {
	const root = await signIn("root");
	await ask(root, "POST", "/v1/actions", { name: "chatty", runner_type: "chatty" });
	return run(root, "default.chatty", { lines: 500, errors: "it broke\n", fail: "broken" });
}

/** What has the focus: its role or element, and its name. */
const focused = (page: Page) =>
	page.evaluate<string>(`(() => {
		const { activeElement: element } = document;
		const label = element.getAttribute("aria-label") ?? element.labels?.[0]?.textContent ?? element.textContent;
		return element.localName + " " + label.trim();
	})()`);

/** Go on with the Tab key until something has the focus, which must be seen to have it. */
async function tabTo(page: Page, wanted: string): Promise<void> {
	const passed: string[] = [];
	for (let step = 0; step < 120; step += 1) {
		await page.keyboard.press("Tab");
		const name = await focused(page);
		passed.push(name);
		if (name !== wanted) continue;
		const outline = await page.evaluate<string>("getComputedStyle(document.activeElement).outlineStyle");
		assert.notEqual(outline, "none", wanted);
		return;
	}
	assert.fail(`no way leads to ${wanted} but to ${[...new Set(passed)].join(", ")}`);
}

webTest("the keyboard alone leads through signing in, runs, a run, its log, a search, to a line and back", () =>
	withWeb(
		async (web) => {
			const id = await print(web);
			const page = await web.openSignedOut("/");
			await page.getByRole("heading", { name: "Sign in to svc" }).waitFor();
			await tabTo(page, "input User");
			await page.keyboard.type("root");
			await tabTo(page, "input Password");
			await page.keyboard.type("root");
			await page.keyboard.press("Enter");
			await page.getByRole("button", { name: "Sign out" }).waitFor();
			await tabTo(page, "a Executions");
			await page.keyboard.press("Enter");
			await page.getByRole("link", { name: "default.chatty" }).waitFor();
			await tabTo(page, "a default.chatty");
			await page.keyboard.press("Enter");
			await page.getByRole("heading", { name: "default.chatty" }).waitFor();
			await tabTo(page, "a Log");
			await page.keyboard.press("Enter");
			await page.locator(".log-line", { hasText: "line 1 of the output" }).waitFor();
			await tabTo(page, "input Find in the output");
			await page.keyboard.type("line 42");
			await page.keyboard.press("Enter");
			await page.getByRole("status").filter({ hasText: "1 of 11" }).waitFor();
			await tabTo(page, "button Next match");
			await page.keyboard.press("Enter");
			await page.locator(".log-line.marked", { hasText: "line 420 of" }).waitFor();
			await tabTo(page, "section Output");
			await page.keyboard.press("Home");
			await page.locator(".log-line", { hasText: "line 1 of the output" }).waitFor();
			await tabTo(page, "a 2");
			await page.keyboard.press("Enter");
			await page.locator(".log-line.marked", { hasText: "line 2 of the output" }).waitFor();
			assert.match(page.url(), new RegExp(`#/history/${id}/log\\?.*line=2$`));
			await page.goBack();
			await page.locator(".log-line.marked", { hasText: "line 420 of" }).waitFor();
		},
		{ runners: [chatty()] },
	),
);

webTest("a screen reader is told what the pages are made of, and what changes in them", () =>
	withWeb(
		async (web) => {
			const id = await print(web);
			const out = await web.openSignedOut("/");
			const signIn = await out.locator("body").ariaSnapshot();
			for (const part of ['heading "Sign in to svc" [level=1]', 'textbox "User"', 'textbox "Password"', 'button "Sign in"']) {
				assert.ok(signIn.includes(part), `${part} in\n${signIn}`);
			}
			const page = await web.open("root", "/history");
			await page.getByRole("link", { name: "default.chatty" }).waitFor();
			await page.locator(".live", { hasText: "live" }).waitFor();
			const runs = await page.locator("body").ariaSnapshot();
			const shell = ["- banner:", '- navigation "Pages":', 'link "Skip to the content"', "- main:", "- status: live"];
			const list = [
				'heading "Executions" [level=1]',
				'search "Filters"',
				'table "Executions"',
				'columnheader "Status"',
				'link "default.chatty"',
			];
			for (const part of [...shell, ...list, 'navigation "Pages of the list"']) assert.ok(runs.includes(part), `${part} in\n${runs}`);
			await page.goto(`${web.urls.api}/#/history/${id}/log`);
			await page.locator(".log-line", { hasText: "line 1 of the output" }).waitFor();
			const log = await page.locator("body").ariaSnapshot();
			const parts = [
				"- status: failed",
				'navigation "Views of this execution"',
				'search "Search the output"',
				'region "Output"',
				'link "Download"',
			];
			for (const part of parts) assert.ok(log.includes(part), `${part} in\n${log}`);
		},
		{ runners: [chatty()] },
	),
);

webTest("nothing moves for whoever wants no motion", () =>
	withWeb(async ({ open }) => {
		const page = await open("root", "/");
		await page.emulateMedia({ reducedMotion: "reduce" });
		const moving = await page.evaluate<string[]>(`[...document.querySelectorAll("*")]
			.filter((element) => {
				const { transitionDuration, animationName, scrollBehavior } = getComputedStyle(element);
				return /[1-9]/.test(transitionDuration) || animationName !== "none" || scrollBehavior === "smooth";
			})
			.map(({ outerHTML }) => outerHTML.slice(0, 200))`);
		assert.deepEqual(moving, []);
	}),
);
