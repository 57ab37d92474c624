// test-suite: full
// test-timeout: 180
import * as assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Page } from "playwright-core";
import { test } from "uvu";
import { site } from "../../core/testing/web/site-pack.test-support.ts";
import { closeBrowser, goTo, type WebUnderTest, webTest, withWeb } from "../../core/testing/web/web.test-support.ts";
import { beginUntil } from "../../core/testing/web/yard.test-support.ts";

// SVC_PICTURES=docs/pictures writes the pictures there that the docs show.
const target = process.env["SVC_PICTURES"];
const largest = 150_000;
// Compiled tests lie in a folder of their own.
const root = fileURLToPath(new URL("../../", import.meta.url)).replace(/build\/tests\/$/, "");

test.after(closeBrowser);

/** A picture of what is seen now. */
async function take(page: Page, name: string): Promise<void> {
	await page.mouse.move(0, 0);
	const picture = await page.screenshot({ animations: "disabled", caret: "hide" });
	assert.ok(picture.length <= largest, `${name} has ${picture.length} bytes`);
	if (target === undefined) return;
	await mkdir(target, { recursive: true });
	await writeFile(join(target, `${name}.png`), picture);
}

/** Runs of all kinds; the ids of those to look at. */
async function makeRuns(
	web: WebUnderTest,
): Promise<{ readonly release: string; readonly failed: string; readonly deployed: string; readonly held: string }> {
	const token = await web.signIn("root");
	const begin = (action: string, status: string, parameters = {}) => beginUntil(web, token, `site.${action}`, { status, parameters });
	await begin("check_certificates", "succeeded");
	const deployed = await begin("deploy", "succeeded");
	await begin("backup_database", "succeeded");
	const release = await begin("release", "succeeded");
	const failed = await begin("restart_web", "failed");
	await begin("check_certificates", "succeeded");
	const held = await begin("backup_database", "running", { wait: true });
	return { release, failed, deployed, held };
}

webTest("the pictures of the docs can be made, and are small", () =>
	withWeb(async (web) => {
		const { release, failed, deployed, held } = await makeRuns(web);
		try {
			const page = await web.open("root", "/history?status=succeeded");
			await page.setViewportSize({ width: 1280, height: 600 });
			await page.emulateMedia({ colorScheme: "light", reducedMotion: "reduce" });
			await page.getByRole("button", { name: "Clear" }).waitFor();
			const filters = await page.locator(".filters").boundingBox();
			assert.ok((filters?.height ?? 0) < 60, `the filters take ${filters?.height} pixels`);
			await page.getByRole("button", { name: "Clear" }).click();
			await page.locator(".live", { hasText: "live" }).waitFor();
			await page.getByRole("link", { name: "site.release" }).waitFor();
			await take(page, "runs");
			await goTo(page, `/history/${failed}/general`);
			await page.getByText("This execution failed").waitFor();
			await page.locator(".log-line", { hasText: "port 443" }).waitFor();
			await take(page, "failed-run");
			await goTo(page, `/history/${deployed}/log?find=migrate&line=165`);
			await page.locator(".log-line.marked mark").waitFor();
			await take(page, "log");
			await goTo(page, `/history/${release}/graph?task=restart`);
			await page.getByRole("region", { name: "Task restart" }).waitFor();
			await take(page, "workflow");
		} finally {
			await web.ask(await web.signIn("root"), "DELETE", `/v1/executions/${held}`);
		}
	}, site),
);

test("each picture that the docs show is there, and each that is there is shown", async () => {
	const pages = ["README.md", "docs/guides/web-interface.md"];
	const texts = await Promise.all(pages.map((page) => readFile(join(root, page), "utf8")));
	const named = texts.flatMap((text) =>
		[...text.matchAll(/!\[[^\]]+\]\((?:\.\.\/|docs\/)pictures\/([\w-]+\.png)\)/g)].map(([, name = ""]) => name),
	);
	assert.ok(named.length > 0);
	for (const name of named) assert.ok(existsSync(join(root, "docs/pictures", name)), name);
	assert.deepEqual(
		(await readdir(join(root, "docs/pictures"))).filter((name) => !named.includes(name)),
		[],
	);
});

test.run();
