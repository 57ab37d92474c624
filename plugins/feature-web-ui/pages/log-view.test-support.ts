import * as assert from "node:assert/strict";
import type { Page } from "playwright-core";
import { chatty, hostileText } from "../../../core/testing/web/chatty.test-support.ts";
import { assertClean, type WebUnderTest, webTest, withWeb } from "../../../core/testing/web/web.test-support.ts";

const options = { runners: [chatty()] };

/** An execution that prints; its id. */
async function print({ ask, signIn, run }: WebUnderTest, parameters: object): Promise<string> {
	const root = await signIn("root");
	await ask(root, "POST", "/v1/actions", { name: "chatty", runner_type: "chatty" });
	return run(root, "default.chatty", parameters);
}

const shown = (page: Page) => page.locator(".log-line").allInnerTexts();

webTest("a long log holds few elements; a line of it is linked to, found, and jumped to", () =>
	withWeb(async (web) => {
		const id = await print(web, { lines: 60_000, text: "the needle\n", errors: "it broke\n" });
		const page = await web.open("root", `/history/${id}/log`);
		await page.getByText("60,002 lines").waitFor();
		assert.ok((await page.locator("*").count()) <= 500);
		await page.getByLabel("Go to line").fill("31415");
		await page.getByLabel("Go to line").press("Enter");
		await page.locator(".log-line.marked", { hasText: "line 31415 of the output" }).waitFor();
		assert.match(page.url(), /line=31415/);
		assert.ok((await page.locator("*").count()) <= 500);
		await assertClean(page);
		await page.getByLabel("Find in the output").fill("needle");
		await page.getByLabel("Find in the output").press("Enter");
		await page.getByText("1 of 1").waitFor();
		await page.locator("mark", { hasText: "needle" }).waitFor();
		await page.getByLabel("Find in the output").fill("line 4711 ");
		await page.getByLabel("Find in the output").press("Enter");
		await page.locator(".log-line.marked", { hasText: "line 4711 of" }).waitFor();
		await page.getByRole("button", { name: "Next error" }).click();
		await page.locator(".log-line.marked.stderr", { hasText: "it broke" }).waitFor();
		await page.getByLabel("Type of output").selectOption("stderr");
		await page.getByText("1 line", { exact: true }).waitFor();
	}, options),
);

webTest("colours are shown, and what a terminal would obey is written out; nothing printed runs", () =>
	withWeb(async (web) => {
		const text = `\u001b[31mred\u001b[0m and \u001b[1mbold\u001b[0m\n${hostileText}\n\u0007bell\nprogress 1%\rprogress 99%\n${"x".repeat(20_000)}\n`;
		const id = await print(web, { text });
		const page = await web.open("root", `/history/${id}/log`);
		await page.locator(".ansi-red", { hasText: "red" }).waitFor();
		const lines = await shown(page);
		assert.match(lines[1] ?? "", /<img src=x onerror=.*\\u202etxt\.exe\\u0000/);
		assert.match(lines[2] ?? "", /\\u0007bell/);
		assert.match(lines[3] ?? "", /progress 99%$/);
		assert.match(lines[4] ?? "", /x{4096} … 15,904 more characters/);
		assert.notEqual(await page.title(), "taken");
		await page.getByLabel("Wrap").check();
		await page.getByLabel("Time").check();
		await assertClean(page);
	}, options),
);

webTest("addresses in the output are links that send no referrer", () =>
	withWeb(async (web) => {
		const text = [
			"see https://example.org/build/1?x=<b>y</b>, or (http://example.org/a).",
			"\u001b[31mfailed: https://example.org/red\u001b[0m",
			`cut ${"x".repeat(4_080)} https://example.org/${"y".repeat(100)}`,
			...Array.from({ length: 12 }, () => "https://a.b/ ".repeat(300)),
		];
		const id = await print(web, { text: `${text.join("\n")}\n` });
		const page = await web.open("root", `/history/${id}/log`);
		await page.locator(".log-link", { hasText: "red" }).waitFor();
		const links = await page
			.locator(".log-link")
			.evaluateAll((all) => all.slice(0, 4).map((link) => [link.textContent, link.getAttribute("href")]));
		const wanted = ["https://example.org/build/1?x=", "http://example.org/a", "https://example.org/red", "https://a.b/"];
		assert.deepEqual(
			links,
			wanted.map((address) => [address, address]),
		);
		const first = page.locator(".log-link").first();
		assert.deepEqual([await first.getAttribute("rel"), await first.getAttribute("target")], ["noopener noreferrer nofollow", "_blank"]);
		assert.equal(await page.locator(".log-line b").count(), 0);
		assert.ok((await page.locator("*").count()) <= 500);
		await page.getByLabel("Find in the output").fill("example");
		await page.getByLabel("Find in the output").press("Enter");
		await page.locator(".log-link mark").first().waitFor();
		await assertClean(page);
	}, options),
);

webTest("what goes on is followed, without a line lost or twice over connections that are cut; scrolling up stops it", () =>
	withWeb(async (web) => {
		const root = await web.signIn("root");
		await web.ask(root, "POST", "/v1/actions", { name: "chatty", runner_type: "chatty" });
		const { body } = await web.ask(root, "POST", "/v1/executions", { action: "default.chatty", parameters: { lines: 300, every: 20 } });
		const page = await web.open("root", `/history/${String(body["id"])}/log`);
		await page.locator(".log-line", { hasText: "tick 30" }).first().waitFor();
		for (let cut = 0; cut < 20; cut += 1) {
			await page.context().setOffline(true);
			await page.waitForTimeout(30);
			await page.context().setOffline(false);
			await page.waitForTimeout(30);
		}
		await page.locator(".log").hover();
		await page.mouse.wheel(0, -3_000);
		await page.getByRole("button", { name: /\d+ new lines/ }).waitFor();
		await page
			.getByRole("status")
			.filter({ hasText: /^New lines below$/ })
			.waitFor();
		await web.ask(root, "DELETE", `/v1/executions/${String(body["id"])}`);
		await page.locator("main").getByText("canceled").first().waitFor();
		await page.getByRole("button", { name: /\d+ new lines/ }).click();
		const whole = await (
			await fetch(`${web.urls.api}/v1/executions/${String(body["id"])}/output`, { headers: { "x-auth-token": root } })
		).text();
		const wanted = whole.trimEnd().split("\n");
		await page.getByText(`${wanted.length.toLocaleString("en")} lines`).waitFor();
		await page
			.locator(".log-line", { hasText: wanted.at(-1) ?? "" })
			.first()
			.waitFor();
		const seen = new Map<number, string>();
		for (let first = 1; first <= wanted.length; first += 10) {
			await page.locator(".log").evaluate((element, top) => element.scrollTo(0, top), (first - 1) * 18);
			const numbers = Array.from({ length: Math.min(10, wanted.length - first + 1) }, (_, index) => first + index);
			// The page shows the lines of the new position a moment later, and lines that it has yet to read as `…`.
			while (!numbers.every((number) => /[^…]/.test(seen.get(number) ?? "")))
				for (const text of await shown(page)) {
					const [, number = "", rest = ""] = /^(\d+)\s*(.*)$/.exec(text.replaceAll("\n", " ")) ?? [];
					seen.set(Number(number), rest.trim());
				}
		}
		assert.deepEqual(
			wanted.map((_, index) => seen.get(index + 1)),
			wanted,
		);
	}, options),
);
