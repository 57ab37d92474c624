import * as assert from "node:assert/strict";
import type { Page } from "playwright-core";
import { chatty, hostileText } from "../../../core/testing/web/chatty.test-support.ts";
import { assertClean, type WebUnderTest, webTest, withWeb } from "../../../core/testing/web/web.test-support.ts";
import { localCommand } from "../../../plugins-runner/local-command/index.ts";

const options = { runners: [chatty(), localCommand()] };

/** An execution that prints a text; its id. */
async function print({ ask, signIn, run }: WebUnderTest, text: string): Promise<string> {
	const root = await signIn("root");
	await ask(root, "POST", "/v1/actions", { name: "chatty", runner_type: "chatty" });
	return run(root, "default.chatty", { text });
}

const shown = (page: Page) => page.locator(".log-line").allInnerTexts();

webTest("whatever is printed is text: markup, links, moves of the cursor, titles, marks of direction", () =>
	withWeb(async (web) => {
		const lines = [
			hostileText,
			"\u001b]8;;javascript:document.title='taken'\u0007click\u001b]8;;\u0007 javascript:alert(1) https://example.org/",
			"\u001b[2J\u001b[1;1Hover \u001b[10Athere\u001b[K\u001b[?25l",
			"\u001b]0;taken\u0007title \u001b]2;taken\u001b\\again",
			"\u202eright to left\u2066 and \u0000 nothing",
			"${1+1} `id` &lt;b&gt; </div></section><style>*{display:none}</style>",
			"\u001b[31<script>document.title='taken'</script>\u001b[38;2;1;2;url(//example.org)m",
		];
		const page = await web.open("root", `/history/${await print(web, `${lines.join("\n")}\n`)}/log`);
		await page.getByText("7 lines", { exact: true }).waitFor();
		await page.locator(".log-line", { hasText: "&lt;b&gt;" }).waitFor();
		const texts = await shown(page);
		assert.match(texts[0] ?? "", /<img src=x onerror=.*<script>.*\\u202etxt\.exe\\u0000/);
		assert.match(texts[1] ?? "", /click javascript:alert\(1\) https:/);
		assert.match(texts[2] ?? "", /over there$/);
		assert.match(texts[3] ?? "", /title again$/);
		assert.match(texts[4] ?? "", /\\u202eright to left\\u2066 and \\u0000 nothing/);
		assert.match(texts[5] ?? "", /<\/div><\/section><style>/);
		assert.equal(await page.locator(".log-line :is(img, script, style, a:not(.log-number, .log-link))").count(), 0);
		const links = await page.locator(".log-link").evaluateAll((all) => all.map((link) => link.getAttribute("href")));
		assert.deepEqual(links, ["https://example.org/"], "javascript is no link");
		await page.getByLabel("Find in the output").fill("<script>");
		await page.getByLabel("Find in the output").press("Enter");
		await page.getByText("1 of 2").waitFor();
		assert.notEqual(await page.title(), "taken");
		await assertClean(page);
	}, options),
);

webTest("colours of the palette and of their own are drawn without a style in the markup, and can be read in both themes", () =>
	withWeb(async (web) => {
		const text =
			"\u001b[38;5;208morange\u001b[0m \u001b[38;5;1mred\u001b[0m \u001b[38;2;0;0;1mdark\u001b[0m \u001b[38;2;255;255;254mlight\u001b[48;5;19mon blue\u001b[0m\n";
		const page = await web.open("root", `/history/${await print(web, text)}/log`);
		await page.locator(".own-colour", { hasText: "orange" }).waitFor();
		const own = await page.evaluate<string>("document.querySelector('.own-colour').style.getPropertyValue('--own-colour')");
		assert.equal(own, "rgb(255, 135, 0)");
		assert.equal(await page.locator(".ansi-red", { hasText: "red" }).count(), 1);
		assert.equal(await page.locator(".own-ground", { hasText: "on blue" }).count(), 1);
		await assertClean(page);
	}, options),
);

webTest("a line of 5 MB, and bytes that are no text, are shown as far as they can be", () =>
	withWeb(async (web) => {
		const root = await web.signIn("root");
		const cmd = "echo first; head -c 5000000 /dev/zero | tr '\\0' x; echo needle; echo last";
		const id = await web.run(root, "core.local", { cmd });
		const page = await web.open("root", `/history/${id}/log?find=needle`);
		await page.locator(".log-line.marked", { hasText: "more characters: download the output to see them" }).waitFor();
		await page.locator(".log-line", { hasText: /^3last$/ }).waitFor();
		assert.ok(((await page.locator(".log").textContent()) ?? "").length < 6_000);
		await page.getByLabel("Wrap").check();
		await assertClean(page);
		const bytes = await web.run(root, "core.local", { cmd: "printf 'bad \\377\\376\\300 bytes\\n\\000nul\\n'" });
		await page.goto(`${web.urls.api}/#/history/${bytes}/log`);
		await page.locator(".log-line", { hasText: /^1bad \ufffd+ bytes$/ }).waitFor();
		await page.locator(".log-line", { hasText: /^2\\u0000nul$/ }).waitFor();
		await assertClean(page);
	}, options),
);
