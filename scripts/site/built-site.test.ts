// test-suite: full
// test-timeout: 300
import * as assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { test } from "uvu";
import { closeBrowser, openPage, webTest, withWeb } from "../../core/testing/web/web.test-support.ts";
import { findFiles } from "../find-files.ts";
import { run } from "../run.ts";
import { findPages, toSitePage } from "./stage-pages.ts";

const site = resolve("build/site");
const { version } = JSON.parse(readFileSync("package.json", "utf8")) as { version: string };

test.before(async () => {
	const { code, output } = await run(process.execPath, ["--import", "tsx", "scripts/site/main.ts", "--build"]);
	assert.equal(code, 0, output);
});
test.after(closeBrowser);

/** Returns the pages of the site with their HTML. */
function readPages(): ReadonlyMap<string, string> {
	const pages = findFiles([site], (file) => file.endsWith(".html"));
	return new Map(pages.map((page) => [page.slice(site.length + 1), readFileSync(page, "utf8")]));
}

test("the site contains every page of the documentation, the examples and the API", () => {
	const pages = readPages();
	for (const file of [...findPages().map(toSitePage), "reference/openapi.md", "examples/index.md"]) {
		assert.ok(pages.has(file.replace(/\.md$/, ".html")), file);
	}
	const sources = [...pages.keys()].filter((page) => /\.(ts|ya?ml|json)\.html$/.test(page));
	assert.ok(sources.length > 0, "no page shows a source file");
});

test("every link of the site leads to a file of the site, and every anchor to an element", () => {
	const pages = readPages();
	const files = new Set(findFiles([site], () => true).map((file) => file.slice(site.length + 1)));
	const problems: string[] = [];
	for (const [page, html] of pages) {
		for (const [, address = ""] of html.matchAll(/(?:href|src)="([^"]+)"/g)) {
			const { origin, pathname, hash } = new URL(address, `http://site/docs/${page}`);
			if (origin !== "http://site") continue;
			const path = pathname.replace(/^\/docs\//, "").replace(/(^|\/)$/, "$1index.html");
			const target = pages.get(path);
			const anchor = decodeURIComponent(hash.slice(1));
			if (!files.has(path)) problems.push(`${page}: ${address} has no target`);
			else if (anchor !== "" && target?.includes(` id="${anchor}"`) === false) problems.push(`${page}: ${address} has no such anchor`);
		}
	}
	assert.deepEqual(problems, []);
});

test("pages show templates as they are written, and contain no inline scripts", () => {
	const templates = /\{\{ ?[\w.]+/g;
	for (const [page, html] of readPages()) assert.doesNotMatch(html, /<script(?![^>]* src=)|<style/, page);
	for (const file of findFiles(["docs"], (path) => path.endsWith(".md"))) {
		const html = readFileSync(join(site, toSitePage(file).replace(/\.md$/, ".html")), "utf8").replace(/<[^>]*>/g, "");
		for (const [template] of readFileSync(file, "utf8").matchAll(templates)) assert.ok(html.includes(template), `${file}: ${template}`);
	}
});

webTest("a browser shows the site below its policy: search, navigation, dark theme, copies of code", () =>
	withWeb(
		async ({ urls }) => {
			const page = await openPage();
			const violations: string[] = [];
			page.on("console", (message) => /Content Security Policy/.test(message.text()) && violations.push(message.text()));
			page.on("pageerror", (error) => violations.push(String(error)));
			await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
			await page.goto(`${urls.api}/docs/`);
			await page.getByRole("heading", { name: "Documentation", level: 1 }).waitFor();
			await page.getByRole("button", { name: version }).waitFor();

			await page.getByRole("button", { name: "Search" }).click();
			await page.getByRole("searchbox").fill("certificate private key");
			await page.getByRole("option").filter({ hasText: "TLS" }).first().click();
			await page.getByRole("heading", { name: "TLS", level: 1 }).waitFor();

			const code = page.locator("div[class*=language-]").first();
			await code.hover();
			await code.getByRole("button", { name: "Copy Code" }).click();
			assert.equal(await page.evaluate("navigator.clipboard.readText()"), (await code.locator("code").textContent())?.trim());

			await page.getByRole("switch").first().click();
			await page.locator("html.dark").waitFor({ state: "attached" });
			await page.reload();
			await page.locator("html.dark").waitFor({ state: "attached" });
			await page.getByRole("link", { name: "Reference" }).first().click();
			await page.waitForURL(/\/docs\/#reference$/);

			await page.goto(`${urls.api}/docs/reference/openapi.html#schema-fault`);
			await page.getByRole("heading", { name: "Schema Fault" }).waitFor();
			await page.goto(`${urls.api}/docs/absent.html`);
			await page.getByText("404").waitFor();
			await page.goto(`${urls.api}/docs/guides/web-interface.html`);
			await page.locator("img").first().scrollIntoViewIfNeeded();
			assert.deepEqual(violations, []);
		},
		{ webui: { docs_dir: site } },
	),
);

test.run();
