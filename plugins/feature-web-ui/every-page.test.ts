// test-timeout: 600
// test-suite: full
// test-waits
import * as assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import type { Page } from "playwright-core";
import { test } from "uvu";
import { until } from "../../core/testing/guarantees/until.test-support.ts";
import { chatty, hostileText } from "../../core/testing/web/chatty.test-support.ts";
import {
	assertClean,
	assertFitsPhone,
	closeBrowser,
	goTo,
	type WebUnderTest,
	type WebUser,
	webTest,
	withWeb,
} from "../../core/testing/web/web.test-support.ts";
import { inquirer } from "../../plugins-runner/inquirer/index.ts";

test.after(closeBrowser);

/** A name without a place to break. */
const longName = `a_name_${"without_a_place_to_break_".repeat(4)}`;

/** Records to look at; what stands in the addresses of pages for each `:name`, by the first part of the path. */
async function prepare({ ask, signIn, run }: WebUnderTest): Promise<Readonly<Record<string, Readonly<Record<string, string>>>>> {
	const root = await signIn("root");
	const send = async (path: string, body: object, method = "POST") => {
		const answer = await ask(root, method, `/v1${path}`, body);
		assert.ok(answer.status < 300, JSON.stringify(answer.body));
		return answer.body;
	};
	const text = hostileText.replace("\u0000", "");
	await send("/actions", { name: longName, runner_type: "chatty", description: text });
	await send("/actions", { name: "question", runner_type: "inquirer" });
	const asked = await send("/executions", { action: "default.question", parameters: { users: ["root", "olga"], schema: {} } });
	const id = await run(root, `default.${longName}`, {
		lines: 300,
		text: `${"x".repeat(5_000)}\n${text}\n`,
		errors: "it broke\n",
		fail: text,
	});
	const action = { ref: `default.${longName}`, parameters: {} };
	await send("/rules", {
		...{ name: "posted", enabled: true, description: text, action },
		trigger: { type: "core.svc.webhook", parameters: { url: "sample", ledger: true } },
	});
	await send("/webhooks/sample", { said: text });
	await send("/keys/sample", { name: "sample", value: "x".repeat(500) }, "PUT");
	const policy = {
		name: "few",
		pack: "default",
		policy_type: "action.concurrency",
		resource_ref: action.ref,
		parameters: { threshold: 5 },
	};
	await send("/policies", policy);
	const key = await send("/apikeys", { metadata: { for: "x".repeat(500) } });
	const [node] = (await ask(root, "GET", "/v1/nodes")).body as unknown as readonly { readonly id: string }[];
	await send("/workers/poll", {
		...{ instance: "0".repeat(32), name: longName, hostname: longName, pid: 1, version: "0.1.0", draining: false, wait: 0 },
		...{ labels: Array.from({ length: 30 }, (_, index) => `label-${index}`), runners: ["chatty"], places: 1, free: 0, jobs: [] },
	});
	const [worker] = (await ask(root, "GET", "/v1/workers")).body as unknown as readonly { readonly id: string }[];
	const [event] = (await ask(root, "GET", "/v1/triggerinstances?limit=1")).body as unknown as readonly { readonly id: string }[];
	return {
		history: { id },
		inquiries: { id: String(asked["id"]) },
		events: { id: event?.id ?? "", ref: "core.svc.webhook" },
		actions: { ref: action.ref },
		rules: { ref: "default.posted" },
		policies: { ref: "default.few" },
		datastore: { scope: "system", name: "sample" },
		packs: { ref: "core" },
		apikeys: { id: String(key["id"]) },
		access: { name: "given" },
		nodes: { id: node?.id ?? "" },
		workers: { id: worker?.id ?? "" },
	};
}

/** What a list of the page's source says under a name; the list itself only browsers can load. */
async function readList(file: string, name: string): Promise<readonly string[]> {
	// Compiled tests lie in a folder of their own.
	const root = fileURLToPath(new URL("../../", import.meta.url)).replace(/build\/tests\/$/, "");
	const text = await readFile(`${root}plugins/feature-web-ui/web/${file}`, "utf8");
	return [...text.matchAll(new RegExp(`\\b${name}: "([^"]+)"`, "g"))].flatMap(([, value]) => value ?? []);
}

/** Every address of the page: each path of the list, without what may be missing, and each view of a run. */
async function toAddresses(values: Awaited<ReturnType<typeof prepare>>): Promise<readonly string[]> {
	const paths = await readList("pages.ts", "path");
	assert.ok(paths.length > 10);
	const plain = paths.map((path) => {
		const known = values[path.split("/")[1] ?? ""] ?? {};
		return path.replace(/\/:\w+\?$/, "").replace(/:(\w+)/g, (_, name: string) => known[name] ?? "nothing");
	});
	const views = await readList("execution/execution-views.ts", "name");
	return [...plain, ...views.map((name) => `/history/${values["history"]?.["id"]}/${name}`)];
}

/** Go there, and wait until what is to be there has come. */
async function look(page: Page, address: string): Promise<void> {
	await goTo(page, address);
	await page.locator("main > *").first().waitFor();
	await until(`${address} without what is on its way`, 60, async () => (await page.locator(".loading").count()) === 0 || undefined);
}

/** What is wrong with an address, by its name. */
async function inspect(page: Page, address: string): Promise<readonly string[]> {
	const found: string[] = [];
	await page.setViewportSize({ width: 1280, height: 900 });
	await look(page, address);
	for (const check of [assertClean, assertFitsPhone]) {
		await check(page).catch((error: unknown) => found.push(`${address}: ${error instanceof Error ? error.message : error}`));
	}
	return found;
}

webTest("every page is fit for everybody and for a telephone, in both themes, with all permissions, those of an observer, and none", () =>
	withWeb(
		async (web) => {
			const addresses = await toAddresses(await prepare(web));
			const found: string[] = [];
			for (const user of ["root", "olga", "ann"] satisfies WebUser[]) {
				const page = await web.open(user);
				for (const address of addresses) for (const problem of await inspect(page, address)) found.push(`${user}: ${problem}`);
				assert.notEqual(await page.title(), "taken");
				await page.close();
			}
			assert.deepEqual(found, []);
		},
		{ runners: [chatty(), inquirer()] },
	),
);

webTest("text that is hard to read in one theme alone is found", () =>
	withWeb(async ({ open }) => {
		const page = await open("root");
		await page.getByRole("heading", { name: "Executions" }).waitFor();
		for (const [theme, color] of [
			["light", "#bbb"],
			["dark", "#444"],
		] as const) {
			await page.evaluate((given) => {
				const { document } = globalThis as unknown as {
					document: {
						createElement(name: "p"): { style: { color: string } };
						querySelector(name: "main"): { prepend(element: object): void };
					};
				};
				const text = Object.assign(document.createElement("p"), { textContent: "words", id: "weak" });
				text.style.color = given;
				document.querySelector("main").prepend(text);
			}, color);
			await assert.rejects(assertClean(page), new RegExp(`${theme}: color-contrast: <p id="weak"`));
			await page.evaluate("document.getElementById('weak').remove()");
		}
	}),
);

test.run();
